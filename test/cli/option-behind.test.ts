import type { Command } from "commander";
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { program } from "../../packages/assent/src/cli/program.ts";
import { plainWords } from "../../packages/assent/src/cli/run-options.ts";

/** What a command line came to, nothing of it done. */
type Read =
  | { readonly is: "read"; readonly words: readonly string[]; readonly options: Readonly<Record<string, unknown>> }
  | { readonly is: "wrong"; readonly status: number; readonly says: string };

async function read(argv: readonly string[]): Promise<Read> {
  const assent = program();
  let says = "";
  let out: Read | undefined;
  const walk = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: (text) => (says += text), writeOut: () => undefined });
    command.action(() => {
      out = { is: "read", words: [...command.args], options: { ...command.opts<Record<string, unknown>>() } };
    });
    for (const sub of command.commands) walk(sub);
  };
  walk(assent);
  try {
    await assent.parseAsync(["node", "assent", ...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { is: "wrong", status: error.exitCode, says };
  }
  return out ?? { is: "wrong", status: -1, says };
}

/** The words of a command line as a POSIX shell reads it. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\(')/g, (_all, quoted?: string, tick?: string) => quoted ?? tick ?? ""),
  );

const readings = (says: string): readonly string[] =>
  [...says.matchAll(/^ {2}(?:for Assent|part of the command): +assent (.*)$/gm)].map(([, line = ""]) => line);

interface Taking {
  readonly path: readonly string[];
  readonly command: Command;
}

const TAKING = ["allow", "ask", "deny", "explain", "run", "try", "mcp", "wrap install"].map((path): Taking => {
  const words = path.split(" ");
  const command = words.reduce<Command | undefined>((above, word) => above?.commands.find((one) => one.name() === word), program());
  if (command === undefined) throw new Error(path);
  return { path: words, command };
});
const isStarting = (path: readonly string[]): boolean => ["run", "try", "mcp", "wrap"].includes(path[0] ?? "");

/** Values that the options take; a file that is there and a number fit all others. */
const VALUE: Readonly<Record<string, string>> = { "--with": "npm", "--cwd": "/" };

const ROWS = TAKING.flatMap(({ path, command }) =>
  command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ long, short, required, variadic }) =>
      [long, short].flatMap((name): readonly (readonly [string, readonly string[], readonly string[]])[] => {
        if (name === undefined || (name === short && isStarting(path))) return [];
        const value = VALUE[name] ?? "/etc/hosts";
        const given = required ? [[name, value], ...(name.startsWith("--") ? [[`${name}=${value}`]] : [])] : [[name]];
        return given.map((words) => [`${path.join(" ")} … ${words.join(" ")}${variadic ? " (many)" : ""}`, path, words] as const);
      }),
    ),
);

describe("an option of Assent's behind a command", () => {
  it("every command that takes a command line is one of these", () => {
    const takes = (command: Command): boolean => "_passThroughOptions" in command && command._passThroughOptions === true;
    const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)];
    expect(
      all(program())
        .filter(takes)
        .map((one) => one.name()),
    ).toEqual(TAKING.map(({ path }) => path.at(-1)).toSorted(byTable));
    expect(ROWS.length).toBeGreaterThan(60);
  });

  it.each(ROWS)("%s: refused, and both readings work as they are printed", async (_name, path, given) => {
    const command = ["nobody-knows", "build"];
    const wrong = await read([...path, ...command, ...given]);
    expect(wrong).toMatchObject({ is: "wrong", status: 2 });
    const [ours = "", theirs = ""] = readings(wrong.is === "wrong" ? wrong.says : "");
    const before = await read([...path, ...given, "--", ...command]);
    const asOurs = await read(wordsOf(ours));
    // What contradicts itself as an option of ours is said where it stands in front.
    if (before.is === "read") expect(asOurs).toEqual(before);
    else expect(asOurs).toMatchObject({ is: "wrong", status: before.status });
    expect(await read(wordsOf(theirs))).toEqual(await read([...path, "--", ...command, ...given]));
  });

  it.each([
    ["allow npm run build --for 2h", "allow --for 2h npm run build", "allow -- npm run build --for 2h"],
    ["deny git commit --amend --project", "deny --project git commit --amend", "deny -- git commit --amend --project"],
    ["allow make -j4 --why=slow --yes", "allow --why=slow --yes make -j4", "allow -- make -j4 --why=slow --yes"],
    [
      "ask --project npm publish --why 'it is out'",
      "ask --project --why 'it is out' npm publish",
      "ask --project -- npm publish --why 'it is out'",
    ],
    ["explain ls --json --cwd /", "explain --json --cwd / ls", "explain -- ls --json --cwd /"],
    ["explain 'git status' --json", "explain --json 'git status'", "explain 'git status --json'"],
    ["deny A=1 x --yes", "deny --yes A=1 x", "deny -- A=1 x --yes"],
    ["run ./serve --policy /etc/hosts", "run --policy /etc/hosts ./serve", "run -- ./serve --policy /etc/hosts"],
    ["run npm test --log-only", "run --log-only npm test", "run -- npm test --log-only"],
    ["mcp npx -y server --confine", "mcp --confine npx -y server", "mcp -- npx -y server --confine"],
    ["wrap install tool --profile x", "wrap install --profile x tool", "wrap install -- tool --profile x"],
    ["allow sudo make --for", "allow --for sudo make", "allow -- sudo make --for"],
    ["allow --why -- npm test --yes", "allow --why -- --yes npm test", "allow --why -- -- npm test --yes"],
  ])("assent %s", async (line, ours, theirs) => {
    const wrong = await read(wordsOf(line));
    expect(wrong).toMatchObject({ is: "wrong", status: 2 });
    expect(readings(wrong.is === "wrong" ? wrong.says : "")).toEqual([ours, theirs]);
  });

  it.each([
    ["deny git push --for 2h", "`--for` stands behind the command, and is an option of `assent allow` alone", "deny -- git push --for 2h"],
    ["deny git push --for=2h", "`--for` stands", "deny -- git push --for=2h"],
    ["ask git --for 2h push", "`--for` stands", "ask -- git --for 2h push"],
    ["deny --project make --run 7", "`--run` stands", "deny --project -- make --run 7"],
    ["ask 'git push' --for 2h", "`--for` stands", "ask 'git push --for 2h'"],
    ["deny A=1 git push --for", "`--for` stands", "deny -- A=1 git push --for"],
  ])("assent %s: an option that only its sister has is refused", async (line, says, theirs) => {
    const wrong = await read(wordsOf(line));
    expect(wrong).toMatchObject({ is: "wrong", status: 2, says: expect.stringContaining(says) as string });
    expect(readings(wrong.is === "wrong" ? wrong.says : "")).toEqual([theirs]);
    expect(await read(wordsOf(theirs))).toMatchObject({ is: "read" });
  });

  it.each(ROWS)("%s, in the middle: refused as behind it", async (_name, path, given) => {
    const wrong = await read([...path, "nobody-knows", ...given, "build"]);
    expect(wrong).toMatchObject({ is: "wrong", status: 2 });
    const [, theirs = ""] = readings(wrong.is === "wrong" ? wrong.says : "");
    expect(await read(wordsOf(theirs))).toEqual(await read([...path, "--", "nobody-knows", ...given, "build"]));
  });

  it.each([
    // The word `--` says whose it is.
    ["deny -- git push --for 2h", ["git", "push", "--for", "2h"]],
    ["deny git branch --all", ["git", "branch", "--all"]],
    ["ask npm install --global x", ["npm", "install", "--global", "x"]],
    ["allow -- npm run build --for 2h", ["npm", "run", "build", "--for", "2h"]],
    ["allow npm test -- --json", ["npm", "test", "--", "--json"]],
    ["explain --json git log --oneline", ["git", "log", "--oneline"]],
    ["allow git commit --amend", ["git", "commit", "--amend"]],
    ["explain df -h", ["df", "-h"]],
    ["explain git push --help", ["git", "push", "--help"]],
    ["deny --project git commit --amend", ["git", "commit", "--amend"]],
    ["explain 'ls --json'", ["ls --json"]],
    // What is started has options of its own.
    ["run grep -P x f", ["grep", "-P", "x", "f"]],
    ["run gcc -o x x.c", ["gcc", "-o", "x", "x.c"]],
    ["run npm ls --json", ["npm", "ls", "--json"]],
    ["run git fetch --quiet", ["git", "fetch", "--quiet"]],
    ["run -- ./x --yes", ["./x", "--yes"]],
    ["mcp npx -y server", ["npx", "-y", "server"]],
  ])("assent %s is read as before", async (line, words) => {
    expect(await read(wordsOf(line))).toMatchObject({ is: "read", words });
  });

  it("a run that begins at once reads them the same way", () => {
    expect(plainWords(["make", "--policy", "x"])).toBeUndefined();
    expect(plainWords(["make", "-j4"])?.words).toEqual(["make", "-j4"]);
    expect(plainWords(["make", "--", "--policy"])?.words).toEqual(["make", "--", "--policy"]);
    expect(plainWords(["--", "make", "--policy"])?.words).toEqual(["make", "--policy"]);
  });
});

/** In the order of the table of commands. */
function byTable(one: string | undefined, other: string | undefined): number {
  const order = ["allow", "ask", "deny", "explain", "run", "install", "try", "mcp"];
  return order.indexOf(one ?? "") - order.indexOf(other ?? "");
}
