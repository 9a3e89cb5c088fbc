import type { Action, ExecAction } from "../../action/index.ts";
import type { RequestVerdict } from "../../policy/index.ts";

/** Why something runs without a question, and the heading it is shown under. */
export interface Approval {
  readonly reason: string;
  readonly group: string;
}

/** What codex says of the commands it knows, by program, or by program and subcommand. */
const KNOWN: Readonly<Record<string, readonly [reason: string, group: string]>> = {
  cd: ["Change directory", "Navigating"],
  ls: ["List directory", "Searching"],
  pwd: ["Print working directory", "Navigating"],
  true: ["No-op (true)", "Utility"],
  echo: ["Echo string", "Printing"],
  cat: ["View file contents", "Reading files"],
  rg: ["Ripgrep search", "Searching"],
  find: ["Find files or directories", "Searching"],
  grep: ["Text search (grep)", "Searching"],
  head: ["Show file head", "Reading files"],
  tail: ["Show file tail", "Reading files"],
  wc: ["Word count", "Reading files"],
  which: ["Locate command", "Searching"],
  sed: ["Sed print subset", "Reading files"],
  "git status": ["Git status", "Versioning"],
  "git branch": ["List Git branches", "Versioning"],
  "git log": ["Git log", "Using git"],
  "git diff": ["Git diff", "Using git"],
  "git show": ["Git show", "Using git"],
  "cargo check": ["Cargo check", "Running command"],
};

export const CHANGE_DIRECTORY: Approval = { reason: "Change directory", group: "Navigating" };

/** In the words of the first command; a rule that a person wrote is said to be theirs. */
export function approvalFor(verdict: RequestVerdict): Approval {
  const actions = verdict.actions.map(({ action }) => action);
  const written = verdict.actions.find(({ verdict: { basis } }) => basis === "rule");
  if (written !== undefined) return { reason: "User-defined safe command", group: "User config" };
  if (verdict.actions.some(({ verdict: { basis } }) => basis === "mode"))
    return { reason: "Changes files inside the writable roots", group: "Editing" };
  const first = actions.find((action): action is ExecAction => action.kind === "exec" && !wraps(action, actions));
  const known = first !== undefined && Object.hasOwn(KNOWN, nameOf(first)) ? KNOWN[nameOf(first)] : undefined;
  if (known !== undefined) return { reason: known[0], group: known[1] };
  return { reason: first === undefined ? "Nothing is run" : `${nameOf(first)} changes nothing`, group: "Running commands" };
}

/** `bash -lc "ls"` is said to be what it runs. */
function wraps({ program }: ExecAction, actions: readonly Action[]): boolean {
  return /^(?:env|(?:ba|z|da|k)?sh)$/.test(program) && actions.filter(({ kind }) => kind === "exec").length > 1;
}

function nameOf({ program, argv }: ExecAction): string {
  if (program !== "git" && program !== "cargo") return program;
  // Options in front of a subcommand are not its name.
  const names = argv.slice(1).map((word) => (word.known ? `${program} ${word.text}` : ""));
  return names.find((name) => name in KNOWN) ?? program;
}
