import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";
import { layFirstHome } from "./first.ts";

/** What a hook loads and reads decides: no agent may write it, wherever Assent lies. */

const HAS_STRACE = spawnSync("strace", ["true"]).status === 0;

const LINES = [
  "ls -la",
  "rm -rf ~",
  "python3 -c 'print(1)' | awk '{ print }' && jq . a.json",
  "find . -name '*.ts' | xargs cat",
  "git checkout -b x && npm test",
];

/** The files that a process and its children open, but for those that are missing. */
function openedBy(place: Scratch, command: string, args: readonly string[], input: string): readonly string[] {
  const log = join(place.root, "opened");
  const options = ["-f", "-qq", "-s", "4096", "-e", "trace=open,openat,execve,readlink", "-o", log];
  const { status, stderr } = spawnSync("strace", [...options, command, ...args], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home },
    input,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  const lines = readFileSync(log, "utf8").split("\n");
  const opened = lines.flatMap((line) => {
    const [, path = "", result = ""] = /^\d+ +(?:open|openat|execve)\((?:AT_FDCWD, )?"(\/[^"]*)".*= (-?\d+)/.exec(line) ?? [];
    return path === "" || result.startsWith("-") || statSync(path, { throwIfNoEntry: false })?.isFile() !== true
      ? []
      : [realpathSync(path)];
  });
  return [...new Set(opened)].toSorted();
}

/** Of the machine: whoever may write them needs no hook. */
const MACHINE = /^\/(?:dev|etc|lib|lib64|proc|sys|usr)(?:\/|$)/;

function mayWrite(place: Scratch, files: readonly string[]): readonly string[] {
  place.write(
    "~/.agent-permissions.jsonc",
    '{ "version": 1, "preset": "permissive", "permissions": { "allow": ["*", "Write(**)", "Bash(cp:*)"] } }',
  );
  const requests = files.flatMap((file) => [
    { tool: "Write", input: { file_path: file, content: "" } },
    { tool: "Bash", input: { command: `cp evil '${file}'` } },
    { tool: "Bash", input: { command: `ln -sf evil '${file}'` } },
    { tool: "Bash", input: { command: `rm '${file}'` } },
  ]);
  const { stdout } = assent(place, ["explain", "--batch"], requests.map((one) => JSON.stringify(one)).join("\n"));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- docs/json.md
  const said = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly verdict: string });
  expect(said).toHaveLength(requests.length);
  return requests.flatMap((request, at) => (said[at]?.verdict === "deny" ? [] : [`${said[at]?.verdict} ${JSON.stringify(request)}`]));
}

const call = (place: Scratch, command: string): string =>
  JSON.stringify({
    session_id: "s1",
    cwd: place.project,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
  });

/** Everything that hooks of these lines open, in the home that is left behind. */
function openedByHooks(place: Scratch, dist: string): readonly string[] {
  const words = (command: string): readonly string[] => {
    const hook = [process.execPath, join(dist, "bin.cjs"), "check", "--agent", "claude", "--event", "PreToolUse"];
    return openedBy(place, join(dist, `launch-${process.arch}`), [`HOME=${place.home}`, ...hook], call(place, command));
  };
  return [...new Set(LINES.flatMap(words))].filter((file) => !MACHINE.test(file));
}

describe.skipIf(!HAS_STRACE || process.platform !== "linux")("what a hook opens, no agent may write", () => {
  it("in a clone", { timeout: 300_000 }, () => {
    const place = scratch();
    layFirstHome(place);
    const opened = openedByHooks(place, DIST);
    for (const part of ["bin.cjs", "hook.cjs", "hook.cache", "shell.cjs", "knowledge.mjs"])
      expect(opened).toContain(realpathSync(join(DIST, part)));
    // A project's own policy and repository are its people's: a change of them is asked.
    expect(
      mayWrite(
        place,
        opened.filter((file) => !file.startsWith(`${realpathSync(place.project)}/`)),
      ),
    ).toEqual([]);
  });

  it("in the copy that hosts start", { timeout: 300_000 }, () => {
    const place = scratch();
    layFirstHome(place);
    mkdirSync(join(place.home, ".claude"), { recursive: true });
    expect(assent(place, ["install", "--yes"]).status).toBe(0);
    const copy = join(place.home, ".local/share/assent/app/dist");
    const opened = openedByHooks(place, copy);
    expect(opened).toContain(realpathSync(join(copy, "hook.cjs")));
    expect(opened.filter((file) => file.startsWith(`${realpathSync(DIST)}/`))).toEqual([]);
    expect(
      mayWrite(
        place,
        opened.filter((file) => !file.startsWith(`${realpathSync(place.project)}/`)),
      ),
    ).toEqual([]);
  });
});

describe("the first hook of a new build", () => {
  it("finds its code caches made: it leaves none of its own behind", () => {
    const place = scratch();
    const dist = join(place.root, "app/dist");
    cpSync(DIST, dist, { recursive: true });
    const state = join(place.home, ".local/state/assent");
    for (const line of LINES) {
      const { status } = spawnSync(process.execPath, [join(dist, "bin.cjs"), "check", "--agent", "claude", "--event", "PreToolUse"], {
        cwd: place.project,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home },
        input: call(place, line),
      });
      expect(status).toBe(0);
    }
    const left = existsSync(state) ? spawnSync("ls", [state], { encoding: "utf8" }).stdout.split("\n") : [];
    // What asks a person is loaded when the hook has answered.
    expect(left.filter((name) => name.endsWith(".cache") && !/^(?:held|session)-/.test(name))).toEqual([]);
  });
});
