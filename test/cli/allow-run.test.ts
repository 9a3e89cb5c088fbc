import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { numbersIn } from "../../packages/assent/src/cli/allow-run.ts";
import { assent } from "../scratch.ts";
import { here, inTerminal, type Here } from "./run-place.ts";

const POLICY = "~/.agent-permissions.jsonc";

interface Told {
  readonly run: string;
  readonly refused: number;
  readonly rules: readonly { readonly rule: string; readonly calls: readonly { readonly what: string }[] }[];
  readonly rest: readonly { readonly what: string }[];
  readonly file: string;
  readonly written: readonly string[];
}

const idIn = (said: string): string => /assent (?:receipt|allow --run) (\S+?)[`,)]/.exec(said)?.[1] ?? "none";

function refusedBy(place: Here, script: string, args: readonly string[] = []): { readonly id: string; readonly said: string } {
  place.script(script);
  const { stderr } = place.run(["-P", ...args, "sh", "s.sh"]);
  return { id: idIn(stderr), said: stderr };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the command prints
const told = (place: Here, args: readonly string[]): Told => JSON.parse(assent(place, ["allow", "--json", ...args]).stdout) as Told;

/** Each does one thing that is refused; the rule that would have allowed it, or none where none is offered. */
const WISHES: readonly (readonly [title: string, script: string, what: string, rule?: string])[] = [
  ["a file outside", "echo > $OUT/f/a", "write OUT/f/a", "Edit(OUT/f/a)"],
  ["a file that goes away", "rm $OUT/g/old", "delete OUT/g/old", "Delete(OUT/g/old)"],
  ["a new folder, with what would have been put into it", "mkdir -p $OUT/h/new/x", "mkdir OUT/h/new", "Write(OUT/h/new/**)"],
  ["the end of a move that is outside", "echo > m; mv m $OUT/i/m", "rename PROJECT/m", "Edit(OUT/i/m)"],
  ["many files of one folder", "for f in a b c d; do echo > $OUT/sub/$f; done", "write OUT/sub/b", "Edit(OUT/sub/**)"],
  ["a host", "bash -c 'echo > /dev/tcp/192.0.2.7/80'", "connect 192.0.2.7:80", "Net(192.0.2.7:80)"],
  [
    "a command that a built-in protection asks about",
    "git push --force origin main",
    "exec /usr/bin/git push --force origin main",
    "Bash(git push --force:*)",
  ],
  ["a secret", "cat ~/.ssh/id_rsa", "read HOME/.ssh/id_rsa"],
  ["what runs at a login", "echo >> ~/.bashrc", "edit HOME/.bashrc"],
  ["Assent's own settings", "echo {} > ~/.agent-permissions.jsonc", "write HOME/.agent-permissions.jsonc"],
  ["Assent's own state", "echo > ~/.local/state/assent/trust.json", "write HOME/.local/state/assent/trust.json"],
  ["what a deny rule keeps", "echo > $OUT/deny/a", "write OUT/deny/a"],
  ["what an ask rule keeps for a person", "echo > $OUT/ask/a", "write OUT/ask/a"],
];

describe("what a run was refused, and the rule that would have allowed it", () => {
  it("a rule for each thing, proven, and none for what is kept on purpose", () => {
    const place = here();
    for (const name of ["f/z", "g/old", "h/z", "i/z", "sub/z", "deny/z", "ask/z"]) place.write(join(place.outside, name), "");
    for (const name of ["~/.ssh/id_rsa", "~/.bashrc"]) place.write(name, "");
    place.write(POLICY, `{ "permissions": { "deny": ["Edit(${place.outside}/deny/**)"], "ask": ["Edit(${place.outside}/ask/a)"] } }`);
    // Of a rule, a name with a random part stands for names like it.
    const plain = (text: string): string =>
      text
        .replace(/\/\S*\/outside-(?:\*|\w{6})/, "OUT")
        .replace(place.project, "PROJECT")
        .replace(place.home, "HOME");
    const script = WISHES.map(([, line]) => line).join("\n");
    const { id, said } = refusedBy(place, script);
    const found = told(place, ["--run", id, "--dry-run"]);
    const rows = [
      ...found.rules.flatMap(({ rule, calls }) => calls.map(({ what }) => [plain(what), plain(rule)])),
      ...found.rest.map(({ what }) => [plain(what), "none"]),
    ];
    expect(Object.fromEntries(rows)).toMatchObject(Object.fromEntries(WISHES.map(([, , what, rule]) => [what, rule ?? "none"])));
    expect(said).toContain(`\`assent allow --run ${id}\``);

    // The same again, with what it offers.
    expect(told(place, ["--run", id, "--all"]).written).toEqual(found.rules.map(({ rule }) => rule));
    const again = told(place, ["--run", idIn(refusedBy(place, script).said), "--dry-run"]);
    expect(again.rules).toEqual([]);
    expect(new Set(again.rest.map(({ what }) => what))).toEqual(new Set(found.rest.map(({ what }) => what)));
  });

  it("leaves out what a person has refused himself, and remembers further policy files of the run", async () => {
    const place = here();
    place.write("more.jsonc", `{ "permissions": { "deny": ["Edit(${place.outside}/b)"] } }`);
    place.script("echo > $OUT/a; echo > $OUT/b");
    const { screen } = await inTerminal(place, ["run", "--policy", "more.jsonc", "sh", "s.sh"], [["end the run", "n"]]);
    const found = told(place, ["--run", idIn(screen), "--dry-run"]);
    expect(found.rules).toEqual([]);
    expect(found.rest).toHaveLength(2);
  });
});

describe("assent allow --run", () => {
  it("writes what is chosen at the terminal into the program's own profile, or where it is told to", async () => {
    const place = here();
    const { id } = refusedBy(place, "echo > $OUT/a; echo > $OUT/b; bash -c 'echo > /dev/tcp/192.0.2.7/80'");
    const chosen = await inTerminal(
      place,
      ["allow", "--run", id],
      [
        ["Enter for none", "4\r"],
        ["number is not in the list", "2-3\r"],
      ],
    );
    expect(chosen).toMatchObject({ status: 0 });
    const profile = JSON.stringify(JSON.parse(assent(place, ["profile", "show", "sh", "--json"]).stdout));
    for (const [rule, is] of [
      ["/a)", false],
      ["/b)", true],
      ["Net(192.0.2.7:80)", true],
    ] as const)
      expect(profile.includes(rule)).toBe(is);
    expect(profile).toContain(`refused in the run ${id}`);
    const none = await inTerminal(place, ["allow", "--run", id], [["Enter for none", "\r"]]);
    expect(none).toMatchObject({ status: 1 });

    for (const [option, file] of [
      ["--project", join(place.project, ".agent-permissions.jsonc")],
      ["--global", join(place.home, ".agent-permissions.jsonc")],
    ] as const) {
      expect(existsSync(file)).toBe(false);
      expect(assent(place, ["allow", "--run", id, option, "--all", "--why", "the build"])).toMatchObject({ status: 0 });
      expect(readFileSync(file, "utf8")).toContain(`{ "rule": "Net(192.0.2.7:80)", "reason": "the build" }`);
    }
  });

  it("writes nothing without a terminal, and lists what it would", () => {
    const place = here();
    const { id } = refusedBy(place, "echo > $OUT/a; cat ~/.ssh/id_rsa");
    expect(assent(place, ["allow", "--run", id])).toMatchObject({ status: 1, stderr: expect.stringContaining("--all") as unknown });
    const { stdout, status } = assent(place, ["allow", "--run", id, "--dry-run"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/1 {2}allow Edit\(\S*\/a\)/);
    expect(existsSync(told(place, ["--run", id, "--dry-run"]).file)).toBe(false);
  });

  it.each([
    [["--run", "no-such"], "unknown run"],
    [["--run", "x", "ls"], "--run takes no command"],
    [["--all", "ls"], "--all goes with --run"],
    [["--global", "ls"], "--global goes with --run"],
    [["--run", "x", "--for", "2h"], "cannot be used with"],
  ])("%j is wrong usage", (args, says) => {
    const { status, stderr } = assent(here(), ["allow", ...args]);
    expect(stderr).toContain(says);
    expect(status).toBe(2);
  });

  it.each<[line: string, most: number, chosen: readonly number[] | undefined]>([
    ["", 3, []],
    ["none", 3, []],
    ["all", 3, [1, 2, 3]],
    ["1,3", 3, [1, 3]],
    ["1 2-3", 3, [1, 2, 3]],
    ["y", 1, [1]],
    ["y", 2, undefined],
    ["0", 3, undefined],
    ["4", 3, undefined],
    ["3-1", 3, undefined],
    ["1,x", 3, undefined],
    ["1-99999", 3, undefined],
  ])("`%s` of %i", (line, most, chosen) => {
    expect(numbersIn(line, most)).toEqual(chosen === undefined ? undefined : new Set(chosen));
  });
});
