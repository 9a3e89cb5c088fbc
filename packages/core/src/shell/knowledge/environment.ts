import { VARIABLES } from "#knowledge/variables";
import { ASKED_VARIABLES } from "../../policy/index.ts";
import { namedBy } from "./names.ts";
import { GRAMMARS, readGrammar } from "./reads.ts";

/**
 * Environment variables. Unknown is unknown: a variable that reaches a known program is harmless only when a block of
 * `packages/core/knowledge/variables/` says so of such a value, or when the program's entry says what it does with it (`reads`).
 */
interface VariableGroup {
  readonly names: readonly string[];
  readonly isNamed: (name: string) => boolean;
  /** Keys and their values, empty for those that have none. */
  readonly said: ReadonlyMap<string, string>;
}

let groups: readonly VariableGroup[] | undefined;

/** `brief` of scripts/knowledge.mjs says how they are written. */
function allGroups(): readonly VariableGroup[] {
  let before = "";
  return (groups ??= VARIABLES.split("\n\n").map((block) => {
    const [head = "", ...fields] = block.split("\n");
    const names = head.split(" ").flatMap((name) => (name === "@agents" ? ASKED_VARIABLES : [name]));
    const said = new Map(
      fields.map((field): readonly [string, string] => {
        if (field.startsWith("=")) return ["harmless", field.slice(1)];
        if (field.startsWith("-")) return ["is", (before = field.slice(1) || before)];
        return [field.split(":", 1)[0] ?? "", field.replace(/^\w+:? ?/, "")];
      }),
    );
    return { names, isNamed: namedBy(names), said };
  }));
}

/** A longer value than this fits no grammar: nobody writes one. */
const LONGEST_VALUE = 1000;

const NOTHING = /(?!)/;

/** `value` is undefined when it is only known at run time. */
export const fits = (grammar: RegExp, value: string | undefined): boolean =>
  value === undefined ? grammar === GRAMMARS.any : value.length <= LONGEST_VALUE && grammar.test(value);

/** What is known of a variable whatever program gets it. */
export type Variable =
  | "harmless"
  | "unknown"
  /** `unfit`: harmless with other values than this one. */
  | { readonly controls: string; readonly everywhere: boolean; readonly unfit?: true; readonly guessed?: true };

/** Whether a variable with this value is harmless to every known program, or what it controls. */
export function readVariable(name: string, value: string | undefined): Variable {
  const named = allGroups().filter(({ isNamed, said }) => isNamed(said.has("folds") ? name.toLowerCase() : name));
  const rows = named.filter(({ said }) => said.has("harmless"));
  if (rows.some(({ said }) => fits(readGrammar(said.get("harmless") ?? "") ?? NOTHING, value))) return "harmless";
  const found = named.find(({ said }) => said.has("steers"))?.said;
  if (found !== undefined)
    return { controls: found.get("steers") ?? "", everywhere: found.has("everywhere"), ...(found.has("guessed") ? { guessed: true } : {}) };
  const row = rows[0]?.said;
  if (row === undefined) return "unknown";
  const controls = `such a value may be more than ${row.get("is") ?? ""}`;
  return { controls, everywhere: false, ...(row.has("everyone") ? {} : { unfit: true }) };
}

/** All names that stand in the table by themselves. */
export const variableNames = (): readonly string[] => [
  ...new Set(allGroups().flatMap(({ names, said }) => (said.has("code") ? [] : names.filter((name) => !name.includes("*"))))),
  "LC_ALL",
  "LC_CTYPE",
  "LC_MESSAGES",
  "TF_VAR_x",
];

/** True for a variable that only says where the code that a program runs finds more of it. */
export const namesCode = (name: string): boolean => allGroups().some(({ isNamed, said }) => said.has("code") && isNamed(name));
