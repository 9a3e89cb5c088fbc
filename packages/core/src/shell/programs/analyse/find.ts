// Programs that walk folders and run commands on what they find.
import type { LeftOut, TreeFilter } from "../../../action/index.ts";
import { resolvePath } from "../../../path/index.ts";
import { describe, doubt, emitFile, refuse, type Invocation } from "../invocation.ts";
import { mayTellOption } from "../output.ts";
import { changePlaces, mayBegin } from "../../words/paths.ts";
import type { ShellPlace } from "../../words/state.ts";
import {
  holeOf,
  isNetwork,
  join,
  literal,
  mayBeNone,
  NOTHING,
  prefixOf,
  textOf,
  withoutNames,
  type Atom,
  type Hole,
  type Stream,
  type Value,
} from "../../words/value.ts";
import { bsdStarts } from "./bsd.ts";
import { has, valuesOf } from "../given.ts";
import { surelyFinds } from "./sure-find.ts";
import { sharedInput } from "../../words/input.ts";
import { walkFilter } from "../walk-filter.ts";

/** find(1): tests and actions that take no argument, or one that only narrows what is found. */
const PLAIN = new Set(
  (
    "-print -print0 -ls -prune -quit -depth -d -mount -xdev -true -false -empty -nouser -nogroup -readable -writable " +
    "-executable -daystart -follow -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -not -a -and -o -or ! " +
    "( ) , -x -X -E -s -f -acl -xattr -sparse -help --help -version --version"
  ).split(" "),
);
const VALUED = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -atime -ctime " +
    "-mmin -amin -cmin -newer -anewer -cnewer -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -samefile " +
    "-fstype -used -context -regextype -printf -flags -Bmin -Btime -newermt -newerat -newerct -depth -iwholename -mnewer " +
    "-Bnewer -xattrname"
  ).split(" "),
);
/** `-depth N` of BSD and bfs; in GNU it takes nothing, so that what is no number is a word of its own. */
const DEPTH = /^[-+]?\d+$/;
/** Tests without an argument that leave most things alone. */
const LEAVING = new Set(["-empty", "-nouser", "-nogroup", "-false"]);
const WRITING = new Set(["-fprint", "-fprint0", "-fls"]);
const RUNNING = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** What has held of all that comes to a place in the expression: tests before it, joined by `-a`. */
interface Found {
  /** Some test leaves things out: it is not the starting point itself. */
  readonly narrowed: boolean;
  /** Its name matches one of these. */
  readonly only: readonly string[] | undefined;
  /** Its name or path is none of these. */
  readonly without: readonly FoundName[];
}

/** A test of a name or of a path as find writes it. */
interface FoundName {
  readonly is: "-name" | "-path";
  readonly glob: string;
  /** Nothing below it is come to, either, where `-prune` holds. */
  readonly pruned?: true;
  /** Of folders only. */
  readonly folder?: true;
}

interface Expression {
  readonly removes: readonly Found[];
  readonly commands: readonly FindCommand[];
  /** What is printed besides what the commands print: the paths themselves, other text, or nothing. */
  readonly prints: Found | "text" | "nothing";
}

interface FindCommand {
  readonly found: Found;
  readonly words: readonly Value[];
  /** It runs in the folder of what is found, and gets its bare name. */
  readonly inFolder: boolean;
}

export const find = (inv: Invocation): void => walk(inv, [], 0);

/** find(1) of BSD has options that may stand together, and `-f FOLDER`. */
export function bsdFind(inv: Invocation): void {
  const { roots, next } = bsdStarts(inv);
  walk(inv, roots, next);
}

function walk(inv: Invocation, first: readonly Value[], start: number): void {
  const { words } = inv;
  let at = start;
  for (; at < words.length && inv.spec.analyse === "find"; at++) {
    const text = textOf(words[at] ?? literal(""));
    if (text === "-H" || text === "-L" || text === "-P" || (text !== undefined && /^-O\d*$/.test(text))) continue;
    if (text === "-D") at++;
    else break;
  }
  const roots: Value[] = [...first];
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const text = textOf(word);
    // What begins as an action does may be one, whatever stands behind: `-d*`.
    if (text === undefined ? /^[-!(),]/.test(prefixOf(word)) : /^(?:-.|[!(,]$)/.test(text)) break;
    if (text === undefined && (prefixOf(word) === "" || withoutNames(word) !== undefined) && mayBeAction(inv, word))
      refuse(inv, `${describe(word)} may turn out to be an action of find`, "quote it, or start it with ./");
    roots.push(word);
  }
  const expression = readExpression(inv, words.slice(at));
  const follows = words.some((word) => /^-(?:[HPEXdsx]*L[HLPEXdsx]*|follow)$/.test(textOf(word) ?? ""));
  // find(1), -prune: without effect where what lies below a folder comes first; -mindepth: no test is tried above.
  const prunes = !words.some((word) => /^(?:-d|-depth|-mindepth|-delete|-[HPEXLsx]*d[HPEXLsxd]*)$/.test(textOf(word) ?? "-d"));
  const named = ({ only, without }: Found, root?: Value): { readonly filter?: TreeFilter } => {
    const out = without.flatMap((name) => leftOut(name, prunes, root === undefined ? undefined : textOf(root)));
    if (only === undefined && !follows && out.length === 0) return {};
    return {
      filter: {
        ...(only === undefined ? {} : { only }),
        ...(out.length === 0 ? {} : { without: out }),
        ...(follows ? { follows: true as const } : {}),
      },
    };
  };
  const starts = roots.every(mayBeNone) ? [...roots, literal(".")] : roots;
  for (const root of starts) emitFile(inv, "list", root, true);
  for (const found of expression.removes)
    // A folder goes only when it is empty: of what has such a name nothing else goes with it.
    for (const root of starts) emitFile(inv, "delete", found.narrowed ? below(root, named(found, root)) : root, found.only === undefined);
  const streams: Stream[] = [];
  for (const command of expression.commands) {
    const filled = (by: Value): Stream =>
      inv.run.argv(
        inv.cx,
        inv.state,
        command.words.map((word) => fillFound(word, by)),
        sharedInput(inv.stdin),
      );
    for (const start of starts) {
      if (command.inFolder) {
        streams.push(...inFolders(inv, command, start, named({ ...command.found, without: [] })));
        continue;
      }
      const text = textOf(start);
      const why = "a path that find finds";
      const atoms: readonly Atom[] =
        text === undefined
          ? [{ hole: true, why }]
          : [`${text.replace(/\/$/, "")}/`, { hole: true, why, below: true, ...named(command.found, start) }];
      streams.push(filled({ atoms, many: false }));
      // And with the starting point itself, by its own name.
      if (text !== undefined && !command.found.narrowed && command.words.some((word) => textOf(word) === "{}")) streams.push(filled(start));
    }
  }
  if (expression.prints === "text") streams.push({ is: "unknown", why: "what find prints", network: false });
  else if (expression.prints !== "nothing") {
    const found = expression.prints;
    const values = starts.map((root): Value => {
      const text = textOf(root);
      return text === undefined
        ? { atoms: [...root.atoms, { hole: true, why: "a path that find prints" }], many: false }
        : {
            atoms: [`${text.replace(/\/$/, "")}/`, { hole: true, why: "a path that find prints", below: true, ...named(found, root) }],
            many: false,
          };
    });
    const told = streams.length === 0 && inv.spec.analyse === "find" && surelyFinds(inv, starts, words.slice(at));
    streams.push({ is: "paths", values, ...(told ? { told } : {}) });
  }
  inv.output = together(streams);
}

/** What several commands print, each of them any number of times. */
function together(streams: readonly Stream[]): Stream {
  const some = streams.filter((stream) => stream.is !== "none");
  const [first] = some;
  if (first === undefined) return NOTHING;
  if (some.length === 1 && first.is === "paths") return first;
  const values = some.flatMap((stream) => (stream.is === "paths" ? stream.values : []));
  if (some.every((stream) => stream.is === "paths")) return { is: "paths", values };
  return { is: "unknown", why: "what the commands of find print", network: some.some(isNetwork) };
}

/** -execdir: in the folder of the starting point for itself, and in folders below it, with bare names. */
function inFolders(inv: Invocation, command: FindCommand, start: Value, named: object): readonly Stream[] {
  const text = textOf(start);
  const known = text !== undefined && !/(^|\/)\.\.(\/|$)/.test(text) ? text.replace(/\/+$/, "") || "/" : undefined;
  const within = (path: string): readonly ShellPlace[] =>
    path.startsWith("/")
      ? [{ is: "below", path: resolvePath("/", path) }]
      : inv.state.places.map((place) => (place.is === "at" ? { is: "below", path: resolvePath(place.path, path) } : place));
  const runAt = (places: readonly ShellPlace[], by: Value): Stream => {
    const state = inv.state.fork();
    state.places = places;
    return inv.run.argv(
      inv.cx,
      state,
      command.words.map((word) => fillFound(word, by)),
      sharedInput(inv.stdin),
    );
  };
  // Some put `./` in front of the name, the find of BSD does not.
  const bare: Value = { atoms: [{ hole: true, why: "a name that find finds", below: true, mayDash: true, ...named }], many: false };
  if (known === undefined) return [runAt([{ is: "unknown", why: "the folder of what find finds" }], bare)];
  if (/^\.$/.test(known)) return [runAt(within(known), bare)];
  const parent = known.replace(/\/?[^/]*$/, "") || (known.startsWith("/") ? "/" : ".");
  const places = changePlaces(inv.state.places, literal(parent));
  return [runAt(within(known), bare), runAt(places, literal(known.replace(/^.*\//, "") || "/"))];
}

/** An option of find, a test or an action, which all begin with `-`. */
function mayBeAction(inv: Invocation, word: Value): boolean {
  return holeOf(word)?.ambient === true ? word.many : mayBegin(inv, word, "-(!,)");
}

const ANY: Found = { narrowed: false, only: undefined, without: [] };

/** What holds of all that one of several ways lets through. */
const either = (ways: readonly Found[]): Found => ({
  narrowed: ways.every(({ narrowed }) => narrowed),
  only: ways.some(({ only }) => only === undefined) ? undefined : ways.flatMap(({ only }) => only ?? []),
  without: (ways[0]?.without ?? []).filter((name) => ways.every(({ without }) => without.some((other) => sameName(name, other)))),
});

const sameName = (a: FoundName, b: FoundName): boolean =>
  a.is === b.is && a.glob === b.glob && a.pruned === b.pruned && a.folder === b.folder;

/** Patterns that every find reads alike: `*` is for a dot in front, too, and in a path for slashes. */
const PLAIN_GLOB = /^[^[\]\\]+$/;

/** What a walk from `root` leaves out by a test that does not hold. BSD's find writes `.//a` below `./`. */
function leftOut({ is, glob, pruned, folder }: FoundName, prunes: boolean, root: string | undefined): readonly LeftOut[] {
  const gone = pruned === true && prunes;
  if (folder === true && !gone) return [];
  if (is === "-name") return [{ by: folder === true ? "folder" : gone ? "name" : "item", glob }];
  const start = root === undefined || root.endsWith("/") ? undefined : `${root}/`;
  const path = glob.startsWith("*/") ? glob : start !== undefined && glob.startsWith(start) ? glob.slice(start.length - 1) : undefined;
  if (path === undefined) return [];
  return [...(folder === true ? [] : [{ by: "path", glob: path } as const]), ...(gone ? [{ by: "path", glob: `${path}/*` } as const] : [])];
}

/** A test of an expression that says nothing but a name or path. */
function nameTested(words: readonly Value[], at: number): FoundName | undefined {
  const test = textOf(words[at] ?? literal(""));
  const glob = words[at + 1] === undefined ? undefined : textOf(words[at + 1] ?? literal(""));
  if (glob === undefined || !PLAIN_GLOB.test(glob)) return undefined;
  if (test === "-name") return { is: "-name", glob };
  return test === "-path" || test === "-wholename" ? { is: "-path", glob } : undefined;
}

/** Tests of a way, joined by `-a`: what fails it is none of the names. */
interface WayOfNames {
  readonly names: readonly FoundName[] | undefined;
  readonly pruned: boolean;
  readonly folder: boolean;
}

const NO_NAMES: WayOfNames = { names: undefined, pruned: false, folder: false };

const namesOf = (way: WayOfNames | undefined): readonly FoundName[] | undefined =>
  way?.names?.map((name) => ({ ...name, ...(way.pruned ? { pruned: true } : {}), ...(way.folder ? { folder: true } : {}) }));

const addNames = (way: WayOfNames | undefined, names: readonly FoundName[] | undefined): WayOfNames | undefined =>
  way !== undefined && way.names === undefined && names !== undefined ? { ...way, names } : undefined;

/** `-prune` holds always, and only what came to it is pruned; any test besides lets through less than the name alone. */
function addTest(way: WayOfNames | undefined, words: readonly Value[], at: number, always: boolean): WayOfNames | undefined {
  const test = textOf(words[at] ?? literal(""));
  if (way === undefined || (test === "-prune" && way.names !== undefined)) return way === undefined ? way : { ...way, pruned: always };
  if (test === "-type" && textOf(words[at + 1] ?? literal("")) === "d") return { ...way, folder: true };
  return addNames(way, listOf(nameTested(words, at)));
}

const listOf = (name: FoundName | undefined): readonly FoundName[] | undefined => (name === undefined ? undefined : [name]);

/** find(1), EXPRESSION: `!` before `-a` before `-o` before `,`. An action gets what the tests in front of it let through, no more. */
function readExpression(inv: Invocation, words: readonly Value[]): Expression {
  const commands: FindCommand[] = [];
  const removes: Found[] = [];
  const prints: Found[] = [];
  let other = false;
  let at = 0;

  /** Reads up to the end, or the `)` of a group; `outer` holds of all that comes to its beginning. */
  const read = (outer: Found, first: boolean): { readonly found: Found; readonly names: readonly FoundName[] | undefined } => {
    let everyWay = true;
    // Every folder comes to this way but what is pruned.
    let always = first;
    let ways: Found[] = [];
    let here = outer;
    let negated = false;
    // The names of this way, as long as it lets through nothing but what has one of them.
    let way: WayOfNames | undefined = NO_NAMES;
    let before: readonly FoundName[] = [];
    for (; at < words.length; at++) {
      const word = words[at];
      const text = word === undefined ? undefined : textOf(word);
      if (word === undefined || text === undefined) {
        if (word !== undefined) refuse(inv, `a part of the expression of find is only known at run time: ${describe(word)}`, "quote it");
        continue;
      }
      if (text === "!" || text === "-not") {
        negated = !negated;
        continue;
      }
      if (text === ")") break;
      if (text === "(") {
        at++;
        const inner = read(here, always && way === NO_NAMES);
        here = negated ? { ...here, narrowed: true, without: [...here.without, ...(inner.names ?? [])] } : inner.found;
        way = negated ? undefined : addNames(way, inner.names);
      } else if (text === "-o" || text === "-or") {
        ways.push(here);
        const names = namesOf(way);
        before = [...before, ...(names ?? [])];
        everyWay &&= names !== undefined;
        always &&= names?.every(({ pruned }) => pruned === true) === true;
        here = { ...outer, without: [...outer.without, ...before] };
        way = NO_NAMES;
      } else if (text === ",") {
        ways = [];
        everyWay = false;
        always = first;
        here = outer;
        before = [];
        way = NO_NAMES;
      } else {
        const from = at;
        here = one(text, here, negated);
        way = text === "-a" || text === "-and" ? way : negated ? undefined : addTest(way, words, from, always);
      }
      negated = false;
    }
    const last = namesOf(way);
    return { found: either([...ways, here]), names: everyWay && last !== undefined ? [...before, ...last] : undefined };
  };

  /** A test, an option or an action: what is let through behind it. */
  const one = (text: string, here: Found, negated: boolean): Found => {
    if (text === "-delete") removes.push(here);
    else if (RUNNING.has(text)) {
      const end = words.findIndex(
        (other, i) => i > at && (textOf(other) === ";" || (textOf(other) === "+" && textOf(words[i - 1] ?? literal("")) === "{}")),
      );
      if (end < 0) doubt(inv, `the command of find ${text} has no end`);
      commands.push({ found: here, words: words.slice(at + 1, end < 0 ? words.length : end), inFolder: text.endsWith("dir") });
      at = end < 0 ? words.length : end;
    } else if (WRITING.has(text) || text === "-fprintf") {
      const file = words[++at];
      if (file !== undefined) emitFile(inv, "write", file);
      if (text === "-fprintf") at++;
    } else if (text === "-files0-from") {
      const file = words[++at];
      if (file !== undefined) emitFile(inv, "read", file);
      refuse(inv, "find takes its starting points from a file");
    } else if (
      (VALUED.has(text) && (text !== "-depth" || DEPTH.test(textOf(words[at + 1] ?? literal("")) ?? ""))) ||
      /^-newer[aBcm][aBcmt]$/.test(text)
    ) {
      const value = words[++at];
      const given = value === undefined ? undefined : textOf(value);
      if (value?.many === true)
        refuse(inv, `the argument of find ${text} is only known at run time and may become an action: ${describe(value)}`, "quote it");
      if (text === "-printf") {
        if (/^(?:%p(?:\\n|\\0))+$/.test(given ?? "")) prints.push(here);
        else other = true;
      }
      // `-type f` and `-mindepth 1` leave nothing of a tree but empty folders.
      const leaves = !(text === "-type" && given === "f") && !/^-(maxdepth|mindepth|printf|regextype)$/.test(text);
      const only = text === "-name" && !negated && given !== undefined && given !== "*" ? (here.only ?? [given]) : here.only;
      const name = negated ? nameTested(words, at - 1) : undefined;
      return { narrowed: here.narrowed || leaves, only, without: name === undefined ? here.without : [...here.without, name] };
    } else if (LEAVING.has(text)) return { ...here, narrowed: true };
    else if (!PLAIN.has(text)) doubt(inv, `find has no known test \`${text}\``);
    if (text === "-print" || text === "-print0") prints.push(here);
    if (text === "-ls") other = true;
    return here;
  };

  const { found: all } = read(ANY, true);
  // A `)` too many ends nothing that find would run, and it runs nothing then.
  if (at < words.length) doubt(inv, "the expression of find has a `)` too many");
  const silent = commands.length > 0 || removes.length > 0;
  return { removes, commands, prints: other ? "text" : prints.length > 0 ? either(prints) : silent ? "nothing" : all };
}

function below(root: Value, named: { readonly filter?: TreeFilter }): Value {
  const text = textOf(root);
  return {
    atoms:
      text === undefined
        ? [{ hole: true, why: "what find finds" }]
        : [`${text.replace(/\/$/, "")}/`, { hole: true, why: "what find finds", below: true, ...named }],
    many: false,
  };
}

function fillFound(word: Value, found: Value): Value {
  const text = textOf(word);
  if (text === undefined || !text.includes("{}")) return word;
  if (text === "{}") return found;
  return {
    atoms: text.split("{}").flatMap((piece, i) => [...(i === 0 ? [] : found.atoms), ...(piece === "" ? [] : [piece])]),
    many: false,
  };
}

const PLACE = /\{[./]*\}/;

/** fd(1): -x and -X run what follows, up to a `;`, with the names found at its end or in place of `{}`, `{.}`, `{/}` … */
export function fd(inv: Invocation): void {
  const roots = rootsOf(inv);
  const bare = { mayDash: mayTellOption(inv) };
  inv.output = {
    is: "paths",
    values: roots.map((root) => ({ atoms: root.prefix === "" ? [{ ...root.name, ...bare }] : [root.prefix, root.name], many: false })),
  };
  const [program] = valuesOf(inv, "--exec", "--exec-batch");
  if (program === undefined) return;
  const words = [program, ...inv.args.rest];
  const end = words.findIndex((word) => textOf(word) === ";");
  if (end >= 0 && end < words.length - 1) return inv.cx.unknown("options of fd behind the command it runs", { span: inv.span });
  const command = end < 0 ? words : words.slice(0, end);
  const placed = command.some((word) => PLACE.test(textOf(word) ?? ""));
  for (const root of roots) {
    // Without a placeholder fd writes `./` in front.
    const name: Value = { atoms: [root.prefix === "" ? "./" : root.prefix, root.name], many: has(inv, "--exec-batch") };
    const argv = placed ? command.map((word) => fillMark(word, root)) : [...command, name];
    inv.run.argv(inv.cx, inv.state, argv, sharedInput(inv.stdin));
  }
  inv.output = { is: "unknown", why: "the output of the commands that fd runs", network: false };
}

interface FdRoot {
  readonly prefix: string;
  readonly name: Hole;
}

function rootsOf(inv: Invocation): readonly FdRoot[] {
  const filter = filterOf(inv);
  const why = "a name that fd finds";
  const outside: FdRoot = { prefix: "", name: { hole: true, why } };
  const given = [...inv.args.operands.slice(1), ...valuesOf(inv, "--search-path")];
  if (has(inv, "--base-directory", "--absolute-path")) return [outside];
  const name: Hole = { hole: true, why, below: true, ...(filter === undefined ? {} : { filter }) };
  if (given.length === 0) return [{ prefix: "", name }];
  return given.map((value) => {
    const text = textOf(value);
    return text === undefined || /(^|\/)\.\.(\/|$)/.test(text) ? outside : { prefix: text.replace(/\/?$/, "/"), name };
  });
}

/** What is certain of the names: none begins with a dot, all have one of these endings. */
function filterOf(inv: Invocation): TreeFilter | undefined {
  const hidden = has(inv, "--hidden", "--unrestricted");
  const endings = valuesOf(inv, "--extension").map(textOf);
  const plain = endings.length > 0 && endings.every((text) => text !== undefined && /^[\w.]+$/.test(text));
  const { without } = walkFilter(inv, !hidden) ?? {};
  if (hidden && !plain && without === undefined) return undefined;
  return {
    ...(hidden ? {} : { hidden: false }),
    ...(plain ? { only: endings.map((text) => `*.${text}`) } : {}),
    ...(without === undefined ? {} : { without }),
  };
}

/** `{}` is the name, `{.}` the name without its ending, `{//}` its folder: below the starting point. `{/}` and `{/.}` are its last part. */
function fillMark(word: Value, { prefix, name }: FdRoot): Value {
  const text = textOf(word);
  if (text === undefined || !PLACE.test(text)) return word;
  const part: Hole = { hole: true, why: name.why, ...(name.below === true ? { below: true } : {}) };
  const atoms = text.split(/(\{[./]*\})/).flatMap((piece): Atom[] => {
    if (piece === "" || !PLACE.test(piece)) return piece === "" ? [] : [piece];
    if (piece === "{/}" || piece === "{/.}" || prefix === "") return [piece === "{}" ? name : part];
    return [prefix, piece === "{}" ? name : part];
  });
  return { atoms: join(atoms), many: false };
}
