import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallDecision, createGuard, type Guard, type GuardOptions } from "@assent/library/sdk";
import { LocalBackend } from "@assent/library/sdk/compat";

/** A fresh folder. */
interface Place {
  readonly root: string;
  readonly cwd: string;
  readonly home: string;
  /** Runs something there that nobody judges; what it wrote. */
  readonly raw: (script: string) => string;
}

function openPlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-local-")));
  const [cwd, home] = [join(root, "work"), join(root, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
  return { root, cwd, home, raw: (script) => execFileSync("sh", ["-c", script], { cwd, encoding: "utf8" }).trimEnd() };
}

function backendOf({ root, cwd }: Place, guard: Guard) {
  const backend = new LocalBackend({ root: cwd, allowedDirectories: [root], guard });
  return {
    run: async (command: string, env: Record<string, string> = {}) => {
      const set = Object.entries(env).map(([name, value]) => `${name}='${value}' `);
      const { exitCode, output } = await backend.execute(`${set.join("")}${command}`);
      return { done: exitCode === 0, output };
    },
    read: async (path: string) => {
      const read = await backend.read(path);
      return read.ok ? read.text : undefined;
    },
    write: async (path: string, text: string) => (await backend.write(path, text)).ok,
    list: async (path: string) => {
      const listed = await backend.ls(path);
      return listed.ok ? listed.entries.map(({ name }) => name) : undefined;
    },
  };
}

const POLICY = {
  permissions: {
    allow: ["Edit(src/**)", "Bash(touch src/*)", "Bash(mkdir -p build)"],
    deny: ["Edit(src/closed/**)", "Bash(touch src/closed)"],
  },
} as const;

const PREPARE = (home: string): string =>
  [
    "mkdir -p src/closed build tools secret",
    "printf 'plain\\n' > src/a.txt",
    "printf 'KEY=1\\n' > .env",
    "ln -s ../.env src/link",
    "ln -s .. src/up",
    `mkdir -p ${home}/.ssh && printf 'PRIVATE\\n' > ${home}/.ssh/id_rsa`,
    `ln -s ${home}/.ssh src/keys`,
    "printf '#!/bin/sh\\necho OWN\\n' > tools/ls && chmod +x tools/ls",
    "printf 'x\\n' > build/made",
  ].join("\n");

describe("LocalBackend behind a guard", () => {
  const place = openPlace();
  beforeAll(() => void place.raw(PREPARE(place.home)));
  afterAll(() => rmSync(place.root, { recursive: true, force: true }));
  const guardOf = (options: GuardOptions = {}): Guard => createGuard({ policy: POLICY, cwd: "/", home: "/nowhere", ...options });
  const behind = (options: GuardOptions = {}) => backendOf(place, guardOf({ cwd: place.cwd, home: place.home, ...options }));

  it("what is harmless runs there", async () => {
    const { run, read, list } = behind();
    expect(await run("ls src")).toMatchObject({ done: true, output: expect.stringContaining("a.txt") as unknown });
    expect(await run("cat src/a.txt && grep -c plain src/a.txt")).toMatchObject({
      done: true,
      output: expect.stringContaining("plain") as unknown,
    });
    expect(await read("src/a.txt")).toContain("plain");
    expect(await list("src")).toContain("a.txt");
  });

  it("secrets are closed there: by name, through a link, in the guard's own home", async () => {
    const { run, read } = behind({ onAsk: () => true });
    for (const command of [
      "cat .env",
      "cat src/link",
      "cat ~/.ssh/id_rsa",
      `cat ${place.home}/.ssh/id_rsa`,
      "cat src/keys/id_rsa",
      'cat "$HOME/.ssh/id_rsa"',
    ]) {
      const { done, output } = await run(command);
      expect([command, done, /KEY=1|PRIVATE/.test(output)]).toEqual([command, false, false]);
    }
    for (const path of [".env", "src/link", `${place.home}/.ssh/id_rsa`, "src/keys/id_rsa", "src/up/.env", `${place.cwd}/src/../.env`])
      expect([path, await read(path)]).toEqual([path, undefined]);
  });

  it("rules hold for what paths lead to there", async () => {
    const { write } = behind();
    expect([await write("src/new.txt", "new"), place.raw("cat src/new.txt")]).toEqual([true, "new"]);
    for (const path of ["src/closed/x", "src/up/x", "src/keys/authorized_keys", "x.txt", "src/link"])
      expect([path, await write(path, "evil")]).toEqual([path, false]);
    expect(place.raw("cat .env; ls x src/closed/x x.txt 2>/dev/null; true")).toBe("KEY=1");
  });

  it("what nobody can know is asked about, and refused where nobody answers", async () => {
    const { run } = behind();
    for (const command of ["rm -rf build", "sh tools/ls", "./tools/ls", "curl https://example.com", 'eval "$X"'])
      expect([command, (await run(command)).done]).toEqual([command, false]);
    expect(place.raw("cat build/made")).toBe("x");
  });

  it("a program of the project is not taken for one of the system", async () => {
    const { run } = behind();
    const { done, output } = await run("ls", { PATH: `${place.cwd}/tools:/usr/bin:/bin` });
    expect([done, output.includes("OWN")]).toEqual([false, false]);
    expect((await run("ls", { LD_PRELOAD: `${place.cwd}/tools/ls` })).done).toBe(false);
    expect((await run("PATH=$PWD/tools:$PATH; ls")).output).not.toContain("OWN");
  });

  it("a yes goes ahead there, and holds nowhere else", async () => {
    const asked: string[] = [];
    const guard = guardOf({
      cwd: place.cwd,
      home: place.home,
      onAsk: ({ text }) => {
        asked.push(text);
        return asked.length > 1 ? { no: "" } : { yes: { for: "1h" } };
      },
    });
    const { write } = backendOf(place, guard);
    expect(await write("other.txt", "1")).toBe(true);
    // Not every interface replaces what is there.
    place.raw("rm -f other.txt");
    expect([await write("other.txt", "2"), asked.length]).toEqual([true, 1]);
    expect([await backendOf(place, guard).write("another.txt", "1"), asked.length]).toEqual([false, 2]);
  });

  it("the guard's principal, listener and shadow hold there", async () => {
    const told: CallDecision[] = [];
    const options: GuardOptions = { principal: { user: "u1" }, onDecision: (decision) => void told.push(decision) };
    const { run } = behind(options);
    await run("ls src");
    await run("touch src/closed");
    expect(told.map(({ verdict, principal }) => [verdict, principal?.user])).toEqual([
      ["allow", "u1"],
      ["deny", "u1"],
    ]);
    const when = { permissions: { allow: [{ rule: "Edit(src/**)", when: { user: "u1" } }] } };
    expect(await behind({ policy: when, principal: { user: "u2" } }).write("src/u.txt", "")).toBe(false);
    expect(await behind({ policy: when, principal: { user: "u1" } }).write("src/u.txt", "")).toBe(true);
    expect((await behind({ shadow: true }).run("mkdir -p build/in/shadow && rmdir build/in/shadow")).done).toBe(true);
  });
});
