"""Whether a browser with a window can start."""

import sys
from collections.abc import Mapping

NO_SCREEN = (
    "--headed and PWDEBUG need a screen, but neither DISPLAY nor WAYLAND_DISPLAY is set. "
    "Use --tracing instead."
)


def screen_fault(environment: Mapping[str, str], platform: str = sys.platform) -> str:
    """Why no window can be shown; empty if one can. Only Linux names its screens in variables."""
    shown = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return "" if shown or platform != "linux" else NO_SCREEN
