"""Find strace for the tests, or install it. Run by `make test-all`.

The tests of a loss of power reconstruct the disk from the writes and syncs of the server. Without
strace, `make test-all` skips these tests.
"""

import shutil

from tools.system import install


def main() -> None:
    if shutil.which("strace") is None:
        print("No strace found; installing it (once)...", flush=True)
        install("strace", recommended=False)
    if shutil.which("strace") is None:
        print(
            "No strace could be installed, so the tests of a loss of power are skipped. To run "
            "them, install it (Debian: apt-get install strace)."
        )


if __name__ == "__main__":
    main()
