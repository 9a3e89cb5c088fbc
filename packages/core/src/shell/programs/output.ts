import { LISTER } from "#knowledge/traits";
import type { TreeFilter } from "../../action/index.ts";
import { resolvePath } from "../../path/index.ts";
import { describe, type Invocation } from "./invocation.ts";
import { matchesOf } from "../words/paths.ts";
import {
  isGlob,
  isHole,
  isNetwork,
  join,
  joinWords,
  literal,
  NOTHING,
  patternOf,
  prefixOf,
  textOf,
  torn,
  untold,
  type Hole,
  type Stream,
  type Value,
} from "../words/value.ts";

/** What belongs to a command comes after it: a line of ten thousand commands is not looked through for each of them. */
function reachesNetwork({ cx: { actions }, exec }: Invocation): boolean {
  for (let at = Math.max(exec, 0); at < actions.length; at += 1) {
    const action = actions[at];
    if (action?.kind === "net" && action.origin.by === "command" && action.origin.exec === exec) return true;
  }
  return false;
}

/** What a command prints, for the next one in a pipe or a substitution. */
export function outputOf(inv: Invocation): Stream {
  if (inv.output !== undefined) return inv.output;
  const network = isNetwork(inv.stdin) || reachesNetwork(inv);
  const unknownText = { is: "unknown", why: `the output of ${inv.name}`, network } as const;
  const operands = inv.args.operands;
  const changed = inv.args.options.flatMap((given) => given.option?.consequences ?? []).findLast((c) => c.then === "output");
  const kind = changed?.then === "output" ? changed.output : inv.spec.output;
  switch (kind) {
    case undefined:
    case "none":
      return unknownText;
    case "nothing":
      return NOTHING;
    case "number":
    case "numbers": {
      const why = `the output of ${inv.name}`;
      return isBareNumber(inv)
        ? { is: "unknown", why, network: false, number: true, ...(isOneNumber(inv, kind) ? {} : { several: true }) }
        : unknownText;
    }
    case "pieces":
      return inv.sources.length === 0 && inv.stdin.is === "unknown" && inv.stdin.number === true
        ? { ...inv.stdin, several: true }
        : unknownText;
    case "operands": {
      const text = operands.map((value) => textOf(value));
      if (text.some((one) => one === undefined))
        return {
          is: "text",
          value: { atoms: joinWords(operands), many: false },
        };
      return { is: "text", value: literal(`${text.join(" ")}\n`) };
    }
    case "input": {
      const reads = inv.sources.length > 0;
      if (reads) return { is: "unknown", why: `the content of ${describe(inv.sources[0] ?? literal(""))}`, network };
      // head -c and tail -c cut a name in two; BSD's tail counts blocks, too.
      if (inv.args.options.some(({ option }) => option?.names.some((name) => isTearing(inv.name, name)) === true)) return torn(inv.stdin);
      if (inv.stdin.is === "text" && inv.name !== "cat" && inv.name !== "tee") return { ...unknownText, network };
      return untold(inv.stdin);
    }
    case "paths":
      return { is: "paths", values: pathsBelow(inv) };
    default:
      return unknownText;
  }
}

/** git-ls-files(1): names that the index may not have, or that are told from another folder. */
const UNTRACKED: ReadonlySet<string> = new Set("--others --ignored --unmerged --with-tree --full-name --recurse-submodules".split(" "));

/** Names below the path operands, as the command prints them. */
function pathsBelow(inv: Invocation): readonly Value[] {
  const others = inv.args.options.some(({ option }) => option === undefined || option.names.some((name) => UNTRACKED.has(name)));
  const filter = inv.name === "git" && !others ? { tracked: true as const } : inv.looked[0]?.filter;
  const below = toldName(inv, filter);
  const bare: Value = { atoms: [below], many: false };
  const listed = listedNames(inv);
  // `.*` matches `..`, too (bash(1), globskipdots).
  const above = tellsAll(inv, "-a", "-f") || (LISTER.has(inv.name) && inv.looked.some(({ value }) => DOTS.test(patternOf(value))));
  const names = [listed ?? bare, ...(above ? [literal(".."), literal(".")] : [])];
  if (inv.looked.length === 0 || (LISTER.has(inv.name) && inv.looked.every(({ operand }) => !operand))) return names;
  const values = inv.looked.map(({ value, operand, walk }): Value | undefined => {
    const text = textOf(value);
    if (!operand) return bare;
    if (isBelow(value)) return walk ? { atoms: [prefixOf(value), below], many: false } : value;
    if (text === undefined)
      return isGlob(value) && !prefixOf(value).includes("..")
        ? { atoms: [prefixOf(value).replace(/[^/]*$/, ""), below], many: false }
        : undefined;
    if (/(^|\/)\.\.(\/|$)/.test(text)) return undefined;
    // A pathspec: names are below the folder in front of its wildcards; what begins with a colon may start at the top.
    if (inv.name === "git" && text.startsWith(":")) return /^:(?:[!^]|\(exclude\))/.test(text) ? bare : undefined;
    if (inv.name === "git" && /[*?[]/.test(text)) {
      const folder = text.replace(/[*?[].*$/s, "").replace(/[^/]*$/, "");
      return { atoms: folder === "" ? [below] : [folder, below], many: false };
    }
    return { atoms: [text.replace(/\/?$/, "/"), below], many: false };
  });
  if (values.some((value) => value === undefined)) return [{ atoms: [{ hole: true, why: `a name that ${inv.name} prints` }], many: false }];
  const known = values.flatMap((value) => (value === undefined ? [] : [{ ...value, atoms: join(value.atoms) }]));
  // What lies in a folder that ls is given is printed without the folder; a program that reads names what it was given.
  const reads = inv.grammar.slots?.every(({ kind }) => kind.is !== "file" || kind.operation === "read") === true;
  if (reads || (!LISTER.has(inv.name) && inv.looked.every(({ walk }) => walk))) return known;
  // A file that ls is given is printed as it was given.
  const given = listed === undefined ? [] : inv.looked.flatMap(({ value }) => textOf(value) ?? []).map(literal);
  return [...names, ...given, ...known];
}

const DOTS = /(?:^|\/)\.[*?[]/;

/** Only who takes the name wants to know whether it may begin with `-`: the folder is not looked at before. */
const toldName = (inv: Invocation, filter: TreeFilter | undefined): Hole => ({
  hole: true,
  why: `a name that ${inv.name} prints`,
  below: true,
  ...(filter === undefined ? {} : { filter }),
  get mayDash() {
    return mayTellOption(inv);
  },
});

const tellsAll = ({ name, args }: Invocation, ...letters: readonly string[]): boolean =>
  LISTER.has(name) && args.options.some(({ option }) => option === undefined || option.names.some((one) => letters.includes(one)));

/** ls(1) prints no name of a folder that begins with a dot, unless it is told to; on BSD root is always told all. */
function listedNames(inv: Invocation): Value | undefined {
  if (!LISTER.has(inv.name) || tellsAll(inv, "-a", "-A", "-f") || inv.cx.world.platform !== "linux") return undefined;
  return { atoms: [toldName(inv, { hidden: false })], many: false };
}

/** Names of tracked files that are not there any more, so that no look at the folder finds them. */
const GONE: ReadonlySet<string> = new Set(["--with-tree", "--deleted", "--unmerged"]);

/**
 * Who takes the names may stand in another folder than who printed them (`(cd sub && ls) | xargs sort`, `ls sub | xargs sort`):
 * whether one begins with `-` is seen where they are.
 */
export function mayTellOption(inv: Invocation): NonNullable<Hole["mayDash"]> {
  const { world } = inv.cx;
  if (inv.name === "git" && inv.args.options.some(({ option }) => option?.names.some((name) => GONE.has(name)))) return true;
  const holdsOption = (path: string): boolean | "held" => {
    const kind = world.kind(path);
    const names = kind === "missing" || kind === "file" ? [] : world.names(path);
    return names === undefined || (names.some((name) => name.startsWith("-")) && "held");
  };
  const folders = LISTER.has(inv.name) ? inv.looked.map(({ value }) => value) : [literal(".")];
  const looks = inv.places.flatMap((place) => {
    if (place.is !== "at") return [true];
    return folders.flatMap((value) => {
      const text = textOf(value);
      if (text !== undefined) return [holdsOption(resolvePath(place.path, text))];
      if (!isGlob(value)) return [!isBelow(value)];
      // The folders among what it matches are listed without their names.
      return matchesOf(world, place, value)?.map((path) => holdsOption(resolvePath(place.path, path))) ?? [true];
    });
  });
  return looks.includes("held") ? "held" : looks.includes(true);
}

/** One name found below a folder. */
const isBelow = (value: Value): boolean => {
  const last = value.atoms.at(-1);
  if (value.many || value.atoms.length > 2 || last === undefined || !isHole(last) || last.below !== true) return false;
  return (value.atoms.length === 1 || prefixOf(value) !== "") && !/(^|\/)\.\.(\/|$)/.test(prefixOf(value));
};

const isTearing = (program: string, option: string): boolean =>
  option === "--bytes" || (/^g?(?:head|tail)$/.test(program) && (option === "-c" || option === "-b"));

const DIGITS_OF_DATE = /^\+%[YmdHMSFjsuwyCgGVUWN](?:[-_]?%[YmdHMSFjsuwyCgGVUWN])*$/;

/** wc(1) counts several things where nothing says which; who is asked about several files, users or names tells of each. */
function isOneNumber({ name, args }: Invocation, kind: "number" | "numbers"): boolean {
  if (name === "wc") return args.options.length === 1;
  return kind === "number" && args.operands.every((operand) => !operand.many) && (name === "grep" || args.operands.length <= 1);
}

/** wc(1) tells the name of a file behind the number; grep(1) -c does in front of it, where there are several or it is asked to. */
function isBareNumber({ name, args, looked, words }: Invocation): boolean {
  const has = (...names: readonly string[]): boolean => args.options.some(({ option }) => option?.names.some((one) => names.includes(one)));
  if (args.options.some(({ option }) => option?.consequences.some(({ then }) => then === "stop"))) return false;
  if (name === "wc") return args.operands.length === 0;
  // date(1): numbers with a dash between them are no option, no code and no path out of a folder, either; -f prints many.
  if (name === "date") return words.some((word) => DIGITS_OF_DATE.test(textOf(word) ?? "")) && !has("-f", "--file", "--debug", "-I");
  // pgrep(1): the name behind the number, or what stands between two.
  if (/^p(?:grep|idof|idwait)$/.test(name)) return !has("-l", "-a", "-d");
  // id(1): a name in the place of the number; lsof(8): with -F letters stand in front, with -r a text between.
  if (name === "id") return !has("--name", "-n");
  if (name === "lsof") return !has("-F", "-r", "+r");
  // grep(1): names of files stand in the place of counts.
  if (has("-l", "-L")) return false;
  return (
    looked.length <= 1 &&
    looked.every(({ value, walk }) => !value.many && !walk) &&
    !args.options.some(({ option }) => option?.names.some((one) => one === "-H" || one === "--recursive" || one === "-R") === true)
  );
}
