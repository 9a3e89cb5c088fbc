import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AiSandboxSession, createGuard, type GuardOptions, memoryApprovals, SandboxUnclear } from "@assent/library/sdk";
import { sandboxContract } from "./contract.ts";
import { localPlace, shellPlace, shellSession } from "./places.ts";

sandboxContract("LocalBackend behind a guard", localPlace);
sandboxContract("a session of the AI SDK's interface behind a guard", shellPlace);

let [root, cwd, home] = ["", "", ""];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "assent-sandbox-")));
  [cwd, home] = [join(root, "work"), join(root, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const session = () => shellSession({ cwd, home });
const guardOf = (options: GuardOptions = {}) =>
  createGuard({ policy: { permissions: { allow: ["Edit(src/**)"] } }, cwd: "/", home: "/nowhere", ...options });

describe("what is hostile in a sandbox", () => {
  it.each<readonly [string, () => void, string]>([
    ["a link whose target holds line breaks", () => symlinkSync("..\n", join(cwd, "src/up")), "src/up/x"],
    ["a link to a folder of that name", () => (mkdirSync(join(cwd, "..\n")), symlinkSync("../..\n", join(cwd, "src/up"))), "src/up/x"],
    ["a link in a circle", () => (symlinkSync("b", join(cwd, "src/a")), symlinkSync("a", join(cwd, "src/b"))), "src/a/../../x"],
    ["a link that leads through itself", () => symlinkSync("up/..", join(cwd, "src/up")), "src/up/x"],
    ["bytes that are no text", () => spawnSync("sh", ["-c", "ln -s \"$(printf '..\\377')\" src/up"], { cwd }), "src/up/x"],
    [
      "many links in a row",
      () => {
        for (let at = 0; at < 60; at += 1) symlinkSync(at === 0 ? ".." : `l${at - 1}`, join(cwd, `src/l${at}`));
      },
      "src/l59/x",
    ],
  ])("%s: nothing is written outside what a rule allows", async (_, prepare, path) => {
    mkdirSync(join(cwd, "src"));
    prepare();
    const sandbox = guardOf().sandbox(session(), { cwd });
    await sandbox.writeTextFile({ path, content: "evil" }).then(undefined, () => undefined);
    expect(spawnSync("find", [root, "-name", "x", "-type", "f", "-not", "-path", `${cwd}/src/*`], { encoding: "utf8" }).stdout).toBe("");
  });

  it("a name that looks like an answer is a name", async () => {
    const marked: string[] = [];
    const own = session();
    const spying: AiSandboxSession = {
      description: "",
      run: async (options) => {
        marked.push(...(/@[0-9a-f]{24}/.exec(options.command) ?? []));
        return await own.run(options);
      },
    };
    writeFileSync(join(cwd, "a\n@000000000000000000000000\nd x - 0 755"), "");
    await guardOf().sandbox(spying, { cwd }).run({ command: "cat *" });
    expect(new Set(marked).size).toBe(marked.length);
  });

  it.each<readonly [string, (command: string) => { exitCode: number; stdout: string; stderr: string }]>([
    ["says nothing", () => ({ exitCode: 0, stdout: "", stderr: "" })],
    ["fails", () => ({ exitCode: 1, stdout: "", stderr: "" })],
    ["says something else", () => ({ exitCode: 0, stdout: "hello\n", stderr: "" })],
    [
      "says each mark too often",
      (command) => ({ exitCode: 0, stdout: `\n${(/@[0-9a-f]{24}/.exec(command) ?? [])[0]}\n`.repeat(40), stderr: "" }),
    ],
    ["is cut short", (command) => ({ exitCode: 0, stdout: `\n${(/@[0-9a-f]{24}/.exec(command) ?? [])[0]}\n/work`, stderr: "" })],
  ])("a session that %s: nothing runs", async (_, answer) => {
    const ran: string[] = [];
    const sandbox = guardOf({ onAsk: () => true }).sandbox({
      description: "",
      run: async ({ command }) => {
        if (!command.includes("@")) ran.push(command);
        return await Promise.resolve(answer(command));
      },
    });
    await expect(sandbox.run({ command: "ls" })).rejects.toThrow(SandboxUnclear);
    expect(ran).toEqual([]);
  });
});

describe("a session behind a guard", () => {
  it("has the calls of the interface, and nothing that leads past", () => {
    const whole = { ...session(), sandbox: {}, getPortUrl: () => "", restricted: () => session() };
    const sandbox = guardOf().sandbox(whole, { cwd });
    expect(Object.keys(sandbox).toSorted()).toEqual(["description", "readTextFile", "run", "writeTextFile"]);
    expect(Object.isFrozen(sandbox)).toBe(true);
  });

  it("judges what is fed to a command later as not known", async () => {
    const started: string[] = [];
    const spawning = {
      ...session(),
      spawn: async ({ command }: { command: string; stdin?: boolean }) => await Promise.resolve(started.push(command)),
    };
    const sandbox = guardOf().sandbox(spawning, { cwd });
    for (const command of ["sh", "bash -s", "python3", "xargs rm -rf", "cat | sh", "true; } ; sh; { true"])
      await sandbox.spawn({ command, stdin: true }).catch(() => undefined);
    expect(started).toEqual([]);
    await sandbox.spawn({ command: "wc -l", stdin: true });
    await sandbox.spawn({ command: "ls" });
    expect(started).toEqual(["wc -l", "ls"]);
  });

  it("what is read differently a second time is not what runs", async () => {
    let reads = 0;
    const ran: string[] = [];
    const own = session();
    const sandbox = guardOf().sandbox(
      { description: "", run: async (options) => (options.command.includes("@") || ran.push(options.command), await own.run(options)) },
      { cwd },
    );
    await sandbox.run({
      get command() {
        reads += 1;
        return reads > 1 ? "rm -rf ~" : "ls";
      },
    });
    expect(ran).toEqual(["ls"]);
  });

  it("a question cannot wait, and is refused", async () => {
    const { exitCode, stderr } = await guardOf({ approvals: memoryApprovals() }).sandbox(session(), { cwd }).run({ command: "rm -rf x" });
    expect([exitCode, stderr]).toEqual([126, expect.stringMatching(/^Permission denied: approval required/)]);
  });

  it("what is answered for a time in it does not hold on this machine", async () => {
    const guard = guardOf({ cwd, onAsk: ({ text }) => (text.includes("other") ? { yes: { for: "1h" } } : { no: "" }) });
    await guard.sandbox(session(), { cwd }).writeTextFile({ path: "other", content: "" });
    expect((await createGuard({ cwd, home }).decide({ write: "other" })).verdict).toBe("ask");
    const asked: string[] = [];
    const second = guard.with({});
    expect([(await second.decide({ write: "other" })).verdict, asked]).toEqual(["ask", []]);
  });

  it("files of a project in a sandbox are nobody's policy", () => {
    for (const files of ["project", "all"] as const)
      expect(() => guardOf({ files, audit: false }).sandbox(session())).toThrow("files of a project are not read");
    expect(() => guardOf().sandbox({} as AiSandboxSession)).toThrow("guard.sandbox takes");
    expect(() => guardOf().sandbox(session(), { cdw: "/" } as object)).toThrow("did you mean `cwd`?");
  });
});
