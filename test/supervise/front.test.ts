import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DIST, scratch } from "../scratch.ts";

const ROOT = join(import.meta.dirname, "../..");
const FRONT = join(DIST, `front-${process.arch}`);

/** What a run is started by, and what stands in front of it then. */
const WAYS: readonly (readonly [how: string, start: (root: string) => readonly string[], exe: string])[] = [
  ["node bin.cjs", () => [join(DIST, "bin.cjs")], FRONT],
  ["bin/assent.cjs, which npm links", () => [join(ROOT, "bin/assent.cjs")], FRONT],
  [
    "node with options of its own, which the static program could not pass on",
    () => ["--no-warnings", join(DIST, "bin.cjs")],
    process.execPath,
  ],
  ["an installation without the static program", copied, process.execPath],
];

/** dist/ without static programs, and with what it loads. */
function copied(root: string): readonly string[] {
  const dist = join(root, "copy/dist");
  cpSync(DIST, dist, { recursive: true, filter: (file) => !/\/(?:front|spare|ask|launch|when)-|\/(?:chunks|types|page)$/.test(file) });
  symlinkSync(join(ROOT, "node_modules"), join(root, "copy/node_modules"));
  return [join(dist, "bin.cjs")];
}

describe.runIf(process.platform === "linux").each(WAYS)("a run that is started by %s", (_, begin, exe) => {
  const { root, home, project, machine } = scratch({ keep: true });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const state = join(root, "state");
  mkdirSync(state);
  const env = { ...machine.env, HOME: home, PATH: process.env["PATH"], XDG_STATE_HOME: state, "a.b": "1", "c-d": "é", EMPTY: "" };
  const argv = (...words: readonly string[]): string[] => [...begun, "run", "-P", "-q", "--", ...words];
  const begun = begin(root);

  it("has in front of it what takes least, gets its words and variables as they were, and its status is told", () => {
    const words = [
      "sh",
      "-c",
      `printf '%s|' "$@"; env | grep -E '^(a\\.b|c-d|EMPTY)=' | sort; cat; echo wrong >&2; exit 7`,
      "sh",
      "a  b",
      "",
      "\n",
    ];
    // dash drops variables whose names are none of its own.
    words[0] = "bash";
    const { status, stdout, stderr } = spawnSync(process.execPath, argv(...words), { cwd: project, env, input: "in", encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 7, stdout: "a  b||\n|EMPTY=\na.b=1\nc-d=é\nin", stderr: "wrong\n" });
  });

  it("with standard streams closed", () => {
    const words = argv("sh", "-c", "exit 7");
    const { status } = spawnSync("sh", ["-c", '"$@" <&- >&- 2>&-', "sh", process.execPath, ...words], { cwd: project, env });
    expect(status).toBe(7);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("hands %s on, and ends with %i when the program has ended by it", async (signal, status) => {
    const child = spawn(process.execPath, argv("sh", "-c", "echo ready; exec sleep 60"), {
      cwd: project,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    expect(readlinkSync(`/proc/${child.pid ?? 0}/exe`)).toBe(exe);
    const ended = new Promise((resolve) => child.once("exit", (...how) => resolve(how)));
    child.kill(signal);
    expect(await ended).toEqual([status, null]);
  });
});
