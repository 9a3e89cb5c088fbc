import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync, renameSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { DIST } from "../scratch.ts";
import {
  type Asked,
  MB,
  PATIENT,
  SENTENCE,
  type Start,
  WORDS,
  always,
  answer,
  collect,
  deafEnd,
  environment,
  header,
  leave,
  listen,
  many,
  otherServer,
  placeAsk,
  runs,
  unlike,
  shell,
  signal,
  trickle,
} from "./ask-world.ts";
import { HERE, WAYS } from "./stubs.ts";

describe.each(WAYS)("the client, started by %s (%s)", (_, architecture, front) => {
  const placed = () => placeAsk(architecture, front);

  /** [what is answered, status, standard output, standard error, input] */
  const ANSWERS: readonly (readonly [string, number, string | Buffer, string | Buffer, string | Buffer])[] = [
    ["nothing", 0, "", "", ""],
    ["a verdict", 0, '{"allow":"é\n"}\n', "", '{"tool":"Bash"}\n\n'],
    ["a refusal", 2, "", "refused: no\n", "\0\xff"],
    ["both", 255, "out", "err", "in"],
    ["bytes", 1, Buffer.from([0, 255, 10, 0]), Buffer.from([128, 0]), randomBytes(70_000)],
    // The client waits 0.3 s for an answer: on a slow machine no more than this goes to and fro in that time.
    ["3 MB to 3 MB", 0, randomBytes(3 * MB), Buffer.alloc(3 * MB, "e"), randomBytes(3 * MB)],
  ];
  it.each(ANSWERS)("answered: %s", PATIENT, async (_what, status, out, err, input) => {
    const { start, socket } = placed();
    const heard: Asked[] = [];
    await listen(socket, (connection, asked) => {
      void asked.then((request) => heard.push(request) && connection.end(answer(status, out, err)));
    });
    const outcome = await start({ input });
    expect([outcome.status, outcome.stdout.equals(Buffer.from(out)), outcome.stderr]).toEqual([status, true, Buffer.from(err).toString()]);
    expect([heard.length, heard[0]?.input.equals(Buffer.from(input))]).toEqual([1, true]);
  });

  it("10 MB to 10 MB is answered whole, or, where that takes too long, as if nobody had been asked", PATIENT, async () => {
    const { start, socket, fresh } = placed();
    const [out, err, input] = [randomBytes(10 * MB), Buffer.alloc(10 * MB, "e"), randomBytes(10 * MB)];
    await listen(socket, (connection, asked) => void asked.then(() => connection.end(answer(0, out, err))));
    const outcome = await start({ input });
    const whole = outcome.status === 0 && outcome.stdout.equals(out) && outcome.stderr === err.toString();
    expect(whole ? [] : unlike(outcome, fresh(WORDS, input))).toEqual([]);
  });

  /** [what, words, environment] */
  const STRINGS: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
    ["words of every kind", WORDS, { A: "1", B: "a b\nc", EMPTY: "", É: "ü" }],
    ["one word, no environment", ["/x"], {}],
    ["no program", ["A=1", "b"], { A: "" }],
    ["20,000 words, 5,000 variables", Array.from({ length: 20_000 }, (_x, at) => `w ${at}`), many(5000)],
    ["just below 1 MB", ["/x"], Object.fromEntries(Array.from({ length: 10 }, (_x, at) => [`V${at}`, "v".repeat(104_000)]))],
  ];
  it.each(STRINGS)("is asked with the folder, words and environment: %s", PATIENT, async (_what, words, env) => {
    const { root, start, socket, launcher } = placed();
    const heard: Asked[] = [];
    await listen(socket, (connection, asked) => void asked.then((request) => heard.push(request) && connection.write(answer(9))));
    const before = process.hrtime.bigint();
    const pids: (number | undefined)[] = [];
    expect(await start({ words, env, before: ({ pid }) => void pids.push(pid) })).toMatchObject({ status: 9 });
    const [asked] = heard;
    expect(asked).toMatchObject({ folder: root, words: [launcher, ...words], pid: pids[0], parent: process.pid });
    expect(asked?.env.toSorted()).toEqual(
      Object.entries(env)
        .map((pair) => pair.join("="))
        .toSorted(),
    );
    expect([asked !== undefined && asked.moment > before, asked !== undefined && asked.moment < process.hrtime.bigint()]).toEqual([
      true,
      true,
    ]);
  });

  /** [what the other side does, how, with which input] */
  const FAILURES: readonly (readonly [string, (connection: Socket, asked: Promise<Asked>) => void, Buffer?])[] = [
    ["ends at once", (connection) => connection.destroy()],
    ["ends when it is asked", (connection, asked) => void asked.then(() => connection.destroy())],
    [
      "ends when it has half of what it is asked",
      (connection) => void connection.once("data", () => connection.destroy()),
      randomBytes(10 * MB),
    ],
    ["says nothing", () => undefined],
    ["reads nothing", (connection) => void connection.pause(), randomBytes(10 * MB)],
    ["answers half a head", (connection, asked) => void asked.then(() => connection.end(answer(0).subarray(0, 12)))],
    ["answers a head alone, and waits", always(header(0, 5, 0))],
    ["answers half the output", (connection, asked) => void asked.then(() => connection.end(answer(0, "output").subarray(0, 27)))],
    ["answers without the errors", (connection, asked) => void asked.then(() => connection.end(header(0, 0, 3)))],
    ["speaks another protocol", always(answer(0, "", "", "assent!2"))],
    ["sends back what it hears", (connection) => void connection.pipe(connection)],
    ["answers status 256", always(answer(256))],
    ["answers status -1", always(answer(0xffffffff))],
    ["announces more than 64 MB of output", always(header(0, 64 * MB + 1, 0))],
    ["announces more than 64 MB of errors", always(header(0, 0, 64 * MB + 1))],
    ["announces lengths that wrap around", always(header(0, 0xffffffff, 1))],
    ["writes in the last field", always(answer(0, "", "", "assent!1", 1))],
    ["answers after 300 ms", (connection, asked) => void asked.then(() => pause(400)).then(() => connection.write(answer(0)))],
    ["answers byte by byte", (connection, asked) => void asked.then(() => trickle(connection, answer(0)))],
    [
      "answers before all is asked",
      (connection) =>
        void connection.once("data", () => {
          connection.pause();
          connection.write(answer(0, "allow"));
        }),
      randomBytes(10 * MB),
    ],
  ];
  it.each(FAILURES.map(([what, part, input = '{"a":1}\n']) => [what, part, input] as const))(
    "becomes the launcher, with the same input, when the other side %s",
    { timeout: 30_000 },
    async (_what, part, input) => {
      const { root, start, socket, fresh } = placed();
      await listen(socket, part);
      const outcome = await start({ input, env: { A: "1", B: "2 3" } });
      expect(unlike(outcome, fresh(WORDS, input))).toEqual([]);
      expect(environment(root)).toEqual(["A=1", "B=2 3"]);
    },
  );

  it("an answer that is there before the question is none", async () => {
    const { start, socket, fresh } = placed();
    const connected = signal();
    await listen(socket, (connection) => void connection.write(answer(0, "allow"), () => connected.resolve()));
    expect(unlike(await start({ input: "in", before: async () => await connected.promise }), fresh(WORDS, "in"))).toEqual([]);
  });

  it.each([64 * MB, 70 * MB])("an input of %i bytes is handed on whole", { timeout: 60_000 }, async (length) => {
    const { start, socket, fresh } = placed();
    const input = Buffer.alloc(length, "0123456789");
    await listen(socket, (connection) => void connection.once("data", () => connection.pause()));
    expect(unlike(await start({ input }), fresh(WORDS, input))).toEqual([]);
  });

  /** [what is there, how it comes there] */
  const NOBODY: readonly (readonly [string, (place: ReturnType<typeof placeAsk>) => Partial<Start> | void | Promise<void>])[] = [
    ["nothing", () => undefined],
    ["no folder", ({ base }) => ({ base: join(base, "none/") })],
    ["a socket that nobody has", async ({ socket }) => await leave(socket)],
    ["a file", ({ socket }) => writeFileSync(socket, "")],
    [
      "a folder",
      ({ socket }) => {
        mkdirSync(socket);
      },
    ],
    ["a link to nowhere", ({ socket, root }) => symlinkSync(join(root, "nowhere"), socket)],
    ["a folder's name of 95 bytes", () => ({ base: `/${"x".repeat(93)}/` })],
    ["a folder's name of 5000 bytes", () => ({ base: `/${"x".repeat(4998)}/` })],
    ["a folder's name that is empty", () => ({ base: "" })],
    ["a lock that is a link", ({ base, namespace, root }) => symlinkSync(join(root, "made"), `${base}lock.${namespace}`)],
  ];
  it.each(NOBODY)("becomes the launcher where there is %s", { timeout: 30_000 }, async (_what, make) => {
    const place = placed();
    const how = (await make(place)) ?? {};
    expect(unlike(await place.start({ input: "in\n", ...how }), place.fresh(WORDS, "in\n"))).toEqual([]);
    expect(existsSync(join(place.root, "made"))).toBe(false);
  });

  it("a name that is only another folder's beginning: the folder ends with a slash, and one that does not begin with one is not looked at", async () => {
    const { root, start, socket, fresh } = placed();
    let asked = 0;
    await listen(socket, (connection) => void (asked++, connection.destroy()));
    expect(unlike(await start({ base: "resident/", input: "in" }), fresh(WORDS, "in"))).toEqual([]);
    expect([asked, readdirSync(root).includes("resident")]).toEqual([0, true]);
  });

  /** [what, what is in front of it, whether the judge that stays may hear of it, what comes] */
  const AROUND: readonly (readonly [string, readonly string[], "asked" | "unasked", "fresh" | "refused" | "answered"])[] = [
    ["in a supervised run", ["setpriv", "--no-new-privs"], "unasked", "fresh"],
    ["standard input is closed", shell('exec "$@" <&-'), "unasked", "fresh"],
    ["standard input is a folder", shell('exec "$@" < /'), "asked", "fresh"],
    ["standard input cannot be read", shell('exec "$@" 0> /dev/null'), "asked", "fresh"],
    ["standard error is closed", shell('exec "$@" 2>&-'), "unasked", "fresh"],
    ["standard output is closed", shell('exec "$@" >&-'), "unasked", "refused"],
    ["nothing can be written to standard output", shell('exec "$@" > /dev/full'), "asked", "refused"],
    ["standard output may not grow", shell('ulimit -f 0; exec "$@" > out'), "asked", "refused"],
    ["the folder is gone", shell('mkdir gone; cd gone; rmdir ../gone; exec "$@"'), "unasked", "fresh"],
    ["memory is short", shell('ulimit -v 65536; exec "$@"'), "unasked", "fresh"],
    [
      "standard input is a file that was read to the middle",
      shell('printf "skip\nin" > f; exec < f; read -r _; exec "$@"'),
      "asked",
      "answered",
    ],
    ["standard input does not wait", ["perl", "-e", "fcntl(STDIN, 4, 2048); exec @ARGV"], "asked", "answered"],
    ["standard error does not take it", shell('exec "$@" 2> /dev/full'), "asked", "answered"],
  ];
  it.each(AROUND)("%s", PATIENT, async (_what, wrap, hears, comes) => {
    // The emulator wants more memory than that.
    if (front.length > 0 && wrap.some((word) => word.includes("ulimit -v"))) return;
    if (wrap[0] === "setpriv" && !runs("setpriv")) return;
    if (wrap[0] === "perl" && !runs("perl", "-v")) return;
    const { start, socket } = placed();
    let asked = 0;
    await listen(socket, (connection, request) => void request.then(() => (asked++, connection.write(answer(0, "allow\n", "note\n")))));
    const slow = async (): Promise<void> => await pause(wrap[0] === "perl" ? 100 : 0);
    const { status, signal, stdout } = await start({ wrap, input: "in", before: slow });
    const want = { fresh: [3, null, "fresh"], refused: [2, null, ""], answered: [0, null, "allow\n"] }[comes];
    expect([status, signal, stdout.toString().split("\0")[0]]).toEqual(want);
    if (hears === "unasked" || comes === "answered") expect(asked).toBe(hears === "asked" ? 1 : 0);
  });

  it("what it ignores while it keeps the input, the launcher does not", async () => {
    const { start, socket, put } = placed();
    put("launcher", '#!/bin/sh\nwhile read -r name value; do [ "$name" = SigIgn: ] && echo "$value"; done < /proc/$$/status\n');
    await listen(socket, (connection) => connection.destroy());
    expect((await start({ input: "in" })).stdout.toString()).toBe("0000000000000000\n");
  });

  it("refuses, and is not killed, where the input cannot be kept", async () => {
    const { start, socket } = placed();
    await listen(socket, (connection) => connection.destroy());
    expect(await start({ wrap: shell('ulimit -f 0; exec "$@"'), input: "in" })).toMatchObject({
      status: 2,
      signal: null,
      stderr: SENTENCE,
    });
  });

  it("standard output has no reader any more: a refusal, not a signal", PATIENT, async () => {
    const { start, socket } = placed();
    const deaf = signal();
    await listen(socket, (connection, asked) => void Promise.all([asked, deaf.promise]).then(() => connection.write(answer(0, "allow"))));
    const outcome = await start({
      before: ({ stdout }) => {
        stdout?.once("close", () => deaf.resolve());
        stdout?.destroy();
      },
    });
    expect(outcome).toMatchObject({ status: 2, signal: null, stderr: SENTENCE });
  });

  it("an environment of more than 1 MB becomes the launcher's", { timeout: 30_000 }, async () => {
    const { root, start, socket, fresh } = placed();
    let asked = 0;
    await listen(socket, (_connection, request) => void request.then(() => asked++));
    const env = Object.fromEntries(Array.from({ length: 12 }, (_x, at) => [`V${at}`, "v".repeat(100_000)]));
    expect(unlike(await start({ input: "in", env }), fresh(WORDS, "in"))).toEqual([]);
    expect([asked, environment(root).join("").length]).toEqual([0, 1_200_000 + 12 * 3 + 2]);
  });

  /** [what it is started with] */
  const FEW: readonly (readonly [string, (place: ReturnType<typeof placeAsk>) => readonly string[]])[] = [
    ["nothing", () => []],
    ["a folder", ({ base }) => [base]],
    ["a launcher without words", ({ base, launcher }) => [base, launcher]],
    ["a launcher that is not there", ({ base, root }) => [base, join(root, "none"), "/x"]],
    ["a launcher that is found by the folder", ({ base }) => [base, "launcher", "/x"]],
    ["a launcher without a name", ({ base }) => [base, "", "/x"]],
  ];
  it.each(FEW)("refuses: %s", (_what, words) => {
    const place = placed();
    const [program = "", ...rest] = [...front, place.ask, ...words(place)];
    const { status, stdout, stderr } = spawnSync(program, rest, { env: {}, encoding: "utf8", input: "in", cwd: place.root });
    expect([status, stdout, stderr]).toEqual([2, "", SENTENCE]);
  });

  it("refuses, and is not killed, where nobody hears that either", () => {
    const { ask, root } = placed();
    const [program, ...words] = [...front, ask];
    const { status, signal: killed } = spawnSync(program, words, { env: {}, stdio: ["ignore", "pipe", deafEnd(root)] });
    expect([status, killed]).toEqual([2, null]);
  });

  it("the launcher that there is gives its answer and its statuses", PATIENT, async () => {
    if (HERE === undefined || front.length > 0) return;
    const { start, socket } = placed();
    await listen(socket, (connection, asked) => void asked.then(() => connection.destroy()));
    const words = ["HOME=/h", "/bin/sh", "-c", 'printf "%s|%s|" "$HOME" "$LD_PRELOAD"; cat; exit 2'];
    const outcome = await start({
      words,
      launcher: join(DIST, `launch-${HERE}`),
      env: { LD_PRELOAD: "/x.so", HOME: "/evil" },
      input: "in",
    });
    expect({ ...outcome, stdout: outcome.stdout.toString() }).toEqual({ status: 2, signal: null, stdout: "/h||in", stderr: "" });
  });

  it.skipIf(process.getuid?.() !== 0)("a server of another user is not asked", PATIENT, async () => {
    const { root, base, start, socket, fresh } = placed();
    chmodSync(root, 0o755);
    chmodSync(base, 0o777);
    const squatter = await otherServer(socket, { uid: 12_345, gid: 12_345 });
    expect(unlike(await start({ input: "in" }), fresh(WORDS, "in"))).toEqual([]);
    expect(squatter.heard()).toBe("ready\n");
    // Had it been ours, it would have been believed.
    const own = await otherServer(`${socket}2`, {});
    const { status, stdout } = await collect(
      [...front, join(root, "ask"), base, join(root, "launcher"), ...WORDS],
      root,
      { base },
      async () => {
        renameSync(`${socket}2`, socket);
      },
    );
    expect([status, stdout.toString(), own.heard()]).toEqual([0, "allow", "ready\nasked\n"]);
  });

  it("a server that has stopped, with room for a call and without", { timeout: 60_000 }, async () => {
    const { start, socket, fresh } = placed();
    const server = await otherServer(socket, { backlog: 1 });
    server.stop();
    // The first ones wait for their time, and stay in the queue; then there is no room in it.
    for (let call = 0; call < 4; call++) expect(unlike(await start({ input: `in ${call}` }), fresh(WORDS, `in ${call}`))).toEqual([]);
    expect(server.heard()).toBe("ready\n");
  });
});
