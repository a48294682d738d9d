"""The production server: granian, which keeps answering while slow clients hold connections.

No access log is kept: a line with an address and a time beside each response would undo what
the store leaves out.
"""

import socket

import click
from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from .errors import SettingsError
from .settings import Settings

THREADS = 8  # more per process lengthened the slowest answers in measurements


def serve(settings: Settings, greeting: str) -> None:
    """Serve until told to stop; `greeting` is printed once the port is known to be free."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise SettingsError(
                f"{settings.host}:{settings.port} cannot be listened on: {error.strerror}. "
                "Stop what is using it, or set PORT to another number."
            ) from error
    click.echo(greeting)
    Granian(
        "app:create_app",
        factory=True,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=THREADS,
        websockets=False,
        log_access=False,
        log_level=LogLevels.error,
        respawn_failed_workers=True,
    ).serve()
