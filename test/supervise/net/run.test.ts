import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratch } from "../../scratch.ts";

const WORLD = join(import.meta.dirname, "world");
const ASSENT = join(import.meta.dirname, "../../../dist/bin.cjs");
/** Namespaces of the test's own: nothing of this reaches the machine's network, and everything ends with the test. */
const UNSHARE = ["unshare", "-nmp", "--fork", "--kill-child", "--mount-proc", ...(process.getuid?.() === 0 ? [] : ["-r"])];
const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const canNest =
  spawnSync(UNSHARE[0] ?? "", [
    ...UNSHARE.slice(1),
    "sh",
    "-c",
    "ip link set lo up && ip link add v0 type veth peer name v1 && mount -t tmpfs x /mnt",
  ]).status === 0;

interface Outcome {
  readonly lines: readonly string[];
  /** What came to the servers of the world and of this machine outside the run. */
  readonly log: readonly string[];
  readonly stderr: string;
}

/** Runs a command in the test's small world, under `assent run` unless `policy` is undefined. */
function inWorld(command: (folder: string) => readonly string[], policy?: object, more: Record<string, string> = {}): Outcome {
  const { root, write, project } = scratch();
  const log = join(root, "log");
  const file = write("~/p.jsonc", JSON.stringify({ permissions: policy ?? {} }));
  const supervised = policy === undefined ? [] : [process.execPath, ASSENT, "run", "-P", "--policy", file, "--"];
  const [program = "", ...args] = [...UNSHARE, "sh", join(WORLD, "world.sh"), log, ...supervised, ...command(root)];
  const env = { PATH: process.env.PATH, HOME: join(root, "home"), XDG_STATE_HOME: join(root, "state"), ...more };
  const { stdout, stderr } = spawnSync(program, args, { cwd: project, env, encoding: "utf8", timeout: 50_000, killSignal: "SIGKILL" });
  const seen = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
  return { lines: stdout.trim().split("\n"), log: seen.filter((line) => !/^(?:|ready|outside|dns .*)$/.test(line)), stderr };
}

const COMPILER = "musl-gcc";
const python = has("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
const probing = (names: readonly string[]) => (folder: string) => [python, join(WORLD, "probe.py"), folder, ...names];

function outcomes(
  names: readonly string[],
  policy?: object,
): { readonly found: Readonly<Record<string, string>>; readonly log: readonly string[] } {
  const { lines, log, stderr } = inWorld(probing(names), policy);
  const found = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  if (Object.keys(found).length < names.length) throw new Error(`${lines.join("\n")}\n${stderr}`);
  return { found, log };
}

/** What nothing but a rule opens. Test numbers of the catalogue of escapes in the comments. */
const NOTHING_ALLOWED: Readonly<Record<string, string>> = {
  allowed: "EACCES",
  inside: "EACCES",
  "meta address": "EACCES",
  "outer tcp": "EACCES",
  "outer zero": "EACCES",
  "outer by own address": "EACCES",
  "here by name": "EACCES",
  nobody: "ECONNREFUSED",
  "outer udp": "EACCES",
  "outer path": "EACCES", // 97
  "outer abstract": "EACCES", // 97
  "own tcp": "abc",
  "own udp": "qrTrue",
  "own unix": "0o750 through",
  "own abstract": "connected",
  "listen any": "listens", // 95: nobody but this machine is heard
  "listen any6": "listens",
  "listen unbound": "listens", // 95
  "listen 3000": "listens",
  "listen far": "EACCES",
  "listen 53": "EACCES",
  "heard from outside": "refused",
  "listen loopback": "listens",
  hijack: "EADDRINUSE", // 95
  udp: "EACCES", // 93
  "udp sendmsg": "EACCES",
  "udp pktinfo": "EACCES",
  "udp connected": "EDESTADDRREQ",
  "udp 53": "EACCES", // 93: a server of one's own choice
  "fast open": "ENOTSUP", // 91
  "source route": "EPERM",
  "routing header": "EPERM",
  sorted: "203.0.113.1 EDESTADDRREQ",
  "dns recvfrom": "203.0.113.10 True",
  "dns recvmsg": "203.0.113.10 True",
  "dns connected": "203.0.113.10 True",
  "dns recv": "203.0.113.10 True",
  "broken pipe": "EPIPE 0",
};

const SOME_ALLOWED: Readonly<Record<string, string>> = {
  allowed: "2",
  "ALLOWED.": "2", // 99
  "allowed:81": "EACCES",
  address: "2", // known by the name that was asked for
  mapped: "2",
  other: "EACCES",
  "other address": "EACCES",
  shop: "EACCES", // allowed itself, but another word for what is denied
  wild: "2",
  "wild inside": "EACCES", // rebinding: a pattern opens no private address
  inside: "EACCES",
  meta: "EACCES",
  udp: "EACCES",
  blocking: "2",
  nonblocking: "EINPROGRESS 0",
};
const SOME = { allow: ["Net(allowed.test:80)", "Net(*.wild.test)", "Net(shop.test)"], deny: ["Net(tracked.test)"] };

const GRANTED: Readonly<Record<string, string>> = {
  inside: "2",
  "meta address": "2",
  "outer tcp": "yes",
  "outer path": "connected",
  "listen 3000": "listens",
  "heard from outside": "heard",
  udp: "secret",
  "udp sendmsg": "secret",
  "udp connected": "secret",
  "udp pktinfo": "EACCES",
  interrupted: "alarm True",
  timeout: "EINPROGRESS True",
  big: "True True",
};
const granted = (): object => ({
  allow: [
    "Net(inside.test:80)",
    "Net(169.254.169.254:80)",
    "Net(localhost:18080)",
    "Write(/tmp/assent-test-*/outside.sock)",
    "Net(0.0.0.0:3000)",
    "Net(0.0.0.0:18335)",
    "Net(203.0.113.10)",
    "Net(203.0.113.99)",
  ],
});

describe.runIf(canNest && has("python3"))("the network of a supervised program", () => {
  it("nothing goes out that no rule allows, and what is the run's own works", () => {
    const { found, log } = outcomes(Object.keys(NOTHING_ALLOWED), {});
    expect(found).toEqual(NOTHING_ALLOWED);
    expect(log).toEqual([]);
  });

  it("names open the addresses that the resolver gave for them", () => {
    const { found, log } = outcomes(Object.keys(SOME_ALLOWED), SOME);
    expect(found).toEqual(SOME_ALLOWED);
    expect(log.filter((line) => !/^tcp 203\.0\.113\.1[02]:80$/.test(line))).toEqual([]);
  });

  it("rules that name it open anything, as it is without supervision", () => {
    const names = Object.keys(GRANTED);
    const { found } = outcomes(names, granted());
    expect(found).toEqual(GRANTED);
    const native = outcomes(names).found;
    expect(native).toEqual({ ...GRANTED, "udp pktinfo": "secret" });
  });

  it("no datagram leaves by a race", () => {
    const { found, log } = outcomes(["race"], {});
    expect(found).toEqual({ race: "tried" });
    expect(log).toEqual([]);
  });
});

const PROGRAMS: readonly (readonly [what: string, needs: string, command: readonly string[], expected: RegExp])[] = [
  ["getent", "getent", ["getent", "hosts", "allowed.test"], /203\.0\.113\.10/],
  ["busybox nslookup", "busybox", ["busybox", "nslookup", "allowed.test"], /203\.0\.113\.10/],
  ["curl", "curl", ["curl", "-sS", "http://allowed.test/", "-d", "x\n"], /\d/],
  ["curl that was typed, to another host", "curl", ["curl", "-sS", "http://203.0.113.11/", "-d", "x\n"], /\d/],
  [
    "curl that a program starts",
    "curl",
    [
      python,
      "-c",
      "import os, subprocess; print(subprocess.run(['curl', '-sS', os.environ.get('NO', 'http://203.0.113.11/')]).returncode)",
    ],
    /^7$/,
  ],
  [
    "curl that typed code says word for word",
    "curl",
    [python, "-c", "import subprocess; print(subprocess.run(['curl', '-sS', '-o', '/dev/null', 'http://203.0.113.11/']).returncode)"],
    /^0$/,
  ],
  ["node's resolvers", "node", [process.execPath, "-e", NODE_DNS()], /^203\.0\.113\.10 203\.0\.113\.10$/],
  ["a server and a client of node", "node", [process.execPath, "-e", NODE_SERVER()], /^served$/],
  [
    "curl to a server of the run",
    "curl",
    [
      "sh",
      "-c",
      `${python} -m http.server 18200 --bind 127.0.0.1 2>/dev/null & sleep 1; curl -sS http://localhost:18200/ | head -1; kill $!`,
    ],
    /<!DOCTYPE/,
  ],
];

function NODE_DNS(): string {
  return 'const d=require("dns");d.resolve4("allowed.test",(e,a)=>d.lookup("allowed.test",(f,b)=>console.log(String(a??e),b??f)))';
}

function NODE_SERVER(): string {
  return 'const s=require("http").createServer((q,r)=>r.end("served")).listen(0,"127.0.0.1",()=>fetch("http://127.0.0.1:"+s.address().port).then((r)=>r.text()).then((t)=>{console.log(t);s.close();s.closeAllConnections()}))';
}

describe.runIf(canNest && has("python3"))("programs on the network", () => {
  it.each(PROGRAMS.filter(([, needs]) => has(needs)))("%s", (_, _needs, command, expected) => {
    const { lines, stderr } = inWorld(() => command, { allow: ["Net(allowed.test:80)"] });
    expect(lines.join("\n"), stderr).toMatch(expected);
  });

  it.runIf(has(COMPILER))("a resolver that sends unconnected datagrams (musl)", () => {
    const { root, write } = scratch({ keep: false });
    const source = write("gai.c", MUSL);
    execFileSync(COMPILER, ["-static", source, "-o", join(root, "gai")]);
    const { lines } = inWorld(() => [join(root, "gai"), "allowed.test"], { allow: ["Exec(/tmp/**)"] });
    expect(lines).toEqual(["203.0.113.10"]);
  });
});

const OUTER = "http://127.0.0.1:18080/";
const URL_FAR = "http://203.0.113.11/";
/** 7: it could not connect. */
const SAY = "test $? = 7 && echo refused || echo reached";
const CURL = (url: string): string => `curl -sS -m 1 -o /dev/null ${url} -d x; ${SAY}`;
const READER = `import sys, urllib.request, subprocess, os
how, url = sys.argv[1:]
CURL = ["curl", "-sS", "-m", "1", "-o", "/dev/null", url, "-d", "x"]
if how == "execs" and os.fork() == 0: os.execvp(CURL[0], CURL)
if how == "execs": print("refused" if os.waitstatus_to_exitcode(os.wait()[1]) == 7 else "reached")
if how == "starts": print("refused" if subprocess.run(CURL).returncode == 7 else "reached")
if how == "opens":
    import socket
    from urllib.parse import urlparse
    u = urlparse(url)
    try: socket.create_connection((u.hostname, u.port or 80), 3); print("reached")
    except OSError as e: print("refused")
`;

/** Who may go where a line says: the program that the very words start, if a person wrote them. */
const NAMED: readonly (readonly [line: string, expected: string, env?: Record<string, string>])[] = [
  [CURL(URL_FAR), "reached"],
  [CURL(OUTER), "reached"],
  [`timeout 9 ${CURL(URL_FAR)}`, "reached"],
  [`env A=b ${CURL(URL_FAR)}`, "reached"],
  [`bash -c '${CURL(URL_FAR)}'`, "reached"],
  [`(${CURL(URL_FAR)}) | cat`, "reached"],
  [`x=$(${CURL(URL_FAR)}); echo $x`, "reached"],
  [`for i in 1; do ${CURL(URL_FAR)}; done`, "reached"],
  [CURL(URL_FAR), "refused", { CLAUDECODE: "1" }],
  [CURL(OUTER), "refused", { GEMINI_CLI: "1" }],
  [`bash -c '${CURL(URL_FAR)}'`, "refused", { CLAUDECODE: "1" }],
  [`PYTHON n.py opens ${OUTER}; false && curl ${OUTER}`, "refused"],
  [`PYTHON n.py starts ${OUTER}; false && { ${CURL(OUTER)}; }`, "refused"],
  [`PYTHON n.py execs ${OUTER}; false && { ${CURL(OUTER)}; }`, "refused"],
  [`PYTHON n.py opens ${URL_FAR}; true || curl ${URL_FAR}`, "refused"],
  [`PYTHON n.py opens ${URL_FAR}; echo curl ${URL_FAR} >/dev/null`, "refused"],
  [`f() { curl ${URL_FAR}; }; PYTHON n.py opens ${URL_FAR}`, "refused"],
  [`curl -sS -m 1 -o /dev/null ${URL_FAR} -d x; PYTHON n.py opens ${URL_FAR}`, "refused"],
  [`echo "curl -sS -m 1 -o /dev/null ${URL_FAR} -d x" > s.sh; sh s.sh; ${SAY}`, "refused"],
];

describe.runIf(canNest && has("curl"))("what a line names is for the program that it starts", () => {
  it.each(NAMED.map(([line, expected, env]) => [line, expected, env ?? {}] as const))("%s → %s %o", (line, expected, env) => {
    const text = line.replaceAll("PYTHON", python);
    const command = (folder: string): readonly string[] => {
      writeFileSync(join(folder, "home/project/n.py"), READER);
      return ["bash", "-c", text];
    };
    const { lines, stderr } = inWorld(command, {}, env);
    expect(lines.at(-1), stderr).toBe(expected);
  });
});

const MUSL = `#include <netdb.h>
#include <stdio.h>
int main(int c, char **v) {
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
  if (getaddrinfo(v[1], "443", &hints, &found)) return 1;
  char text[99];
  getnameinfo(found->ai_addr, found->ai_addrlen, text, 99, 0, 0, NI_NUMERICHOST);
  puts(text);
  return 0;
}
`;
