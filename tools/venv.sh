#!/bin/sh
# Create an environment and install a lock, each file verified by its hash:
# tools/venv.sh PYTHON LOCK STAMP [FOLDER]. FOLDER is .venv by default.
set -eu
python=$1 lock=$2 stamp=$3 venv=${4:-.venv}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "Candor needs Python 3.11 or newer, but '$python' is missing or older." >&2
    echo "Install one, or name another: make PYTHON=/path/to/python3 ..." >&2
    exit 1
fi
if [ ! -x "$venv/bin/pip" ]; then
    rm -rf "$venv"
    echo "Setting up $venv (once)..."
    if ! "$python" -m venv "$venv" >/dev/null 2>&1; then
        # In Debian and Ubuntu, venv's pip is not part of python3
        echo "This Python cannot create environments; trying to install python3-venv..." >&2
        rm -rf "$venv"
        for sudo in "" "sudo -n"; do
            $sudo apt-get update -qq >/dev/null 2>&1 || true
            $sudo apt-get install -y -qq python3-venv >/dev/null 2>&1 && break
        done
        "$python" -m venv "$venv" || {
            echo "Run 'apt-get install python3-venv' as root, then try again." >&2
            exit 1
        }
    fi
fi
echo "Installing the $(grep -c '^[A-Za-z0-9].*==' "$lock") packages of $lock (once)..."
# A terminal shows pip's output; a log gets only the line above and errors
quiet=-qq
[ ! -t 1 ] || quiet=
# Python compiles imported modules at the first start. pip would compile everything, including the
# tests of numpy and scipy, which takes as long as the installation itself
"$venv/bin/pip" install $quiet --no-compile --disable-pip-version-check --require-hashes -r "$lock"
# Older versions of Python put setuptools into each environment. Candor does not use it
"$venv/bin/pip" uninstall --quiet --yes setuptools 2>/dev/null || true
for folder in "$venv"/lib/python3*/site-packages; do
    sh tools/prune.sh "$folder"
done
# The command `candor` of this clone
[ "$venv" = .venv ] || exec touch "$venv/$stamp"
cat >"$venv/bin/candor" <<END
#!/bin/sh
exec "$PWD/$venv/bin/python" "$PWD/app.py" "\$@"
END
chmod +x "$venv/bin/candor"
touch "$venv/$stamp"
