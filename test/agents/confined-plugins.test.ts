import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isLeftRun, noteLeftRun } from "@assent/guard/state";
import { expect, it } from "vitest";
import { isConfinedCommand } from "@assent/core/action";
import { DIST, scratch, type Scratch } from "../scratch.ts";

/** Calls the built plugin as its host does, in a process with a home of its own; prints what the tool is then called with. */
const CALLS = {
  opencode: `const { plugin } = await import(process.argv[1]);
    const hooks = await plugin("opencode", JSON.parse(process.argv[2]))({ directory: process.cwd(), worktree: process.cwd() });
    const output = { args: { command: process.argv[3], description: "a step" } };
    try { await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s-1", callID: "c-1" }, output); console.log(JSON.stringify(output.args)); }
    catch (error) { console.log(JSON.stringify({ refused: error.message })); }`,
  pi: `const { judge } = await import(process.argv[1]);
    const event = { toolName: "bash", toolCallId: "c-1", input: { command: process.argv[3] } };
    const said = await judge(event, { cwd: process.cwd(), hasUI: false }, JSON.parse(process.argv[2]));
    console.log(JSON.stringify(said === undefined ? event.input : { refused: said.reason }));`,
};

interface Called {
  readonly command?: string;
  readonly refused?: string;
}

function call(id: keyof typeof CALLS, place: Scratch, command: string, registered: object = { node: process.execPath }): Called {
  const words = ["--input-type=module", "-e", CALLS[id], join(DIST, `plugin-${id}.mjs`), JSON.stringify(registered), command];
  const { stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: place.project,
    env: { HOME: place.home, PATH: "/usr/bin:/bin" },
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Called;
}

function placed(policy = '{ "unknown": "confine", "permissions": { "deny": ["Bash(touch denied.txt)"] } }'): Scratch {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", policy);
  return place;
}

it.each(["opencode", "pi"] as const)("%s is called with another command, which confines the one asked about", (id) => {
  const place = placed();
  const { command = "" } = call(id, place, "./tidy.sh 'a b'");
  expect(isConfinedCommand(place.home, command)).toBe(true);
  expect(command).toContain(`'./tidy.sh '\\''a b'\\'''`);
  expect(call(id, place, "ls")).toMatchObject({ command: "ls" });
  expect(call(id, place, "touch denied.txt").refused).toMatch(/touch denied\.txt/);
});

it("what cannot be confined is as it was without: OpenCode decides, pi refuses", () => {
  const place = placed();
  // Registered before commands were confined: nobody knows which node there is.
  expect(call("opencode", place, "./tidy.sh", {}).command).toBe("./tidy.sh");
  expect(call("pi", place, "./tidy.sh", {}).refused).toMatch(/approval required/);
  const asking = placed("{}");
  expect(call("opencode", asking, "./tidy.sh").command).toBe("./tidy.sh");
  expect(call("pi", asking, "./tidy.sh").refused).toMatch(/approval required/);
});

it("a rule of the host's own that speaks about it keeps the command as it is; where it only might, nothing runs for being left", () => {
  const place = placed();
  place.write("~/.config/opencode/opencode.json", '{ "permission": { "bash": { "*": "allow", "./tidy.sh*": "deny" } } }');
  expect(call("opencode", place, "./tidy.sh").command).toBe("./tidy.sh");
  expect(call("opencode", place, "./tidy.sh --now a/b").command).toBe("./tidy.sh --now a/b");
  // Whoever writes a command would choose its words: the host need not hear the rule.
  for (const command of [
    "./other.sh && ./tidy.sh",
    "./other.sh # ./tidy.sh",
    "./other.sh './tidy.sh'",
    "A=1 ./tidy.sh",
    "./tidy.sh; ./other.sh",
  ])
    expect(call("opencode", place, command).refused).toMatch(/a rule of the host's own may match it: deny/);
  // Nor one that is about other words than all of these, or one that a project's own file takes back.
  place.write(
    "~/.config/opencode/opencode.json",
    '{ "permission": { "bash": { "*": "allow", "./exact.sh": "deny", "./tidy.sh*": "deny" } } }',
  );
  expect(call("opencode", place, "./exact.sh").command).toBe("./exact.sh");
  expect(call("opencode", place, "./exact.sh now").refused).toMatch(/a rule of the host's own may match it: deny/);
  place.write("opencode.json", '{ "permission": { "bash": { "./tidy.sh --now *": "allow" } } }');
  expect(call("opencode", place, "./tidy.sh --now x").refused).toMatch(/a rule of the host's own may match it: deny/);
  expect(call("opencode", place, "./tidy.sh").command).toBe("./tidy.sh");
  // A part of a word is no word.
  expect(isConfinedCommand(place.home, call("opencode", place, "./untidy.shape").command ?? "")).toBe(true);
  expect(isConfinedCommand(place.home, call("opencode", place, "./other.sh").command ?? "")).toBe(true);
});

/** [what the host tells of, whether what the session left running ends] */
const SESSION_EVENTS: readonly (readonly [string, object, boolean])[] = [
  ["the session is deleted", { type: "session.deleted", properties: { info: { id: "s-1" } } }, true],
  ["it is put away", { type: "session.updated", properties: { info: { id: "s-1", time: { archived: 1 } } } }, true],
  ["it has got a title", { type: "session.updated", properties: { info: { id: "s-1", time: { created: 1 } } } }, false],
  ["another one is deleted", { type: "session.deleted", properties: { info: { id: "s-2" } } }, false],
  ["it waits for its person", { type: "session.idle", properties: { sessionID: "s-1" } }, false],
  ["a session without a name is deleted", { type: "session.deleted", properties: {} }, false],
];
it.each(SESSION_EVENTS.flatMap((row) => (["opencode", "kilo"] as const).map((id) => [id, ...row] as const)))(
  "%s: %s",
  (id, _, event, ends) => {
    const place = placed();
    const run = "20261123-190000-abcdef";
    for (const agent of ["opencode", "kilo"])
      expect(noteLeftRun(place.machine, `${run}-${agent}`, { agent, session: "s-1" })).toBeUndefined();
    const tells = `const { plugin } = await import(process.argv[1]);
      const hooks = await plugin(process.argv[2], {})({ directory: process.cwd(), worktree: process.cwd() });
      await hooks.event({ event: JSON.parse(process.argv[3]) });`;
    const words = ["--input-type=module", "-e", tells, join(DIST, "plugin-opencode.mjs"), id, JSON.stringify(event)];
    const env = { HOME: place.home, PATH: "/usr/bin:/bin" };
    expect(spawnSync(process.execPath, words, { cwd: place.project, env, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    expect(isLeftRun(place.machine, `${run}-${id}`)).toBe(!ends);
    // Not those of another host.
    expect(isLeftRun(place.machine, `${run}-${id === "kilo" ? "opencode" : "kilo"}`)).toBe(true);
  },
);
