import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGuard, type GuardOptions, probeSandbox } from "@assent/library/sdk";
import { here, type Here } from "../../cli/run-place.ts";

/** A command that a guard lets go ahead sandboxed runs by that guard's policy and for its principal, and by nothing else. */

let supervised = false;
/** Somebody listens there: the kernel takes a connection before anybody accepts it. */
const server = createServer();
let port = "";
beforeAll(async () => {
  supervised = await probeSandbox();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" ? String(address?.port) : "";
});
afterAll(() => void server.close());

const SECRET = "SECRET-KEY";

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function placeWith(script: string, machinePolicy = "{}"): Here {
  const place = here();
  place.write("~/.agent-permissions.jsonc", machinePolicy);
  place.write("~/.ssh/id_rsa", SECRET);
  place.write("notes/plan.md", "PLAN");
  place.write("x.sh", script);
  return place;
}

const guardIn = (place: Here, options: GuardOptions) =>
  createGuard({ cwd: place.project, home: place.home, confine: true, ...options, env: { ...place.machine.env, ...options.env } });

async function startOf(place: Here, options: GuardOptions, argv: readonly string[] = ["sh", "x.sh"]): Promise<readonly string[]> {
  const outcome = await guardIn(place, options).check({ argv });
  if (outcome.verdict !== "allow" || outcome.start === undefined) throw new Error(`not confined: ${outcome.decision.forPerson}`);
  return outcome.start.argv;
}

function run(place: Here, [program = "", ...args]: readonly string[]): Ran {
  const env = { ...place.machine.env, OUT: place.outside };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: place.project, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** What a script is allowed, one letter each; the same from a shell in a shell, from a child process, and from a run in the run. */
const TRIES: Readonly<Record<string, string>> = {
  W: 'echo x > "$OUT/made"',
  S: "grep -q SECRET ~/.ssh/id_rsa",
  R: "grep -q PLAN notes/plan.md",
  N: 'python3 -c "import os, socket; socket.create_connection((\\"127.0.0.1\\", int(os.environ[\\"PORT\\"])), 5)"',
  P: "echo x > src-made",
};

const HOW: Readonly<Record<string, (line: string) => string>> = {
  itself: (line) => line,
  "a shell in a shell": (line) => `sh -c 'sh -c "$0"' ${quoted(line)}`,
  "a child process of another program": (line) =>
    `python3 -c 'import subprocess, sys; sys.exit(subprocess.call(["sh", "-c", sys.argv[1]]))' ${quoted(line)}`,
  "a run in the run": (line) => `"$NODE" "$BIN" run -q -- sh -c ${quoted(line)}`,
};
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const script = (how: string): string =>
  Object.entries(TRIES)
    .map(([name, line]) => `( ${HOW[how]?.(line) ?? "false"} ) 2>/dev/null && printf ${name}`)
    .join("\n");

interface Row {
  readonly name: string;
  readonly options: GuardOptions;
  /** Of the machine's own user. */
  readonly machine?: string;
  readonly may: string;
}

const OPEN = { permissions: { allow: ["Write(/**)", "Read(/**)", "Net(*)"] }, unknown: "confine" };

const ROWS: readonly Row[] = [
  { name: "no policy: the preset", options: {}, may: "RP" },
  { name: "a looser policy of the machine loosens nothing", options: {}, machine: JSON.stringify(OPEN), may: "RP" },
  {
    name: "a stricter policy of the machine is not read",
    options: {},
    machine: '{ "permissions": { "deny": ["Read(notes/**)"] }, "unknown": "deny" }',
    may: "RP",
  },
  {
    name: "a broken policy of the machine is not read",
    options: {},
    machine: "{ broken",
    may: "RP",
  },
  {
    name: "files of the user hold where they are asked for",
    options: { files: "user" },
    machine: '{ "permissions": { "deny": ["Read(notes/**)"] } }',
    may: "P",
  },
  { name: "a deny in code", options: { policy: { permissions: { deny: ["Read(notes/**)"] } } }, may: "P" },
  { name: "an allow in code", options: { policy: { permissions: { allow: ["Write(OUT/**)"] } } }, may: "WRP" },
  { name: "a host in code", options: { policy: { permissions: { allow: ["Net(127.0.0.1:PORT)"] } } }, may: "RNP" },
  {
    name: "a policy behind the first makes it stricter",
    options: { policy: [{ permissions: { allow: ["Write(OUT/**)"] } }, { permissions: { deny: ["Write(OUT/**)", "Read(notes/**)"] } }] },
    may: "P",
  },
  {
    name: "an allow for a role that the principal has",
    options: {
      policy: { permissions: { allow: [{ rule: "Write(OUT/**)", when: { role: "dev" } }] } },
      principal: { user: "ann", role: ["dev", "ops"] },
    },
    may: "WRP",
  },
  {
    name: "an allow for a role that the principal has not",
    options: {
      policy: { permissions: { allow: [{ rule: "Write(OUT/**)", when: { role: "dev" } }] } },
      principal: { user: "bob", role: "ops" },
    },
    may: "RP",
  },
  {
    name: "an allow for a user of whom nothing is known: the account's name is nobody's",
    options: { policy: { permissions: { allow: [{ rule: "Write(OUT/**)", when: { user: ["root", "ACCOUNT"] } }] } } },
    may: "RP",
  },
  {
    name: "all files of the machine: rules for its account's user are nobody's",
    options: { files: "all" },
    machine: '{ "permissions": { "allow": [{ "rule": "Write(OUT/**)", "when": { "user": ["root", "ACCOUNT"] } }] } }',
    may: "RP",
  },
  {
    name: "a file that is named, and none that a variable names",
    options: { files: ["HOME/named.jsonc"], env: { ASSENT_POLICY: "HOME/.agent-permissions.jsonc" } },
    machine: '{ "permissions": { "allow": ["Write(OUT/**)", "Read(/**)"] } }',
    may: "P",
  },
  {
    name: "a deny for a tenant",
    options: { policy: { permissions: { deny: [{ rule: "Read(notes/**)", when: { tenant: "trial" } }] } }, principal: { tenant: "trial" } },
    may: "P",
  },
  {
    name: "a deny for another tenant",
    options: { policy: { permissions: { deny: [{ rule: "Read(notes/**)", when: { tenant: "trial" } }] } }, principal: { tenant: "paid" } },
    may: "RP",
  },
  {
    name: "a deny for a tenant, where none is known",
    options: { policy: { permissions: { deny: [{ rule: "Read(notes/**)", when: { tenant: "trial" } }] } } },
    may: "P",
  },
];

/** The folder outside is another at each test. */
const placed = (options: GuardOptions, place: Here): GuardOptions =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same options
  JSON.parse(texts(JSON.stringify(options), place)) as GuardOptions;

const texts = (text: string, place: Here): string =>
  text
    .replaceAll("OUT/**", `/${place.outside}/**`)
    .replaceAll("HOME", place.home)
    .replaceAll("PORT", port)
    .replaceAll("ACCOUNT", process.env["USER"] ?? "root");

describe("a command that a guard in code lets go ahead sandboxed", () => {
  describe.each(Object.keys(HOW))("%s", (how) => {
    it.each(ROWS.filter((_, at) => how === "itself" || at % 4 === 1))("$name", async ({ options, machine, may }) => {
      if (!supervised) return;
      const place = placeWith(script(how));
      place.write("~/.agent-permissions.jsonc", texts(machine ?? "{}", place));
      place.write("~/named.jsonc", '{ "permissions": { "deny": ["Read(notes/**)"] } }');
      const [program = "", ...args] = await startOf(place, placed(options, place));
      const env = {
        ...place.machine.env,
        OUT: place.outside,
        PORT: port,
        NODE: process.execPath,
        BIN: join(import.meta.dirname, "../../../dist/bin.cjs"),
      };
      const { stdout, stderr } = spawnSync(program, args, { cwd: place.project, env, encoding: "utf8" });
      expect(stdout, stderr).toBe(may);
      expect(existsSync(join(place.outside, "made"))).toBe(may.includes("W"));
    });
  });
});

const tickets = (place: Here): string => join(place.home, ".local/state/assent/tickets");
const ticketOf = (place: Here): string => join(tickets(place), readdirSync(tickets(place))[0] ?? "none");

describe("what was judged is what runs", () => {
  const DENIES: GuardOptions = { policy: { permissions: { deny: ["Read(notes/**)"] } } };
  const READS = "cat notes/plan.md; echo ran";
  const CHANGES: readonly (readonly [
    name: string,
    change: (place: Here, argv: readonly string[]) => readonly string[] | undefined,
    said: RegExp,
  ])[] = [
    ["as it is", () => undefined, /refused: read/],
    ["it was started before", (place, argv) => (run(place, argv), undefined), /not started: what a guard allows is started once/],
    [
      "another policy stands in the ticket",
      (place) => {
        const file = ticketOf(place);
        writeFileSync(file, readFileSync(file, "utf8").replace("Read(notes/**)", "Read(other/**)"));
        return undefined;
      },
      /not started/,
    ],
    [
      "the policy is gone from the ticket",
      (place) => {
        const file = ticketOf(place);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a ticket
        const { policies: _, ...rest } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
        writeFileSync(file, JSON.stringify(rest));
        return undefined;
      },
      /not started/,
    ],
    [
      "a link lies in the place of the ticket",
      (place) => {
        const file = ticketOf(place);
        renameSync(file, join(place.home, "ticket"));
        symlinkSync(join(place.home, "ticket"), file);
        return undefined;
      },
      /not started/,
    ],
    [
      "the folder of tickets is a link",
      (place) => {
        renameSync(tickets(place), join(place.home, "tickets"));
        symlinkSync(join(place.home, "tickets"), tickets(place));
        return undefined;
      },
      /not started/,
    ],
    [
      "the ticket of a looser guard under the number of this one",
      (place) => {
        const file = ticketOf(place);
        const loose = readFileSync(file, "utf8").replace(/"policy":"(?:[^"\\]|\\.)*",/, "");
        writeFileSync(file, loose);
        return undefined;
      },
      /not started/,
    ],
    ["another command is named with it", (_, [program = "", id = ""]) => [program, id, "sh x.sh; true"], /not started/],
    [
      "a number of the same form that nobody gave",
      (_, [program = "", , command = ""]) => [program, "a".repeat(64), command],
      /not started/,
    ],
    [
      "it is too old",
      (place) => {
        const file = ticketOf(place);
        writeFileSync(file, readFileSync(file, "utf8").replace(/"time":\d+/, '"time":1'));
        return undefined;
      },
      /not started/,
    ],
  ];
  it.each(CHANGES)("%s", async (_, change, said) => {
    if (!supervised) return;
    // Where it were judged anew, by the machine's policy, it would run and read.
    const place = placeWith(READS, JSON.stringify(OPEN));
    const argv = await startOf(place, DENIES);
    const ran = run(place, change(place, argv) ?? argv);
    expect(ran.stderr).toMatch(said);
    expect(ran.stdout).toBe(String(said).includes("not started") ? "" : "ran\n");
  });

  it("is for the sub-agent whose call it is, and for nobody who shares a name with it", async () => {
    if (!supervised) return;
    const place = placeWith("cat notes/plan.md 2>/dev/null || printf no");
    place.write(
      "~/.agent-permissions.jsonc",
      '{ "permissions": { "deny": [{ "rule": "Read(notes/**)", "when": { "agent": "reviewer" } }] } }',
    );
    const guard = guardIn(place, { files: "all" });
    for (const [subagent, output] of [
      ["reviewer", "no"],
      ["writer", "PLAN"],
    ] as const) {
      const outcome = await guard.check({ shell: "sh x.sh" }, { subagent });
      expect(run(place, outcome.verdict === "allow" ? (outcome.start?.argv ?? []) : []).stdout).toBe(output);
    }
  });

  it("inside another run it does not start, though that one lets it", async () => {
    if (!supervised) return;
    const place = placeWith(READS);
    const [program = "", ...args] = await startOf(place, DENIES);
    const ran = place.run(["-q", "--no-prompt", "--", program, ...args]);
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([126, "", expect.stringMatching(/would not hold inside another run/) as unknown]);
  });

  it("in another folder it does not start", async () => {
    if (!supervised) return;
    const place = placeWith(READS, JSON.stringify(OPEN));
    const [program = "", ...args] = await startOf(place, DENIES);
    mkdirSync(join(place.project, "sub"));
    const { status, stderr } = spawnSync(program, args, { cwd: join(place.project, "sub"), env: place.machine.env, encoding: "utf8" });
    expect([status, stderr]).toEqual([126, expect.stringMatching(/not started/) as unknown]);
  });

  it("no program of a run reads the texts of policies, and nothing of them is left behind", async () => {
    if (!supervised) return;
    const place = placeWith("cat ~/.local/state/assent/tickets/* ; grep -rl PRIVATE.NAME ~/.local 2>/dev/null; echo ran");
    const options: GuardOptions = { policy: { permissions: { deny: ["Read(PRIVATE-NAME/**)"] } } };
    const first = await startOf(place, options);
    await startOf(place, options, ["sh", "x.sh", "2"]);
    expect(run(place, first).stdout).toBe("ran\n");
    const left = spawnSync("grep", ["-rl", "PRIVATE-NAME", place.home], { encoding: "utf8" }).stdout.split("\n").filter(Boolean);
    expect(left.map((file) => file.replace(/[0-9a-f]{64}/, "ID"))).toEqual([join(tickets(place), "ID.json")]);
  });
});
