import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { groups, NO_SOURCE, run, source } from "./debian.ts";
import type { Suite } from "./suites.ts";

/** Servers that fork, write their files anew behind themselves, speak over TCP and sockets, follow one another. */
const REDIS =
  "unit/auth unit/acl unit/aofrw unit/other unit/expire unit/scan unit/dump unit/multi unit/pubsub unit/shutdown unit/networking " +
  "unit/introspection unit/limits unit/latency-monitor unit/oom-score-adj unit/querybuf unit/wait unit/type/list unit/type/stream " +
  "integration/aof integration/aof-multi-part integration/rdb integration/logging integration/redis-cli integration/redis-benchmark " +
  "integration/replication-4 integration/shutdown integration/convert-ziplist-hash-on-load integration/block-repl";

const PROGRAMS = ["server", "cli", "benchmark", "check-aof", "check-rdb"];

export const redis: Suite = {
  name: "Redis",
  from: "Debian source package redis, with the machine's programs",
  units: (cache, all) => {
    const folder = source(cache, "redis");
    if (folder === undefined) return NO_SOURCE;
    if (!PROGRAMS.every((name) => existsSync(`/usr/bin/redis-${name}`)) || !existsSync("/usr/bin/tclsh"))
      return "a program of redis-server, redis-tools or tcl is missing (apt-get install)";
    const every = ["unit", "unit/type", "integration"].flatMap((kind) =>
      readdirSync(join(folder, "tests", kind)).flatMap((name) => (name.endsWith(".tcl") ? [`${kind}/${name.slice(0, -4)}`] : [])),
    );
    const links = PROGRAMS.map((name) => `ln -s /usr/bin/redis-${name} src`).join("; ");
    const start = `mkdir src; ${links}; cp -r ${folder}/tests ${folder}/*.conf . && exec timeout "$LIMIT" tclsh tests/test_helper.tcl --clients 1 --single "$1"`;
    return (all ? every : REDIS.split(" ")).map((name) => ({ name, command: ["sh", "-c", start, "sh", name] }));
  },
  results: (stdout) =>
    new Map(
      [...stdout.matchAll(/^\[(ok|err|ignore|skip|exception)\]: (.*?)(?: \(\d+ ms\))?$/gm)].map(([, what = "", name = ""]) => [
        name,
        what === "err" || what === "exception" ? "not ok" : what,
      ]),
    ),
};

/** What is about files: locks, journals, the log and its shared memory, several processes, temporary files, errors of the disk. */
const SQLITE = new RegExp(
  "^(?:attach|backup|bigfile|cffault|cursorhint|dbstatus|delete_db|e_vacuum|e_wal|exclusive|fallocate|filectrl|incrvacuum|io|journal|jrnlmode|lock|" +
    "main|mmap|multiplex|nolock|notify|openv2|oserror|pager|quota|recover|savepoint|shared|shell|snapshot|stmt|subjournal|superlock|symlink|" +
    "sync|syscall|temp|thread|trans|unixexcl|uri|vacuum|wal)",
);
/** These take hours. */
const LONG = /^(?:savepoint6|thread00\d|walcrash\d?|walfault\d?|walslow|walthread|wal64k|walbig|\w*(?:malloc|fault|ioerr|_err)\d?)\.test$/;

export const sqlite: Suite = {
  name: "SQLite",
  from: "Debian source package sqlite3, its testfixture and shell built",
  units: (cache, all) => {
    const folder = source(cache, "sqlite3");
    if (folder === undefined) return NO_SOURCE;
    const build = join(folder, "build");
    if (!existsSync(join(build, "testfixture")) || !existsSync(join(build, "sqlite3"))) {
      mkdirSync(build, { recursive: true });
      if (!run(build, "sh", ["../configure", "CFLAGS=-O0"]) || !run(build, "make", ["testfixture", "sqlite3"]))
        return "it cannot be built (needs gcc, make, tcl-dev)";
    }
    const tests = readdirSync(join(folder, "test")).filter((name) => name.endsWith(".test"));
    const suites = /^(?:all|quick|veryquick|full|extraquick|permutations|soak|valgrind)\.test$/;
    const names = tests.filter((name) => (all ? !suites.test(name) : SQLITE.test(name) && !LONG.test(name)));
    // Some start the shell that lies beside the fixture.
    const start = `ln -s ${build}/sqlite3 .; for f; do timeout "$LIMIT" ${build}/testfixture ${folder}/test/$f 2>&1 | sed "s|^|$f |"; done`;
    return [...groups(names, 8)].map((part) => ({ name: part.join(" "), command: ["sh", "-c", start, "sh", ...part] }));
  },
  results: (stdout) =>
    new Map(
      [...stdout.matchAll(/^(\S+\.test) (?:(\S+)\.\.\. (Ok|Omitted)|! (\S+) expected: .*)$/gm)].map(
        ([, file = "", name, what = "", failed]) => [
          `${file} ${name ?? failed ?? ""}`,
          name === undefined ? "not ok" : what === "Ok" ? "ok" : "left out",
        ],
      ),
    ),
};
