#!/bin/sh
# Make the secrets that compose.yaml hands over, each in a file that one user of one container reads:
# deploy/secrets.sh [FOLDER]. What is there already stays. As root, so that it can give them away.
set -eu
folder=${1:-$(dirname "$0")/secrets}
umask 077
mkdir -p "$folder"
cd "$folder"
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
for name in secret_key database_password superuser_password; do
    [ -s "$name" ] || random >"$name"
done
printf 'postgresql://candor:%s@database/candor\n' "$(cat database_password)" >database_address
if [ "$(id -u)" = 0 ]; then
    chmod 711 .
    chown 10001:10001 secret_key database_address     # Candor
    chown 999:999 database_password superuser_password # PostgreSQL
    [ ! -e certificate.pem ] || chown 10002:10002 certificate.pem
fi
[ -e certificate.pem ] ||
    echo "Now put the certificate for both names and its key into $PWD/certificate.pem." >&2
