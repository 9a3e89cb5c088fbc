import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Place, Suite } from "../programs/place.ts";

/** Names that break what treats them as text, as lines, as patterns or as something for a terminal. */
const NAMES: Readonly<Record<string, Buffer>> = Object.fromEntries(
  Object.entries({
    space: "with space",
    spaces: "  lead and trail ",
    newline: "new\nline",
    "a line of its own": "a\n99999 sh  write passwd",
    quotes: `q'"\``,
    brackets: "br[a]{c,d}",
    "a class": "[a-z]",
    stars: "a*b?c**",
    parentheses: "a, b) (c",
    "the word for any": "_",
    "the word for the rest": "...",
    "a negation": "!no",
    backslash: "back\\slash\\n",
    "a terminal's colour": "\u001b[31mred\u001b[0m",
    "a terminal's title": "\u001b]0;title\u0007",
    "a C1 control": "\u009b2J",
    bell: "\u0007\b\u007f",
    tab: "tab\tcarriage\rreturn",
    "right to left": "\u202etxt.exe",
    "no width": "a\u200bb",
    accents: "ünï çödé 日本 🎉",
    "not composed": "e\u0301",
    shell: "$(touch x);`y`&|<>",
    dash: "-rf",
    comment: "#a ; b",
    comma: "a,b",
    percent: "%s%n%2f",
    tilde: "~root",
    colon: "a:*",
    equals: "--flag=value",
    long: "l".repeat(255),
  }).map(([what, name]) => [what, Buffer.from(name)]),
);
const BYTES: Readonly<Record<string, Buffer>> = {
  "not UTF-8": Buffer.from("a\xff\xfeb", "latin1"),
  "half a character": Buffer.from([0x61, 0xe2, 0x82]),
  "an overlong slash": Buffer.from([0xc0, 0xaf]),
  surrogate: Buffer.from([0xed, 0xb3, 0xbf]),
  "the replacement itself": Buffer.from("a\ufffdb"),
  "replacement and not UTF-8": Buffer.concat([Buffer.from("\ufffd"), Buffer.of(0xff)]),
};
const ALL = { ...NAMES, ...BYTES };

/** Others that a rule for the first must not speak about. */
function neighbours(name: Buffer): readonly Buffer[] {
  const near = [Buffer.concat([name, Buffer.from("x")]), Buffer.concat([Buffer.from("x"), name])].filter(({ length }) => length <= 255);
  const text = name.toString("latin1");
  const swapped = [
    [/[^a-zA-Z0-9]/, "A"],
    [/\[.*\]/, "a"],
    [/\{c,d\}/, "c"],
    [/\\/, "/".slice(1)],
    [/\s/, ""],
    [/[\x80-\xff]+/, "\xef\xbf\xbd"],
  ] as const;
  const known = new Set(Object.values(ALL).map((each) => each.toString("latin1")));
  return [...near, ...swapped.map(([from, to]) => Buffer.from(text.replace(from, to), "latin1"))].filter(
    (each) => each.length > 0 && !each.includes(0x2f) && !known.has(each.toString("latin1")),
  );
}

const suite = new Suite();
afterAll(() => suite.remove());

/** A place whose `outside` no default opens, and a program that makes files there: names in hexadecimal, so that typing them opens nothing. */
function place(): Place & { readonly outside: string } {
  const made = suite.place();
  made.fresh("self");
  const outside = join(made.folder, "outside");
  mkdirSync(outside);
  writeFileSync(
    join(made.cwd, "make.py"),
    `import os, sys
for folder, name in (line.split() for line in open("list")):
    path = os.fsencode(folder) + b"/" + bytes.fromhex(name)
    try: os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except PermissionError: pass
`,
  );
  return Object.assign(made, { outside });
}

const list = (at: Place, folder: string, names: readonly Buffer[]): void =>
  writeFileSync(join(at.cwd, "list"), names.map((name) => `${folder} ${name.toString("hex")}\n`).join(""));

const made = (folder: string): readonly string[] => readdirSync(folder, { encoding: "latin1" }).sort();
const latin = (names: readonly Buffer[]): readonly string[] => names.map((name) => name.toString("latin1")).sort();
const PROGRAM = ["python3", "make.py"];

function policy(at: Place, permissions: object): string {
  const file = join(at.folder, "rules.jsonc");
  writeFileSync(file, JSON.stringify({ version: 1, permissions }));
  return file;
}

interface Event {
  readonly text: string;
  readonly call: { readonly name: string; readonly args: readonly string[] };
}

async function observed(at: Place & { readonly outside: string }, names: readonly Buffer[]): Promise<readonly Event[]> {
  list(at, at.outside, names);
  const log = join(at.folder, "events");
  await at.run({ user: "self", argv: at.supervised(PROGRAM, ["-P", "--log-only", "--json", "-o", log]) });
  for (const name of names) expect(made(at.outside)).toContain(name.toString("latin1"));
  const events = readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  return events.filter(
    ({ call }) => call.name === "open" && call.args[0]?.startsWith(`${at.outside}/`) === true && call.args[1] !== "read",
  );
}

// Everything that a terminal or a reader of lines would take for more than a letter.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u;

describe("names of every kind", { concurrent: true }, () => {
  it("are shown so that nothing in them acts, one line a call", async () => {
    const at = place();
    list(at, at.outside, Object.values(ALL));
    const trace = join(at.folder, "trace");
    const { stderr } = await at.run({ user: "self", argv: at.supervised(PROGRAM, ["-P", "--log-only", "--strace", trace]) });
    const lines = [...readFileSync(trace, "utf8").trimEnd().split("\n"), ...Buffer.from(stderr, "latin1").toString().trimEnd().split("\n")];
    expect(lines.filter((line) => INVISIBLE.test(line))).toEqual([]);
    expect(lines.filter((line) => line.includes("write") && line.includes("/outside/"))).toHaveLength(2 * Object.keys(ALL).length);
    expect(lines.filter((line) => /^\d+ sh  write/.test(line))).toEqual([]);
  });

  it("come back as the same bytes from --json, and as a rule that means just them", async () => {
    const at = place();
    const names = Object.values(ALL);
    const events = await observed(at, names);
    expect(events.map(({ call }) => asBytes(call.args[0]?.slice(at.outside.length + 1) ?? "").toString("latin1")).sort()).toEqual(
      latin(names),
    );
    expect(events.filter(({ text }) => INVISIBLE.test(text))).toEqual([]);

    const others = [...new Map(names.flatMap(neighbours).map((each) => [each.toString("latin1"), each])).values()];
    for (const [effect, folder] of [
      ["allow", at.outside],
      ["deny", join(at.cwd, "inside")],
    ] as const) {
      const again = place();
      const target = folder.replace(at.folder, again.folder);
      mkdirSync(target, { recursive: true });
      list(again, target, [...names, ...others]);
      const rules = events.map(({ text }) =>
        text.replaceAll(at.outside, target).replaceAll("create+truncate+write", "_").replaceAll("create+write", "_"),
      );
      await again.run({ user: "self", argv: again.supervised(PROGRAM, ["-P", "--policy", policy(again, { [effect]: rules })]) });
      expect(made(target)).toEqual(latin(effect === "allow" ? names : others));
    }
  });

  it("are meant literally by a rule for a path", async () => {
    const at = place();
    // A parenthesis ends such a rule, a newline no rule has, spaces around it do not count; a call pattern says these.
    const names = Object.values(NAMES).filter((name) => !/[()\n]|^ | $/.test(name.toString("latin1")));
    list(at, at.outside, names);
    // A backslash takes the meaning from what follows it.
    const rules = names.map((name) => `Write(${at.outside}/${name.toString().replaceAll("\\", "\\\\")})`);
    const { stderr } = await at.run({ user: "self", argv: at.supervised(PROGRAM, ["-P", "--policy", policy(at, { allow: rules })]) });
    expect([made(at.outside), stderr.includes("mended")]).toEqual([latin(names), false]);
  });

  it("are asked about, remembered and known again", async () => {
    const at = place();
    const names = Object.values(ALL);
    const questions = join(at.folder, "questions");
    mkdirSync(questions, { mode: 0o700 });
    list(at, at.outside, names);
    const run = at.run({ user: "self", argv: at.supervised(PROGRAM, ["--background-dir", questions, "--profile", "names"]) });
    const seen = await answer(questions, "pattern", run);
    expect((await run).stderr).not.toContain("denied");
    expect(made(at.outside)).toEqual(latin(names));
    expect(seen.filter((text) => INVISIBLE.test(text.replace(/\n$/, "")))).toEqual([]);

    for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${at.outside}/`), name]), "");
    const { spawnSync } = await import("node:child_process");
    spawnSync("rm", ["-rf", at.outside]);
    mkdirSync(at.outside);
    list(at, at.outside, [...names, ...names.flatMap(neighbours)]);
    await at.run({ user: "self", argv: at.supervised(PROGRAM, ["-P", "--profile", "names"]) });
    expect(made(at.outside)).toEqual(latin(names));
  });
});

/** Answers every question of a run alike, until it ends. The files as they were written. */
async function answer(folder: string, action: string, run: Promise<unknown>): Promise<readonly string[]> {
  const state = { over: false };
  void run.finally(() => (state.over = true));
  const seen: string[] = [];
  const answered = new Set<number>();
  while (!state.over) {
    for (const name of (safely(() => readdirSync(join(folder, "pending"))) ?? []).filter((each) => /^\d+\.json$/.test(each))) {
      const seq = Number(name.replace(".json", ""));
      const text = safely(() => readFileSync(join(folder, "pending", name), "utf8"));
      if (text === undefined || answered.has(seq) || safely(() => readFileSync(join(folder, "response.json"))) !== undefined) continue;
      answered.add(seq);
      seen.push(text);
      const { writeFileSync: write, renameSync } = await import("node:fs");
      write(join(folder, "mine"), JSON.stringify({ seq, action }));
      renameSync(join(folder, "mine"), join(folder, "response.json"));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return seen;
}

function safely<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** docs/json.md: bytes that are no UTF-8 are lone surrogates. */
function asBytes(text: string): Buffer {
  return Buffer.concat(
    [...text].map((char) => {
      const code = char.codePointAt(0) ?? 0;
      return code >= 0xdc80 && code <= 0xdcff ? Buffer.of(code - 0xdc00) : Buffer.from(char);
    }),
  );
}
