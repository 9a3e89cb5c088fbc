import { builtinEntryFor, entriesBelow, entryFor, grammarOf } from "../../../packages/core/src/shell/knowledge/entries.ts";
import type { Generator } from "./generate.ts";

/** Files in the folder that programs start in: text that runs something where it is evaluated, and words that are options. */
export const HOSTILE_NAMES = ["a[$(q90)]", "$(q91)", "-v", "x[$(q92)]=1", "q93"];

/** They stop the shell, or wait for somebody. */
const WAITING = new Set(["suspend", "sleep", "-", "repeat"]);

const builtin = entryFor("builtin");
const BUILTINS = (builtin === undefined ? [] : entriesBelow(builtin))
  .flatMap(({ keys }) => keys)
  .filter((name) => !WAITING.has(name))
  .map((name) => {
    const entry = builtinEntryFor(name);
    return { name, options: entry === undefined ? [] : [...grammarOf(entry).options.keys()] };
  });
type Builtin = (typeof BUILTINS)[number];

/** Builtins with their options in all spellings, given texts that are code where they are evaluated, and names that files have. */
export function builtinProgram(from: Generator): string {
  const one = from.pick(BUILTINS);
  const calls = Array.from({ length: 1 + from.upTo(2) }, () => call(from, from.upTo(3) === 0 ? from.pick(BUILTINS) : one));
  const n = from.name();
  const before = from.pick([
    "",
    "",
    "a=1 x=1 y=1",
    `x=${n}`,
    `x='a[$(${n})]'`,
    `x='$(${n})'`,
    "declare -i x",
    "typeset -i x=1",
    `f() { ${n}; }`,
    `set -- '${hidden(from)}' 1`,
    `set -- *`,
    "x=*",
  ]);
  const after = from.pick([
    "",
    "",
    `${from.name()} "$x"`,
    '"$x"',
    "$x",
    'eval "$x"',
    "f",
    "ls",
    `: "\${a[$x]}" $((x))`,
    "jobs",
    from.name(),
  ]);
  return [before, ...calls, after].filter((part) => part !== "").join(from.pick(["; ", "\n"]));
}

/** Text that is code where the shell reads it a second time. */
function hidden(from: Generator): string {
  const n = from.name();
  return from.pick([`a[$(${n})]`, `a[$(${n})]`, `$(${n})`, `x[$(${n})]=1`, `a[\`${n}\`]`, `$((a[$(${n})]))`, `x=$(${n})`]);
}

function word(from: Generator): string {
  return from.pick([
    `'${hidden(from)}'`,
    `'${hidden(from)}'`,
    `"$x"`,
    "$x",
    '"$1"',
    '"$@"',
    "*",
    "*",
    "?[[]*",
    "-*",
    "x",
    "y",
    "a",
    "f",
    "PATH",
    "IFS",
    "0",
    "1",
    "-1",
    "--",
    "-",
    "-eq",
    "-v",
    `x=${from.name()}`,
    `'${from.name()}'`,
    "a=(1)",
    "%s",
    "'%*d'",
    "%n",
    "EXIT",
    "USR1",
  ]);
}

const words = (from: Generator, most: number): readonly string[] => Array.from({ length: from.upTo(most + 1) }, () => word(from));

/** Alone, in clusters, with a value attached or behind it, abbreviated, from a variable. */
function option(from: Generator, { options }: Builtin): string {
  const letters = options.filter((text) => /^[-+][A-Za-z@]$/.test(text));
  const some = letters.length > 0 && from.upTo(6) > 0 ? from.pick(letters) : from.pick([...options, "-x", "+x"]);
  const more = letters.length === 0 ? "" : from.pick(letters).slice(1);
  return from.pick([
    some,
    some,
    some,
    `${some} ${word(from)}`,
    `${some}${word(from)}`,
    `${some}${more}`,
    `${some}${more} ${word(from)}`,
    `${some}${more}${word(from)}`,
    `${some}=${word(from)}`,
    `'${some}'`,
    `-${some}`,
  ]);
}

function call(from: Generator, one: Builtin): string {
  const options = Array.from({ length: from.pick([0, 1, 1, 2]) }, () => option(from, one));
  const given = [...words(from, 1).slice(0, from.upTo(4) === 0 ? 1 : 0), ...options, ...words(from, 3)].join(" ");
  const name = from.pick(["", "", "", "", "", "builtin ", "command ", "\\", `A=1 `, `x=${word(from)} `]) + one.name;
  const input = from.pick(["", "", "", "< /dev/null", `<<E\n${hidden(from)}\nE\n`, `<<< '${hidden(from)}'`]);
  const line = `${name} ${given}${one.name === "[" ? " ]" : ""}`.trim();
  return from.pick([
    `${line} ${input}`.trim(),
    `${line} ${input}`.trim(),
    line,
    `(${line})`,
    `for x in *; do ${line}; done`,
    `if ${line}; then ${from.name()}; fi`,
    `: "$(${line})"`,
    `eval '${line.replaceAll("'", "'\\''")}'`,
    `g() { ${line}; }; g ${word(from)}`,
    `echo '${hidden(from)}' | ${line}`,
    `${line} | ${from.name()}`,
  ]);
}
