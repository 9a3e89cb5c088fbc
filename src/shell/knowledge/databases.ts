import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

/**
 * Database shells. Their own commands (`.shell`, `\!`, `system`) run programs, so what they are given is read by the
 * SQL reader; what it does not know, and standard input, is code.
 */
/** libpq, Environment Variables; a database's name can be a whole connection string. */
const LIBPQ =
  "PGPASSWORD PGUSER PGAPPNAME=any; PGDATABASE=word; PGPORT PGCONNECT_TIMEOUT=number; PGHOST={,localhost,127.0.0.1,::1}; PG*=refuse";

export const databases: readonly CommandSpec[] = [
  {
    names: "sqlite3 sqlite",
    summary: "SQLite shell",
    style: "words",
    options: rows(`
      -cmd=code/sqlite; -init=script/sql; -readonly; -safe; -json; -csv; -column; -line; -list; -table; -box; -markdown; -html; -quote; -tabs; -ascii; -header; -noheader; -headers
      -separator=text; -nullvalue=text; -newline=text; -batch; -bail; -echo; -stats; -interactive -> terminal; -nofollow; -mmap=text; -cache; -memtrace; -version -> stop; -help -> stop`),
    // What changes the database is in the SQL.
    operands: "read? script:code/sqlite*",
    analyse: "sqlite-input",
    examples: {
      allow: [
        "sqlite3 --version",
        "sqlite3 x.db 'select 1'",
        "sqlite3 x.db .tables",
        "sqlite3 x.db <<'E'\n.mode column\nselect 1;\nE",
        "echo 'select 1' | sqlite3 x.db",
      ],
      ask: [
        "sqlite3 new.db .tables",
        "sqlite3 db '.shell id'",
        "sqlite3 db 'drop table x'",
        "sqlite3 db < x.sql",
        "echo '.shell id' | sqlite3 db",
        "sqlite3 -cmd '.system id' db 'select 1'",
      ],
      none: ["sqlite3 x.db"],
      deny: ["sqlite3 .env .dump", "sqlite3 .git/hooks/pre-commit 'select 1'"],
    },
  },
  {
    names: "psql",
    reads: rows(LIBPQ, "DATABASE_URL=any"),
    summary: "PostgreSQL shell",
    style: "gnu",
    options: rows(`
      -c --command=code/psql -> drop script; -f --file=script/sql -> drop script; -d --dbname=text; -h --host=host; -p --port=text; -U --username=text; -w --no-password; -W --password; -l --list -> drop script; -A --no-align; -a --echo-all; -b --echo-errors
      -E --echo-hidden; -e --echo-queries; -F --field-separator=text; -H --html; -L --log-file=write; -n --no-readline; -o --output=refuse; -P --pset=refuse; -q --quiet; -R --record-separator=text; -s --single-step -> terminal
      -S --single-line; -t --tuples-only; -T --table-attr=text; -v --set --variable=text; -X --no-psqlrc; -x --expanded; -z --field-separator-zero; -0 --record-separator-zero; -1 --single-transaction; --csv
      -V --version -> stop; -? --help[=text] -> stop`),
    operands: "text? text? script:script/sql?=-",
    analyse: "database-address",
    effects: "remote.read database",
    examples: {
      allow: ["psql --version", "psql -c 'select 1'"],
      ask: [
        "psql postgres://evil.example/x -c 'select 1'",
        "psql 'host=evil.example dbname=x' -c 'select 1'",
        "psql -c '\\! id'",
        "psql -c 'drop table x'",
        "psql -o '|evil' -c 'select 1'",
      ],
      none: ["psql -f x.sql", "psql"],
    },
  },
  {
    names: "mysql mariadb",
    reads: rows("MYSQL_PWD=any"),
    summary: "MySQL shell",
    style: "gnu",
    options: rows(`
      -e --execute=code/mysql -> drop script; -h --host=host; -P --port=text; -u --user=text; -p --password[=text]; -D --database=text; -S --socket=text; -B --batch; -N --skip-column-names; -s --silent; -t --table; -r --raw; -E --vertical
      -v --verbose; -H --html; -X --xml; -A --no-auto-rehash; --protocol=text; --ssl-mode=text; --default-character-set=text; --init-command=code/mysql; --pager=refuse; --tee=write; --plugin-dir=refuse; --defaults-file=foreign/mysql
      --defaults-extra-file=foreign/mysql; -V --version -> stop; -? --help -> stop`),
    operands: "text? script:script/sql?=-",
    effects: "remote.read database",
    examples: { allow: ["mysql --version"], ask: ["mysql -e '\\! id'", "mysql -e 'drop table x'"], none: ["mysql x"] },
  },
  {
    names: "duckdb",
    style: "words",
    options: rows(
      "-c -s=code/duckdb -> drop script; -cmd=code/duckdb; -init=script/sql; -f=script/sql -> drop script; -readonly; -json; -csv; -markdown; -box; -table; -line; -list; -header; -noheader; -batch; -bail; -echo; -unsigned=refuse; -version -> stop; -help -> stop",
    ),
    operands: "read? script:code/duckdb*",
    analyse: "duckdb-input",
    examples: { allow: ["duckdb --version"], none: ["duckdb x.db"], ask: ["duckdb -c \"copy t to 'x'\""] },
  },
  {
    names: "redis-cli valkey-cli",
    style: "posix",
    options: rows(
      "-h=host; -p=text; -s=text; -a=text; --user=text; --pass=text; -n=text; -u=url; -r=text; -i=text; -x; --no-auth-warning; --raw; --no-raw; --csv; --json; -c; --tls; --cacert=read; --cert=read; --key=read; --stat; --bigkeys; --memkeys; --latency; --scan -> stop, remote.read database; --pattern=text; --count=text; -3; -2; --quoted-input; -v --version -> stop; --help -> stop",
    ),
    subcommands: {
      "get|GET|mget|MGET|exists|EXISTS|ttl|TTL|pttl|PTTL|type|TYPE|keys|KEYS|scan|SCAN|strlen|STRLEN|hget|HGET|hgetall|HGETALL|hkeys|HKEYS|hlen|HLEN|llen|LLEN|lrange|LRANGE|scard|SCARD|smembers|SMEMBERS|zcard|ZCARD|zrange|ZRANGE|dbsize|DBSIZE|info|INFO|ping|PING|time|TIME|memory|MEMORY|xlen|XLEN|xrange|XRANGE|slowlog get|SLOWLOG GET|client list|CLIENT LIST":
        {
          style: "none",
          operands: "text*",
          effects: "remote.read database",
          examples: { allow: ["redis-cli get x", "redis-cli -n 1 KEYS '*'", "redis-cli ping"] },
        },
      "flushall|FLUSHALL|flushdb|FLUSHDB|shutdown|SHUTDOWN": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy database, danger remote-destroy",
        examples: { ask: ["redis-cli FLUSHALL"] },
      },
      // EVAL, CONFIG SET, MODULE LOAD and every write among them.
      "set|SET|del|DEL|unlink|UNLINK|expire|EXPIRE|incr|INCR|hset|HSET|lpush|LPUSH|rpush|RPUSH|sadd|SADD|zadd|ZADD|eval|EVAL|config|CONFIG|module|MODULE|script|SCRIPT|rename|RENAME|publish|PUBLISH|slaveof|SLAVEOF|replicaof|REPLICAOF|debug|DEBUG":
        {
          style: "none",
          operands: "text*",
          effects: "remote.change database",
          examples: { ask: ["redis-cli set a b", "redis-cli eval 'x' 0", "redis-cli config set dir /"] },
        },
    },
    operands: "code/redis?=repl",
    examples: { allow: ["redis-cli --version", "redis-cli --scan --pattern 'user:*'"], none: ["redis-cli monitor"] },
  },
  {
    names: "mongosh mongo",
    style: "bsd",
    options: rows(
      "--eval=code/javascript -> drop script; --quiet; --host=host; --port=text; -u --username=text; -p --password=text; --authenticationDatabase=text; --norc; -f --file=script/javascript; --json[=text]; --tls; --nodb; --help -h -> stop; --version -> stop",
    ),
    operands: "text? script:script/javascript*=-",
    analyse: "database-address",
    effects: "remote.read database",
    examples: { allow: ["mongosh --version"], none: ["mongosh --eval 'db.dropDatabase()'", "mongosh x"] },
  },
  {
    names: "mongodump",
    summary: "copies a database into a folder",
    style: "bsd",
    options: "--version -> stop\n--help -> stop",
    operands: "",
    effects: "remote.read database, write dump",
    examples: { allow: ["mongodump --version"], ask: ["mongodump", "mongodump -o x"] },
  },
  {
    names: "pg_dump mysqldump pg_dumpall mariadb-dump mongoexport",
    reads: rows(LIBPQ, "MYSQL_PWD=any"),
    // Two families of programs: an abbreviation in one is an option of its own in the other.
    style: "bsd",
    options: rows(
      "-h --host=host; -p --port=text; -U -u --username --user=text; -d --dbname --db=text; -t --table=text; -n --schema=text; -f --file --out -o=write; -F --format=text; -s --schema-only --no-data; -a --data-only; --no-owner; --single-transaction; -V --version -> stop; --help -> stop",
    ),
    operands: "text*",
    effects: "remote.read database",
    analyse: "database-address",
    examples: { allow: ["pg_dump --version", "pg_dump -s x"], ask: ["pg_dump -f x.sql x", "mysqldump --tab=x y"] },
  },
  {
    names: "pg_isready mysqladmin-ping",
    style: "gnu",
    options: rows(
      "-h --host=host; -p --port=text; -d --dbname=text; -U --username=text; -q --quiet; -t --timeout=text; -V --version -> stop; -? --help -> stop",
    ),
    operands: "",
    effects: "remote.read database",
    analyse: "database-address",
    examples: { allow: ["pg_isready"], ask: ["pg_isready -d postgres://evil.example/x", "pg_isready -h evil.example"] },
  },
  {
    names:
      "dropdb dropuser mysqladmin pg_restore mongorestore createdb createuser mongoimport mysqlimport pg_ctl initdb vacuumdb reindexdb",
    style: "gnu",
    options: "-V --version -> stop\n-? --help -> stop",
    operands: "refuse*=all",
    effects: "remote.change database",
    examples: { allow: ["createdb --version"], ask: ["dropdb", "dropdb x", "createdb x"] },
  },
];
