import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type EngineId, openEngine } from "@assent/supervisor/engines";
import { type Held, heldPlace } from "./held.ts";
import { type EnginePlace, enginePlace } from "./place.ts";

// One contract, two engines: what a program that is held can do and cannot, whoever holds it. What the
// other engine does not do has tests of its own below the table.

let engine: EnginePlace | string = "";
beforeAll(() => {
  engine = enginePlace();
}, 600_000);
afterAll(() => {
  if (typeof engine !== "string") engine.remove();
});
beforeEach(({ skip }) => {
  if (typeof engine === "string") skip(engine);
});

interface Row {
  readonly title: string;
  /** Run by /bin/sh in the project. */
  readonly script: string;
  readonly input?: string;
  readonly policy?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly setUp?: (made: Held) => void;
  readonly status?: number;
  readonly stdout?: string | RegExp;
  /** Neither standard output nor any of these files holds it afterwards. */
  readonly never?: string;
  readonly files?: readonly string[];
}

const never = (title: string, script: string, more: Partial<Row> = {}): Row => ({ title, script, never: "PROOF", ...more });
/** A place that runs code later, or controls agents: closed for writing, also where nothing is there yet. */
const closed = (path: string): Row => ({
  title: `writes ${path}`,
  // Within a folder that is covered by an empty one the program may see a file of its own.
  script: `mkdir -p "$(dirname ${path})"; echo PROOF > ${path}`,
  never: "PROOF",
  files: [path],
});

const rows: Readonly<Record<string, readonly Row[]>> = {
  "what may be written": [
    { title: "the project", script: "mkdir -p n/o && echo x > n/o/p && mv n m && rm -r src && cat m/o/p", stdout: "x\n", status: 0 },
    {
      title: "what a rule allows",
      script: "echo x > ~/out/a && cat ~/out/a",
      policy: { permissions: { allow: ["Write(~/out/**)"] } },
      setUp: (made) => void made.write("~/out/b", ""),
      stdout: "x\n",
    },
    never("home", "echo PROOF > ~/x; cat ~/x", { files: ["~/x"] }),
    never("home, behind a link", "ln -s ~ up; echo PROOF > up/x; cat up/x", { files: ["~/x"] }),
    never("home, by another spelling", "echo PROOF > ../x; echo PROOF > /proc/self/cwd/../y; cat ../x ../y", { files: ["~/x", "~/y"] }),
    never("home, by a rename", "echo PROOF > a; mv a ~/x; cat ~/x", { files: ["~/x"] }),
    never("a file of home, by a link to it", "ln ~/notes here && echo PROOF > here; cat ~/notes", {
      setUp: (made) => void made.write("~/notes", "mine"),
      files: ["~/notes"],
    }),
    never("what a rule denies", "echo PROOF > src/a; cat src/a", {
      policy: { permissions: { deny: ["Write(src/**)"] } },
      files: ["src/a"],
    }),
    never("modes of home", "chmod 777 ~ && echo PROOF"),
    { title: "nothing of its own is left in the project", script: "true", status: 0, setUp: (made) => void made.write("lib/a", "x") },
  ],
  "secrets for reading": [
    never("of home", "cat ~/.ssh/id_rsa"),
    never("of the project", "cat .env"),
    never("by a link", "ln -s .env a; cat a; ln .env b; cat b; cp .env c; cat c"),
    never("by a rename", "mv .env a; cat a"),
    never("by /proc", 'cat "/proc/self/root$HOME/.ssh/id_rsa" /proc/self/cwd/.env'),
    never("what a rule denies", "cat notes.txt", {
      policy: { permissions: { deny: ["Read(notes.txt)"] } },
      setUp: (made) => void made.write("notes.txt", "PROOF"),
    }),
    never("where a rule asks and nobody is there", "cat notes.txt", {
      policy: { permissions: { ask: ["Read(notes.txt)"] } },
      setUp: (made) => void made.write("notes.txt", "PROOF"),
    }),
  ],
  "protected places, also such as are not there yet": [
    ".git/hooks/pre-commit",
    ".git/config",
    ".agent-permissions.jsonc",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mcp.json",
    ".cursor/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".envrc",
    "~/.agent-permissions.jsonc",
    "~/.claude/settings.json",
    "~/.bashrc",
    "~/.profile",
    "~/.zshrc",
    "~/.ssh/authorized_keys",
    "~/.config/git/config",
    "~/.config/autostart/x.desktop",
    "~/.local/state/assent/engine",
    "~/.local/state/assent/runs/x",
  ].map(closed),
  hosts: [
    {
      title: "one that nobody allowed is refused",
      script: "curl -sS -m 5 -o /dev/null -w '%{http_code}' http://example.invalid/",
      stdout: /^(?:403|000)$/,
    },
    {
      title: "one that a rule denies is refused",
      script: "curl -sS -m 5 -o /dev/null -w '%{http_code}' http://example.invalid/",
      policy: { permissions: { deny: ["Net(example.invalid)"] } },
      stdout: /^(?:403|000)$/,
    },
    {
      title: "none by a raw connection",
      script:
        "(exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null && echo PROOF; bash -c 'exec 3<>/dev/tcp/192.0.2.1/80 && echo PROOF' 2>/dev/null",
      never: "PROOF",
    },
  ],
  "how it ends": [
    { title: "with its exit status", script: "exit 7", status: 7 },
    { title: "by a signal", script: "kill -TERM $$", status: 143 },
    { title: "by a signal that cannot be caught", script: "kill -KILL $$", status: 137 },
    { title: "where its program is none", script: "exec ./none", status: 127 },
  ],
  "streams, folder, words, environment": [
    { title: "standard input arrives", script: "cat", input: "one\ntwo", stdout: "one\ntwo" },
    { title: "the streams stay apart", script: "echo out; echo err >&2", stdout: "out\n" },
    { title: "it starts in the project", script: 'test "$(pwd -P)" = "$HOME/project" && echo here', stdout: "here\n" },
    {
      title: "variables arrive as they are",
      script: 'printf "%s|" "$ODD" "$EMPTY" "${NONE-none}" "$PATH"',
      env: { ODD: "a b'c\"$d\n\\e", EMPTY: "" },
      stdout: "a b'c\"$d\n\\e||none|/usr/local/bin:/usr/bin:/bin|",
    },
    { title: "HOME is home", script: 'test -d "$HOME/project" && echo yes', stdout: "yes\n" },
  ],
  "runs within runs, and what stays behind": [
    never("a run inside holds no less", "assent run -P -- cat .env; assent run --log-only -- cat ~/.ssh/id_rsa"),
    never(
      "another engine inside holds no less",
      "ASSENT_ENGINE=assent assent run -P -- cat .env; ASSENT_ENGINE= assent run -P -- cat .env",
    ),
    never("what is left behind is held, too", "(sleep 0.5; cat .env > leaked; echo PROOF > ~/late) > /dev/null 2>&1 &", {
      files: ["leaked", "~/late"],
    }),
    never(
      "what left its session behind is held, too",
      "setsid sh -c 'sleep 0.5; cat .env > leaked; echo PROOF > ~/late' > /dev/null 2>&1 &",
      { files: ["leaked", "~/late"] },
    ),
  ],
};

function place(row: Partial<Row>): Held {
  if (typeof engine === "string") throw new Error(engine);
  // Temporary folders may be written: home lies elsewhere.
  const made = heldPlace(engine, homedir());
  made.write(".env", "PROOF=1");
  made.write("~/.ssh/id_rsa", "PROOF");
  made.write("src/x", "x");
  if (row.policy !== undefined) made.write("~/.agent-permissions.jsonc", JSON.stringify(row.policy));
  row.setUp?.(made);
  return made;
}

function envOf(made: Held, id: EngineId, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { ASSENT_ENGINE: _, ...env } = made.env;
  return { ...env, ...more, ...(id === "assent" ? {} : { ASSENT_ENGINE: id }) };
}

const namesOf = (made: Held): readonly string[] => readdirSync(made.project, { recursive: true, encoding: "utf8" }).toSorted();

const at = (made: Held, path: string): string => (path.startsWith("~") ? `${made.home}${path.slice(1)}` : join(made.project, path));

describe.each(ENGINES)("held by %s", (id) => {
  for (const [title, all] of Object.entries(rows))
    describe(title, () => {
      test.each(all.map((row) => [row.title, row] as const))("%s", async (_, row) => {
        const made = place(row);
        // `assent` of the scripts.
        const bin = join(made.root, "bin");
        made.write(join(bin, "assent"), `#!/bin/sh\nexec '${made.engine.node}' '${made.engine.bin}' "$@"\n`);
        spawnSync("chmod", ["755", join(bin, "assent")]);
        const before = row.script === "true" ? namesOf(made) : undefined;
        const script = row.script.includes("assent run") ? `PATH="${bin}:$PATH"; ${row.script}` : row.script;
        const run = spawnSync(made.engine.node, [made.engine.bin, "run", "-P", "--", "/bin/sh", "-c", script], {
          cwd: made.project,
          input: row.input ?? "",
          env: envOf(made, id, row.env),
          encoding: "utf8",
        });
        const told = `${run.stdout}\n${run.stderr}`;
        const stdout = row.stdout;
        const status = row.status;
        if (status !== undefined) expect(run.status, told).toBe(status);
        if (typeof stdout === "string") expect(run.stdout, told).toBe(stdout);
        else if (stdout !== undefined) expect(run.stdout, told).toMatch(stdout);
        if (before !== undefined) expect(namesOf(made)).toEqual(before);
        if (row.never === undefined) return;
        if (row.script.includes("sleep 0.5")) await new Promise((resolve) => setTimeout(resolve, 1500));
        expect(run.stdout).not.toContain(row.never);
        for (const file of row.files ?? [])
          expect(existsSync(at(made, file)) ? readFileSync(at(made, file), "utf8") : "").not.toContain(row.never);
      });
    });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends the run", async (signal) => {
    const made = place({});
    const child = spawn(
      made.engine.node,
      [
        made.engine.bin,
        "run",
        "-P",
        "--",
        "/bin/sh",
        "-c",
        `trap 'echo ${signal} > got; exit 9' TERM INT HUP; touch ready; while :; do sleep 0.1; done`,
      ],
      {
        cwd: made.project,
        env: envOf(made, id),
        stdio: "ignore",
        detached: true,
      },
    );
    const over = new Promise<number | null>((resolve) => child.once("exit", resolve));
    await expect.poll(() => existsSync(join(made.project, "ready"))).toBe(true);
    child.kill(signal);
    const status = await over;
    // Over bubblewrap it ends the run, and the program does not hear it; on macOS it is the program that gets it.
    expect(status).toBe(id === "assent" ? 9 : 143);
    expect(existsSync(join(made.project, "got"))).toBe(id === "assent");
  });

  test("a secret that comes to be while it runs", async () => {
    const made = place({});
    const script = "touch ready; while [ ! -e src/.env.production ]; do sleep 0.1; done; cat src/.env.production > read";
    const child = spawn(made.engine.node, [made.engine.bin, "run", "-P", "--", "/bin/sh", "-c", script], {
      cwd: made.project,
      env: envOf(made, id),
      stdio: "ignore",
    });
    const over = new Promise((resolve) => child.once("exit", resolve));
    await expect.poll(() => existsSync(join(made.project, "ready"))).toBe(true);
    writeFileSync(join(made.project, "src/.env.production"), "PROOF");
    await over;
    const read = readFileSync(join(made.project, "read"), "utf8");
    // One of the things that `cannot` names.
    expect(read).toBe(id === "assent" ? "" : "PROOF");
  });
});

describe("the contract", () => {
  test.each(ENGINES)("%s says what it is, and what it does not do", async (id) => {
    const one = await openEngine(id);
    expect(one.id).toBe(id);
    expect(one.cannot.length > 0).toBe(id !== "assent");
    expect(typeof (await one.problem())).toBe(id === "assent" ? "undefined" : "string");
  });
});
