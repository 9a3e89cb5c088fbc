import { homeOf, workingDirectory } from "../tilde.ts";
import { changePlaces } from "../places.ts";
import { join, NOTHING, textOf, type Value } from "../value.ts";
import { expansion } from "../walk.ts";
import { done, type Builtin, type BuiltinCall } from "./index.ts";

/** The folder a `cd`-like builtin is given, or undefined for more than one. */
function operandOf(call: BuiltinCall): Value | undefined {
  const operands: Value[] = [];
  let ended = false;
  for (const word of call.words) {
    const text = textOf(word);
    if (!ended && text === "--") ended = true;
    else if (ended || text === undefined || text === "-" || !text.startsWith("-")) operands.push(word);
  }
  if (operands.length > 1) return undefined;
  return operands[0] ?? homeOf(expansion(call.cx, call.state));
}

const isFolder = (word: Value): boolean => !/^-(n|-)$|^$/.test(textOf(word) ?? "x") && word.atoms.length > 0;

const cd: Builtin = (call) => {
  const { state } = call;
  const ok = state.fork();
  // The stack of folders: `pushd` alone swaps its top, `+N` and `-N` turn it, -n moves nothing.
  if (call.words.some((word) => /^[-+]\d+$/.test(textOf(word) ?? "")) || (call.name === "pushd" && !call.words.some(isFolder))) {
    ok.places = [{ is: "unknown", why: `the folder \`${call.name}\` turns to` }];
    return { out: NOTHING, ok, fail: state };
  }
  const operand = operandOf(call);
  const before = workingDirectory(state);
  if (operand === undefined) ok.places = [{ is: "unknown", why: "`cd` with several operands" }];
  else if (textOf(operand) === "-") {
    const old = state.variables.get("OLDPWD");
    ok.places =
      old !== undefined && "atoms" in old ? changePlaces(state.places, old) : [{ is: "unknown", why: "the folder `cd -` goes back to" }];
  } else if (textOf(operand) !== "") {
    const physical = state.variables.has("-P") || call.words.some((word) => /^-[a-zA-Z]*P/.test(textOf(word) ?? ""));
    ok.places = changePlaces(state.places, operand, physical ? (path) => call.cx.world.canonical(path) : undefined);
  }
  ok.variables.set("OLDPWD", before);
  return { out: NOTHING, ok, fail: state };
};

const popd: Builtin = ({ state }) => {
  const ok = state.fork();
  ok.places = [{ is: "unknown", why: "the folder `popd` goes back to" }];
  return { out: NOTHING, ok, fail: state };
};

const pwd: Builtin = ({ state, words }) => {
  if (words.some((word) => !/^-[LP]+$/.test(textOf(word) ?? "")))
    return done(state, { is: "unknown", why: "what pwd prints", network: false });
  const value = workingDirectory(state);
  return done(state, { is: "text", value: { atoms: join([...value.atoms, "\n"]), many: false } });
};

export const MOVING: Readonly<Record<string, Builtin>> = { cd, chdir: cd, pushd: cd, popd, pwd };
