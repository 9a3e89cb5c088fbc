import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { type Machine, processFields } from "../../state/index.ts";
import { type AskedAction, type ConsentKind, type NoConsent, optionsOf, type ReadWords, readWords } from "./kind.ts";

interface Client {
  readonly server: string;
  readonly port: string;
  readonly options: Readonly<Record<string, string>>;
  /** Hosts to which it goes over TCP. */
  readonly hosts: RegExp;
  /** Without one among its words. */
  readonly host?: string;
  /** Whether it reads and changes data, and does nothing else. */
  readonly isPlain: (read: ReadWords) => boolean;
}

const LOCAL = /^(?:localhost|127\.0\.0\.1|::1)$/;
const PSQL: Client = {
  server: "postgres",
  port: "5432",
  options: optionsOf({ host: "-h --host", port: "-p --port", name: "-U -d", code: "-c --command", shown: "-t -A -q -x -X" }),
  hosts: LOCAL,
  isPlain: isPlainScript,
};
const MYSQL: Client = {
  server: "mysql",
  port: "3306",
  options: optionsOf({ host: "-h", port: "-P", name: "-u -D", code: "-e", shown: "-N -B -t" }),
  // mysql(1): `localhost` is a socket of the file system.
  hosts: /^(?:127\.0\.0\.1|::1)$/,
  isPlain: isPlainScript,
};
const REDIS: Client = {
  server: "redis",
  port: "6379",
  options: optionsOf({ host: "-h", port: "-p", name: "-n", shown: "--raw --json --csv" }),
  hosts: LOCAL,
  host: "127.0.0.1",
  // No script, setting, module or other server: they start programs, write files or send the data elsewhere.
  isPlain: ({ operands: [command = ""] }) =>
    /^(?:set|del|expire|incr|[hm]?get|[hmls]len|hgetall|hset|[lr]push|[sz]add|keys|ping)$/i.test(command),
};
const CLIENTS: Readonly<Record<string, Client>> = { psql: PSQL, mysql: MYSQL, mariadb: MYSQL, "redis-cli": REDIS, "valkey-cli": REDIS };
const VALUED = new Set(["host", "port", "name", "code"]);
/** libpq, "Environment Variables", and its like: they lead elsewhere whatever the words say. */
const LEADS = /^(?:PG(?:HOST|PORT|SERVICE|OPTIONS|SYSCONF)|MYSQL_|MARIADB_|REDIS)/;

const isUse = (action: AskedAction["action"]): boolean =>
  action.kind === "net" || (action.kind === "remote" && action.service === "database" && action.operation !== "destroy");

export const port: ConsentKind<"port"> = {
  name: "port",
  isAbout: ({ action, exec }) => Object.hasOwn(CLIENTS, exec.program) && isUse(action),
  wants({ exec, at, execAt, found, machine, words, repository }) {
    const client = CLIENTS[exec.program] ?? PSQL;
    const read = readWords(words, client.options, VALUED);
    const [host = client.host, second] = read?.options.get("host") ?? [];
    const [number = client.port, another] = read?.options.get("port") ?? [];
    if (read === undefined || second !== undefined || another !== undefined || host === undefined || !/^[1-9]\d{0,4}$/.test(number))
      return { why: "only a database on a port of this machine is used so, named by its host" };
    if (!client.hosts.test(host) || Object.keys(machine.env).some((name) => LEADS.test(name)))
      return { why: "it may lead to another machine" };
    if (!client.isPlain(read)) return { why: "it does more than read and change data" };
    const listener = listenerOn(number, machine);
    if (typeof listener !== "string") return listener;
    const covers = found.actions.flatMap(({ action: one }, place) =>
      one.origin.by === "command" && one.origin.exec === execAt && isUse(one) ? [place] : [],
    );
    return {
      entry: { consent: "port", root: repository.root, port: number, server: client.server, listener },
      covers: [at, execAt, ...covers],
      whyNot: (given) =>
        given.port !== number || given.server !== client.server
          ? "it is another port"
          : given.listener === listener
            ? undefined
            : "another program listens there now than the one you said yes to",
    };
  },
  sentence: ({ port: number, server, listener }) =>
    `use localhost:${number} (${server}, ${listener})? Reading and changing data. Dropping or wiping still asks.`,
};

/**
 * Who listens on a port of this machine: an account that is not the user's, or one process of the user's, from its start on. INVARIANT:
 * whatever address leads to the port leads to it.
 */
function listenerOn(number: string, { uid }: Machine): string | NoConsent {
  const hex = Number(number).toString(16).toUpperCase().padStart(4, "0");
  // proc_net_tcp.txt: the local address, what is waiting and not, the state (0A: it listens), its user, its inode.
  const line = new RegExp(`^\\s*\\d+: [\\dA-F]+:${hex} \\S+ 0A \\S+ \\S+ \\S+ +(\\d+) +\\d+ (\\d+) `, "gm");
  const sockets = ["tcp", "tcp6"].flatMap((name) => [...readFileSync(`/proc/net/${name}`, "latin1").matchAll(line)]);
  const owners = new Set(sockets.map(([, owner]) => owner));
  const [owner] = owners;
  if (owner === undefined || owners.size !== 1) return { why: owner === undefined ? "nobody listens there" : "several listen there" };
  // Root hands ports on to others, containers among them.
  if (owner !== String(uid)) return owner === "0" ? { why: "it is not known which program listens there" } : `account ${owner}`;
  const processes = new Set(sockets.map(([, , inode = ""]) => firstWith(`socket:[${inode}]`)));
  const [first] = processes;
  return first === undefined || processes.size !== 1 ? { why: "it is not known which program listens there" } : first;
}

/** The process that had a socket first, which others have of it. */
function firstWith(socket: string): string | undefined {
  const holders = readdirSync("/proc").flatMap((pid) => {
    const start = /^\d+$/.test(pid) && holds(pid, socket) ? processFields(Number(pid))?.[19] : undefined;
    return start === undefined ? [] : [{ pid, start }];
  });
  const [first] = holders.toSorted((a, b) => Number(a.start) - Number(b.start) || Number(a.pid) - Number(b.pid));
  if (first === undefined) return undefined;
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
  return `${readlinkSync(`/proc/${first.pid}/exe`)}, process ${first.pid} since ${boot}+${first.start}`;
}

function holds(pid: string, socket: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      return attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`) === socket, false);
    });
  } catch {
    // Another user's, or gone.
    return false;
  }
}

/** Statements that read, add, or change what a condition names. Anything that servers or clients read in two ways is none. */
function isPlainScript({ operands, options }: ReadWords): boolean {
  const scripts = options.get("code") ?? [];
  const names = [...operands, ...(options.get("name") ?? [])];
  if (scripts.length === 0 || operands.length > 1 || !names.every((one) => /^\w[\w-]*$/.test(one))) return false;
  return scripts.every((script) =>
    script
      .replaceAll(/'[^'\\]*'/g, " 0 ")
      .split(";")
      .every(isPlainStatement),
  );
}

const REACHES =
  /^(?:pg_\w*|mysql|sys|information_schema|performance_schema|program|outfile|dumpfile|truncate|drop|lock|procedure|call|execute|grant|alter|create)$/;

function isPlainStatement(text: string): boolean {
  if (/[^ -~\n\t]|--|\/\*|[\\#"'`$@{}]|(?<!:):(?!:)/.test(text)) return false;
  const words: readonly string[] = text.toLowerCase().match(/[a-z_]\w*/g) ?? [];
  if (words.some((word) => REACHES.test(word))) return false;
  const [first, second] = words;
  if (first === "select") return !words.includes("into");
  if (first === "insert") return second === "into";
  if (first === "update" || first === "delete") return words.includes("where");
  return first === undefined ? text.trim() === "" : /^(?:begin|commit|rollback)$/.test(first) && second === undefined;
}
