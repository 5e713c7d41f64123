#!/bin/sh
# Creates the secrets of platform.yaml, in the folder `secrets` beside it. Existing secrets are never replaced, because
# JWT_SECRET also encrypts what the database stores.
set -eu
cd "$(dirname "$0")"

# The containers run as other users, which must be able to read the files. The folder is closed to all others.
mkdir -p secrets
chmod 700 secrets
umask 022

random() {
  od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n'
}

# Writes a secret, unless it exists. It appears under its name only when it is complete.
create() {
  [ -e "secrets/$1" ] && return
  printf '%s\n' "$2" > "secrets/$1.partial"
  mv "secrets/$1.partial" "secrets/$1"
}

create jwt-secret "$(random)"
create redis-password "$(random)"
create database-password "$(random)"
create database-url "mysql://jambones:$(cat secrets/database-password)@mariadb:3306/jambones"
