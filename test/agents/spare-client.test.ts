import { spawn, spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratch } from "../scratch.ts";
import { collect, PATIENT } from "./ask-world.ts";
import { stubOf, WAYS } from "./stubs.ts";

/** In the place of Node: says its words, its input and its environment, and ends with 3. */
const NODE = `#!/bin/sh
printf '%s|' "$@"; cat; echo "$A"; exit 3
`;

describe.each(WAYS)("the client, started by %s (%s)", (_, architecture, front) => {
  const placed = () => {
    const { root } = scratch();
    const put = (name: string, content: string | Buffer): string => {
      writeFileSync(join(root, name), content);
      chmodSync(join(root, name), 0o755);
      return join(root, name);
    };
    const base = join(root, "resident/");
    mkdirSync(base);
    return { root, base, client: put("spare", stubOf("spare", architecture)), node: put("node", NODE) };
  };

  it.each([[[]], [["/folder/"]]])("says that it could not start anything, with too few words: %j", (words) => {
    const [program = "", ...rest] = [...front, placed().client, ...words];
    expect(spawnSync(program, rest, { stdio: "ignore" }).status).toBe(2);
  });

  it("says so where today's way is gone", () => {
    const { client, base } = placed();
    const [program = client, ...rest] = [...front, client, base, "/nowhere/node", "bin", "run"].map(String);
    const { status, stderr } = spawnSync(program, rest, { encoding: "utf8" });
    expect([status, stderr]).toEqual([125, "assent: this command was not started, because Assent could not be: run: assent doctor\n"]);
  });

  const COLD = { status: 3, signal: null, stdout: "bin|run|a b|input\né\n" };
  /** [what the other side does: `.` waits for what the client says next, `!` ends; how the client ends] */
  const OTHERS: readonly (readonly [string, string | undefined, object])[] = [
    ["nobody listens", undefined, COLD],
    ["it ends at once", "!", COLD],
    ["it ends when it knows the command", ".!", COLD],
    ["it says nothing", "..", COLD],
    ["it says something else", ".x", COLD],
    ["it answers before it was asked to begin", ".0", COLD],
    ["it takes the command, and gives it back", ".r.c", COLD],
    ["a status", ".r.7", { status: 7, signal: null, stdout: "" }],
    ["another status", ".r.255", { status: 255, signal: null, stdout: "" }],
    ["SIGTERM", ".r.s15", { status: null, signal: "SIGTERM", stdout: "" }],
    ["SIGKILL", ".r.s9", { status: null, signal: "SIGKILL", stdout: "" }],
    ["a signal that leaves a core file", ".r.s11", { status: 139, signal: null, stdout: "" }],
    ["it was killed meanwhile", ".r.!", { status: 137, signal: null, stdout: "" }],
    ["no status", ".r.xyz", { status: 125, signal: null, stdout: "" }],
    ["a status that is none", ".r.256", { status: 125, signal: null, stdout: "" }],
    ["an empty signal", ".r.s", { status: 125, signal: null, stdout: "" }],
  ];
  it.each(OTHERS)("%s", PATIENT, async (_what, does, expected) => {
    const { root, base, client, node } = placed();
    if (does !== undefined) await otherSupervisor(`${base}spare.${readlinkSync("/proc/self/ns/mnt")}`, does);
    const outcome = await collect([...front, client, base, node, "bin", "run", "a b"], root, { env: { A: "é" }, input: "input\n" });
    expect({ ...outcome, stdout: outcome.stdout.toString() }).toEqual({ ...expected, stderr: "" });
  });

  it.runIf(process.getuid?.() === 0)("another user listens in its place, and would take the command", PATIENT, async () => {
    const { root, base, client, node } = placed();
    for (const folder of [root, base]) chmodSync(folder, 0o777);
    await otherSupervisor(`${base}spare.${readlinkSync("/proc/self/ns/mnt")}`, ".r.7", NOBODY);
    const outcome = await collect([...front, client, base, node, "bin", "run", "a b"], root, { env: { A: "é" }, input: "input\n" });
    expect({ ...outcome, stdout: outcome.stdout.toString() }).toEqual({ ...COLD, stderr: "" });
  });
});

const NOBODY = 65_534;

/** A process of its own, for the client reads where its descriptor 63 leads. */
async function otherSupervisor(socket: string, does: string, uid?: number): Promise<void> {
  const script = `require("node:net").createServer((connection) => {
    const steps = ${JSON.stringify(does)}.split(".");
    const next = () => {
      const step = steps.shift();
      if (step === "!") connection.destroy();
      else if (step) connection.write(step);
    };
    connection.on("error", () => undefined);
    connection.on("data", next);
    next();
  }).listen(${JSON.stringify(socket)}, () => require("node:fs").writeSync(1, "ready"));`;
  const anything = openSync("/dev/null", "r");
  const stdio = Array.from({ length: 64 }, (_, at) => (at === 1 ? "pipe" : at === 63 ? anything : "ignore"));
  const child = spawn(process.execPath, ["-e", script], { stdio, ...(uid === undefined ? {} : { uid, gid: uid }) });
  closeSync(anything);
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout?.once("data", resolve));
}
