# A PostgreSQL server on loopback, for as long as somebody holds this script's standard input open: it also ends,
# and nothing is left of it, when whoever started it is killed. Says "ready" when it is.
#
#   sh server.sh <an empty directory> <the directory of the server's programs> <port> <the database and its owner>
#
# PGPASSWORD becomes the password of that owner, and of postgres.
set -eu
directory=$1 programs=$2 port=$3 name=$4
cd "$directory"

clean_up() {
  "$programs/pg_ctl" stop -D "$directory/data" -m immediate >/dev/null 2>&1 || true
  cd /
  rm -rf "$directory"
}
trap clean_up EXIT

printf %s "$PGPASSWORD" >password
"$programs/initdb" -D data -U postgres -A scram-sha-256 --pwfile=password -E UTF8 --locale=C --no-sync >/dev/null
"$programs/pg_ctl" start -w -D data -l log -o "-h 127.0.0.1 -p $port -c unix_socket_directories=''" >/dev/null || {
  cat log >&2
  exit 1
}
"$programs/psql" --quiet -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$port" -U postgres <<SQL
create role $name login password '$PGPASSWORD';
create database $name owner $name;
SQL
echo ready
cat >/dev/null
