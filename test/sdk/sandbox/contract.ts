import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallDecision, createGuard, type Guard, type GuardOptions } from "@assent/library/sdk";

/** What holds wherever calls run: on this machine, in a container, in anybody's sandbox. */

/** Somewhere calls run, behind a guard. */
export interface Sandboxed {
  readonly run: (command: string, env?: Record<string, string>) => Promise<{ readonly done: boolean; readonly output: string }>;
  readonly read: (path: string) => Promise<string | undefined>;
  readonly write: (path: string, text: string) => Promise<boolean>;
  readonly list: (path: string) => Promise<readonly string[] | undefined>;
}

/** A fresh place. */
export interface SandboxPlace {
  /** The folder of the project, and the home, in it. */
  readonly cwd: string;
  readonly home: string;
  /** Runs something there that nobody judges; what it wrote. */
  readonly raw: (script: string) => Promise<string>;
  readonly behind: (guard: Guard) => Sandboxed;
  readonly close: () => Promise<void>;
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

export function sandboxContract(name: string, open: () => Promise<SandboxPlace | string>): void {
  describe(name, () => {
    let found: SandboxPlace | string = "not opened";
    beforeAll(async () => {
      found = await open();
      if (typeof found !== "string") await found.raw(PREPARE(found.home));
    }, 120_000);
    afterAll(async () => {
      if (typeof found !== "string") await found.close();
    });
    const row = (what: string, check: (place: SandboxPlace) => Promise<void>): void =>
      it(what, { timeout: 60_000 }, async (context) => {
        if (typeof found === "string") return context.skip(found);
        expect.hasAssertions();
        await check(found);
      });
    const guardOf = (options: GuardOptions = {}): Guard => createGuard({ policy: POLICY, cwd: "/", home: "/nowhere", ...options });
    const behind = (place: SandboxPlace, options: GuardOptions = {}): Sandboxed =>
      place.behind(guardOf({ cwd: place.cwd, home: place.home, ...options }));

    row("what is harmless runs there", async (place) => {
      const { run, read, list } = behind(place);
      expect(await run("ls src")).toMatchObject({ done: true, output: expect.stringContaining("a.txt") as unknown });
      expect(await run("cat src/a.txt && grep -c plain src/a.txt")).toMatchObject({
        done: true,
        output: expect.stringContaining("plain") as unknown,
      });
      expect(await read("src/a.txt")).toContain("plain");
      expect(await list("src")).toContain("a.txt");
    });

    row("secrets are closed there: by name, through a link, in the sandbox's own home", async (place) => {
      const { run, read } = behind(place, { onAsk: () => true });
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

    row("rules hold for what paths lead to there", async (place) => {
      const { write } = behind(place);
      expect([await write("src/new.txt", "new"), await place.raw("cat src/new.txt")]).toEqual([true, "new"]);
      for (const path of ["src/closed/x", "src/up/x", "src/keys/authorized_keys", "x.txt", "src/link"])
        expect([path, await write(path, "evil")]).toEqual([path, false]);
      expect(await place.raw("cat .env; ls x src/closed/x x.txt 2>/dev/null; true")).toBe("KEY=1");
      if (place.cwd === "/work") expect(existsSync("/work/src/new.txt")).toBe(false);
    });

    row("what nobody can know is asked about, and refused where nobody answers", async (place) => {
      const { run } = behind(place);
      for (const command of ["rm -rf build", "sh tools/ls", "./tools/ls", "curl https://example.com", 'eval "$X"'])
        expect([command, (await run(command)).done]).toEqual([command, false]);
      expect(await place.raw("cat build/made")).toBe("x");
    });

    row("a program of the project is not taken for one of the system", async (place) => {
      const { run } = behind(place);
      const { done, output } = await run("ls", { PATH: `${place.cwd}/tools:/usr/bin:/bin` });
      expect([done, output.includes("OWN")]).toEqual([false, false]);
      expect((await run("ls", { LD_PRELOAD: `${place.cwd}/tools/ls` })).done).toBe(false);
      expect((await run("PATH=$PWD/tools:$PATH; ls")).output).not.toContain("OWN");
    });

    row("a yes goes ahead there, and holds nowhere else", async (place) => {
      const asked: string[] = [];
      const guard = guardOf({
        cwd: place.cwd,
        home: place.home,
        onAsk: ({ text }) => {
          asked.push(text);
          return asked.length > 1 ? { no: "" } : { yes: { for: "1h" } };
        },
      });
      const { write } = place.behind(guard);
      expect(await write("other.txt", "1")).toBe(true);
      // Not every interface replaces what is there.
      await place.raw("rm -f other.txt");
      expect([await write("other.txt", "2"), asked.length]).toEqual([true, 1]);
      expect([await place.behind(guard).write("another.txt", "1"), asked.length]).toEqual([false, 2]);
    });

    row("the guard's principal, listener and shadow hold there", async (place) => {
      const told: CallDecision[] = [];
      const options: GuardOptions = { principal: { user: "u1" }, onDecision: (decision) => void told.push(decision) };
      const { run } = behind(place, options);
      await run("ls src");
      await run("touch src/closed");
      expect(told.map(({ verdict, principal }) => [verdict, principal?.user])).toEqual([
        ["allow", "u1"],
        ["deny", "u1"],
      ]);
      const when = { permissions: { allow: [{ rule: "Edit(src/**)", when: { user: "u1" } }] } };
      expect(await behind(place, { policy: when, principal: { user: "u2" } }).write("src/u.txt", "")).toBe(false);
      expect(await behind(place, { policy: when, principal: { user: "u1" } }).write("src/u.txt", "")).toBe(true);
      expect((await behind(place, { shadow: true }).run("mkdir -p build/in/shadow && rmdir build/in/shadow")).done).toBe(true);
    });
  });
}
