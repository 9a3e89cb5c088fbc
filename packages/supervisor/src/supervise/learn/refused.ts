import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { type Action, type Call, type ExecAction, printAction } from "@assent/core/action";
import { type Extent, ruleOf } from "@assent/guard/approve";
import type { PolicyReader } from "@assent/guard/engine";
import { baseName, joinPath, parentOf } from "@assent/core/path";
import { escapeSegment } from "@assent/core/pattern";
import { callMatcher, isPersistence, isSecret, matchMatcher, type MatchContext, parseRule, type Verdict } from "@assent/core/policy";
import { profileFile, stateFolder, type Machine } from "@assent/guard/state";
import { commandRules } from "@assent/guard/suggest";
import { NOBODY } from "../judge/types.ts";
import { RunJudge } from "../judge/run-judge.ts";
import type { RunEvent } from "../types.ts";
import { generalise, type LearnPlaces, learnPlaces, mayStandForAll, ruleForAll, worldOf } from "./generalise.ts";
import { Observations } from "./observations.ts";
import { mayBeAllowed } from "./may-be-allowed.ts";

/** Something that a run was refused. Its texts come from the program: print them through `visible`. */
export interface RefusedAction {
  readonly what: string;
  readonly reason: string;
  readonly count: number;
}

/** A rule that would have let some of the refused calls go ahead. */
export interface AllowingRule {
  /** As it stands in `permissions.allow`. */
  readonly rule: string;
  readonly calls: readonly RefusedAction[];
}

export interface RunRefusals {
  /** Refused calls, alike ones counted once. */
  readonly count: number;
  readonly rules: readonly AllowingRule[];
  /** Of these no rule is offered. */
  readonly rest: readonly RefusedAction[];
}

export interface RefusedRun {
  readonly machine: Machine;
  readonly cwd: string;
  readonly profile: string;
  readonly policyFiles: readonly string[];
  /** Its policy is another program's: no rule of this machine would have allowed anything. */
  readonly isElsewhere?: boolean;
  /** An agent wrote its command. */
  readonly ofAgent: boolean;
  readonly reader: () => PolicyReader;
  readonly own: readonly string[];
}

/** More than this nobody reads. */
const MOST = 2000;

interface SeenRefusal {
  readonly event: RunEvent;
  readonly verdict: Verdict;
  /** What the call does. */
  readonly parts: readonly Action[];
  /** The rule for it, where its name is made up and is another the next time. */
  readonly whole: string | undefined;
  count: number;
}

/**
 * The refused calls of a run and the rules that would have allowed them. INVARIANT: each rule is tried on the judge of a run
 * of that program in that folder, with all the policy files that hold there; what it does not allow is not said of it.
 */
export function rulesForRefused(events: Iterable<RunEvent>, run: RefusedRun): RunRefusals {
  const seen = gather(events, learnPlaces(run.machine, run.cwd));
  const rest = seen.filter(({ event }) => !mayBeAllowed(event));
  const open = seen.filter(({ event }) => mayBeAllowed(event));
  if (open.length === 0 || run.isElsewhere === true) return { count: seen.length, rules: [], rest: seen.map(call) };
  const trial = new Trial(run);
  try {
    const rules: AllowingRule[] = [];
    const world = worldOf(learnPlaces(run.machine, run.cwd));
    const context: MatchContext = { world, matchCall: callMatcher(world) };
    const narrowed = open.map((one) => trial.narrowed(one));
    const candidates = candidatesFor(
      open.map((one) => trial.narrowed(one)),
      rest,
      run,
    );
    const solved = trial.allowedBy(
      candidates.map(({ rule }) => rule),
      open,
    );
    const told = new Set<SeenRefusal>();
    const tell = (rule: string, of: readonly SeenRefusal[]): void => {
      if (of.length > 0) rules.push({ rule, calls: of.map(call) });
      for (const one of of) told.add(one);
    };
    for (const { rule, fits } of candidates)
      tell(
        rule,
        open.filter((one, at) => solved.has(one) && fits(narrowed[at] ?? one, context)),
      );
    const commands = new Map<string, SeenRefusal[]>();
    for (const one of open) {
      const { event } = one;
      if (event.action.kind !== "exec") continue;
      const rule = commandRules(asTyped(event, event.action)).find((text) => trial.allowedBy([text], [one]).has(one));
      if (rule !== undefined) commands.set(rule, [...(commands.get(rule) ?? []), one]);
    }
    for (const [rule, of] of commands) tell(rule, of);
    return { count: seen.length, rules, rest: seen.filter((one) => !told.has(one)).map(call) };
  } finally {
    trial.close();
  }
}

const call = ({ event, count }: SeenRefusal): RefusedAction => ({ what: printAction(event.action), reason: event.verdict.reason, count });

function gather(events: Iterable<RunEvent>, places: LearnPlaces): readonly SeenRefusal[] {
  const seen = new Map<string, SeenRefusal>();
  for (const event of events) {
    if (event.outcome !== "refused") continue;
    const what = printAction(event.action);
    const before = seen.get(what);
    if (before !== undefined) before.count += 1;
    else if (seen.size < MOST) seen.set(what, { event, verdict: event.verdict, ...aboutOf(event, places), count: 1 });
  }
  return [...seen.values()];
}

function aboutOf(event: RunEvent, places: LearnPlaces): Pick<SeenRefusal, "parts" | "whole"> {
  const { action, more = [], extent = filledIn(event, places) } = event;
  const whole = extent === undefined ? undefined : ruleOf(extent, places.home)?.rule;
  if (extent === undefined || whole === undefined) return { parts: [action, ...more], whole: undefined };
  const parts = extent.map(({ path, below }): Action => {
    const at = below === true ? joinPath(path, "#") : path;
    const call: Call = { name: "open", args: [at, "create+truncate+write"] };
    return { kind: "file", operation: "write", target: { kind: "path", path: at }, origin: { by: "tool" }, call };
  });
  return { parts, whole };
}

/** A name whose row of X the program was told to fill in (mktemp(1)), and has. */
function filledIn({ action, process, verdict }: RunEvent, places: LearnPlaces): Extent | undefined {
  if (action.kind !== "file" || action.target.kind !== "path" || verdict.builtin !== "run.outside") return undefined;
  const { path } = action.target;
  const below = newFolder(action, places) !== undefined;
  if (!below && action.operation !== "write") return undefined;
  for (const word of process.argv.slice(1)) {
    const [, before = "", row = "", after = ""] = /^(.*[^X])(X{3,})([^X]*)$/.exec(baseName(word)) ?? [];
    const name = baseName(path);
    if (
      !/[A-Za-z\d]/.test(before) ||
      name.length !== before.length + row.length + after.length ||
      !name.startsWith(before) ||
      !name.endsWith(after)
    )
      continue;
    return [
      { does: "write", path, ...(below ? { below } : {}), name: escapeSegment(before) + "?".repeat(row.length) + escapeSegment(after) },
    ];
  }
  return undefined;
}

interface CandidateFor {
  readonly rule: string;
  readonly fits: (one: SeenRefusal, context: MatchContext) => boolean;
}

/** For files and hosts, as learning would write them: never one that covers a path that stays refused. */
function candidatesFor(open: readonly SeenRefusal[], rest: readonly SeenRefusal[], run: RefusedRun): readonly CandidateFor[] {
  const places = learnPlaces(run.machine, run.cwd);
  const observed = new Observations();
  const names: string[] = [];
  for (const { verdict, parts } of rest) for (const action of parts) observed.add({ action, verdict, outcome: "refused" });
  for (const { verdict, parts, whole } of open)
    for (const action of whole === undefined ? parts : []) {
      if (action.kind === "exec") continue;
      if (newFolder(action, places) !== undefined) continue;
      if (action.kind === "net" && verdict.builtin === "unreachable-name") names.push(action.host ?? "");
      else observed.add({ action, verdict: { ...verdict, decision: "ask", basis: "default" }, outcome: "done" });
    }
  const learnt = generalise(observed, places).rules.map(({ rule }) => rule);
  const matches = (rule: string): CandidateFor["fits"] => {
    const parsed = parseRule(rule);
    return ({ parts }, context) => parsed.ok && parts.some((action) => matchMatcher(parsed.matcher, action, "narrow", context) === "yes");
  };
  const wholes = new Set(open.flatMap(({ whole }) => whole ?? []));
  const folders = open.flatMap(({ parts }) => parts.flatMap((action) => newFolder(action, places) ?? []));
  return [
    ...[...wholes].map((rule) => ({ rule, fits: ({ whole }: SeenRefusal) => whole === rule })),
    ...learnt.map((rule) => ({ rule, fits: matches(rule) })),
    ...[...new Set(folders)].map((rule) => ({ rule, fits: makes(rule, places) })),
    ...[...new Set(names)].filter(isHostName).map((name) => ({ rule: `Net(${name})`, fits: isAbout(name) })),
  ];
}

/**
 * A folder that was not there yet, and what is put into it: whoever is refused the folder never came to try the rest.
 * Undefined for one that others would put their things into, too.
 */
function newFolder(action: Action, places: LearnPlaces): string | undefined {
  if (action.kind !== "file" || action.operation !== "mkdir" || action.target.kind !== "path") return undefined;
  const { path } = action.target;
  // Straight below home each folder is one program's own, but for the few that are everybody's.
  const own = parentOf(path) === places.home && /^\.(?!config$|local$|ssh$|gnupg$)[\w-]+$/.test(baseName(path));
  if (!own && !mayStandForAll(path, places)) return undefined;
  return isSecret(`${path}/x`) || isPersistence(`${path}/x`, { home: [places.home], project: [places.project], temp: places.temp })
    ? undefined
    : ruleForAll(path, places);
}

const makes =
  (rule: string, places: LearnPlaces): CandidateFor["fits"] =>
  ({ parts }) =>
    parts.some((action) => newFolder(action, places) === rule);

const isHostName = (name: string): boolean => /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i.test(name);
const isAbout =
  (name: string): CandidateFor["fits"] =>
  ({ event: { action } }) =>
    action.kind === "net" && action.host === name;

/** The command in the words that started it: the first is not the file's path, but what was typed. */
function asTyped({ call: { args } }: RunEvent, action: ExecAction): ExecAction {
  const [, argv] = args;
  if (argv === undefined || typeof argv === "string") return action;
  return { ...action, argv: argv.map((text) => ({ known: true, text })) };
}

/** The judge of a run, with a policy file more. */
class Trial {
  readonly #folder = mkdtempSync(`${tmpdir()}/assent-trial-`);
  readonly #judge: RunJudge;
  readonly #file = `${this.#folder}/policy.jsonc`;

  constructor({ machine, cwd, profile, policyFiles, ofAgent, reader, own }: RefusedRun) {
    this.#write([]);
    // Policies that are only tried are compiled beside: of the real state only the trust counts.
    mkdirSync(`${this.#folder}/assent`, { mode: 0o700 });
    const trust = `${stateFolder(machine)}/trust.json`;
    if (existsSync(trust)) copyFileSync(trust, `${this.#folder}/assent/trust.json`);
    this.#judge = new RunJudge({
      machine: { ...machine, env: { ...machine.env, XDG_STATE_HOME: this.#folder } },
      cwd,
      env: {},
      ofAgent,
      policyFiles: [...policyFiles, this.#file],
      profileFile: profileFile(machine, profile),
      reader,
      own,
    });
  }

  #write(rules: readonly string[]): void {
    writeFileSync(this.#file, JSON.stringify({ permissions: { allow: rules } }));
  }

  /** Without the parts that go ahead already: of a rename, the end that is in the project. */
  narrowed(one: SeenRefusal): SeenRefusal {
    const parts = one.parts.filter((action) => action.kind !== "file" || this.#judge.call([action], NOBODY).decision !== "allow");
    return parts.length === 0 ? one : { ...one, parts };
  }

  allowedBy(rules: readonly string[], calls: readonly SeenRefusal[]): Set<SeenRefusal> {
    this.#write(rules);
    this.#judge.reload();
    return new Set(calls.filter((one) => this.#allows(one)));
  }

  #allows({ event, verdict, parts }: SeenRefusal): boolean {
    const { action } = event;
    if (action.kind === "net" && verdict.builtin === "unreachable-name") return this.#judge.mayLookUp(action.host ?? "");
    if (action.kind !== "exec") return this.#judge.call(parts, NOBODY).decision === "allow";
    const [path, argv] = event.call.args;
    if (typeof path !== "string" || argv === undefined || typeof argv === "string") return false;
    // By what it was called, a script is known, and not by where it lies.
    const started = { word: action.resolved ?? path, path, id: "", size: 1, argv, file: path };
    const judged = [this.#judge.exec([started], event.call, NOBODY).verdict, this.#judge.judgeOne(action)];
    return judged.every(({ decision }) => decision === "allow");
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
