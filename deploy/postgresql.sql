-- The role and the database of Candor, made once, by the first start of the container or by hand:
-- CANDOR_PASSWORD_FILE=... psql -f deploy/postgresql.sql, as the superuser.
-- The role owns its database and may do nothing else; both grants are for sealing.
\set ON_ERROR_STOP on
\set password `cat "$CANDOR_PASSWORD_FILE"`
CREATE ROLE candor LOGIN PASSWORD :'password'
    NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 60;
CREATE DATABASE candor OWNER candor ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE candor FROM PUBLIC;
GRANT pg_checkpoint TO candor;
\connect candor
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT ALL ON SCHEMA public TO candor;
GRANT EXECUTE ON FUNCTION pg_switch_wal() TO candor;
