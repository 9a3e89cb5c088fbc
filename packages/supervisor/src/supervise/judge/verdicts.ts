import { type Action, type FileAction, visible } from "@assent/core/action";
import { REASONS, type Verdict, verdictOf } from "@assent/core/policy";

export const ALLOWED = verdictOf("allow", "run.default");
export const TOOL_SERVICE = verdictOf("allow", "run.errand");
export const KEPT = verdictOf("deny", "floor.runs");
/** Whoever is asked about must not see what is asked of others, nor answer. */
export const ASKING = verdictOf("deny", "floor.self", { reason: "here Assent asks the user and is asked" });
export const TOO_LARGE = verdictOf("ask", "run.large-move");
/** Asked of nobody but a person at a terminal. */
export const PROGRAMS = verdictOf("ask", "run.programs");
export const OUTSIDE = verdictOf("ask", "run.outside");
export const LENDS = verdictOf("ask", "run.lends-rights");

/** Of a repository, and what git makes it from. */
export const isConfig = (path: string): boolean => /\/(?:config(?:\.worktree)?|commondir|gitdir)(?:\.lock)?$/.test(path);

export const HOOKED = (path: string): Verdict => ({
  decision: "ask",
  basis: "protection",
  builtin: isConfig(path) ? "protect.git-config" : "danger.persistence",
  reason: `git later starts this file, or a program that it names, outside of this run: ${visible(path)}`,
  help: REASONS["protect.git-config"].help,
});

/** Later commands, outside of the run, take programs or hosts from it. */
export const CONTROLS = (path: string): Verdict =>
  verdictOf("ask", "protect.steering", { reason: `this file decides which programs or servers later commands use: ${visible(path)}` });

/** Somebody means it: not a default of the run. */
export const isMeant = ({ decision, basis }: Verdict): boolean =>
  decision !== "allow" && (basis === "rule" || basis === "protection" || basis === "floor");

/** What is shown of a call is its first action: where another one of it lies outside, that is said of its own place. */
export function ofPlace(verdict: Verdict, action: Action, [first]: readonly Action[]): Verdict {
  if (verdict.builtin !== "run.outside" || action === first || action.kind !== "file" || action.target.kind !== "path") return verdict;
  return { ...verdict, reason: `${visible(action.target.path)} lies outside the working folder and temporary folders` };
}

/** Of what has a name in the file system; else empty. */
export const pathOf = ({ target }: FileAction): string => (target.kind === "path" || target.kind === "tree" ? target.path : "");

export const isChange = ({ operation }: FileAction): boolean => operation !== "read" && operation !== "list" && operation !== "execute";

/** tmux runs in its terminal what the server that it finds there tells it to. */
export const COMMANDS_TERMINALS = (path: string): Verdict => ({
  decision: "ask",
  basis: "protection",
  builtin: "danger.persistence",
  reason: `a tmux outside of this run would do what the program behind this socket says: ${visible(path)}`,
  help: {
    person: "agree only if you want this tmux server, or give tmux a socket of its own with -S",
    model: "give tmux a socket of its own with -S, or ask the user to agree",
  },
});
