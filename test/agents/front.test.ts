import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { scratch } from "../scratch.ts";
import { putStub, WAYS } from "./stubs.ts";

/** In the place of the supervisor: does what the first of its words says. */
const SUPERVISOR = `const { fstatSync, readFileSync, readlinkSync, writeSync } = require("node:fs");
const [word, beside, ...rest] = process.argv.slice(2);
const say = (what) => writeSync(1, JSON.stringify(what) + "\\n");
const stay = () => setInterval(() => {}, 1000);
const status = (name) => new RegExp("^" + name + ":\\t(.*)$", "m").exec(readFileSync("/proc/self/status", "latin1"))[1];
const does = {
  words: () => say({ words: [word, beside, ...rest], env: process.env.GIVEN, fifo: fstatSync(3).isFIFO(), blocked: status("SigBlk") }),
  tell: (how) => (writeSync(3, how), process.exit(99)),
  "tell and stay": (how) => (writeSync(3, how), stay()),
  exit: (status) => process.exit(Number(status)),
  end: (signal) => process.kill(process.pid, signal),
  hear: () => {
    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR2", "SIGALRM"])
      process.on(signal, () => (say(signal), signal === "SIGTERM" && writeSync(3, "3")));
    say("ready");
    stay();
  },
  "close and stay": () => (require("node:fs").closeSync(3), say("ready"), setTimeout(() => process.exit(6), 300)),
  stay: () => (say(process.pid), stay()),
};
does[rest[0]](...rest.slice(1));`;

describe.each(WAYS)("what stands in front of a run, started by %s (%s)", (name, architecture, before) => {
  const place = scratch({ keep: true });
  afterAll(() => rmSync(place.root, { recursive: true, force: true }));
  const bin = place.write(join(place.root, "bin.cjs"), SUPERVISOR);
  const front = putStub("front", architecture, join(place.root, "front"));
  const words = (...does: readonly string[]): string[] => [...before, front, process.execPath, bin, "run", ...does];
  const start = (does: readonly string[], shell = '"$@"') => {
    const env = { PATH: "/usr/bin:/bin", GIVEN: "so" };
    return spawnSync("bash", ["-c", `${shell}; exit $?`, "bash", ...words(...does)], { env, encoding: "utf8", timeout: 20_000 });
  };
  const emulated = name !== "itself";

  it("starts the supervisor beside it, with the environment as it was and one end of a pipe", () => {
    const { stdout, status } = start(["words", "a b", ""]);
    expect([JSON.parse(stdout), status]).toEqual([
      { words: ["run", "--beside", "words", "a b", ""], env: "so", fifo: true, blocked: "0000000000000000" },
      0,
    ]);
  });

  it.each([
    ["it tells a status", ["tell", "7"], 7],
    ["it tells 0, whatever its own is", ["tell", "0"], 0],
    ["it tells a signal that leaves a core file", ["tell", "s11"], 139],
    ["it tells the signal of a key that does", ["tell", "s3"], 131],
    ["it tells SIGTERM", ["tell", "s15"], 143],
    ["it tells SIGKILL", ["tell", "s9"], 137],
    ["it ends without a word", ["exit", "5"], 5],
    ["it is killed", ["end", "SIGKILL"], 137],
    ["it lets go of the pipe, and ends later", ["close and stay"], 6],
  ] as const)("%s", (_, does, status) => {
    expect(start(does).status).toBe(status);
  });

  it("ends by the signal itself, as the program did", () => {
    const [program = "", ...rest] = words("tell", "s15");
    const { status, signal } = spawnSync(program, rest, { encoding: "utf8" });
    expect([status, signal]).toEqual([null, "SIGTERM"]);
  });

  it.each([
    ["standard input is closed", '"$@" <&-'],
    ["all that is standard is closed", '"$@" <&- >&- 2>&-'],
    ["ends of children are ignored", 'trap "" CHLD; "$@"'],
    ["signals are ignored", 'trap "" HUP INT QUIT TERM USR1 USR2 ALRM; "$@"'],
  ])("%s", (_, shell) => {
    expect(start(["exit", "5"], shell).status).toBe(5);
    expect(start(["tell", "s15"], shell).status).toBe(143);
  });

  it.skipIf(emulated)("a Node that is not there: nothing is started, and it says so", () => {
    const { status, stderr } = spawnSync(front, ["/nowhere/node", bin, "run", "exit", "0"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([125, "assent: nothing was started, because Assent could not be; run: assent doctor\n"]);
  });

  it("says how it is used", () => {
    const { status, stderr } = spawnSync(words()[0] ?? "", words().slice(1, -3), { encoding: "utf8" });
    expect([status, stderr]).toEqual([2, expect.stringContaining("front NODE PROGRAM run WORD")]);
  });

  /** Its lines, one after the other. */
  const lines = async function* (child: ChildProcess): AsyncGenerator<string> {
    let text = "";
    for await (const part of child.stdout ?? []) {
      text += String(part);
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        yield text.slice(0, end);
        text = text.slice(end + 1);
      }
    }
  };
  const begin = (...does: readonly string[]): ChildProcess => {
    const [program = "", ...rest] = words(...does);
    return spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  };

  it("passes signals on, and goes on until it is told how to end", async () => {
    const child = begin("hear");
    const heard: string[] = [];
    const sent = (["SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR2", "SIGALRM", "SIGTERM"] as const)[Symbol.iterator]();
    const ended = new Promise((resolve) => child.once("exit", (status) => resolve(status)));
    for await (const line of lines(child)) {
      heard.push(String(JSON.parse(line)));
      const next = sent.next();
      if (next.done === true) break;
      child.kill(next.value);
    }
    expect(heard).toEqual(["ready", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR2", "SIGALRM", "SIGTERM"]);
    expect(await ended).toBe(3);
  });

  it.skipIf(emulated)("who kills it before the supervisor can know of it kills the supervisor", async () => {
    const child = begin("stay");
    const first = await lines(child).next();
    const pid = first.done === true ? 0 : Number(first.value);
    expect(pid).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await expect
      .poll(() => {
        try {
          process.kill(pid, 0);
          return "lives";
        } catch {
          return "gone";
        }
      })
      .toBe("gone");
  });
});
