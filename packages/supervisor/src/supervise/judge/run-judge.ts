import { existsSync } from "node:fs";
import type { Action, Call, FileAction, Lowered, World } from "@assent/core/action";
import {
  compiledPolicy,
  findSources,
  judgeBy,
  judgeContext,
  POLICY_NAME,
  type PolicyReader,
  type PolicySource,
  realWorld,
  type Situation,
} from "@assent/guard/engine";
import type { RunPolicies } from "@assent/guard/engine/given";
import { isWithin, joinPath, normalise } from "@assent/core/path";
import {
  byProtection,
  callMatcher,
  controlFile,
  type Grant,
  type JudgeContext,
  type MatchContext,
  IrrelevantNames,
  isQuestion,
  ownGitFolders,
  type Policy,
  policyFor,
  reachOfHost,
  type RunSteps,
  stricterOf,
  type Verdict,
  type Who,
} from "@assent/core/policy";
import { type Machine, ProcessMemory } from "@assent/guard/state";
import { isHelper } from "../services/services.ts";
import { lendsRights, RunDefaults } from "./defaults.ts";
import { ALLOWED, ASKING, HOOKED, isChange, isMeant, KEPT, ofPlace, pathOf, CONTROLS } from "./verdicts.ts";
import { ownedBy } from "./caller-owns.ts";
import { type CommandContext, judgeExec } from "./commands.ts";
import { ProgramAliases } from "./program-aliases.ts";
import { KnownVerdicts, LISTS, ownNames, READS } from "./known.ts";
import { type ObjectIdentity, ProtectedObjects } from "./objects.ts";
import { judgeLinks } from "./links.ts";
import { judgeMove, keepsInside, type MoveContext, probe } from "./moves.ts";
import type { CallSubject, Caller, JudgedExec, Started } from "./types.ts";
import { fromTemplate, setsUpGit } from "./git-config.ts";
import { fixedWorld, settlePatterns } from "./rule-world.ts";
import { secretVariables } from "./secret-variables.ts";

export interface RunJudgeOptions {
  readonly machine: Machine;
  readonly cwd: string;
  /** Where the session that it belongs to started, whose project it works in; absent: `cwd`. */
  readonly root?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** An agent wrote the command: what it names, and what it could have written before, grants nothing. */
  readonly ofAgent?: boolean;
  /** Whose command it runs. */
  readonly who?: Who | undefined;
  /** A person at a terminal is asked. */
  readonly asksPerson?: boolean;
  /** The host's id of the session that it belongs to: grants of it answer, too. */
  readonly session?: string | undefined;
  readonly policyFiles: readonly string[];
  /** In the place of the policies of this machine. */
  readonly policies?: RunPolicies | undefined;
  /** File of the profile; it need not exist. */
  readonly profileFile: string;
  readonly reader: () => PolicyReader;
  readonly own: readonly string[];
  /** A file from which later commands take programs or hosts is about to be changed. Says why nobody would know of it later. */
  readonly onControlFile?: ((path: string) => string | undefined) | undefined;
  /** Every path is judged by itself: what the short ways are held to. */
  readonly exact?: boolean;
}

const NO_LOGINS = (): readonly string[] => [];
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
  readonly #situation: Situation;
  readonly #defaults: RunDefaults;
  /** For commands: what is on PATH and where links lead now. */
  #world: World;
  /** For rules: INVARIANT: links in a rule's pattern lead where they led when the rule was read, whatever the program makes of them. */
  readonly #rules: World;
  #policy: Policy;
  #context: JudgeContext;
  /** What it adds to the order of judgement. */
  readonly #steps: RunSteps = {
    floor: (action) => this.#hidden(pathOf(action)),
    protect: (met, action) => (this.#isRelaxed(action) ? this.#defaults.protect(met, action) : byProtection(met)),
    byDefault: (action, otherwise) => {
      const isMeant = otherwise?.basis === "rule" || otherwise?.decision === "deny";
      return isMeant || !this.#isRelaxed(action) ? otherwise : this.#defaults.byDefault(action, otherwise);
    },
    own: () => undefined,
  };
  #commands: JudgeContext;
  #aliases: ProgramAliases;
  #objects: ProtectedObjects;
  #sources: readonly PolicySource[];
  #judged = 0;
  /** The path being judged is what the kernel calls it: it needs no resolving. */
  #pinned = "";
  readonly #known = new KnownVerdicts((reads) => this.#irrelevantNames(reads));
  /** With patterns of calls every call is judged anew. */
  #remembers = false;
  readonly #folders = new Set<string>();
  /** Hosts that a program of the run was started for. */
  readonly #served = new Set<string>();
  readonly #holdsSecrets: boolean;
  /** As the kernel names it: home may be a link, or lie behind one. */
  readonly #home: string;
  /** Records of runs. */
  readonly #runs: string;
  /** Where a person answers, and where a judge that stays is asked. */
  readonly #asking: readonly string[];

  constructor(options: RunJudgeOptions) {
    this.#options = options;
    this.#holdsSecrets = secretVariables(options.env).length > 0;
    const { machine: on, reader, own, policyFiles, profileFile, policies } = options;
    this.#situation = { machine: on, reader, own, policyFiles, profile: profileFile, supervised: true, ...policies };
    this.#world = this.#freshWorld();
    this.#rules = fixedWorld(
      this.#freshWorld(),
      () => this.#world,
      () => this.#pinned,
    );
    const { home, projectRoot, cwd } = this.#world;
    const real = (folder: string): string => this.#world.canonical(folder);
    this.#home = real(home);
    this.#defaults = new RunDefaults({
      home: this.#home,
      work: [cwd, projectRoot].map(real),
      git: [cwd, projectRoot].flatMap((folder) => ownGitFolders(folder, this.#world)),
      temp: [...options.machine.temp, "/dev/shm"].map(real),
      asksPerson: options.asksPerson === true && options.ofAgent !== true,
      onGrown: () => this.#known.clear(),
    });
    const { XDG_STATE_HOME: state = `${home}/.local/state` } = options.machine.env;
    this.#runs = this.#world.canonical(`${state}/assent/runs`);
    this.#asking = ["questions", "resident", "tickets"].map((name) => this.#world.canonical(`${state}/assent/${name}`));
    this.#sources = this.#find({ actions: [], unknowns: [] });
    this.#policy = this.#compile();
    this.#context = { ...this.#contextOf(this.#rules), inRun: this.#steps };
    this.#commands = this.#contextOf(this.#world);
    this.#aliases = new ProgramAliases(this.#policy, this.#world);
    this.#objects = this.#freshObjects();
    this.#settle();
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** By what its rules are compared. */
  get matching(): MatchContext {
    return this.#context;
  }

  /** What the run is held to: its folders, and the texts of its policy files. */
  get ground(): { readonly work: readonly string[]; readonly policy: readonly string[]; readonly profile: string | undefined } {
    const { profileFile, policies } = this.#options;
    const text = ({ layer, file, content }: PolicySource): string =>
      JSON.stringify([layer, file, content.is === "text" ? content.text : content.why]);
    const found = this.#find({ actions: [], unknowns: [] });
    return {
      work: this.#defaults.roots,
      policy: [...(policies === undefined ? [] : [policies.key]), ...found.filter(({ file }) => file !== profileFile).map(text)],
      profile: found.filter(({ file }) => file === profileFile).map(text)[0],
    };
  }

  /** Reads the policy files again: a remembered answer may have been added. */
  reload(): void {
    this.#sources = this.#find({ actions: [], unknowns: [] });
    this.#respeak();
  }

  /** The strictest of the verdicts for what one call does. */
  call(actions: readonly Action[], by: Caller, { object, moves, sockets, asked }: CallSubject = {}, grants?: readonly Grant[]): Verdict {
    let strictest: Verdict = ALLOWED;
    const caller = asked === undefined || this.#isPlain(asked, object?.path) ? by : { ...by, logins: NO_LOGINS };
    const weigh = (verdict: Verdict): void => {
      strictest = strictest === ALLOWED ? verdict : stricterOf(strictest, verdict);
    };
    const aliases = object === undefined ? [] : this.#objects.aliases(object.path, object.identity);
    for (const action of actions) {
      const verdict = action.kind === "file" ? this.#made(action, caller, grants) : this.#judge(action, { ...this.#context, grants });
      if (verdict.builtin !== "protect.inside" || !keepsInside(this.#ground(caller), action, moves))
        weigh(ofPlace(verdict, action, actions));
      if (action.kind !== "file" || action.target.kind !== "path") continue;
      if (isChange(action) && !this.#noted(action, action.target.path)) weigh(CONTROLS(action.target.path));
      const others = action.target.path === object?.path ? aliases : this.#objects.aliases(action.target.path, undefined);
      for (const path of others) weigh(this.#file({ ...action, target: { kind: "path", path } }, caller));
    }
    for (const [from, to] of moves ?? []) weigh(judgeMove(this.#ground(caller), from, to, sockets));
    if (this.#options.ofAgent === true) {
      const files = actions.filter((action) => action.kind === "file");
      weigh(judgeLinks({ ...this.#ground(caller), home: this.#home, isOfHost: (path) => this.#defaults.isOfHost(path) }, files));
    }
    return strictest;
  }

  /**
   * What has been said of reading a file, or listing a folder, of this name, where it is anybody's verdict: allowed by the policy itself.
   * A file may have other names (`mayBeKept`). Undefined: it has to be judged.
   */
  known(operation: "read" | "list", path: string): Verdict | undefined {
    if (!this.#remembers || !this.#objects.isOnce(path) || this.#hidden(path) !== undefined) return undefined;
    this.#visit(path);
    const verdict = this.#known.of(operation === "read" ? READS : LISTS, path);
    return verdict?.decision === "allow" && verdict.basis !== "grant" ? verdict : undefined;
  }

  /** A folder was listed: in one without a policy file nobody needs to look for it. */
  sawFolder(path: string, mayHavePolicy: boolean): void {
    if (!mayHavePolicy) this.#folders.add(path);
  }

  /** A file with so many names may be one that is protected under another. */
  mayBeKept(names: number): boolean {
    return names !== 1 || this.#objects.any;
  }

  /** The file that lies at a path has another name that rules may speak of. */
  isKept(path: string, identity: ObjectIdentity): boolean {
    return this.#objects.aliases(path, identity).length > 0;
  }

  /** Records, and where others are asked: of these nothing is read. */
  #hidden(path: string): Verdict | undefined {
    if (isWithin(path, this.#runs)) return KEPT;
    return this.#asking.some((folder) => isWithin(path, folder)) ? ASKING : undefined;
  }

  /** A tool opens its login by the login's own name: whoever it reaches through a link or a folder was told to it by others. */
  #isPlain(asked: string, path: string | undefined): boolean {
    const { home } = this.#world;
    const plain = normalise(asked);
    return plain === path || (isWithin(plain, home) && this.#home + plain.slice(home.length) === path);
  }

  /** What later commands obey is written down before it is changed. False: it cannot be. */
  #noted({ operation }: FileAction, path: string): boolean {
    const { onControlFile } = this.#options;
    if (onControlFile === undefined || operation === "mkdir" || operation === "metadata") return true;
    return controlFile(path) === undefined || onControlFile(path) === undefined;
  }

  #made(action: FileAction, caller: Caller, grants: readonly Grant[] | undefined): Verdict {
    const verdict = this.#file(action, caller, grants);
    const isTemplate = verdict.builtin === "run.default" && action.target.kind === "path" && fromTemplate(action, caller);
    return isTemplate ? HOOKED(action.target.path) : verdict;
  }

  #ground(caller: Caller): MoveContext {
    return {
      objects: this.#objects,
      file: (action, anybody) => this.#file(action, anybody === true ? undefined : caller),
      isOwnPlace: (path) => this.#defaults.isOwnPlace(path),
    };
  }

  #freshObjects(): ProtectedObjects {
    // What undo keeps is a person's own: its inode protects nothing.
    const isPreImage = (path: string): boolean => path.startsWith(`${this.#runs}/`) && /\/kept\/\d+$/.test(path);
    const isKept = (path: string): boolean =>
      !isPreImage(path) && (isMeant(this.#file(probe("read", path), undefined)) || isMeant(this.#file(probe("edit", path), undefined)));
    return new ProtectedObjects({ home: this.#home, roots: this.#defaults.roots, policy: this.#policy, isKept });
  }

  #irrelevantNames(reads: boolean): IrrelevantNames {
    const places = [this.#runs, ...this.#asking, ...this.#defaults.places];
    return new IrrelevantNames({
      policy: this.#policy,
      world: this.#rules,
      floor: this.#context.floor,
      names: ownNames(reads),
      places,
      reads,
    });
  }

  #file(action: FileAction, caller: Caller | undefined, grants?: readonly Grant[]): Verdict {
    const path = pathOf(action);
    // What has no name in the file system: pipes, sockets.
    if (!path.startsWith("/")) return ALLOWED;
    // What lies in a tree changes.
    const remembers = this.#remembers && action.target.kind === "path" && !lendsRights(action);
    this.#visit(path);
    let verdict = remembers ? this.#known.of(action, path) : undefined;
    if (verdict === undefined) {
      verdict = this.#judge(action, this.#context, path);
      if (action.operation === "list" && verdict.decision === "allow") verdict = this.#ofContents(path) ?? verdict;
      if (++this.#judged % RENEW === 0) this.#renew();
      if (remembers) this.#known.add(action, path, verdict);
    }
    if (verdict.decision === "allow" || caller === undefined) return verdict;
    // Whose it is, is asked of each caller, and is not remembered.
    const own = (found: Verdict): Verdict | undefined =>
      ownedBy(caller, found, action, { home: this.#home, defaults: this.#defaults, world: this.#world });
    const asks = own(verdict) ?? verdict;
    if (grants === undefined || !isQuestion(asks)) return asks;
    // It was given to what the rules ask, not to what only a run knows of.
    const byDefault: RunSteps["byDefault"] = (one, otherwise) => {
      const only = grants.some(({ rule }) => rule.source === otherwise?.rule) ? this.#steps.byDefault(one, undefined) : undefined;
      return only?.basis === "protection" ? only : this.#steps.byDefault(one, otherwise);
    };
    const answer = this.#judge(action, { ...this.#context, grants, inRun: { ...this.#steps, byDefault, own } }, path);
    return answer.grant === undefined ? asks : answer;
  }

  /** Names are part of what a rule closes: a folder whose contents nobody may read is not listed either. */
  #ofContents(folder: string): Verdict | undefined {
    const verdict = this.#file(probe("read", joinPath(folder, "#")), undefined);
    return verdict.basis === "rule" && verdict.decision !== "allow" ? verdict : undefined;
  }

  /** One action that is no file. */
  judgeOne(action: Action, grants?: readonly Grant[]): Verdict {
    return this.#judge(action, { ...this.#context, grants });
  }

  /** What would be said of a new file. */
  wouldWrite(path: string, caller: Caller): Verdict {
    return this.#file(probe("write", path), caller);
  }

  /** Whether a program that nothing is known of could write a file: by its name, or where links in it lead now. */
  couldWrite(path: string): boolean {
    return [path, this.#world.canonical(path)].some((at) => this.#file(probe("write", at), undefined).decision === "allow");
  }

  /** What would be said if a file that is about to be made beside another took its place. */
  wouldReplace(path: string, beside: string, caller: Caller): Verdict {
    if (setsUpGit(path, this.#home, caller.programs())) return ALLOWED;
    return this.#file({ ...probe("write", path), call: { name: "rename", args: [beside, path] } }, caller);
  }

  /** What is said about starting a program, and what it is started for. */
  exec(chain: readonly Started[], call: Call, caller: Caller, grants?: readonly Grant[]): JudgedExec {
    const { path, argv } = chain[0] ?? { path: "", argv: [] };
    const helps = caller.programs().some((client) => isHelper(client, path, argv));
    const judged = judgeExec({ ...this.#judging(caller), helps, context: { ...this.#commands, grants } }, chain, call, ALLOWED);
    for (const { host } of [...judged.toolService.hosts, ...judged.ruled]) this.#served.add(host);
    return judged;
  }

  /**
   * Whether a name may be looked up: something of the run might be allowed to reach it. The question itself goes to whoever serves
   * the name's zone, and carries data there.
   */
  mayLookUp(name: string): boolean {
    return this.#served.has(name) || this.#netPorts().some((port) => this.#connects(name, port) === "allow");
  }

  /** Nothing denies reaching it, and nothing allows it. */
  asksAboutHost(host: string): boolean {
    return this.#connects(host, 443) === "ask";
  }

  /** Code of the run, whatever it is, may reach a host outside this machine. */
  get reachesOutside(): boolean {
    const isOutside = ({ matcher, source }: Policy["rules"][number]): boolean =>
      matcher.kind === "net" ? reachOfHost(matcher.host) !== "loopback" : matcher.kind === "call" && /connect|send/.test(source.text);
    return this.#connects("host.invalid", 443) === "allow" || this.#policy.rules.some((rule) => rule.effect === "allow" && isOutside(rule));
  }

  #connects(host: string, port: number): Verdict["decision"] {
    const call: Call = { name: "connect", args: [host, String(port)] };
    return this.judgeOne({ kind: "net", operation: "connect", host, port, origin: { by: "tool" }, call }).decision;
  }

  /** That rules speak of, and the usual ones. */
  #netPorts(): readonly number[] {
    const ports = this.#policy.rules.flatMap(({ effect, matcher }) =>
      effect === "allow" && matcher.kind === "net" && matcher.port !== undefined ? [matcher.port] : [],
    );
    return [...new Set([443, 80, 22, ...ports])];
  }

  /** A stricter preset is left as it is, and what a broken file denies is not known. */
  #isRelaxed(action: Action): action is FileAction {
    const { broken, settings } = this.#policy;
    return action.kind === "file" && broken === undefined && settings.preset !== "strict" && settings.preset !== "readonly";
  }

  /** By the order of judgement. `pinned`: the path is what the kernel calls it. */
  #judge(action: Action, context: JudgeContext, pinned = ""): Verdict {
    const before = this.#pinned;
    this.#pinned = pinned;
    const { actions: _, unknowns: __, ...verdict } = judgeBy({ actions: [action], unknowns: [] }, { policy: this.#policy, context });
    this.#pinned = before;
    return verdict;
  }

  #judging(caller: Caller | undefined): CommandContext {
    return {
      world: this.#world,
      home: this.#home,
      policy: this.#policy,
      context: this.#commands,
      env: this.#options.env,
      ofAgent: this.#options.ofAgent === true,
      holdsSecrets: this.#holdsSecrets,
      folder: caller?.folder,
      helps: false,
      aliases: this.#aliases,
      file: (action) => this.#file(action, caller),
    };
  }

  #freshWorld(): World {
    const { machine, cwd, root } = this.#options;
    return realWorld(machine, cwd, root);
  }

  /** What is remembered of the machine is looked up again; what rules mean is not. */
  #renew(): void {
    this.#known.clear();
    this.#world = this.#freshWorld();
    this.#commands = this.#contextOf(this.#world);
    this.#context = { ...this.#context };
  }

  /** Rules were added: they mean what they mean now, and other programs and files may be meant. */
  #respeak(): void {
    this.#renew();
    this.#policy = this.#compile();
    this.#context = { ...this.#contextOf(this.#rules), inRun: this.#steps };
    this.#commands = this.#contextOf(this.#world);
    this.#settle();
    this.#aliases = new ProgramAliases(this.#policy, this.#world);
    this.#objects.rulesChanged(this.#policy);
  }

  /** Finds out now what every rule means. */
  #settle(): void {
    const pinned = this.#pinned;
    this.#pinned = "";
    settlePatterns([...this.#policy.rules, ...this.#policy.operations.flatMap(({ rules }) => rules)], this.#rules);
    for (const operation of ["read", "write", "delete"] as const) this.#judge(probe(operation, "/"), this.#context);
    this.#pinned = pinned;
  }

  /** Policy files above a place speak about it, as everywhere. */
  #visit(path: string): void {
    if (this.#situation.files === "none") return;
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
    return findSources(this.#situation, this.#world, lowered, this.#options.root ?? this.#options.cwd);
  }

  #compile(): Policy {
    const { machine, reader, who, policies } = this.#options;
    const policy =
      policies === undefined
        ? policyFor(compiledPolicy(machine, this.#sources, reader), () => ({ user: machine.user, ...who }))
        : // Its texts are kept nowhere.
          policies.adapt(compiledPolicy({ ...machine, memory: new ProcessMemory() }, this.#sources, reader));
    // That nothing is asked is for programs that a person starts: what an agent starts could send, and change, anything anywhere.
    if (this.#options.ofAgent !== true || policy.settings.mode !== "full-auto") return policy;
    return { ...policy, settings: { ...policy.settings, mode: "auto-edit" } };
  }

  #contextOf(world: World): JudgeContext {
    this.#remembers = this.#options.exact !== true && !this.#policy.rules.some(({ matcher }) => matcher.kind === "call");
    return {
      ...judgeContext(this.#situation, world, this.#sources),
      matchCall: callMatcher(world, this.#policy.rules),
    };
  }
}
