import { type FileAction, type Verdict, visible } from "../../action/index.ts";

export const ALLOWED: Verdict = { decision: "allow", basis: "default", builtin: "run.default", reason: "allowed in a supervised run" };
export const ERRAND: Verdict = {
  decision: "allow",
  basis: "knowledge",
  builtin: "run.errand",
  reason: "what this program was started for",
};

export const KEPT: Verdict = {
  decision: "deny",
  basis: "floor",
  builtin: "floor.runs",
  reason: "the records of runs hold what files were before they were changed, secrets among them",
  help: "ask the user to look it up with `assent receipt` or `assent undo`",
};

export const TOO_LARGE: Verdict = {
  decision: "ask",
  basis: "protection",
  builtin: "run.large-move",
  reason: "more is moved than can be looked through for what is protected",
  help: "move it in parts, or allow it for this run",
};

export const LENDS: Verdict = {
  decision: "ask",
  basis: "default",
  builtin: "run.lends-rights",
  reason: "whoever starts the file gets root's rights, or those of its group",
  help: "allow it for this run, or remember a rule in the profile",
};

export const BROKEN: Verdict = { decision: "deny", basis: "protection", builtin: "failure", reason: "this call could not be judged" };

export const broken = (why: string): Verdict => ({
  decision: "ask",
  basis: "protection",
  builtin: "broken-policy",
  reason: `a policy file is broken: ${why}`,
  help: "mend the file",
});

/** Of a repository, and what git makes it from. */
export const isConfig = (path: string): boolean => /\/(?:config(?:\.worktree)?|commondir|gitdir)(?:\.lock)?$/.test(path);

export const HOOKED = (path: string): Verdict => ({
  decision: "ask",
  basis: "protection",
  builtin: isConfig(path) ? "protect.git-config" : "danger.persistence",
  reason: `git runs it, or what it names, later and outside this run: ${visible(path)}`,
  help: "let the user confirm",
});

/** Somebody means it: not a default of the run. */
export const isMeant = ({ decision, basis }: Verdict): boolean =>
  decision !== "allow" && (basis === "rule" || basis === "protection" || basis === "floor");

export const isChange = ({ operation }: FileAction): boolean => operation !== "read" && operation !== "list" && operation !== "execute";
