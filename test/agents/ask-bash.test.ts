import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type BashAnswer,
  type BashRequest,
  converseWithBash,
  newBashSecrets,
  parseBashRequest,
  printBashAnswer,
  removeBashPlace,
  writeBashPlace,
} from "../../packages/assent/src/resident/bash-wire.ts";
import { DIST, scratch } from "../scratch.ts";
import { collect, environment, LAUNCHER, type Outcome, runs, SENTENCE, shell, unlike } from "./ask-world.ts";

const SCRIPT = join(import.meta.dirname, "../../packages/hosts/src/agents/install/ask.bash");
/** Every byte that a variable of bash can hold. */
const BYTES = Buffer.from(Array.from({ length: 255 }, (_, at) => at + 1));
const CALL = '{"tool":"Bash","input":"é"}\n';
const ASSIGNED = ["HOME=/h", "PATH=/usr/bin:/bin:/a b\nc", "EMPTY="];

it("lies beside the program", () => {
  expect(readFileSync(join(DIST, "ask.bash"), "utf8")).toBe(readFileSync(SCRIPT, "utf8"));
});

/** [what bash 3.2 does not have, or not like that] */
const NEWER: readonly (readonly [string, RegExp])[] = [
  ["case in expansions", /\$\{!?\w+(?:\[[^\]]*\])?(?:\^|,|@)/],
  ["negative lengths", /\$\{\w+:[^}]*: -/],
  ["associative arrays, references, global declarations", /\b(?:declare|local|typeset) -\w*[Ang]/],
  ["mapfile, readarray, coproc", /\b(?:mapfile|readarray|coproc)\b/],
  ["read -N and read -i", /\bread (?:-\w+ )*-\w*[Ni]/],
  ["fractions of a second", /-t [\d"']*\./],
  ["BASHPID, EPOCHREALTIME, SRANDOM", /\b(?:BASHPID|EPOCH\w+|SRANDOM|BASH_ARGV0)\b/],
  ["&>>, |& and ;;&", /&>>|\|&|;;?&/],
  ["printf into a variable's element, and of times", /printf -v \w+\[|%\(/],
  ["[[ -v ]] and [[ -R ]]", /\[\[ -[vR] /],
  ["descriptors with names", /\{\w+\}[<>]/],
  ["here-strings and here-documents: they are files", /<<[<-]?/],
];
it.each(NEWER)("the script has nothing that is newer than bash 3.2, nor what it does with files: %s", (_what, pattern) => {
  const text = readFileSync(SCRIPT, "utf8").replace(/^ *#.*$/gm, "");
  expect(pattern.exec(text)?.[0]).toBeUndefined();
});

type Judge = (request: BashRequest) => BashAnswer | undefined | Promise<BashAnswer | undefined>;
type Part = (connection: Socket, secrets: { readonly first: string; readonly second: string }) => void;

const judgeAs =
  (judge: Judge): Part =>
  (connection, secrets) =>
    converseWithBash(connection, secrets, judge);

describe.skipIf(!runs("/bin/bash"))("the client in bash", () => {
  function placed() {
    const { root } = scratch();
    const file = join(root, "port");
    const launcher = join(root, "launcher");
    writeFileSync(launcher, LAUNCHER);
    chmodSync(launcher, 0o755);
    const words = [launcher, "check", "--event", "a b\n", ""];
    const command = ["/usr/bin/env", "-i", ...ASSIGNED, ...words];
    const start = async (
      how: { readonly input?: string | Buffer; readonly wrap?: readonly string[]; readonly command?: readonly string[] } = {},
    ) =>
      await collect([...(how.wrap ?? []), "/usr/bin/env", "-i", "/bin/bash", "-p", SCRIPT, file, ...(how.command ?? command)], root, {
        input: how.input ?? CALL,
        env: { HOME: "/evil", BASH_ENV: join(root, "evil"), SHELLOPTS: "xtrace" },
      });
    const fresh = (input: string | Buffer): Outcome => ({
      status: 3,
      signal: null,
      stdout: Buffer.concat([Buffer.from(`${["fresh", ...words.slice(1)].join("\0")}\0\0`), Buffer.from(input)]),
      stderr: "",
    });
    const listen = async (part: Part, change = (line: string): string => line) => {
      const secrets = newBashSecrets();
      let connections = 0;
      const server = createServer((connection) => {
        connections++;
        connection.on("error", () => undefined);
        part(connection, secrets);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      writeBashPlace(file, { port, ...secrets });
      writeFileSync(file, change(readFileSync(file, "utf8")));
      return { secrets, port, connections: () => connections };
    };
    return { root, file, command, words, start, fresh, listen };
  }

  /** An answer has 300 ms, which a busy machine may not have. */
  const PATIENT = { retry: 5, timeout: 30_000 };

  /** [what, the answer, what is judged] */
  const ANSWERS: readonly (readonly [string, BashAnswer, (string | Buffer)?])[] = [
    ["nothing", { status: 0, stdout: "", stderr: "" }],
    ["a verdict", { status: 0, stdout: '{"allow":"é"}\n', stderr: "" }],
    ["a refusal", { status: 2, stdout: "", stderr: "refused: no\n\n" }],
    ["both, with a line break at each end", { status: 255, stdout: "\nout\n\n", stderr: "\nerr\n" }],
    ["3 kB", { status: 1, stdout: "o".repeat(3000), stderr: "é".repeat(100) }],
    [
      "to what has every byte",
      { status: 0, stdout: "yes", stderr: "" },
      Buffer.concat([Buffer.from("{"), BYTES, Buffer.from("}\n\n".trimEnd())]),
    ],
    [
      "to backslashes, quotes and expansions",
      { status: 0, stdout: "%s\\n$(id)`id`*'\"", stderr: "%d" },
      '{"\\\\ $(id) `id` * %s \\" \' ~ !":1}',
    ],
    ["to 32 kB", { status: 0, stdout: "yes", stderr: "" }, `{${"x".repeat(32_766)}}`],
  ];
  it.each(ANSWERS.map(([what, answer, input = CALL]) => [what, answer, input] as const))(
    "answered: %s",
    PATIENT,
    async (_what, answer, input) => {
      const { root, start, listen, command } = placed();
      const heard: BashRequest[] = [];
      await listen(judgeAs((request) => (heard.push(request), answer)));
      const { status, stdout, stderr } = await start({ input });
      expect({ status, stdout: stdout.toString(), stderr }).toEqual(answer);
      expect(heard).toMatchObject([{ folder: root, words: command, parent: process.pid }]);
      expect(heard[0]?.input.equals(Buffer.from(input))).toBe(true);
    },
  );

  it("is asked as the process that would judge", PATIENT, async () => {
    const { start, listen, root } = placed();
    const heard: BashRequest[] = [];
    await listen(judgeAs((request) => void heard.push(request)));
    const { stdout } = await start({ command: ["/bin/sh", "-c", "echo $$ $PPID; pwd"] });
    expect(stdout.toString()).toBe(`${heard[0]?.pid} ${process.pid}\n${root}\n`);
  });

  const raw =
    (...pieces: readonly (string | Buffer)[]): Part =>
    (connection, { second }) => {
      let state = 0;
      connection.on("data", () => {
        if (state === 0) connection.write(`${second}\n`);
        if (state === 1) for (const piece of pieces) connection.write(piece);
        state++;
      });
    };

  /** [what the other side does] */
  const FAILURES: readonly (readonly [string, Part])[] = [
    ["ends at once", (connection) => connection.destroy()],
    ["says nothing", () => undefined],
    ["answers allow to everything", (connection) => void connection.write("0 5\nallow\0")],
    ["sends back what it hears", (connection) => void connection.pipe(connection)],
    ["knows another secret", (connection) => void connection.write(`${"0".repeat(64)}\n0 5\nallow\0`)],
    ["knows the first secret alone", (connection, { first }) => void connection.write(`${first}\n0 5\nallow\0`)],
    ["knows a part of the second", (connection, { second }) => void connection.write(`${second.slice(1)}\n0 5\nallow\0`)],
    ["has no answer", judgeAs(() => undefined)],
    ["cannot judge", judgeAs(() => Promise.reject(new Error("no")))],
    ["has an answer that bash cannot take", judgeAs(() => ({ status: 0, stdout: "a\0b", stderr: "" }))],
    [
      "answers after 300 ms",
      judgeAs(() => new Promise((resolve) => setTimeout(() => resolve({ status: 0, stdout: "", stderr: "" }), 600))),
    ],
    ["answers without an end", raw("0 5\nallow")],
    ["answers half the output", raw("0 6\nallow\0")],
    ["answers no status", raw(" 0\nallow\0")],
    ["answers no length", raw("0 \nallow\0")],
    ["answers neither", raw("\0")],
    ["answers one line", raw("0 0\0")],
    ["answers status 256", raw("256 5\nallow\0")],
    ["answers status 4294967296", raw("4294967296 5\nallow\0")],
    ["answers a status that is none", raw("-0 5\nallow\0")],
    ["answers a length that is calculated", raw("0 x[$(echo>made)]\nallow\0")],
    ["answers a length of many digits", raw("0 18446744073709551621\nallow\0")],
    ["answers three numbers", raw("0 5 5\nallow\0")],
  ];
  it.each(FAILURES)("becomes the command, with the same input, when the other side %s", { timeout: 30_000 }, async (_what, part) => {
    const { root, start, listen, fresh } = placed();
    await listen(part);
    const input = Buffer.concat([Buffer.from("{"), BYTES, Buffer.from("}\n")]);
    expect(unlike(await start({ input }), fresh(input))).toEqual([]);
    expect([environment(root), existsSync(join(root, "made"))]).toEqual([ASSIGNED.toSorted(), false]);
  });

  it("tells nothing to who does not know the second secret", { timeout: 30_000 }, async () => {
    const { start, listen, fresh } = placed();
    let heard = "";
    const { secrets } = await listen(
      (connection) => void connection.on("data", (chunk: Buffer) => ((heard += chunk), connection.write("no\n"))),
    );
    expect(unlike(await start(), fresh(CALL))).toEqual([]);
    expect(heard).toBe(`assent?1 ${secrets.first}\n`);
  });

  /** [what is the matter with the file, how, whether there is one who listens] */
  const FILES: readonly (readonly [string, (line: string, place: ReturnType<typeof placed>) => string])[] = [
    ["it is empty", () => ""],
    ["it is cut", (line) => line.slice(0, 60)],
    ["it has no line break", (line) => line.trimEnd()],
    ["it is of another format", (line) => line.replace("assent-1", "assent-2")],
    ["it is of another boot", (line) => line.replace(/ [\w-]+ (\d+) \.$/m, " 01234567-0123-0123-0123-0123456789ab $1 .")],
    ["it is of a system without boots", (line) => line.replace(/ [\w-]+ (\d+) \.$/m, " - $1 .")],
    ["its process has gone", (line) => line.replace(/\d+ \.$/m, `${goneProcess()} .`)],
    ["its process has number 0", (line) => line.replace(/\d+ \.$/m, "0 .")],
    ["its process is no number", (line) => line.replace(/\d+ \.$/m, "-1 .")],
    ["its port is no number", (line) => line.replace(/^assent-1 /, "assent-1 /../../")],
    ["its port is closed", (line) => line.replace(/^assent-1 \d+/, "assent-1 1")],
    ["the first secret is short", (line) => line.replace(/[0-9a-f]{64}/, "0".repeat(63))],
    ["the second secret is short", (line) => line.replace(/[0-9a-f] (?=[\w-]+ \d+ \.$)/m, " ")],
    ["its end is missing", (line) => line.replace(" .", "")],
    ["it goes on behind its end", (line) => line.replace(" .", " . .")],
    ["a secret is none", (line) => line.replace(/[0-9a-f]{64}/, "*".repeat(64))],
  ];
  it.each(FILES)("becomes the command where of the file %s", { timeout: 30_000 }, async (_what, change) => {
    const place = placed();
    const { connections } = await place.listen(
      judgeAs(() => ({ status: 0, stdout: "allow", stderr: "" })),
      (line) => change(line, place),
    );
    expect(unlike(await place.start(), place.fresh(CALL))).toEqual([]);
    expect(connections()).toBe(0);
  });

  /** [what is there in the place of the file] */
  const OTHERS: readonly (readonly [string, (place: ReturnType<typeof placed>) => void])[] = [
    ["no file", ({ file }) => rmSync(file)],
    ["a folder", ({ file }) => (rmSync(file), mkdirSync(file))],
    [
      "a link to the file",
      ({ file, root }) => (writeFileSync(join(root, "real"), readFileSync(file)), rmSync(file), symlinkSync(join(root, "real"), file)),
    ],
    ["another user's file", ({ file }) => (process.getuid?.() === 0 ? chownSync(file, 12_345, 12_345) : rmSync(file))],
    ["a pipe", ({ file }) => (rmSync(file), void spawnSync("mkfifo", [file]))],
  ];
  it.each(OTHERS)("becomes the command where there is %s", { timeout: 30_000 }, async (_what, make) => {
    const place = placed();
    const { connections } = await place.listen(judgeAs(() => ({ status: 0, stdout: "allow", stderr: "" })));
    make(place);
    expect(unlike(await place.start(), place.fresh(CALL))).toEqual([]);
    expect(connections()).toBe(0);
  });

  /** [what, the input] */
  const INPUTS: readonly (readonly [string, string | Buffer])[] = [
    ["none", ""],
    ["with a NUL", '{"a":"b\0c"}\n'],
    ["of NULs", "\0\0\0"],
    ["that begins with one", "\0{}"],
    ["that ends with one", "{}\0"],
    ["of 32 kB and a byte", `{${"x".repeat(32_767)}}`],
    ["of 32 kB and a NUL", `{${"x".repeat(32_766)}}\0`],
    ["of 1 MB", randomBytes(1 << 20)],
    ["that ends in the middle", '{"tool":"Ba'],
  ];
  it.each(INPUTS)("an input is for the command: %s", { timeout: 30_000 }, async (_what, input) => {
    const { start, listen, fresh } = placed();
    const { connections } = await listen(judgeAs(() => ({ status: 0, stdout: "allow", stderr: "" })));
    expect(unlike(await start({ input }), fresh(input))).toEqual([]);
    expect(connections()).toBe(0);
  });

  it("in a supervised run the supervisor answers", async () => {
    if (!runs("setpriv")) return;
    const { start, listen, fresh } = placed();
    const { connections } = await listen(judgeAs(() => ({ status: 0, stdout: "allow", stderr: "" })));
    expect(unlike(await start({ wrap: ["setpriv", "--no-new-privs"] }), fresh(CALL))).toEqual([]);
    expect(connections()).toBe(0);
  });

  it.skipIf(process.getuid?.() !== 0 || !runs("unshare"))("in another namespace of mounts the file is another's", async () => {
    const { start, listen, fresh } = placed();
    const { connections } = await listen(judgeAs(() => ({ status: 0, stdout: "allow", stderr: "" })));
    expect(unlike(await start({ wrap: ["unshare", "--mount"] }), fresh(CALL))).toEqual([]);
    expect(connections()).toBe(0);
  });

  describe.skipIf(process.getuid?.() !== 0 || !runs("unshare"))("where the system tells no boots and no namespaces, as macOS", () => {
    const wrap = ["unshare", "--mount", ...shell('mount -t tmpfs none /proc/sys && exec "$@"')];
    const allow = judgeAs(() => ({ status: 0, stdout: "allow", stderr: "" }));

    it("answered", PATIENT, async () => {
      const { start, listen } = placed();
      const { connections } = await listen(allow, (line) => line.replace(/ [\w-]+ (\d+) \.$/m, " - $1 ."));
      expect([(await start({ wrap })).stdout.toString(), connections()]).toEqual(["allow", 1]);
    });

    it("becomes the command where the process has gone", async () => {
      const { start, listen, fresh } = placed();
      const { connections } = await listen(allow, (line) => line.replace(/ [\w-]+ (\d+) \.$/m, ` - ${goneProcess()} .`));
      expect([unlike(await start({ wrap }), fresh(CALL)), connections()]).toEqual([[], 0]);
    });
  });

  it("a resident that stands still is not waited for, and none that has no room", { timeout: 30_000 }, async () => {
    const { file, start, fresh } = placed();
    const secrets = newBashSecrets();
    const script = `require("node:net").createServer(() => {}).listen({ port: 0, host: "127.0.0.1", backlog: 1 }, function () { console.log(this.address().port); })`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const port = Number(await new Promise((resolve) => child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()))));
    child.kill("SIGSTOP");
    writeBashPlace(file, { port, ...secrets });
    // By our own number, as where there is no /proc to tell that it stands still: its time is waited for, and connecting has none.
    for (let call = 0; call < 4; call++) expect(unlike(await start(), fresh(CALL))).toEqual([]);
  });

  it("a resident that is known to stand still is not asked", { timeout: 30_000 }, async () => {
    const { file, start, fresh } = placed();
    const script = `require("node:net").createServer(() => console.log("asked")).listen(0, "127.0.0.1", function () { console.log(this.address().port); })`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const hears = async (text: RegExp): Promise<void> => {
      while (!text.test(said)) await new Promise((resolve) => child.stdout.once("data", resolve));
    };
    await hears(/\n/);
    const port = Number.parseInt(said, 10);
    child.kill("SIGSTOP");
    writeBashPlace(file, { port, ...newBashSecrets() });
    writeFileSync(file, readFileSync(file, "utf8").replace(/\d+ \.$/m, `${child.pid} .`));
    expect(unlike(await start(), fresh(CALL))).toEqual([]);
    const own = connect({ host: "127.0.0.1", port });
    onTestFinished(() => void own.destroy());
    child.kill("SIGCONT");
    await hears(/asked\n/);
    expect(said).toBe(`${port}\nasked\n`);
  });

  it("an answer that nobody hears is a refusal, not a signal", PATIENT, async () => {
    const { start, listen } = placed();
    await listen(judgeAs(() => ({ status: 0, stdout: "allow", stderr: "" })));
    expect(await start({ wrap: shell('exec "$@" > /dev/full') })).toMatchObject({ status: 2 });
    expect(await start({ wrap: shell('{ "$@"; echo $? >&2; } | :') })).toMatchObject({
      stderr: expect.stringMatching(/^(?:.*\n)*2\n$/) as unknown,
    });
  });

  /** [what it is started with] */
  const FEW: readonly (readonly [string, readonly string[]])[] = [
    ["nothing", []],
    ["a file", ["/file"]],
    ["a command that is found by PATH", ["/file", "true"]],
    ["a command that is not there", ["/file", "/none"]],
    ["a folder for a command", ["/file", "/"]],
  ];
  it.each(FEW)("refuses: %s", (_what, words) => {
    const { status, stdout, stderr } = spawnSync("/bin/bash", ["-p", SCRIPT, ...words], { env: {}, encoding: "utf8", input: CALL });
    expect([status, stdout, stderr.endsWith(SENTENCE)]).toEqual([2, "", true]);
  });
});

describe("the other side", () => {
  const secrets = newBashSecrets();
  /** [what comes, in which pieces, what is said, how often it was judged] */
  const request = ["1", "2", "/f", "2", "/a", "b", "{}", ""].join("\0");
  const TALKS: readonly (readonly [string, readonly string[], string, number])[] = [
    ["all in one", [`assent?1 ${secrets.first}\n${request}`], `${secrets.second}\n0 5\nallow\0`, 1],
    ["piece by piece", [..."assent?1 ", secrets.first, "\n", ...request], `${secrets.second}\n0 5\nallow\0`, 1],
    ["the greeting alone", [`assent?1 ${secrets.first}\n`], `${secrets.second}\n`, 0],
    ["another secret", [`assent?1 ${secrets.second}\n${request}`], "", 0],
    ["what a browser says", ["GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], "", 0],
    ["a short one that says no more", ["POST"], "", 0],
    ["no number of words", [`assent?1 ${secrets.first}\n${request.replace("\x002\x00/a", "\x00x\x00/a")}`], `${secrets.second}\n`, 0],
    ["more than a request", [`assent?1 ${secrets.first}\n${request}x`], `${secrets.second}\n`, 0],
    ["2 MB without an end", [`assent?1 ${secrets.first}\n`, "x".repeat(3 << 20)], `${secrets.second}\n`, 0],
  ];
  it.each(TALKS)("hears %s", async (_what, pieces, said, times) => {
    let judged = 0;
    const server = createServer((connection) => {
      const judge = (): BashAnswer => (judged++, { status: 0, stdout: "allow", stderr: "" });
      converseWithBash(connection, secrets, judge);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const client = connect({ host: "127.0.0.1", port: typeof address === "object" && address !== null ? address.port : 0 });
    client.on("error", () => undefined);
    let heard = "";
    client.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    for (const piece of pieces) {
      client.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    setTimeout(() => client.end(), 100);
    await new Promise((resolve) => client.once("close", resolve));
    expect([heard, judged]).toEqual([said, times]);
  });

  it("what is no UTF-8 is no request, and what bash cannot take no answer", () => {
    expect(parseBashRequest(Buffer.from("1,2,/\xff,1,/a,{},".replaceAll(",", "\0"), "latin1"))).toEqual({ problem: "not a request" });
    expect(parseBashRequest(Buffer.from("1,2,/f,1,/a,\xff,".replaceAll(",", "\0"), "latin1"))).toMatchObject({
      folder: "/f",
      words: ["/a"],
    });
    expect(printBashAnswer({ status: 256, stdout: "", stderr: "" })).toBeUndefined();
    expect(printBashAnswer({ status: 0, stdout: "", stderr: "\0" })).toBeUndefined();
    expect(printBashAnswer({ status: 2, stdout: "é", stderr: "x" })?.toString()).toBe("2 2\néx\0");
  });

  it("the file is its owner's alone, and goes", () => {
    const { root } = scratch();
    const file = join(root, "port");
    removeBashPlace(file);
    writeBashPlace(file, { port: 12, ...secrets });
    const fields = [
      "assent-1",
      "12",
      secrets.first,
      secrets.second,
      expect.stringMatching(/^(?:[\da-f-]{36}|-)$/),
      String(process.pid),
      ".\n",
    ];
    expect([readFileSync(file, "utf8").split(" "), statSync(file).mode & 0o777]).toEqual([fields, 0o600]);
    expect(newBashSecrets()).not.toEqual(secrets);
    removeBashPlace(file);
    expect(existsSync(file)).toBe(false);
  });
});

function goneProcess(): number {
  return spawnSync("true").pid;
}
