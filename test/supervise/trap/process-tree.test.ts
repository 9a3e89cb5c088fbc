import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ProcessTree } from "../../../packages/supervisor/src/supervise/trap/process-tree.ts";
import { NO_TOOL_SERVICE } from "../../../packages/supervisor/src/supervise/services/services.ts";
import { type Machine, noteChanges, noteSeen, watchChanges } from "@assent/guard/state";

const base = realpathSync(mkdtempSync(join(tmpdir(), "assent-lineage-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const machine: Machine = {
  home: base,
  account: base,
  env: { XDG_STATE_HOME: join(base, "state") },
  platform: "linux",
  uid: process.getuid?.(),
  temp: [],
  managedPolicy: join(base, "none"),
};
const isPnpmfile = (path: string): boolean => path.endsWith("/.pnpmfile.cjs");

describe("a tool that would load code of the project", () => {
  it.each([
    ["nothing is changed", (): void => undefined, false],
    ["by the run itself", (): void => void noteChanges(machine, [join(base, ".pnpmfile.cjs")], "run own"), true],
    ["what it would load is", (): void => void noteChanges(machine, [join(base, ".pnpmfile.cjs")], "run x"), true],
    ["wherever that lies", (): void => void noteChanges(machine, [join(base, "a/b/.pnpmfile.cjs")], "claude, with Edit"), true],
    ["something else is", (): void => void noteChanges(machine, [join(base, "package.json")], "run x"), false],
    ["a person has only looked", (): void => void noteSeen(machine, [join(base, ".pnpmfile.cjs")]), false],
    ["what was written down is gone", (): void => rmSync(join(base, "state"), { recursive: true }), true],
  ])("is watched: %s", async (_what, happens, changed) => {
    noteChanges(machine, [join(base, "before")], "run x");
    // What was written down just before may be about to happen.
    await new Promise((resolve) => setTimeout(resolve, 600));
    const watch = watchChanges(machine, "run own");
    happens();
    expect(watch(isPnpmfile)).toBe(changed);
  });

  it.each([
    ["of its own run, which has made it, does not", "run own", false],
    ["of another run, which may be about to make it, counts", "run other", true],
  ])("a change just before it %s", async (_what, by, changed) => {
    noteChanges(machine, [join(base, ".pnpmfile.cjs")], by);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(watchChanges(machine, "run own")(isPnpmfile)).toBe(changed);
  });

  it("has its hosts and its logins until somebody changes it, and never again", () => {
    const processTree = new ProcessTree();
    let isSettled = true;
    const service = [{ host: "registry.npmjs.org", port: undefined }];
    const program = { programs: ["pnpm"], logins: ["~/.npmrc"], named: [], says: [], toolService: { ...NO_TOOL_SERVICE, hosts: service } };
    processTree.started(process.pid, { ...program, settled: () => isSettled });
    const found = (): unknown => {
      const caller = processTree.caller({ tgid: process.pid });
      return [caller.hosts().service, caller.logins()];
    };
    expect(found()).toEqual([service, ["~/.npmrc"]]);
    isSettled = false;
    expect(found()).toEqual([[], []]);
  });

  it("is not disturbed by its own links and folders, and is by those of others", () => {
    const processTree = new ProcessTree();
    const before = processTree.turnsBeside(7);
    processTree.ledOn(7);
    expect(processTree.turnsBeside(7)).toBe(before);
    processTree.ledOn(8);
    expect(processTree.turnsBeside(7)).not.toBe(before);
  });
});
