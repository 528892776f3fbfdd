#!/bin/sh
# Run by the Postgres image when the volume is first made: Temporal gets a role and databases of its own, and can't enter Rollcall's.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$TEMPORAL_POSTGRES_PASSWORD" --username="$POSTGRES_USER" --dbname=postgres <<'SQL'
create role temporal login nosuperuser nocreatedb nocreaterole password :'password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke connect, temporary on database rollcall from public;
revoke connect, temporary on database postgres from public;
SQL
