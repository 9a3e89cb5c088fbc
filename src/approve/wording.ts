import type { Action } from "../action/index.ts";
import { baseName } from "../path/index.ts";
import { clip, printable } from "./printable.ts";
import type { Answer, ProcessInfo, Question } from "./types.ts";

/** How questions and answers are put into words, without layout. All of it is safe to show. */

const LONGEST_NAME = 24;
const MOST_PARENTS = 4;
const INTERPRETER = /^(?:node|nodejs|bun|deno|python[\d.]*|ruby|perl|php|bash|sh|dash|zsh|fish)$/;

export const programName = ({ name }: ProcessInfo): string => clip(printable(name), LONGEST_NAME);

/** `npm (node 4121 ← sh ← assent)`. The script's name is what the process says of itself: the program's stands beside it. */
export function who({ process, ancestry }: Question): string {
  const parents = ancestry.slice(0, MOST_PARENTS).map(programName);
  const line = [String(process.pid), ...parents, ...(ancestry.length > MOST_PARENTS ? ["…"] : [])].join(" ← ");
  const script = scriptOf(process);
  return script === undefined ? `${programName(process)} (${line})` : `${script} (${programName(process)} ${line})`;
}

/** What an interpreter runs, where that is plain to see. */
function scriptOf({ name, argv }: ProcessInfo): string | undefined {
  const script = argv[1];
  if (script === undefined || script.startsWith("-") || !INTERPRETER.test(name)) return undefined;
  const base = baseName(script);
  return /^[\w.+@-]{1,32}$/.test(base) ? base : undefined;
}

/** A path as people write it: below home as `~`. */
export function shorten(path: string, home: string | undefined): string {
  if (home === undefined || home === "/" || !path.startsWith(home)) return path;
  const rest = path.slice(home.length);
  return rest === "" || rest.startsWith("/") ? `~${rest}` : path;
}

/** Where alike questions lead: their common folder or host. Undefined where there is none to name. */
export function place(questions: readonly Question[], home: string | undefined): string | undefined {
  const hosts = new Set(questions.map(({ action }) => (action.kind === "net" ? action.host : undefined)));
  const [host] = hosts;
  if (hosts.size === 1 && host !== undefined) return printable(host);
  const paths = questions.map(({ action }) => pathOf(action));
  let common: readonly string[] | undefined;
  for (const path of paths) {
    if (path === undefined) return undefined;
    const folders = path.split("/").slice(0, -1);
    if (common === undefined) common = folders;
    else {
      const differs = common.findIndex((name, at) => name !== folders[at]);
      if (differs !== -1) common = common.slice(0, differs);
    }
  }
  return common === undefined || common.length < 2 ? undefined : printable(shorten(common.join("/"), home));
}

function pathOf(action: Action): string | undefined {
  return action.kind === "file" && (action.target.kind === "path" || action.target.kind === "tree") ? action.target.path : undefined;
}

/** What was answered, for the line that stays on the terminal and for records. */
export function said(answer: Answer): string {
  if (answer.answer === "quit") return "ended the run";
  if (answer.scope === "always") return `${answer.answer === "allow" ? "allowed" : "denied"} always, as ${printable(answer.rule)}`;
  if (answer.answer === "deny") return "denied";
  switch (answer.scope) {
    case "once":
      return "allowed once";
    case "session":
      return "allowed for this run, and what is like it";
    case "tree":
      return "allowed this process and what it starts, for this run";
  }
}
