#!/bin/sh
# Create the secrets for compose.yaml, each in a file that one user of one container can read:
# deploy/secrets.sh [FOLDER]. Existing files stay. Run it as root, so that it can set the owners.
set -eu
folder=${1:-$(dirname "$0")/secrets}
umask 077
mkdir -p "$folder"
cd "$folder"
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
for name in secret_key database_password superuser_password; do
    [ -s "$name" ] || random >"$name"
done
# A certificate for the database only. No program except Candor's servers trusts it
[ -s database_key ] || openssl req -x509 -nodes -days 3650 -newkey ec \
    -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=database -addext subjectAltName=DNS:database \
    -out database_certificate.pem -keyout database_key 2>/dev/null
printf 'postgresql://candor:%s@database/candor?sslmode=verify-full&sslrootcert=%s\n' \
    "$(cat database_password)" /run/secrets/database_certificate >database_address
chmod 444 database_certificate.pem # public
if [ "$(id -u)" = 0 ]; then
    chmod 711 .
    chown 10001:10001 secret_key database_address # Candor
    chown 999:999 database_password superuser_password database_key # PostgreSQL
    [ ! -e certificate.pem ] || chown 10002:10002 certificate.pem
fi
[ -e certificate.pem ] ||
    echo "Now put the certificate for both names and its key into $PWD/certificate.pem." >&2
