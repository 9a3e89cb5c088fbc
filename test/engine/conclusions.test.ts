// A process that goes on remembers what it concluded of commands, and nothing of the machine (packages/guard/src/engine/conclusions.ts). Held here:
// what is remembered is what would be concluded anew, whichever answer of the machine is another, and whatever an agent does in between.
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Lowered, World } from "@assent/core/action";
import { agentNamed } from "@assent/hosts/agents";
import {
  decide,
  type DecideOptions,
  forgetFindings,
  judgingBy,
  realWorld,
  rememberConclusions,
  type Remembering,
  type Request,
} from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { judge } from "@assent/core/policy";
import { lowerTool } from "@assent/core/request";
import { lowerShell } from "@assent/core/shell";
import { type Machine, thisMachine } from "@assent/guard/state";
import { commandsOf, CORPORA } from "../corpora.ts";

const root = mkdtempSync(join(tmpdir(), "assent-concluded-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
/** Longer ago than what counts as just changed. */
const SETTLED = new Date(Date.now() - 60_000);

/** All of the collections: `ASSENT_TEST_EVERY=1`. */
const EVERY = Number(process.env["ASSENT_TEST_EVERY"] ?? 60);
/** Milliseconds. */
const LONGEST = EVERY < 24 ? 7_200_000 : 60_000;

const ANEW = { lowerTool, lowerShell, judge };

let made = 0;
interface Place {
  readonly home: string;
  readonly project: string;
  readonly machine: Machine;
}
function place(policy?: string): Place {
  const home = join(root, `home${(made += 1)}`);
  const project = join(home, "project");
  for (const folder of [".git", "src", "lib", "packages/a"]) mkdirSync(join(project, folder), { recursive: true });
  for (const folder of [".ssh", "bin", "state", "other/.git"]) mkdirSync(join(home, folder), { recursive: true });
  for (const file of ["notes.txt", "a.txt", "b.txt", "src/a.ts", "src/b.ts", "lib/x.py"]) writeFileSync(join(project, file), "text\n");
  writeFileSync(join(home, ".ssh/id_rsa"), "key\n");
  if (policy !== undefined) writeFileSync(join(home, ".agent-permissions.jsonc"), policy);
  const env = { PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`, XDG_STATE_HOME: join(home, "state"), HOME: home };
  return { home, project, machine: { ...thisMachine(), home, env, temp: ["/var/tmp"] } };
}

const host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;
const facts = agentNamed("claude")?.protocol.tools["Bash"];
const requestOf = (command: string, { project }: Place, more: Partial<Request> = {}): Request => ({
  tool: "Bash",
  facts,
  input: { command },
  cwd: project,
  host,
  point: "hook",
  agent: "claude",
  session: "one",
  ...more,
});
const optionsOf = ({ machine }: Place): DecideOptions => ({ machine, reader: () => ({ read }), own: [], audit: false, extensions: "off" });

/** What was concluded is given out again and again: nobody may change it. */
function frozen<T>(value: T, seen = new Set<unknown>()): T {
  if (typeof value !== "object" || value === null || seen.has(value)) return value;
  seen.add(value);
  Object.freeze(value);
  for (const each of Object.values(value)) frozen(each, seen);
  return value;
}
/** Those of a process whose conclusions are all frozen. */
function freezing(): Remembering {
  const by = rememberConclusions(ANEW);
  const { lower, judge: judged } = by;
  return Object.assign(by, {
    lower: (...given: Parameters<typeof lower>) => frozen(lower(...given)),
    judge: (...given: Parameters<typeof judged>) => frozen(judged(...given)),
  });
}

const said = (request: Request, options: DecideOptions): unknown => {
  const { verdict, answer } = decide(request, options);
  return structuredClone({ verdict, answer });
};

let seed = 1;
/** In another order each time, and the same ones each time that the test is run. */
function shuffled<T>(all: readonly T[]): readonly T[] {
  return all
    .map((one) => ({ one, at: (seed = (seed * 48_271) % 2_147_483_647) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const POLICIES = [
  undefined,
  '{ "permissions": { "allow": ["Bash(npm test:*)", "Edit(src/**)"], "ask": ["Shell(git push ...)"], "deny": ["Read(**/*.pem)"] } }',
  '{ "unknown": "confine", "preset": "strict", "permissions": { "deny": ["Read(src/**)"] } }',
] as const;

describe("what is remembered of commands", () => {
  it.each(POLICIES)(
    "is what is decided without it, for commands of all collections in any order, under %s",
    (policy) => {
      const here = place(policy);
      const options = optionsOf(here);
      const by = freezing();
      const some = POLICIES.indexOf(policy);
      const commands = [...new Set(CORPORA.flatMap((name) => commandsOf(name)))].filter((_, at) => (at + some) % EVERY === 0);
      /** A refusal is held against what comes after it, and the order is another one each time: none is kept. */
      const afresh = (command: string, given: DecideOptions): unknown => {
        rmSync(join(here.home, "state/assent/refusals"), { recursive: true, force: true });
        return said(requestOf(command, here), given);
      };
      const plain = new Map(commands.map((command) => [command, afresh(command, options)]));
      for (let round = 0; round < 3; round += 1)
        for (const command of shuffled(commands)) expect(afresh(command, { ...options, by }), command).toEqual(plain.get(command));
    },
    LONGEST,
  );

  it("stands for lowering and judging from the third time on", () => {
    const here = place();
    const { lower, judge: judged } = rememberConclusions(ANEW);
    const once = (): readonly unknown[] => {
      const world = realWorld(here.machine, here.project, undefined);
      const lowered = lower(requestOf("ls -la src && git status", here), world);
      const { policy, context } = judgingBy(optionsOf(here), world, []);
      return [lowered, judged(lowered, policy, context)];
    };
    const [first, second, third] = [once(), once(), once()];
    expect(second).toEqual(first);
    expect(third[0]).toBe(second[0]);
    expect(third[1]).toBe(second[1]);
  });

  it("does so for facts that are made for each call, and not for others", () => {
    const here = place();
    const { lower } = rememberConclusions(ANEW);
    const once = (patches?: readonly string[]): Lowered => {
      const made = { does: "shell", field: "command", ...(patches === undefined ? {} : { patches }) } as const;
      return lower(requestOf("ls src", here, { facts: made }), realWorld(here.machine, here.project, undefined));
    };
    const [, second, third, other] = [once(), once(), once(), once(["ls"])];
    expect(third).toBe(second);
    expect(other).not.toEqual(second);
  });
});

/** One answer of a world, and another that it could give. */
interface Asked {
  readonly question: string;
  readonly about: string;
  readonly other: (world: World) => World;
}

/** Each question that is put to a world, with a world that answers another thing. */
function questionsTo(world: World): { readonly world: World; readonly asked: ReadonlyMap<string, Asked> } {
  const asked = new Map<string, Asked>();
  const note = (question: keyof World, about: string, other: Asked["other"]): void => {
    const name = `${question} ${about}`;
    if (!asked.has(name)) asked.set(name, { question, about, other });
  };
  const { text, entries, mayHold } = world;
  return {
    asked,
    world: {
      ...world,
      env: (name) => {
        note("env", name, (of) => ({ ...of, env: (one) => (one === name ? "/elsewhere" : of.env(one)) }));
        return world.env(name);
      },
      canonical: (path) => {
        note("canonical", path, (of) => ({ ...of, canonical: (one) => (one === path ? "/etc/shadow" : of.canonical(one)) }));
        return world.canonical(path);
      },
      kind: (path) => {
        const kind = world.kind(path) === "directory" ? "file" : "directory";
        note("kind", path, (of) => ({ ...of, kind: (one) => (one === path ? kind : of.kind(one)) }));
        return world.kind(path);
      },
      lookup: (name) => {
        const lookup = { path: undefined, trusted: false };
        note("lookup", name, (of) => ({ ...of, lookup: (one) => (one === name ? lookup : of.lookup(one)) }));
        return world.lookup(name);
      },
      trustedProgram: (path) => {
        const answer = !world.trustedProgram(path);
        note("trustedProgram", path, (of) => ({ ...of, trustedProgram: (one) => (one === path ? answer : of.trustedProgram(one)) }));
        return world.trustedProgram(path);
      },
      tracked: (path) => {
        const answer = world.tracked(path) !== true;
        note("tracked", path, (of) => ({ ...of, tracked: (one) => (one === path ? answer : of.tracked(one)) }));
        return world.tracked(path);
      },
      names: (folder) => {
        const answer = [...(world.names(folder) ?? []), "json.py"];
        note("names", folder, (of) => ({ ...of, names: (one) => (one === folder ? answer : of.names(one)) }));
        return world.names(folder);
      },
      find: (from, wanted, depth) => {
        const more = `${from}/.env`;
        note("find", from, (of) => ({
          ...of,
          find: (one, wants, deep) => (one === from && wants(more, false) ? { found: more, complete: true } : of.find(one, wants, deep)),
        }));
        return world.find(from, wanted, depth);
      },
      ...(text === undefined
        ? {}
        : {
            text: (path: string) => {
              note("text", path, (of) => ({
                ...of,
                text: (one) => (one === path ? "--- a/x\n+++ b/../../.ssh/config\n" : of.text?.(one)),
              }));
              return text(path);
            },
          }),
      ...(entries === undefined
        ? {}
        : {
            entries: (folder: string) => {
              const answer = new Map([...(entries(folder) ?? []), [".env", true]]);
              note("entries", folder, (of) => ({ ...of, entries: (one) => (one === folder ? answer : of.entries?.(one)) }));
              return entries(folder);
            },
          }),
      ...(mayHold === undefined
        ? {}
        : {
            mayHold: (folder: string, name: string) => {
              const answer = !mayHold(folder, name);
              note("mayHold", `${folder} ${name}`, (of) => ({
                ...of,
                mayHold: (one, other) => (one === folder && other === name ? answer : (of.mayHold?.(one, other) ?? true)),
              }));
              return mayHold(folder, name);
            },
          }),
    },
  };
}

describe("an answer that is another", () => {
  const here = place(POLICIES[1]);
  const situation = optionsOf(here);
  const worldNow = (): World => realWorld(here.machine, here.project, undefined);
  /** Lowered and judged by `by`, or anew. */
  const conclude = (command: string, world: World, by?: Remembering): { readonly lowered: Lowered; readonly verdict: unknown } => {
    const lowered = (by?.lower ?? lowerTool)(requestOf(command, here), world);
    const { policy, context } = judgingBy(situation, world, []);
    return { lowered, verdict: (by?.judge ?? judge)(lowered, policy, context) };
  };
  const heard = new Map<string, number>();

  /** Commands that ask what few do. */
  const SELDOM = [
    "cat src/*",
    "cat /home/$USER/notes.txt",
    'python3 -c "import json; print(json.dumps(1))"',
    "patch -p1 < notes.txt",
    "git apply notes.txt",
    "rm a.txt",
    "rm -rf src",
    "./build.sh",
    "sh lib/x.sh",
    "/bin/ls",
  ];
  const some = (name: (typeof CORPORA)[number], at: number): readonly string[] =>
    commandsOf(name).filter((_, line) => line % (at * EVERY) === 0);

  it.each([
    ["that ask what few do", SELDOM],
    ["that are harmless", some("benign.txt", 0.1)],
    ["that are dangerous", some("dangerous.txt", 4)],
    ["of every day", some("everyday.txt", 4)],
  ] as const)(
    "is heard, whichever it is, for commands %s",
    (_, commands) => {
      for (const command of commands) {
        const noting = questionsTo(worldNow());
        conclude(command, noting.world);
        const by = freezing();
        for (let time = 0; time < 2; time += 1) conclude(command, worldNow(), by);
        for (const { question, about, other } of noting.asked.values()) {
          const anew = conclude(command, other(worldNow()));
          expect(conclude(command, other(worldNow()), by), `${command}: ${question} of ${about}`).toEqual(anew);
          const before = conclude(command, worldNow());
          if (JSON.stringify(before) !== JSON.stringify(anew)) heard.set(question, (heard.get(question) ?? 0) + 1);
          // As it was at first again, so that the next answer is held against that.
          for (let time = 0; time < 2; time += 1) expect(conclude(command, worldNow(), by)).toEqual(before);
        }
      }
    },
    LONGEST,
  );

  it("of every kind makes a difference for some of them, so that hearing it is tested", () => {
    // `entries` and `mayHold` only save other questions; `tracked` takes files away that are secret by their names alone.
    expect([...heard.keys()]).toEqual(
      expect.arrayContaining(["canonical", "kind", "lookup", "trustedProgram", "find", "names", "text", "env"]),
    );
  });
});

/** What an agent, or somebody else, may do between two calls with the same command. */
interface Between {
  readonly what: string;
  readonly command: string;
  readonly policy?: string;
  readonly before?: (at: Place) => void;
  readonly change: (at: Place) => void;
}

const program = (file: string): void => {
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
};
const replaceBy = (file: string, target: string): void => {
  rmSync(file, { recursive: true, force: true });
  symlinkSync(target, file);
};

const BETWEEN: readonly Between[] = [
  {
    what: "makes the file a link to a key",
    command: "cat notes.txt",
    change: ({ home, project }) => replaceBy(join(project, "notes.txt"), join(home, ".ssh/id_rsa")),
  },
  {
    what: "makes the folder a link to the keys",
    command: "cat src/a.ts",
    change: ({ home, project }) => replaceBy(join(project, "src"), join(home, ".ssh")),
  },
  {
    what: "exchanges the folder for another one by a rename",
    command: "cat lib/x.py",
    before: ({ home, project }) => symlinkSync(join(home, ".ssh/id_rsa"), join(project, "src/x.py")),
    change: ({ project }) => {
      renameSync(join(project, "lib"), join(project, "away"));
      renameSync(join(project, "src"), join(project, "lib"));
    },
  },
  {
    what: "puts a secret into the folder",
    command: "grep -rn x src",
    change: ({ project }) => writeFileSync(join(project, "src/.env"), "KEY=1\n"),
  },
  {
    what: "puts a link to a key where a wildcard finds it",
    command: "cat src/*",
    change: ({ home, project }) => symlinkSync(join(home, ".ssh/id_rsa"), join(project, "src/c.ts")),
  },
  {
    what: "puts a link where it finds it, and sets the folder's times back",
    command: "cat src/*",
    change: ({ home, project }) => {
      symlinkSync(join(home, ".ssh/id_rsa"), join(project, "src/c.ts"));
      utimesSync(join(project, "src"), SETTLED, SETTLED);
    },
  },
  {
    what: "puts a program of that name in front",
    command: "greet hello",
    policy: '{ "permissions": { "allow": ["Bash(greet:*)"] } }',
    before: ({ home }) => program(join(home, "bin/greet")),
    change: ({ home }) => chmodSync(join(home, "bin"), 0o777),
  },
  {
    what: "writes another patch into the file",
    command: "git apply notes.txt",
    before: ({ project }) => writeFileSync(join(project, "notes.txt"), "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-text\n+more\n"),
    change: ({ project }) =>
      writeFileSync(join(project, "notes.txt"), "--- a/../../.ssh/config\n+++ b/../../.ssh/config\n@@ -1 +1 @@\n-text\n+more\n"),
  },
  {
    what: "changes the user's policy",
    command: "git status",
    policy: "{}",
    change: ({ home }) => writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "permissions": { "deny": ["Bash(git:*)"] } }'),
  },
  {
    what: "puts a policy into the project",
    command: "git status",
    change: ({ project }) => writeFileSync(join(project, ".agent-permissions.jsonc"), '{ "permissions": { "deny": ["Bash(git:*)"] } }'),
  },
  {
    what: "puts a policy above a folder that is touched",
    command: "cat ../other/x",
    change: ({ home }) => writeFileSync(join(home, "other/.agent-permissions.jsonc"), '{ "permissions": { "deny": ["Read(**)"] } }'),
  },
  {
    what: "breaks the policy",
    command: "git status",
    policy: "{}",
    change: ({ home }) => appendFileSync(join(home, ".agent-permissions.jsonc"), "{"),
  },
  {
    what: "makes the settings of an agent a link into the project",
    command: "echo x > settings/settings.json",
    change: ({ home, project }) => {
      mkdirSync(join(project, "settings"));
      symlinkSync(join(project, "settings"), join(home, ".claude"));
    },
  },
  {
    what: "puts a secret where a file is written from",
    command: "cp notes.txt b.txt",
    change: ({ home, project }) => replaceBy(join(project, "notes.txt"), join(home, ".ssh/id_rsa")),
  },
  {
    what: "makes where it writes a link",
    command: "echo x > b.txt",
    change: ({ home, project }) => replaceBy(join(project, "b.txt"), join(home, ".bashrc")),
  },
  {
    what: "puts a module of that name in front of Python's",
    command: 'python3 -c "import json; print(json.dumps(1))"',
    change: ({ project }) => writeFileSync(join(project, "json.py"), ""),
  },
];

describe("in between somebody", () => {
  it.each(BETWEEN)("$what: `$command` is decided as if nothing had been remembered", ({ command, policy, before, change }) => {
    const here = place(policy);
    before?.(here);
    const options = optionsOf(here);
    const by = freezing();
    const ask = (more: Partial<DecideOptions>): unknown => {
      // A process asks who a program is once in a second.
      forgetFindings();
      return said(requestOf(command, here), { ...options, ...more });
    };
    const first = ask({});
    for (let time = 0; time < 3; time += 1) expect(ask({ by })).toEqual(first);
    change(here);
    const then = ask({});
    expect(then).not.toEqual(first);
    expect(ask({ by })).toEqual(then);
    expect(ask({ by })).toEqual(then);
  });

  it("is in another folder, session, or account: nothing of this one counts", () => {
    const here = place();
    const by = freezing();
    const other = { ...here, project: join(here.home, "other") };
    for (let time = 0; time < 3; time += 1) {
      expect(said(requestOf("cat notes.txt ../.ssh/id_rsa", here), { ...optionsOf(here), by })).toEqual(
        said(requestOf("cat notes.txt ../.ssh/id_rsa", here), optionsOf(here)),
      );
      for (const request of [
        requestOf("cat notes.txt", other),
        requestOf("cat notes.txt", here, { host: { ...host, shell: "zsh" } }),
        requestOf("cat notes.txt", here, { host: { ...host, asks: false } }),
      ])
        expect(said(request, { ...optionsOf(here), by })).toEqual(said(request, optionsOf(here)));
    }
  });
});

describe("what is remembered", () => {
  it("is given up when it becomes too much", () => {
    const here = place();
    const by = rememberConclusions(ANEW);
    const lower = (command: string): Lowered => by.lower(requestOf(command, here), realWorld(here.machine, here.project, undefined));
    const [, first] = [lower("cat notes.txt"), lower("cat notes.txt")];
    expect(lower("cat notes.txt")).toBe(first);
    for (let at = 0; at < 1200; at += 1) for (let time = 0; time < 2; time += 1) lower(`cat ${at}`);
    expect(lower("cat notes.txt")).not.toBe(first);
  });

  it("is nothing of what was thrown, nor of a search that had to stop", () => {
    const here = place();
    const by = rememberConclusions(ANEW);
    const world = realWorld(here.machine, here.project, undefined);
    const used = { ...world, exhausted: () => true, names: () => undefined };
    const command = 'python3 -c "import json; print(json.dumps(1))"';
    const lower = (of: World): Lowered => by.lower(requestOf(command, here), of);
    const all = [1, 2, 3, 4].map(() => lower(used));
    expect(new Set(all).size).toBe(all.length);
    const closed = {
      ...world,
      names: () => {
        throw new Error("closed");
      },
    };
    for (let time = 0; time < 3; time += 1) expect(() => lower(closed)).toThrow("closed");
    expect(lower(world)).toEqual(lowerTool(requestOf(command, here), world));
  });
});
