import { existsSync } from "node:fs";
import type { Action, Call, FileAction, Lowered, Verdict, World } from "../../action/index.ts";
import { compareStrictness, visible } from "../../action/index.ts";
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
import { isInside, type Machine } from "../../state/index.ts";
import type { Started } from "../door/exec.ts";
import { inTree } from "../door/processes.ts";
import { type Bar, judgeExec, typedErrand } from "./commands.ts";
import { Lookalikes } from "./lookalikes.ts";
import { type Identity, ProtectedObjects } from "./objects.ts";
import { fixedWorld, settlePatterns } from "./rule-world.ts";
import { holdsSecret, ownsCredential } from "./secrets.ts";
import type { Errand } from "./services.ts";

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

/** What a call is about, beyond the paths of its actions. */
export interface About {
  /** The pinned object that stands at `path`, which may have other names. */
  readonly object?: { readonly path: string; readonly identity: Identity } | undefined;
  /** What is moved, with all that is in it. */
  readonly moves?: readonly (readonly [from: string, to: string])[] | undefined;
}

/** A start of a program, judged. */
export interface JudgedExec {
  readonly verdict: Verdict;
  readonly action: Action;
  readonly errand: Errand;
  /** Trusted names it goes by. */
  readonly programs: readonly string[];
}

/** githooks(5): what git runs. Other files in the folder (samples, files half copied) are not run. */
const HOOK =
  /\/hooks\/(?:applypatch-msg|pre-applypatch|post-applypatch|pre-commit|pre-merge-commit|prepare-commit-msg|commit-msg|post-commit|pre-rebase|post-checkout|post-merge|pre-push|pre-receive|update|proc-receive|post-receive|post-update|reference-transaction|push-to-checkout|pre-auto-gc|post-rewrite|sendemail-validate|fsmonitor-watchman|p4-\w+(?:-\w+)*|post-index-change)$/i;

/** Repositories need not be called `.git` (git-init(1): --bare, --separate-git-dir): a folder with these in it is one. */
const isRepository = (folder: string): boolean => ["HEAD", "objects", "refs"].every((name) => existsSync(`${folder}/${name}`));

function isHookOfRepository(path: string): boolean {
  const [, folder] = /^(.*)\/(?:hooks\/[^/]+|config)$/.exec(path) ?? [];
  return folder !== undefined && !folder.endsWith("/.git") && (HOOK.test(path) || path.endsWith("/config")) && isRepository(folder);
}

const HOOKED = (path: string): Verdict => ({
  decision: "ask",
  basis: "protection",
  builtin: path.endsWith("/config") ? "protect.git-config" : "danger.persistence",
  reason: `git runs it, or what it names, later and outside this run: ${visible(path)}`,
  help: "let the user confirm",
});

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
  /** For commands: what is on PATH and where links lead now. */
  #world: World;
  /** For rules: INVARIANT: links in a rule's pattern lead where they led when the rule was read, whatever the program makes of them. */
  readonly #rules: World;
  #policy: Policy;
  #context: JudgeContext;
  #commands: JudgeContext;
  #lookalikes: Lookalikes;
  #objects: ProtectedObjects;
  #sources: readonly PolicySource[];
  #judged = 0;
  /** The path being judged is what the kernel calls it: it needs no resolving. */
  #pinned = "";
  /** Verdicts by operation, name of the call and path; with patterns of calls every call is judged anew. */
  readonly #known = new Map<string, Map<string, Map<string, Verdict>>>();
  #remembered = 0;
  #remembers = false;
  readonly #folders = new Set<string>();
  /** Records of runs. */
  readonly #runs: string;

  constructor(options: RunJudgeOptions) {
    this.#options = options;
    this.#world = this.#freshWorld();
    this.#rules = fixedWorld(
      this.#freshWorld(),
      () => this.#world,
      () => this.#pinned,
    );
    const { home, projectRoot, cwd } = this.#world;
    // A folder that holds home is nobody's project, nor is one of the system's.
    const whole = (folder: string): boolean => isInside(home, folder) || SYSTEM.test(folder);
    this.#roots = [...new Set([cwd, projectRoot].map((folder) => this.#world.canonical(folder)))].filter((folder) => !whole(folder));
    this.#temp = [...new Set([...options.machine.temp, "/dev/shm"].map((folder) => this.#world.canonical(folder)))];
    const { XDG_STATE_HOME: state = `${home}/.local/state` } = options.machine.env;
    this.#runs = this.#world.canonical(`${state}/assent/runs`);
    this.#sources = this.#find({ actions: [], unknowns: [] });
    this.#policy = this.#compile();
    this.#context = this.#contextOf(this.#rules);
    this.#commands = this.#contextOf(this.#world);
    this.#lookalikes = new Lookalikes(this.#policy, this.#world);
    this.#objects = this.#freshObjects();
    this.#settle();
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** Reads the policy files again: a remembered answer may have been added. */
  reload(): void {
    this.#sources = this.#find({ actions: [], unknowns: [] });
    this.#respeak();
  }

  /** The strictest of the verdicts for what one call does. */
  call(actions: readonly Action[], caller: Caller, { object, moves }: About = {}): Verdict {
    let strictest: Verdict = ALLOWED;
    const weigh = (verdict: Verdict): void => {
      if (strictest === ALLOWED || compareStrictness(verdict, strictest) > 0) strictest = verdict;
    };
    const aliases = object === undefined ? NO_ALIASES : this.#objects.aliases(object.path, object.identity);
    for (const action of actions) {
      weigh(action.kind === "file" ? this.#file(action, caller) : this.judgeOne(action));
      if (action.kind !== "file" || action.target.kind !== "path") continue;
      const others = action.target.path === object?.path ? aliases : this.#objects.aliases(action.target.path, undefined);
      for (const path of others) weigh(this.#file({ ...action, target: { kind: "path", path } }, caller));
    }
    for (const [from, to] of moves ?? []) weigh(this.#moved(from, to, caller));
    return strictest;
  }

  /** What a folder brings along to its new place is written there. */
  #moved(from: string, to: string, caller: Caller): Verdict {
    let strictest: Verdict = ALLOWED;
    const complete = this.#objects.moved(from, to, (path, before) => {
      const verdict = this.#file(probe("write", path), caller);
      if (!isMeant(verdict) || compareStrictness(verdict, strictest) <= 0) return;
      const was = this.#file(probe("write", before), caller);
      if (was.decision !== verdict.decision || was.builtin !== verdict.builtin || was.rule !== verdict.rule) strictest = verdict;
    });
    return complete ? strictest : TOO_LARGE;
  }

  #freshObjects(): ProtectedObjects {
    const isKept = (path: string): boolean =>
      isMeant(this.#file(probe("read", path), undefined)) || isMeant(this.#file(probe("edit", path), undefined));
    return new ProtectedObjects({ home: this.#rules.home, roots: this.#roots, policy: this.#policy, isKept });
  }

  #file(action: FileAction, caller: Caller | undefined): Verdict {
    const path = action.target.kind === "path" || action.target.kind === "tree" ? action.target.path : "";
    // What has no name in the file system: pipes, sockets, memory, files already deleted.
    if (!path.startsWith("/") || path.startsWith("/memfd:")) return ALLOWED;
    if (!isChange(action) && isInside(path, this.#runs)) return KEPT;
    // What lies in a tree changes.
    const remembers = this.#remembers && action.target.kind === "path";
    const known = remembers ? this.#knownOf(action) : undefined;
    let verdict = known?.get(path);
    if (verdict === undefined) {
      this.#visit(path);
      this.#pinned = path;
      verdict = judge({ actions: [action], unknowns: [] }, this.#policy, this.#context).actions[0]?.verdict ?? BROKEN;
      if (this.#policy.broken !== undefined && verdict.decision === "allow") verdict = broken(this.#policy.broken);
      this.#pinned = "";
      verdict = this.#relaxed(action, path, verdict);
      if (action.operation === "list" && verdict.decision === "allow") verdict = this.#ofContents(path) ?? verdict;
      if (++this.#judged % RENEW === 0) this.#renew();
      if (remembers) this.#remember(action, path, verdict);
    }
    if (verdict.decision === "allow" || caller === undefined) return verdict;
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

  /** Names are part of what a rule closes: a folder whose contents nobody may read is not listed either. */
  #ofContents(folder: string): Verdict | undefined {
    const verdict = this.#file(probe("read", folder === "/" ? "/#" : `${folder}/#`), undefined);
    return verdict.basis === "rule" && verdict.decision !== "allow" ? verdict : undefined;
  }

  /** The defaults of a run in place of the preset's, and protections only where they mean something. */
  #relaxed(action: FileAction, path: string, verdict: Verdict): Verdict {
    const { builtin, basis } = verdict;
    if (basis === "floor" || basis === "rule" || basis === "grant") return verdict;
    if (basis === "protection" && !this.#meansNothing(builtin, action, path)) return verdict;
    if (verdict.decision === "deny" && basis !== "protection") return verdict;
    if (this.#policy.settings.preset === "strict" || this.#policy.settings.preset === "readonly") return verdict;
    if (isChange(action) && isHookOfRepository(path)) return HOOKED(path);
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
        if (action.operation === "metadata" && path.endsWith("/hooks")) return true;
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
    return judgeExec(this.#bar(caller), chain, call, ALLOWED);
  }

  /** What the command as typed says it does: the person who typed it has been asked already. */
  typed(argv: readonly string[]): Errand {
    return typedErrand(this.#bar(undefined), argv);
  }

  #bar(caller: Caller | undefined): Bar {
    return {
      world: this.#world,
      policy: this.#policy,
      context: this.#commands,
      env: this.#options.env,
      lookalikes: this.#lookalikes,
      file: (action) => this.#file(action, caller),
    };
  }

  #freshWorld(): World {
    const { machine, cwd } = this.#options;
    return realWorld(machine, cwd, undefined);
  }

  /** What is remembered of the machine is looked up again; what rules mean is not. */
  #renew(): void {
    this.#forget();
    this.#world = this.#freshWorld();
    this.#commands = this.#contextOf(this.#world);
    this.#context = { ...this.#context };
  }

  /** Rules were added: they mean what they mean now, and other programs and files may be meant. */
  #respeak(): void {
    this.#renew();
    this.#policy = this.#compile();
    this.#context = this.#contextOf(this.#rules);
    this.#commands = this.#contextOf(this.#world);
    this.#settle();
    this.#lookalikes = new Lookalikes(this.#policy, this.#world);
    this.#objects.rulesChanged(this.#policy);
  }

  /** Finds out now what every rule means. */
  #settle(): void {
    const pinned = this.#pinned;
    this.#pinned = "";
    settlePatterns([...this.#policy.rules, ...this.#policy.operations.flatMap(({ rules }) => rules)], this.#rules);
    for (const operation of ["read", "write", "delete"] as const)
      judge({ actions: [probe(operation, "/")], unknowns: [] }, this.#policy, this.#context);
    this.#pinned = pinned;
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
    this.#respeak();
  }

  #find(lowered: Lowered): readonly PolicySource[] {
    const { machine, cwd, policyFiles, profileFile } = this.#options;
    const explicit = explicitFiles(machine, policyFiles, cwd);
    return findPolicyFiles(machine, this.#world, lowered, cwd, explicit, profileFile);
  }

  #compile(): Policy {
    return compiledPolicy(this.#options.machine, this.#sources, this.#options.reader);
  }

  #contextOf(world: World): JudgeContext {
    const { machine, own } = this.#options;
    this.#remembers = !this.#policy.rules.some(({ matcher }) => matcher.kind === "call");
    return {
      ...judgeContext(machine, world, false, this.#sources, own),
      supervised: true,
      matchCall: callMatcher(world, this.#policy.rules),
    };
  }
}

/** Processes of the tree may look at each other. */
const isOfTree = (path: string): boolean => {
  const pid = Number(/^\/proc\/(\d+)\//.exec(path)?.[1]);
  return pid > 0 && inTree(pid);
};

const isTerminal = (path: string): boolean => /^\/(?:dev\/(?:tty|pts\/\d+|ptmx)|proc\/.*)$/.test(path);

const NO_ALIASES: readonly string[] = [];

/** Folders of the system, which are nobody's project even when a program is started there. */
const SYSTEM = /^\/(?:etc|usr|var|bin|sbin|lib|lib32|lib64|boot|dev|proc|sys|run|opt|nix)?$/;

/** Somebody means it: not a default of the run. */
const isMeant = ({ decision, basis }: Verdict): boolean =>
  decision !== "allow" && (basis === "rule" || basis === "protection" || basis === "floor");

/** What would be said of a file. */
const probe = (operation: FileAction["operation"], path: string): FileAction => ({
  kind: "file",
  operation,
  target: { kind: "path", path },
  origin: { by: "tool" },
  call: { name: "open", args: [path, operation === "read" ? "read" : "write"] },
});

const isChange = ({ operation }: FileAction): boolean => operation !== "read" && operation !== "list" && operation !== "execute";

const KEPT: Verdict = {
  decision: "deny",
  basis: "floor",
  builtin: "floor.runs",
  reason: "the records of runs hold what files were before they were changed, secrets among them",
  help: "ask the user to look it up with `assent receipt` or `assent undo`",
};

const TOO_LARGE: Verdict = {
  decision: "ask",
  basis: "protection",
  builtin: "run.large-move",
  reason: "more is moved than can be looked through for what is protected",
  help: "move it in parts, or allow it for this run",
};

const BROKEN: Verdict = { decision: "deny", basis: "protection", builtin: "failure", reason: "this call could not be judged" };

const broken = (why: string): Verdict => ({
  decision: "ask",
  basis: "protection",
  builtin: "broken-policy",
  reason: `a policy file is broken: ${why}`,
  help: "mend the file",
});
