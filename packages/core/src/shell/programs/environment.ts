import { resolvePath } from "../../path/index.ts";
import { doubt, refuse, type Invocation } from "./invocation.ts";
import { applyKind } from "./kinds.ts";
import { fits, namesCode, readVariable } from "../knowledge/environment.ts";
import { matchesName } from "../knowledge/names.ts";
import { readReads, type ReadsRow } from "../knowledge/reads.ts";
import { type Handed, isArray, type ShellState, type ShellVariable } from "../words/state.ts";
import { handOn } from "../words/variables.ts";
import { isHole, textOf, unknown, type Atom, type Value } from "../words/value.ts";

/** The program that is asked. One without an entry has no rows that could name an operand kind. */
type AskedProgram = Pick<Invocation, "cx" | "state" | "exec" | "name" | "span" | "reads"> & { readonly whole?: Invocation };

/** Where the variables go that the line sets for its programs: each program is asked what it does with each of them. */
export function applyEnvironment(inv: AskedProgram): void {
  const { environment } = inv.state;
  if (environment.size === 0) return;
  const trusted = inv.whole !== undefined && isTrusted(inv);
  const rows = trusted ? (inv.reads ?? []).flatMap(readReads) : [];
  const open = !trusted || runsCode(inv) || mayRunCode(inv.whole);
  for (const [name, handed] of environment) {
    const { value, span } = handed;
    if (handed === NO_HOME && trusted && !looksAtNothing(rows))
      refuse({ cx: inv.cx, span: inv.span }, `without HOME ${inv.name} may take settings from the current folder`, "hand HOME on");
    if (name === ANY_NAME) {
      if (!open) refuse({ cx: inv.cx, span: span ?? inv.span }, `hands ${inv.name} the variables of a file, which can be the loader's`);
      continue;
    }
    if (value === undefined || isUnchanged(inv.state, name, value)) continue;
    const told = judgeHanded(inv, { name, value, rows, open });
    if (told !== undefined) refuse({ cx: inv.cx, span: span ?? inv.span }, `sets ${name}${told}`, "leave the variable out");
  }
}

/** `env -i bash -c …`: a shell without PATH looks in a list of its own, which in bash ends in the current folder (config-top.h). */
export const NO_PATH: Handed = { value: undefined, span: undefined };

/** Some look for the settings of their user in the current folder then, code among them (exiftool's `.ExifTool_config`). */
const NO_HOME: Handed = { value: undefined, span: undefined };

/** The entry says that the program looks at no variable of its own. */
const looksAtNothing = (rows: readonly ReadsRow[]): boolean =>
  rows.some(({ names, what }) => names.includes("*") && what instanceof RegExp && what.test(""));

/** The next program gets nothing of the environment, or not these names. */
export function takeAway(state: ShellState, taken: (name: string) => boolean): void {
  if (taken("PATH")) handOn(state, "PATH", NO_PATH);
  if (taken("HOME")) handOn(state, "HOME", NO_HOME);
}

/** Stands in the environment for all that a file of variables may set. */
const ANY_NAME = "*";

/** What is started from here on gets variables that nobody has read: for code of the project they are its own. */
export function startWithFile(inv: Invocation, command: readonly Value[]): void {
  const { environment } = inv.state;
  handOn(inv.state, ANY_NAME, { value: unknown("the variables of a file", true), span: inv.span });
  inv.output = inv.run.argv(inv.cx, inv.state, command, inv.stdin);
  inv.state.environment = environment;
}

interface GivenVariable {
  readonly name: string;
  readonly value: ShellVariable;
  readonly rows: readonly ReadsRow[];
  /** Nobody knows what the program does, or it runs code that nobody knows. */
  readonly open: boolean;
}

/** Why it cannot be told what a variable does to the program; undefined where it can. What it names becomes actions. */
function judgeHanded(inv: AskedProgram, { name, value, rows, open }: GivenVariable): string | undefined {
  const text = isArray(value) ? undefined : textOf(value);
  const known = readVariable(name, text ?? (isArray(value) ? undefined : withDigits(value)));
  if (known === "harmless") return undefined;
  const own = rows.find(({ names }) => names.some((one) => one !== "*" && matchesName(one, name)));
  if (own !== undefined) return judgeOwn(inv, name, value, own);
  if (known !== "unknown") {
    // The shell has said so already.
    if (known.everywhere || (open && known.unfit === true)) return undefined;
    return open && namesCode(name) && staysInProject(inv, value) ? undefined : `: ${known.controls}`;
  }
  const other = rows.find(({ names }) => names.includes("*"));
  if (other !== undefined) return judgeOwn(inv, name, value, other);
  return open ? undefined : `, and what ${inv.name} does with it is not known`;
}

function judgeOwn(inv: AskedProgram, name: string, value: ShellVariable, { what }: ReadsRow): string | undefined {
  const text = isArray(value) ? undefined : (textOf(value) ?? withDigits(value));
  if (what instanceof RegExp) return fits(what, text) ? undefined : `, and what ${inv.name} does with such a value is not known`;
  if (what === "words") {
    if (text === undefined) return ", which is only known at run time";
    doubt(inv, `sets ${name}, which adds \`${text}\` to the options of ${inv.name}`);
    return undefined;
  }
  if (isArray(value)) return ", which is only known at run time";
  if (what.is === "refuse") return `: it decides what ${inv.name} runs or whom it trusts`;
  if (inv.whole !== undefined) applyKind(inv.whole, what, value);
  return undefined;
}

/** Numbers that are only known at run time are numbers all the same. */
function withDigits(value: Value): string | undefined {
  const isNumber = (atom: Atom): boolean => typeof atom === "string" || (isHole(atom) && atom.number === true);
  if (!value.atoms.every(isNumber)) return undefined;
  return value.atoms.map((atom) => (typeof atom === "string" ? atom : "1")).join("");
}

/** `FOO=$FOO`: what it had before. */
const isUnchanged = (state: ShellState, name: string, value: ShellVariable): boolean => {
  if (isArray(value) || state.variables.has(name)) return false;
  const [only, ...more] = value.atoms;
  return only !== undefined && more.length === 0 && typeof only !== "string" && isHole(only) && only.why === `$${name}`;
};

const isTrusted = (inv: AskedProgram): boolean => {
  const action = inv.cx.actions[inv.exec];
  return action?.kind === "exec" && action.trusted;
};

/** Code of the project or of the command line that nobody has read: what it does is asked already, whatever it is given. */
const runsCode = (inv: AskedProgram): boolean =>
  inv.cx.actions.some(
    (action, at) =>
      at > inv.exec &&
      action.kind === "code" &&
      action.foreign !== true &&
      action.origin.by === "command" &&
      action.origin.exec === inv.exec,
  );

/** An unlisted subcommand of a program whose operands are code of the project: `vitest run`. */
const mayRunCode = (whole: Invocation | undefined): boolean =>
  whole?.grammar.slots?.some(({ kind }) => kind.is === "code" && kind.language === "project") === true && whole.args.operands.length > 0;

/** A list of folders, files and modules, all of them the project's; what stood there before may stay. */
function staysInProject(inv: AskedProgram, value: ShellVariable): boolean {
  if (isArray(value)) return false;
  const { world } = inv.cx;
  const root = world.canonical(world.projectRoot);
  const [place, ...others] = inv.state.places;
  if (place?.is !== "at" || others.length > 0) return false;
  const isInside = (folder: string): boolean => {
    if (folder.startsWith("~")) return false;
    const path = world.canonical(resolvePath(place.path, folder === "" ? "." : folder));
    return path === root || path.startsWith(`${root}/`);
  };
  return value.atoms.every((atom, at) => {
    if (typeof atom === "string") return splitList(atom, at > 0, at < value.atoms.length - 1).every(isInside);
    return isHole(atom) && /^\$(?:PWD|PYTHONPATH|NODE_PATH|RUBYLIB|PERL5LIB|CLASSPATH)$/.test(atom.why);
  });
}

/** The folders of a piece of a list. Beside another piece there is a `:`, or what is written there belongs to that piece. */
function splitList(text: string, after: boolean, before: boolean): readonly string[] {
  const folders = text.split(":");
  return folders.filter((folder, at) => !(folder === "" && ((after && at === 0) || (before && at === folders.length - 1))));
}
