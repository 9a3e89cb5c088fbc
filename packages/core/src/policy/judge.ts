import {
  type Action,
  type Argument,
  type DangerId,
  type ExecAction,
  type FileAction,
  type Lowered,
  spend,
  type Unknown,
} from "../action/index.ts";
import { confine } from "./confine.ts";
import { byMode, defaultFor, defaultVerdict } from "./defaults.ts";
import type { FloorPaths } from "./floor-paths.ts";
import { isChange, judgeFloorCall, judgeFloorFile } from "./floor.ts";
import { namesSetting } from "./floor-commands.ts";
import { type HandedContext, judgeHanded } from "./handed-words.ts";
import { answered, answersWritten, consented, type ConsentedYes, type Grant, withGrant } from "./grants.ts";
import { judgeBuiltin, judgePredicate, judgeWrapper } from "./shell-builtins.ts";
import { pathScopeOf } from "./kinds/index.ts";
import type { MatchCall, MatchContext } from "./match/match-context.ts";
import type { ConfineContext } from "./confine-all.ts";
import { judgeNamed, type NamedContext } from "./named-paths.ts";
import { namesByCommand, namesOwn } from "./naming.ts";
import { asking, exactly, type Hit, isInside, NO_MATCHES, type MatchedRules, findMatchingRules } from "./matched-rules.ts";
import { isHarmlessDevice } from "./path-class.ts";
import { type Preset, presetOf } from "./match/presets.ts";
import { judgeRescueFile } from "./rescue-file.ts";
import { type Protection, protectionsOf, takesProtected, type Scoped, type ProtectionContext } from "./protections.ts";
import { guardsSecrets, isConfinable, REASONS } from "./match/reasons.ts";
import { indexOf, type RuleIndex } from "./rule-index.ts";
import { matchRule } from "./rule.ts";
import type { RunSteps } from "./run-steps.ts";
import { spell } from "./targets.ts";
import type { Policy, Rule } from "./match/types.ts";
import { type JudgedAction, type JudgedUnknown, type RequestVerdict, stricterOf, type Verdict, verdictOf } from "./match/verdict.ts";
import { weightiest } from "./weight.ts";
import {
  byKnowledge,
  byMaybe,
  byProtection,
  byRule,
  HARMLESS,
  noOpinion,
  notAnalysable,
  redirect,
  underBroken,
  UPKEEP,
} from "./verdicts.ts";

/** What judging needs besides the request and the policy. */
export interface JudgeContext extends Omit<ConfineContext, "takesProtected"> {
  /** True where a host decides when we have no opinion. */
  readonly host: boolean;
  readonly floor: FloorPaths;
  /** Remembered answers: step 3. */
  readonly grants?: readonly Grant[] | undefined;
  /** By the place of an action: what a person said yes to once. It answers a default alone, after all else. */
  readonly consented?: ReadonlyMap<number, ConsentedYes> | undefined;
  /** The danger classes that lowering a command, given as argv, finds: tells whether a written allow names a danger. */
  readonly dangersOf: (argv: readonly string[]) => ReadonlySet<DangerId>;
  /** The request's effects are really supervised. */
  readonly supervised: boolean;
  /** Of a run whose calls are judged one by one. */
  readonly inRun?: RunSteps | undefined;
  /** A command of git that only looks, at repositories in which nothing says what git starts. */
  readonly looksAtPlain?: ((exec: ExecAction) => boolean) | undefined;
  /** Under supervision: compares system calls with call patterns (`callMatcher`). */
  readonly matchCall?: MatchCall | undefined;
}

/** One request being judged. */
interface Judgement {
  readonly lowered: Lowered;
  readonly policy: Policy;
  readonly context: JudgeContext;
  readonly index: RuleIndex;
  readonly preset: Preset;
  readonly match: MatchContext;
  /** What is written about each action, found when it is first asked for. */
  readonly matched: (MatchedRules | undefined)[];
  /** The commands of which not all is among the actions, likewise. */
  readonly open: { execs?: ReadonlySet<number> };
  /** The remembered answer that is being tried: it counts as one more allow rule. */
  readonly grant?: Rule;
}

/**
 * The verdict for a request: the strictest of the verdicts for its actions and for what could not be known.
 *
 * ```ts
 * const { decision, reason } = judge(lower(command), policy, { world, host: true, floor, dangersOf, supervised: false });
 * ```
 */
export function judge(lowered: Lowered, policy: Policy, context: JudgeContext): RequestVerdict {
  const judgement: Judgement = {
    lowered,
    policy,
    context,
    index: indexOf(policy),
    preset: presetOf(policy.settings),
    match: { world: context.world, matchCall: context.matchCall },
    matched: [],
    open: {},
  };
  const actions = lowered.actions.map((action, at): JudgedAction => {
    const verdict = judgeAction(judgement, action, at);
    const answer = granted(judgement, action, verdict, (trial) => judgeAction(trial, action, at));
    return { action, verdict: consented(context.consented?.get(at), answer) };
  });
  const unknowns = lowered.unknowns.map((unknown): JudgedUnknown => {
    const exec = lowered.actions[unknown.exec ?? -1];
    const plain = judgeUnknown(judgement, unknown, actions);
    // What cannot be understood may do anything with a file that any command of the line is given.
    const verdict = lowered.actions.reduce((so, each) => (each.kind === "exec" ? heldBack(judgement, each, so) : so), plain);
    return { unknown, verdict: granted(judgement, exec, verdict, (trial) => judgeUnknown(trial, unknown, actions)) };
  });
  const found = combine(actions, unknowns, { policy, host: context.host });
  return confine(found, policy, { ...context, takesProtected: (action) => takesProtected(action, surroundings(judgement, action)) });
}

/**
 * The order of judgement: the first step that has an opinion decides.
 *
 * Step 3, a grant, answers what the steps 4 to 10 ask, or would protect: it is judged again with the grant as one more
 * allow rule, which also answers the written questions that it lies inside of.
 */
function judgeAction(j: Judgement, action: Action, at: number): Verdict {
  spend(64);
  const written = matchingRulesAt(j, at);
  const own = floor(j, action, written) ?? denied(written) ?? asked(j, action, written, at) ?? unasked(j, action, written, at);
  if (action.kind !== "exec") return j.context.inRun?.own(own, action) ?? own;
  // Under supervision what the program does with a path, and what it starts, is judged when it does it.
  if (own.decision === "deny") return heldBack(j, action, own);
  const named = j.context.supervised ? undefined : judgeNamed(action, at, namedContext(j));
  const words = [named, judgeHanded(action, handedContext(j, written))];
  return heldBack(
    j,
    action,
    words.reduce<Verdict>((so, one) => (one === undefined ? so : stricterOf(so, one)), own),
  );
}

/** What is given a file that decides about agents is skipped by no bypass, whatever it is. */
function heldBack(j: Judgement, action: ExecAction, verdict: Verdict): Verdict {
  const { floor: paths, world } = j.context;
  if (verdict.decision === "allow" || verdict.decision === "deny") return verdict;
  if (verdict.waivable === false || !namesSetting(action, paths, world)) return verdict;
  return { ...verdict, waivable: false, reason: `${verdict.reason}; and a file that it is given decides what an agent may do` };
}

/** Words of a command whose meaning nobody knows: secrets among them, and what is written about them. */
function namedContext(j: Judgement): NamedContext {
  return {
    index: j.index,
    match: j.match,
    protect: (action, written) => {
      const met = protectedBy(j, action, written);
      // Secrets are kept from readers: what only writes where one may lie learns none.
      return met !== undefined && guardsSecrets(met.builtin) === (action.operation === "read") ? met : undefined;
    },
  };
}

/** Words of a command that may be another one. */
function handedContext(j: Judgement, { allow }: MatchedRules): HandedContext {
  const isStarted = (word: Argument): boolean => j.lowered.actions.some((one) => one.kind === "exec" && one.argv[0] === word);
  const { supervised } = j.context;
  return { index: j.index, match: j.match, allow, answered: j.grant !== undefined && allow.includes(j.grant), supervised, isStarted };
}

/** Steps 5 to 10: what holds where nobody wrote a deny or an ask. */
function unasked(j: Judgement, action: Action, written: MatchedRules, at: number): Verdict {
  return (
    harmless(j, action) ??
    protectedBy(j, action, written) ??
    allowed(j, action, written) ??
    inRun(
      j,
      action,
      judgesAsAgentperm(j)
        ? agentperm(j, action, at)
        : (transparent(j, action, at, written) ?? byMode(action, j.policy.settings, j.context) ?? byDefault(j, action, written)),
    ) ??
    withoutOpinion(j, action)
  );
}

/** 9 in a run: its own default. */
const inRun = ({ context }: Judgement, action: Action, otherwise?: Verdict): Verdict | undefined =>
  context.inRun === undefined ? otherwise : context.inRun.byDefault(action, otherwise);

/** 1. The floor: self-protection. */
function floor(j: Judgement, action: Action, written: MatchedRules): Verdict | undefined {
  const verdict = floorOf(j, action);
  // A question of the floor softens no deny.
  return verdict?.decision === "ask" ? (denied(written) ?? denying(j, action, written) ?? verdict) : verdict;
}

function floorOf(j: Judgement, action: Action): Verdict | undefined {
  const { floor: paths, world } = j.context;
  if (action.kind === "file")
    return isChange(action)
      ? judgeFloorFile(action, spell(action, world).compared, paths, world)
      : (j.context.inRun?.floor(action) ?? judgeRescueFile(action));
  const predicated = action.kind === "exec" && judgesAsAgentperm(j) ? judgePredicate(action) : undefined;
  return judgeFloorCall(action, paths, world) ?? predicated;
}

/** 2. Written deny rules. */
function denied({ deny }: MatchedRules): Verdict | undefined {
  return deny?.certain === true ? byRule(deny.rule) : undefined;
}

/** 3. */
function granted(j: Judgement, action: Action | undefined, asks: Verdict, again: (trial: Judgement) => Verdict): Verdict {
  if (j.context.grants === undefined || action === undefined) return asks;
  const exec = action.kind === "exec" ? action : execOf(j, action);
  return answered(j.context.grants, asks, action, exec, (grant) => again({ ...j, grant, matched: [] }));
}

/**
 * 4. Written ask rules; and a deny rule that may match is a question. A question softens no deny: an ask opens what is
 * protected only as an allow would, by naming it, and one of a project opens nothing outside it, or nothing at
 * all where nobody trusts it.
 */
function asked(j: Judgement, action: Action, written: MatchedRules, at: number): Verdict | undefined {
  const { allow } = written;
  const deny = deniedOf(j, action, written);
  const ask = j.grant !== undefined && answersWritten(j.grant, action, j) ? undefined : askedOf(j, action, written);
  const hit = ask?.certain === true ? ask : (deny ?? ask);
  if (hit === undefined) return undefined;
  if (!hit.certain) return denying(j, action, written) ?? byMaybe(hit, action);
  const without = unasked(j, action, written, at);
  if (without.decision !== "deny") return byRule(hit.rule);
  const asking = new Set([
    hit.rule,
    ...j.index.ask.matching(action, "sure", j.match).filter((rule) => matchRule(rule, action, j.match) === "yes"),
  ]);
  const own = [...asking].filter(({ root, untrusted }) => untrusted !== true && (root === undefined || isInside(root, action, j.match)));
  const [first] = own;
  return first === undefined ? without : (denying(j, action, { ...written, allow: [...allow, ...own] }) ?? byRule(first));
}

/**
 * A deny of some name wherever it lies (`Write(**\/.env)`) says nothing of what a program keeps for itself, as long as it only may mean
 * something there.
 */
function deniedOf(j: Judgement, action: Action, { deny }: MatchedRules): Hit | undefined {
  if (deny === undefined || deny.certain || action.upkeep !== true || !namesAnywhere(deny.rule)) return deny;
  // The names are known, and it means some of them.
  const filter = action.kind === "file" && action.target.kind === "tree" ? action.target.filter : undefined;
  if (filter?.only !== undefined || filter?.shown !== undefined) return deny;
  const rules = j.index.deny.matching(action, "possible", j.match);
  if (!rules.includes(deny.rule)) return deny;
  const rule = rules.find((one) => !namesAnywhere(one) && matchRule(one, action, j.match) !== "no");
  return rule === undefined ? undefined : { rule, certain: false };
}

const namesAnywhere = ({ matcher }: Rule): boolean => /^\*\*\/[^/]*[^/*?][^/]*$/.test(pathScopeOf(matcher)?.pattern ?? "");

/** What a program does for itself meets no question that names no path (`ask: ["Edit"]` and the index of git). */
function askedOf(j: Judgement, action: Action, { ask }: MatchedRules): Hit | undefined {
  if (ask === undefined || action.upkeep !== true || judgesAsAgentperm(j) || namesPath(ask.rule)) return ask;
  const rule = asking(action, j.index, j.match).find(namesPath);
  return rule === undefined ? undefined : { rule, certain: matchRule(rule, action, j.match) === "yes" };
}

function namesPath({ matcher }: Rule): boolean {
  const scope = pathScopeOf(matcher);
  return scope === undefined || (scope.pattern !== undefined && !/^(?:\/?\*{1,2}(?:\/\*{1,2})*|\.\/\*\*)$/.test(scope.pattern));
}

/** What one does with a device. */
const USES = new Set<FileAction["operation"]>(["read", "list", "write", "edit"]);

/** Before 5: upkeep and harmless devices are nobody's concern unless a rule says so. */
function harmless(j: Judgement, action: Action): Verdict | undefined {
  if (action.upkeep === true && !judgesAsAgentperm(j)) return UPKEEP;
  if (action.kind !== "file" || action.target.kind !== "path" || !action.target.path.startsWith("/dev/")) return undefined;
  return USES.has(action.operation) && isHarmlessDevice(action.target.path) ? HARMLESS : undefined;
}

/** 5. Protections and deny defaults, unless a written allow names them; one that means nothing in a run leaves the run's default. */
function protectedBy(j: Judgement, action: Action, written: MatchedRules): Verdict | undefined {
  let ask: Verdict | undefined;
  let isLifted = false;
  for (const protection of protectionsOf(action, surroundings(j, action))) {
    if ((ask !== undefined && !outweighs(protection, ask)) || isNamed(j, action, written, protection)) continue;
    const met = (j.context.inRun?.protect ?? byProtection)(protection, action);
    isLifted ||= met === undefined;
    if (met?.decision === "deny") return met;
    ask = met ?? ask;
  }
  return deniedByDefault(j, action, written) ?? ask ?? (isLifted ? inRun(j, action) : undefined);
}

/** A denial, what no mode skips, what no run holds, in this order; of equal ones the first. */
function outweighs({ effect, waivable, builtin }: Protection, ask: Verdict): boolean {
  if (effect === "deny") return true;
  if (waivable === false || ask.waivable === false) return ask.waivable !== false;
  return !isConfinable(builtin) && isConfinable(ask.builtin);
}

function denying(j: Judgement, action: Action, written: MatchedRules): Verdict | undefined {
  const met = protectedBy(j, action, written);
  return met?.decision === "deny" ? met : undefined;
}

function deniedByDefault(j: Judgement, action: Action, written: MatchedRules): Verdict | undefined {
  const verdict = byDefault(j, action, written);
  return verdict?.decision === "deny" && !isNamed(j, action, written, { scope: { by: "default" } }) ? verdict : undefined;
}

function isNamed(j: Judgement, action: Action, { allow }: MatchedRules, protection: Scoped): boolean {
  return (
    allow.some((rule) => namesOwn(rule, action, protection, j.context)) ||
    coveringRules(j, action).some((rule) => namesByCommand(rule, action, protection, j.context))
  );
}

function surroundings(j: Judgement, action: Action): ProtectionContext {
  const { world } = j.context;
  const opened = (path: string): boolean => {
    if (action.kind !== "file") return false;
    const one = exactly(action, path);
    const written = findMatchingRules(one, j.index, j.match);
    return written.allow.length > 0 && protectedBy(j, one, written) === undefined;
  };
  return { world, preset: j.preset, exec: execOf(j, action), opened, looksAtPlain: j.context.looksAtPlain };
}

/** 6. Written allow rules: on the action itself, or on the command whose effect it is. */
function allowed(j: Judgement, action: Action, { allow }: MatchedRules): Verdict | undefined {
  const rule = answering([...allow, ...coveringRules(j, action)]);
  return rule === undefined ? undefined : inRun(j, action, byRule(rule));
}

/** Of several that allow: whoever lifts the sandbox with one rule has not put it back with another. */
const answering = (rules: readonly Rule[]): Rule | undefined => rules.find(({ confined }) => confined === false) ?? rules[0];

/**
 * The allow rules of the command an action comes from. They answer for its effects and for project code it runs; never
 * for another command, but what a runner of packages starts, and never for code that its arguments carry to another program.
 */
function coveringRules(j: Judgement, action: Action): readonly Rule[] {
  const exec = action.kind === "exec" ? action.runner : action.origin.by === "command" ? action.origin.exec : undefined;
  if (exec === undefined || (action.kind === "code" && action.foreign === true)) return [];
  return allowOn(j, exec).filter(({ root }) => root === undefined || isInside(root, action, j.match));
}

function allowOn(j: Judgement, exec: number): readonly Rule[] {
  const action = j.lowered.actions[exec];
  if (action?.kind !== "exec") return [];
  const own = matchingRulesAt(j, exec).allow;
  return action.runner === undefined ? own : [...own, ...allowOn(j, action.runner)];
}

/** 7. Transparent commands: knowledge covers what the command does, and each effect has a verdict of its own. */
function transparent(j: Judgement, action: Action, at: number, { fallback }: MatchedRules): Verdict | undefined {
  if (action.kind !== "exec" || action.knowledge === undefined || !action.trusted || !j.preset.transparent) return undefined;
  // Who writes that running anything is asked means known programs, too.
  return fallback?.default === "ask" ? undefined : byKnowledge(action.knowledge, isListed(j, at));
}

/** True when all that a command does is among the actions; code and what could not be known stand for something else. */
const isListed = ({ lowered, open }: Judgement, exec: number): boolean => !(open.execs ??= openExecs(lowered)).has(exec);

function openExecs({ actions, unknowns }: Lowered): ReadonlySet<number> {
  const execs = new Set<number>();
  for (const { kind, origin } of actions) if (kind === "code" && origin.by === "command") execs.add(origin.exec);
  for (const { exec } of unknowns) if (exec !== undefined) execs.add(exec);
  return execs;
}

/** 9. Defaults of the preset, or of the `operations` block that replaces them. */
function byDefault(j: Judgement, action: Action, written: MatchedRules): Verdict | undefined {
  return defaultVerdict(defaultFor(action, written, j.preset, j.context.world), action, j.policy.settings.preset);
}

const judgesAsAgentperm = ({ policy }: Judgement): boolean => policy.settings.preset === "none";

/** 7 to 9 under `"preset": "none"`: nothing but what agentperm knew of the shell. */
function agentperm(j: Judgement, action: Action, at: number): Verdict | undefined {
  if (action.kind === "exec") return judgeBuiltin(action, at, j.lowered);
  if (action.kind === "file" && action.origin.by === "shell") return redirect(action);
  if (action.origin.by !== "command" || action.kind === "code") return undefined;
  const exec = execOf(j, action);
  const verdict = exec === undefined ? undefined : (judgePredicate(exec) ?? judgeBuiltin(exec, action.origin.exec, j.lowered));
  return verdict?.decision === "allow" ? verdict : undefined;
}

/** 10. Nobody has an opinion; `unknown` may say what that means for programs. */
function withoutOpinion(j: Judgement, action: Action): Verdict {
  const verdict = noOpinion(action);
  const { unknown } = j.policy.settings;
  // `confine` lifts questions about what cannot be judged; it makes none of what is left to the host.
  if (unknown !== "deny" || (action.kind !== "exec" && action.kind !== "code")) return verdict;
  return { ...verdict, decision: "deny", builtin: "unknown.deny" };
}

/** What lowering could not find out: the allow rule of its command answers it, else a person. */
function judgeUnknown(j: Judgement, unknown: Unknown, actions: readonly JudgedAction[]): Verdict {
  if (unknown.exec !== undefined) {
    const rule = answering(allowOn(j, unknown.exec));
    if (rule !== undefined) return byRule(rule);
    // agentperm knew no options, so one that knowledge does not list was no question, but in front of another command.
    const exec = actions[unknown.exec];
    if (judgesAsAgentperm(j) && exec?.action.kind === "exec") return judgeWrapper(exec.action) ?? exec.verdict;
  }
  return notAnalysable(unknown, j.policy.settings.unknown);
}

function execOf(j: Judgement, action: Action): ExecAction | undefined {
  const exec = action.origin.by === "command" ? j.lowered.actions[action.origin.exec] : undefined;
  return exec?.kind === "exec" ? exec : undefined;
}

function matchingRulesAt(j: Judgement, at: number): MatchedRules {
  const known = j.matched[at];
  if (known !== undefined) return known;
  const action = j.lowered.actions[at];
  const own = action === undefined ? NO_MATCHES : findMatchingRules(action, j.index, j.match);
  const found = action !== undefined && j.grant !== undefined ? withGrant(own, j.grant, action, j.match) : own;
  j.matched[at] = found;
  return found;
}

const NOTHING = verdictOf("allow", "nothing");

interface Combining {
  readonly policy: Policy;
  /** A host decides where we have no opinion. */
  readonly host: boolean;
}

/** A request has the strictest verdict of its parts; one without opinion beside allowed ones is not allowed. */
function combine(actions: readonly JudgedAction[], unknowns: readonly JudgedUnknown[], { policy, host }: Combining): RequestVerdict {
  let strictest: Verdict | undefined = weightiest(actions);
  for (const { verdict } of unknowns) strictest = strictest === undefined ? verdict : stricterOf(strictest, verdict);
  // What was allowed because of an answer says so.
  if (strictest?.decision === "allow")
    strictest = [...actions, ...unknowns].find(({ verdict }) => verdict.grant !== undefined)?.verdict ?? strictest;
  return { ...whole(strictest, actions, policy, host), actions, unknowns };
}

function whole(strictest: Verdict | undefined, actions: readonly JudgedAction[], policy: Policy, host: boolean): Verdict {
  const { preset } = policy.settings;
  if (strictest === undefined) return empty(policy);
  if (strictest.decision === "none" && (preset === "none" || !host) && isMixed(actions)) {
    return {
      ...strictest,
      decision: "ask",
      // agentperm spoke up here whatever the host; otherwise this is a default like any other.
      basis: preset === "none" ? "protection" : "default",
      reason: `a part of the command matches no rule: ${strictest.reason}`,
    };
  }
  return strictest.decision === "allow" ? underBroken(strictest, policy) : strictest;
}

/** No command, no file: a comment, an assignment. */
function empty(policy: Policy): Verdict {
  const { preset } = policy.settings;
  if (preset === "none") return { ...NOTHING, decision: "none", basis: "default" };
  if (policy.broken !== undefined) return underBroken(NOTHING, policy);
  return preset === "strict" ? { ...NOTHING, decision: "ask", basis: "default", help: REASONS.none.help } : NOTHING;
}

/**
 * True when one command is allowed and another has no verdict. A command and what it does are one: that its own
 * reads are allowed makes `./build.sh` no compound.
 */
function isMixed(actions: readonly JudgedAction[]): boolean {
  const silent = new Set(actions.flatMap((judged, i) => (judged.verdict.decision === "none" ? [rootOf(judged, i)] : [])));
  return actions.some((judged, i) => judged.verdict.decision === "allow" && !silent.has(rootOf(judged, i)) && !isByTheWay(judged));
}

/** The place of the command an action belongs to: its own, where it is none's effect. */
function rootOf({ action }: JudgedAction, at: number): number {
  return action.origin.by === "command" ? action.origin.exec : at;
}

/** `2>/dev/null` and `< file` are no segment of their own. */
function isByTheWay({ action }: JudgedAction): boolean {
  return action.kind === "file" && action.origin.by === "shell";
}
