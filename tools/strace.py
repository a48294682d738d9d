"""Find strace for the tests, or install it: a loss of power is rebuilt from what the server was
seen to write and to sync. Without it `make test-all` goes on, and leaves these tests out. Run by
`make test-all`."""

import shutil

from tools.system import install


def main() -> None:
    if shutil.which("strace") is None:
        print("No strace found; installing it (once)...", flush=True)
        install("strace", recommended=False)
    if shutil.which("strace") is None:
        print(
            "No strace could be installed: the tests of a loss of power are left out. To run them, "
            "install it (Debian: apt-get install strace)."
        )


if __name__ == "__main__":
    main()
