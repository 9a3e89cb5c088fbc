import { existsSync } from "node:fs";
import type { Action, Call, ExecAction, FileAction, Lowered, RequestVerdict, Verdict, World } from "../../action/index.ts";
import { compareStrictness } from "../../action/index.ts";
import {
  compiledPolicy,
  explicitFiles,
  findPolicyFiles,
  judgeContext,
  type PolicyReader,
  type PolicySource,
  POLICY_NAME,
  realWorld,
} from "../../guard/index.ts";
import { callMatcher, judge, type JudgeContext, type Policy } from "../../policy/index.ts";
import { lowerArgv } from "../../shell/index.ts";
import { isInside, type Machine } from "../../state/index.ts";
import type { Started } from "../door/exec.ts";
import { inTree } from "../door/processes.ts";
import { holdsSecret, ownsCredential } from "./secrets.ts";
import { type Errand, errandOf } from "./services.ts";

export interface RunJudgeOptions {
  readonly machine: Machine;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly policyFiles: readonly string[];
  /** File of the profile; it need not exist. */
  readonly profileFile: string;
  readonly reader: () => PolicyReader;
  readonly own: readonly string[];
}

/** Who makes a call, as far as judging needs it. */
export interface Caller {
  /** Trusted names of the program and of the script it runs, for credentials that belong to it. */
  readonly programs: () => readonly string[];
  /** What it and the programs that started it were started for. */
  readonly errands: () => readonly Errand[];
  /** What the command as it was typed says it does. */
  readonly typed: () => Errand;
}

/** A start of a program, judged. */
export interface JudgedExec {
  readonly verdict: Verdict;
  readonly action: Action;
  readonly errand: Errand;
  /** Trusted names it goes by. */
  readonly programs: readonly string[];
}

const INTERPRETER = /\/(?:node|nodejs|bun|deno|python[\d.]*|ruby|perl|bash|sh|dash|zsh)$/;
/** Dangers to files, which are seen happening and can be undone; and rights that nothing supervised can gain. */
const UNDOABLE = new Set(["danger.delete-recursive", "danger.history-rewrite", "danger.foreign-repository", "danger.privilege"]);
/** githooks(5): what git runs. Other files in the folder (samples, files half copied) are not run. */
const HOOK =
  /\/hooks\/(?:applypatch-msg|pre-applypatch|post-applypatch|pre-commit|pre-merge-commit|prepare-commit-msg|commit-msg|post-commit|pre-rebase|post-checkout|post-merge|pre-push|pre-receive|update|proc-receive|post-receive|post-update|reference-transaction|push-to-checkout|pre-auto-gc|post-rewrite|sendemail-validate|fsmonitor-watchman|p4-\w+(?:-\w+)*|post-index-change)$/i;

const ALLOWED: Verdict = { decision: "allow", basis: "default", builtin: "run.default", reason: "allowed in a supervised run" };
const ERRAND: Verdict = { decision: "allow", basis: "knowledge", builtin: "run.errand", reason: "what this program was started for" };
/** Judgements after which what the world remembers is dropped. */
const RENEW = 5000;
const MOST_REMEMBERED = 50_000;

/**
 * The policy of a run, and what it says about calls: the same rules, protections and presets as everywhere (`policy/`),
 * with the defaults of a run in place of those of a host: what is read, and what is written in the working folder and
 * temporary folders, goes ahead; programs start, for what they do is judged; the rest asks.
 */
export class RunJudge {
  readonly #options: RunJudgeOptions;
  readonly #roots: readonly string[];
  readonly #temp: readonly string[];
  #world: World;
  #policy: Policy;
  #context: JudgeContext;
  #sources: readonly PolicySource[];
  #judged = 0;
  /** The path being judged is what the kernel calls it: it needs no resolving. */
  #pinned = "";
  /** Verdicts by operation, name of the call and path; with patterns of calls every call is judged anew. */
  readonly #known = new Map<string, Map<string, Map<string, Verdict>>>();
  #remembered = 0;
  #remembers = false;
  readonly #folders = new Set<string>();

  constructor(options: RunJudgeOptions) {
    this.#options = options;
    this.#world = this.#freshWorld();
    const { home, projectRoot, cwd } = this.#world;
    const whole = (folder: string): boolean => isInside(home, folder);
    // A folder that holds home is nobody's project.
    this.#roots = [...new Set([cwd, projectRoot].map((folder) => this.#world.canonical(folder)))].filter((folder) => !whole(folder));
    this.#temp = [...new Set([...options.machine.temp, "/dev/shm"].map((folder) => this.#world.canonical(folder)))];
    this.#sources = this.#find({ actions: [], unknowns: [] });
    this.#policy = this.#compile();
    this.#context = this.#contextOf();
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** Reads the policy files again: a remembered answer may have been added. */
  reload(): void {
    this.#sources = this.#find({ actions: [], unknowns: [] });
    this.#renew();
  }

  /** The strictest of the verdicts for what one call does. */
  call(actions: readonly Action[], caller: Caller): Verdict {
    let strictest: Verdict = ALLOWED;
    for (const action of actions) {
      const verdict = action.kind === "file" ? this.#file(action, caller) : this.judgeOne(action);
      if (strictest === ALLOWED || compareStrictness(verdict, strictest) > 0) strictest = verdict;
    }
    return strictest;
  }

  #file(action: FileAction, caller: Caller): Verdict {
    const path = action.target.kind === "path" || action.target.kind === "tree" ? action.target.path : "";
    // What has no name in the file system: pipes, sockets, memory, files already deleted.
    if (!path.startsWith("/") || path.startsWith("/memfd:")) return ALLOWED;
    const known = this.#remembers ? this.#knownOf(action) : undefined;
    let verdict = known?.get(path);
    if (verdict === undefined) {
      this.#visit(path);
      this.#pinned = path;
      verdict = judge({ actions: [action], unknowns: [] }, this.#policy, this.#context).actions[0]?.verdict ?? BROKEN;
      if (this.#policy.broken !== undefined && verdict.decision === "allow") verdict = broken(this.#policy.broken);
      this.#pinned = "";
      verdict = this.#relaxed(action, path, verdict);
      if (++this.#judged % RENEW === 0) this.#renew();
      if (this.#remembers) this.#remember(action, path, verdict);
    }
    if (verdict.decision === "allow") return verdict;
    return this.#ownedBy(verdict, path, caller) ?? this.#onErrand(verdict, path, caller) ?? verdict;
  }

  #knownOf({ operation, call }: FileAction): Map<string, Verdict> | undefined {
    return this.#known.get(operation)?.get(call?.name ?? "");
  }

  #remember(action: FileAction, path: string, verdict: Verdict): void {
    if (++this.#remembered > MOST_REMEMBERED) this.#forget();
    const { operation, call } = action;
    const calls = this.#known.get(operation) ?? new Map<string, Map<string, Verdict>>();
    this.#known.set(operation, calls);
    const paths = calls.get(call?.name ?? "") ?? new Map<string, Verdict>();
    calls.set(call?.name ?? "", paths);
    paths.set(path, verdict);
  }

  #forget(): void {
    this.#known.clear();
    this.#remembered = 0;
  }

  /** The defaults of a run in place of the preset's, and protections only where they mean something. */
  #relaxed(action: FileAction, path: string, verdict: Verdict): Verdict {
    const { builtin, basis } = verdict;
    if (basis === "floor" || basis === "rule" || basis === "grant") return verdict;
    if (basis === "protection" && !this.#meansNothing(builtin, action, path)) return verdict;
    if (verdict.decision === "deny" && basis !== "protection") return verdict;
    if (this.#policy.settings.preset === "strict" || this.#policy.settings.preset === "readonly") return verdict;
    const { operation } = action;
    if (operation === "read" || operation === "list" || operation === "execute") return ALLOWED;
    if (this.#isOwnPlace(path) || isOfTree(path)) return ALLOWED;
    if (verdict.decision === "allow") return verdict;
    return {
      decision: "ask",
      basis: "default",
      builtin: "run.outside",
      reason: "outside the working folder and temporary folders",
      help: "allow it for this run, or remember a rule in the profile",
    };
  }

  #meansNothing(builtin: string | undefined, action: FileAction, path: string): boolean {
    switch (builtin) {
      case "protect.secrets":
        if (path.startsWith("/proc/")) return isOfTree(path);
        return !holdsSecret(path, { home: this.#world.home, projects: this.#roots });
      // A hook of a template does nothing until someone renames it.
      case "danger.persistence":
        return /\/hooks\/[^/]+$/.test(path) && !HOOK.test(path);
      case "protect.git-config":
        return action.operation === "metadata" && path.endsWith("/.git");
      // Folder by folder and file by file, with an undo: the command as a whole was judged when it started.
      case "danger.delete-recursive":
      case "protect.inside":
        return action.operation !== "rename";
      // A link or folder that is moved or made inside the own places reaches nothing else.
      case "protect.system":
        return this.#isOwnPlace(path) || isTerminal(path);
      default:
        return false;
    }
  }

  #isOwnPlace(path: string): boolean {
    return (
      this.#roots.some((root) => isInside(path, root) && path !== root) ||
      this.#temp.some((folder) => isInside(path, folder) && path !== folder)
    );
  }

  #ownedBy(verdict: Verdict, path: string, caller: Caller): Verdict | undefined {
    if (verdict.builtin === "protect.git-config") return caller.programs().includes("git") ? ALLOWED : undefined;
    if (verdict.builtin !== "protect.secrets") return undefined;
    return ownsCredential(caller.programs(), path, this.#world.home) ? ERRAND : undefined;
  }

  #onErrand(verdict: Verdict, path: string, caller: Caller): Verdict | undefined {
    if (verdict.decision !== "ask" || verdict.basis !== "default") return undefined;
    return caller.errands().some(({ writes }) => writes.some((folder) => isInside(path, folder))) ? ERRAND : undefined;
  }

  /** One action that is no file, with the defaults of a run. */
  judgeOne(action: Action): Verdict {
    const verdict = judge({ actions: [action], unknowns: [] }, this.#policy, this.#context).actions[0]?.verdict ?? BROKEN;
    return this.#policy.broken !== undefined && verdict.decision === "allow" ? broken(this.#policy.broken) : verdict;
  }

  /** What is said about starting a program, and what it is started for. */
  exec(chain: readonly Started[], call: Call, caller: Caller): JudgedExec {
    let strictest: Verdict = ALLOWED;
    let shown: Action | undefined;
    const errands: Errand[] = [];
    const programs: string[] = [];
    for (const started of chain) {
      const execute: FileAction = {
        kind: "file",
        operation: "execute",
        target: { kind: "path", path: started.path },
        origin: { by: "tool" },
        call,
      };
      const verdicts = [this.#file(execute, caller)];
      for (const argv of this.#commands(started)) {
        const { actions, judged } = this.#command(argv, call);
        shown ??= actions[0];
        verdicts.push(...this.#ofCommand(judged));
        const [first] = actions;
        if (first?.kind !== "exec" || !first.trusted) continue;
        programs.push(first.program);
        errands.push(errandOf(first.program, actions, { ...this.#world, env: (name) => this.#options.env[name] }));
      }
      for (const verdict of verdicts) if (compareStrictness(verdict, strictest) > 0) strictest = verdict;
    }
    return {
      verdict: strictest,
      action: shown ?? { kind: "exec", program: "", argv: [], env: [], trusted: false, origin: { by: "tool" }, call },
      errand: { writes: errands.flatMap(({ writes }) => writes), hosts: errands.flatMap(({ hosts }) => hosts) },
      programs,
    };
  }

  /**
   * The commands that starting a file amounts to: under its own name; under the name of a link on PATH through which it
   * was found (`npm` is a link to `npm-cli.js`); and, for an interpreter, the script it runs.
   */
  #commands({ word, path, argv: [, ...rest] }: Started): readonly (readonly string[])[] {
    const found = [[path, ...rest]];
    const link = this.#nameOnPath(word);
    if (link !== undefined && link !== path.split("/").at(-1)) found.unshift([link, ...rest]);
    const [script = "", ...words] = rest;
    if (INTERPRETER.test(path) && script.startsWith("/")) {
      const name = this.#nameOnPath(script);
      if (name !== undefined) found.push([name, ...words]);
    }
    return found;
  }

  /** The name under which a file stands in a trusted folder of PATH. */
  #nameOnPath(path: string): string | undefined {
    const name = path.split("/").at(-1) ?? "";
    if (!path.startsWith("/") || name === "") return undefined;
    const found = this.#world.lookup(name);
    return found.trusted && found.path !== undefined && this.#world.canonical(found.path) === this.#world.canonical(path)
      ? name
      : undefined;
  }

  #command(argv: readonly string[], call: Call): { readonly actions: readonly Action[]; readonly judged: RequestVerdict } {
    const lowered = lowerArgv([...argv], { world: this.#world });
    const actions = lowered.actions.map((action, at) => (at === 0 ? { ...action, call } : action));
    return { actions, judged: judge({ actions, unknowns: [] }, this.#policy, this.#context) };
  }

  /**
   * Of what a command is predicted to do, the run asks beforehand only about what is not seen happening: written rules
   * on commands, danger to services and to the machine, and the deletion of whole trees that nobody may delete.
   */
  #ofCommand(judged: RequestVerdict): readonly Verdict[] {
    const strict = this.#policy.settings.preset === "strict" || this.#policy.settings.preset === "readonly";
    return judged.actions.flatMap(({ action, verdict }) => {
      if (verdict.decision === "allow" || verdict.decision === "none") return [];
      if (UNDOABLE.has(verdict.builtin ?? "")) return [];
      const written = verdict.basis === "floor" || verdict.basis === "rule" || verdict.basis === "grant";
      if (action.kind === "file" || action.kind === "net")
        return verdict.decision === "deny" && verdict.builtin?.startsWith("danger.") === true && action.dangers !== undefined
          ? [verdict]
          : [];
      if (written || verdict.basis === "protection") return [verdict];
      return strict && action.kind === "exec" ? [verdict] : [];
    });
  }

  /** What the command as typed says it does: the person who typed it has been asked already. */
  typed(argv: readonly string[]): Errand {
    const lowered = lowerArgv([...argv], { world: this.#world });
    const { actions } = judge(lowered, this.#policy, this.#context);
    const writes: string[] = [];
    const hosts: Errand["hosts"][number][] = [];
    for (const { action, verdict } of actions) {
      if (verdict.decision === "deny" || (verdict.decision === "ask" && verdict.basis !== "default")) continue;
      if (action.kind === "file" && (action.target.kind === "path" || action.target.kind === "tree")) writes.push(action.target.path);
      if (action.kind === "net" && action.host !== undefined && action.operation !== "listen")
        hosts.push({ host: action.host, port: action.port });
    }
    const isWhole = (path: string): boolean => isInside(this.#world.home, path);
    return { writes: writes.filter((path) => !isWhole(path)), hosts };
  }

  #freshWorld(): World {
    const { machine, cwd } = this.#options;
    const real = realWorld(machine, cwd, undefined);
    return { ...real, canonical: (path) => (path === this.#pinned ? path : real.canonical(path)) };
  }

  #renew(): void {
    this.#forget();
    this.#world = this.#freshWorld();
    this.#policy = this.#compile();
    this.#context = this.#contextOf();
  }

  /** Policy files above a place speak about it, as everywhere. */
  #visit(path: string): void {
    let found = false;
    for (let at = path.slice(0, path.lastIndexOf("/")); at !== "" && !this.#folders.has(at); at = at.slice(0, at.lastIndexOf("/"))) {
      this.#folders.add(at);
      found ||= existsSync(`${at}/${POLICY_NAME}`) && !this.#sources.some(({ file }) => file === `${at}/${POLICY_NAME}`);
    }
    if (this.#folders.size > MOST_REMEMBERED) this.#folders.clear();
    if (!found) return;
    const target: FileAction = { kind: "file", operation: "read", target: { kind: "path", path }, origin: { by: "tool" } };
    const more = this.#find({ actions: [target], unknowns: [] });
    this.#sources = [...this.#sources, ...more.filter(({ file }) => !this.#sources.some((known) => known.file === file))];
    this.#renew();
  }

  #find(lowered: Lowered): readonly PolicySource[] {
    const { machine, cwd, policyFiles, profileFile } = this.#options;
    const explicit = explicitFiles(machine, policyFiles, cwd);
    return findPolicyFiles(machine, this.#world, lowered, cwd, explicit, profileFile);
  }

  #compile(): Policy {
    return compiledPolicy(this.#options.machine, this.#sources, this.#options.reader);
  }

  #contextOf(): JudgeContext {
    const { machine, own } = this.#options;
    this.#remembers = !this.#policy.rules.some(({ matcher }) => matcher.kind === "call");
    return {
      ...judgeContext(machine, this.#world, false, this.#sources, own),
      supervised: true,
      matchCall: callMatcher(this.#world, this.#policy.rules),
    };
  }
}

/** Processes of the tree may look at each other. */
const isOfTree = (path: string): boolean => {
  const pid = Number(/^\/proc\/(\d+)\//.exec(path)?.[1]);
  return pid > 0 && inTree(pid);
};

const isTerminal = (path: string): boolean => /^\/(?:dev\/(?:tty|pts\/\d+|ptmx)|proc\/.*)$/.test(path);

const BROKEN: Verdict = { decision: "deny", basis: "protection", builtin: "failure", reason: "this call could not be judged" };

const broken = (why: string): Verdict => ({
  decision: "ask",
  basis: "protection",
  builtin: "broken-policy",
  reason: `a policy file is broken: ${why}`,
  help: "mend the file",
});
