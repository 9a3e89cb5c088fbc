import { visible, withBudget, type World } from "@assent/core/action";
import { joinPath, resolvePath } from "@assent/core/path";
import {
  floorPaths,
  joinLayers,
  judge,
  type JudgeContext,
  type Policy,
  policyFor,
  type PolicyFile,
  type Principal,
  type RequestVerdict,
  underBroken,
  verdictOf,
} from "@assent/core/policy";
import {
  answerFor,
  dangersOf,
  failedVerdict,
  guessEffects,
  lowerTool,
  narrowByGuess,
  type Request,
  whoOf,
  whyDowngraded,
} from "@assent/core/request";
import type { ShellKind } from "@assent/core/shell";
import { folderNamedBy, type GuardCall, lowerCall, type LoweredCall } from "../create-guard/call.ts";
import { type CallFinding, judgeTogether, type NamedTool } from "../create-guard/combine.ts";
import { tightenedBy } from "@assent/guard/engine/given";
import type { CallDecision, GuardCallOptions } from "../create-guard/types.ts";
import { worldFrom } from "./given-world.ts";
import { CommandsNotUnderstood, refuseCommands } from "./no-commands.ts";
import { fetchParts, withoutWaiting } from "./parts.ts";
import { GuardOptionError } from "../common/options.ts";

/** What guards of the core that were made of one another share. */
export interface CoreRoot {
  readonly world: World;
  /** The first policy, or what holds where none is given. */
  readonly policy: Policy;
  readonly shell: ShellKind;
  /** Commands are understood here. */
  readonly commands: boolean;
}

/** For whom and where a guard of the core judges. */
export interface CorePlace {
  readonly principal: Principal | undefined;
  readonly cwd: string | undefined;
  /** Policies behind the first, which make it stricter. */
  readonly stricter: readonly PolicyFile[];
}

/** Calls that were judged together. */
export interface CoreJudged {
  readonly parts: readonly { readonly call: GuardCall; readonly lowered: LoweredCall }[];
  readonly decision: CallDecision;
  /** Parts that would have to be fetched before this counts: until then it is a question. */
  readonly missing: ReadonlySet<string>;
}

/** The policy of a first file, and of those that make it stricter. Throws `GuardOptionError` where one cannot be added. */
export function policyOf(first: PolicyFile | undefined): Policy {
  return joinLayers(first === undefined ? [] : [{ ok: true, policy: first }]);
}

export function tightened(policy: Policy, stricter: readonly PolicyFile[]): Policy {
  try {
    return tightenedBy(policy, stricter);
  } catch (error) {
    throw new GuardOptionError("policy", `policy: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Judges calls that belong together, and fetches what is missing for it. Asks nobody. Throws `GuardCallError` for what is no call. */
export function judgeCoreCalls(...given: JudgingGiven): CoreJudged | Promise<CoreJudged> {
  const judged = judgeAtOnce(...given);
  return judged.missing.size === 0 ? judged : judgeAgain(judged, given);
}

type JudgingGiven = readonly [
  calls: readonly GuardCall[],
  root: CoreRoot,
  place: CorePlace,
  options: GuardCallOptions,
  tool?: NamedTool | undefined,
];

async function judgeAgain({ missing }: CoreJudged, [calls, root, place, options, tool]: JudgingGiven): Promise<CoreJudged> {
  const problem = await fetchParts(missing);
  const judged = judgeAtOnce(calls, root, place, options, tool, problem);
  return judged.missing.size === 0 || problem !== undefined ? judged : await judgeAgain(judged, [calls, root, place, options, tool]);
}

/** The same with the parts that are there. */
export function judgeAtOnce(
  calls: readonly GuardCall[],
  root: CoreRoot,
  place: CorePlace,
  options: GuardCallOptions,
  tool?: NamedTool,
  problem?: string,
): CoreJudged {
  const missing = new Set<string>();
  const judged = judgeTogether(calls, tool, options.principal ?? place.principal, (call) =>
    judgeOne(call, root, place, options, (names) => {
      for (const name of names) missing.add(name);
      return problem ?? "a part of Assent that this needs is not there yet";
    }),
  );
  return { ...judged, missing };
}

/** Is told which parts are missing, and says why this is not judged. */
type Lacking = (names: ReadonlySet<string>) => string;

function judgeOne(call: GuardCall, root: CoreRoot, place: CorePlace, options: GuardCallOptions, lacking: Lacking) {
  const lowered = lowerCall(call);
  const request = requestOf(lowered, root, place, options);
  return { call, lowered, outcome: findingOf(request, root, place, options, lacking) };
}

const cwdOf = (place: CorePlace, options: GuardCallOptions): string | undefined => options.cwd ?? place.cwd;

function requestOf(lowered: LoweredCall, { world, shell }: CoreRoot, place: CorePlace, options: GuardCallOptions): Request {
  const { tool, facts, input } = lowered;
  const named = folderNamedBy(lowered);
  const folder = cwdOf(place, options) ?? world.cwd;
  const principal = options.principal ?? place.principal;
  const { user, tenant, role, agent = "library", session } = principal ?? {};
  return {
    tool,
    facts,
    input,
    cwd: "path" in named && named.path !== undefined ? resolvePath(folder, named.path) : folder,
    point: "library",
    agent,
    session,
    subagent: options.subagent,
    host: { shell, decides: false, asks: true, bypassed: false, planning: false },
    ...(principal === undefined ? {} : { principal: { user, tenant, role } }),
  };
}

/** As a decision's own: steps bound it where the clock stands still, as in a worker. */
const BUDGET = { steps: 20_000_000, milliseconds: 1500, clock: (): number => performance.now() };

function findingOf(request: Request, root: CoreRoot, place: CorePlace, options: GuardCallOptions, lacking: Lacking): CallFinding {
  const { made, missing } = withoutWaiting(() => withBudgetOrFailure(() => judgeRequest(request, root, place, options)));
  const found: Found = made === undefined || missing.size > 0 ? { failure: failedVerdict(new Error(lacking(missing))) } : made;
  if ("verdict" in found) {
    const { verdict, policy } = found;
    return { verdict, answer: answerFor(verdict, policy, request.host), warnings: policy.warnings };
  }
  const { failure } = found;
  return { verdict: failure, answer: answerFor(failure, undefined, request.host), warnings: [failure.reason] };
}

type Found = { readonly verdict: RequestVerdict; readonly policy: Policy } | { readonly failure: RequestVerdict };

/** INVARIANT: nothing that goes wrong allows. What this build cannot look into nobody can say yes to. */
function withBudgetOrFailure(judgeIt: () => Found): Found {
  try {
    return withBudget(BUDGET, judgeIt);
  } catch (error) {
    if (!(error instanceof CommandsNotUnderstood)) return { failure: failedVerdict(error) };
    return { failure: { ...verdictOf("deny", "failure", { reason: visible(error.message) }), actions: [], unknowns: [] } };
  }
}

/** The same steps, in the same order, as `decide` takes on a machine, without what a machine remembers. */
function judgeRequest(request: Request, root: CoreRoot, place: CorePlace, options: GuardCallOptions): Found {
  const { facts } = request;
  if (!root.commands && (facts?.does === "shell" || facts?.does === "argv" || facts?.does === "opaque")) refuseCommands();
  const named = folderNamedBy(request);
  if ("problem" in named) throw new Error(named.problem);
  const around = worldFrom(root.world, cwdOf(place, options));
  // A command that runs elsewhere leaves the project no more than `cd` does.
  const world = named.path === undefined ? around : { ...worldFrom(root.world, request.cwd), projectRoot: around.projectRoot };
  const policy = policyFor(tightened(root.policy, place.stricter), () => whoOf(request, {}));
  const context = contextOf(world);
  const lowered = lowerTool(request, world);
  const guess = guessEffects(request, world);
  const own = judge(lowered, policy, context);
  const judged =
    guess === undefined ? own : narrowByGuess(own, judge(guess.likely, policy, context), judge(guess.writing, policy, context), guess);
  return { verdict: heldBack(request, underBroken(judged, policy), policy), policy };
}

/** Whoever writes a policy in code has agreed to what it says. */
const CONSENT = { modes: "in code", trusted: [], restricted: [] };

function heldBack(request: Request, verdict: RequestVerdict, policy: Policy): RequestVerdict {
  if (verdict.decision !== "allow") return verdict;
  const { automation } = policy.settings;
  const why = whyDowngraded(request, verdict, automation, { level: automation.when, consent: CONSENT, refusedInARow: () => 0 });
  if (why === undefined) return verdict;
  const { rule: _rule, confined: _confined, ...rest } = verdict;
  return { ...rest, ...why };
}

const POLICY_NAME = ".agent-permissions.jsonc";

function contextOf(world: World): JudgeContext {
  const floor = { ...floorPaths(world.home), projectPolicies: [joinPath(world.projectRoot, POLICY_NAME)] };
  return { world, host: false, floor, dangersOf, supervised: false };
}
