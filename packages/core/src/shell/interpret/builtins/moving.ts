import { changePlaces } from "../../words/paths.ts";
import type { ShellPlace } from "../../words/state.ts";
import { homeOf, workingDirectory } from "../../words/expand.ts";
import { isName, isWildcard, join, mayBeNone, NOTHING, oneWord, prefixOf, textOf, type Stream, type Value } from "../../words/value.ts";
import { expansion, type ShellOutcome } from "../walk.ts";
import { done, type Builtin, type BuiltinCall } from "./index.ts";

const NAMES: Stream = { is: "unknown", why: "the names of folders", network: false };

/** Leaves for `places`, where it can; the folder before is then the old one. */
function move(call: BuiltinCall, places: readonly ShellPlace[], out: Stream): ShellOutcome {
  const { cx, state } = call;
  const ok = state.fork();
  cx.moves();
  cx.changes("PWD");
  cx.changes("OLDPWD");
  ok.places = places;
  ok.setVariable("OLDPWD", workingDirectory(state));
  return { out, ok, fail: state };
}

const somewhere = (why: string): readonly ShellPlace[] => [{ is: "unknown", why }];

/** What is no folder but, perhaps, an option: a name that a pattern matches is looked at, other text is a folder that nobody knows. */
const isOption = ({ given: { doubt, rest } }: BuiltinCall): boolean =>
  doubt !== undefined && (rest[0] === undefined || isName(rest[0]) || prefixOf(rest[0]) !== "");

const cd: Builtin = (call) => {
  const { cx, state, name, given } = call;
  const [operand] = given.rest;
  const text = operand === undefined ? undefined : textOf(operand);
  // The stack of folders: `pushd` alone swaps its top, `+N` and `-N` turn it, -n moves nothing.
  const turns = call.words.some((word) => /^[-+]\d+$/.test(textOf(word) ?? ""));
  if (isOption(call) || turns || given.letters.includes("n") || (name === "pushd" && (operand === undefined || text === "-")))
    return move(call, somewhere(`the folder \`${name}\` turns to`), NAMES);
  // zsh replaces the first in the folder's name by the second.
  if (given.rest.length > 1) return move(call, somewhere("`cd` with several operands"), NAMES);
  if (text === "-") {
    const old = state.variables.get("OLDPWD");
    return move(call, old !== undefined && "atoms" in old ? reach(call, old) : somewhere("the folder `cd -` goes back to"), NAMES);
  }
  if (text === "") return done(state);
  if (operand?.many === true && cx.maybeZsh && operand.atoms.some(isWildcard)) return move(call, somewhere("`cd` with a pattern"), NAMES);
  const home = homeOf(expansion(cx, state));
  const elsewhere = operand === undefined ? [] : throughCdpath(call, operand);
  const reached =
    operand !== undefined && mayBeNone(operand) ? [...reach(call, oneWord(operand)), ...reach(call, home)] : reach(call, operand ?? home);
  return move(call, [...reached, ...elsewhere], name === "pushd" || elsewhere.length > 0 ? NAMES : NOTHING);
};

/** The shell takes `..` off the name; with -P it stands in the folder itself. */
function reach({ cx, state, given: { letters } }: BuiltinCall, target: Value): readonly ShellPlace[] {
  const lexical = changePlaces(state.places, target);
  if (!letters.includes("P") && !state.options.has("physical")) return lexical;
  const physical = changePlaces(state.places, target, (path) => cx.world.canonical(path)).map((place): ShellPlace =>
    place.is === "at" ? { is: "at", path: cx.world.canonical(place.path) } : place,
  );
  return letters.lastIndexOf("P") > letters.lastIndexOf("L") && !letters.includes("L") ? physical : [...lexical, ...physical];
}

/** A name that does not begin with `/`, `./` or `../` is looked for below the folders of CDPATH first (bash(1), cd). */
function throughCdpath({ cx, state }: BuiltinCall, operand: Value): readonly ShellPlace[] {
  const folders = cx.world.env("CDPATH");
  if (folders === undefined || folders === "" || /^(\/|\.\.?(\/|$))/.test(prefixOf(operand))) return [];
  const text = textOf(operand);
  if (text === undefined) return somewhere("a folder that CDPATH leads to");
  return folders
    .split(":")
    .flatMap((folder) => changePlaces(changePlaces(state.places, { atoms: [folder === "" ? "." : folder], many: false }), operand))
    .filter((place) => place.is !== "at" || cx.world.kind(place.path) === "directory");
}

const popd: Builtin = (call) =>
  call.given.letters.includes("n") ? done(call.state, NAMES) : move(call, somewhere("the folder `popd` goes back to"), NAMES);

const pwd: Builtin = ({ state, given: { doubt, letters, rest } }) => {
  if (doubt !== undefined || rest.length > 0 || /[^LP]/.test(letters))
    return done(state, { is: "unknown", why: "what pwd prints", network: false });
  const value = workingDirectory(state);
  return done(state, { is: "text", value: { atoms: join([...value.atoms, "\n"]), many: false } });
};

export const MOVING: Readonly<Record<string, Builtin>> = { cd, chdir: cd, pushd: cd, popd, pwd };
