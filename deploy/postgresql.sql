-- The role and the database of Candor. The first start of the container runs this once. To run it
-- yourself as the superuser: CANDOR_PASSWORD_FILE=... psql -f deploy/postgresql.sql
-- The role owns its database and has no other rights. Both grants are for compaction.
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
