import { rmSync } from "node:fs";
import { retentionOf } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { visible } from "@assent/core/action";
import { agentMark, agentName } from "@assent/core/policy";
import {
  isOfSession,
  messageOf,
  noteChanges,
  noteLiveRun,
  openState,
  profileFile,
  programProfile,
  refsBefore,
  sessionName,
  stillGranted,
  watchChanges,
} from "@assent/guard/state";
import { RunAudit } from "./audit.ts";
import { exitOf } from "./exit.ts";
import { FailureHistory } from "./failures.ts";
import { AllowedTally, describeProcess, Door, killTree, listLiving, netDoor, type Outside, type TakenBack } from "./door/index.ts";
import { serveInner } from "./inner.ts";
import { answerableName, GrantingJudge, secretVariables } from "./judge/index.ts";
import { canCopyDescriptors, must } from "./kernel/index.ts";
import { launch, type Launched } from "./launch/index.ts";
import { withoutLeakCheck } from "./leak-check.ts";
import { OtherRuns } from "./other-runs.ts";
import { DnsRelay, hostsOf, Names, nameServersOf, type RelayOptions } from "./net/index.ts";
import { LookUps } from "./look-ups.ts";
import { givenAnswer } from "./given-answer.ts";
import { Questions } from "./questions.ts";
import type { Exit, RunEvent, RunOptions, RunResult } from "./types.ts";
import {
  isSealable,
  limitsOf,
  newRunId,
  pruneSeldom,
  RunFolder,
  type RunLimits,
  type RunMeta,
  runsFolder,
  sealEdits,
  sealRun,
  UndoStore,
} from "./undo/index.ts";
import { procProblem, WallError } from "./wall/index.ts";

/** A run that could not begin, or that Assent itself could not go on with. */
export class RunError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "RunError";
    this.code = code;
  }
}

function recordsOf({ machine, argv, cwd, policyFiles, policies, confined }: RunOptions, profile: string): RunFolder {
  const state = openState(machine);
  if ("problem" in state) throw new RunError("state", unusable(state.problem));
  const started = Date.now();
  try {
    const meta = {
      id: newRunId(started),
      argv,
      cwd,
      profile,
      ...(policyFiles.length === 0 ? {} : { policyFiles }),
      ...(policies === undefined ? {} : { guard: policies.principal === undefined ? {} : { principal: policies.principal } }),
      started,
      ...(confined === undefined ? {} : { confined }),
    };
    return new RunFolder(runsFolder(machine), meta);
  } catch (error) {
    throw new RunError("state", unusable(`the run's records cannot be kept: ${messageOf(error)}`));
  }
}

/** What only a filter around us says, or a kernel that is too old. */
const withWay = (problem: string): string =>
  /: (?:EPERM|ENOSYS)\b/.test(problem)
    ? `${problem}; \`assent doctor\` says what this machine, or the container around this, refuses`
    : problem;

/** In a sandbox everything but the project may be read-only. */
function unusable(problem: string): string {
  const way = /EROFS|EACCES|EPERM/.test(problem)
    ? "; where a sandbox around this closes it, start `assent run` outside the sandbox, or set XDG_STATE_HOME to a folder that it lets you write"
    : "";
  return `${problem}: the run's records need it${way}`;
}

/** What the run left is written down, so that an undo can tell what was changed since. */
function keep(records: RunFolder, undo: boolean, exit: Exit | undefined, onNotice: RunOptions["onNotice"]): void {
  const ended = Date.now();
  const facts = { ended, ...(exit === undefined ? {} : { exit }) };
  try {
    // To seal what was changed may take a while: that it has ended is written down first.
    if (!undo || isSealable(records.folder)) records.end(facts);
    if (undo) records.end({ ...facts, bytes: sealRun(records.folder, ended) });
    records.close();
  } catch (error) {
    onNotice?.(`what the run left could not be noted, so an undo will be careful: ${messageOf(error)}`);
  }
}

/** The program has ended, and others of its tree go on: what there is so far. They may still change things. */
function keepSoFar(records: RunFolder, undo: boolean, exit: Exit, left: RunMeta["left"]): void {
  const ended = Date.now();
  records.end({ ended, exit, ...(left === undefined ? {} : { left }) });
  if (undo) records.end({ bytes: sealRun(records.folder, ended) });
}

/** Of a run that did not begin nothing is kept. */
function discard(records: RunFolder): void {
  records.close();
  rmSync(records.folder, { recursive: true, force: true });
}

/** What a receipt tells. */
function isNotable({ outcome, answer, action, verdict }: RunEvent): boolean {
  if (outcome === "refused" || answer !== undefined || verdict.builtin === "run.other-names") return true;
  return action.kind === "exec" || action.kind === "net";
}

function sayTakenBack({ words, why, left: [first, ...more] }: TakenBack): string {
  const not =
    first === undefined
      ? ""
      : `, but for ${visible(first.path)} (${visible(first.why)})${more.length > 0 ? ` and ${more.length} more` : ""}`;
  return `\`${words}\` was ended, and what it had done was taken back${not}, for it may not go on: ${visible(why)}`;
}

/** sysexits.h, EX_TEMPFAIL: whatever the program itself says, a part of it was taken back. */
const TEMPFAIL = 75;
const PR_SET_CHILD_SUBREAPER = 36;
/** What is about to end with the program does so within these milliseconds. */
const PATIENCE = 50;

/**
 * Runs a program under the policy, for the whole life of its process tree. `options.argv[0]` is an absolute path.
 *
 * One thread: the *door* answers the tree's system calls in turns of node's event loop, which asks people, serves names and
 * passes signals on between them. docs/architecture.md tells it in order.
 *
 * Throws `RunError`: nothing was started, or supervision broke down (and the tree with it).
 */
export async function superviseRun(options: RunOptions): Promise<RunResult> {
  const { machine, cwd, argv } = options;
  let { env } = options;
  const ofAgent = options.confined !== undefined || agentMark(env) !== undefined;
  // Where somebody is asked about a connection, its name is looked up before.
  const refusesNames = ofAgent && options.mode === "enforce" && (options.approver === undefined || options.approver.isThere !== undefined);
  /** Variables that the program is not given. */
  let removed: readonly string[] = [];
  const noProc = procProblem();
  if (noProc !== undefined) throw new RunError("proc", `supervision needs /proc, but ${noProc}`);
  const profile = options.profile ?? programProfile(argv[0], machine, cwd);
  // What tools have written before is told from what the run is about to write.
  sealEdits(runsFolder(machine));
  const records = recordsOf(options, profile);
  const { id, folder } = records;
  const undoes = options.undo && options.mode === "enforce";
  const hosts = hostsOf();
  const names = new Names(() => hosts.value);
  /** Started when it is needed. */
  let relay: { readonly found: Relay | undefined } | undefined;
  let undo: UndoStore | undefined;
  let door: Door | undefined;
  let limits: RunLimits | undefined;
  let otherRuns: OtherRuns | undefined;
  let launched: Launched | undefined;
  let noLonger: (() => void) | undefined;
  let lookUps: LookUps | undefined;
  let exit: Exit | undefined;
  /** Why the program itself was not started. */
  let refusal: string | undefined;
  /** Why the receipt has gaps. */
  let unkept: string | undefined;
  /** Nothing of the tree is left. */
  let over = false;
  /** A command was ended in the middle. */
  let tookBack = false;

  const questions = new Questions(
    options,
    { run: id, profile },
    {
      answer: (seq, answer, grant) => {
        if (seq < 0 && answer.answer !== "quit") lookUps?.answer(seq, answer, givenAnswer(answer));
        else door?.answer(seq, answer, grant);
      },
      reload: () => door?.reload(),
    },
  );
  const tally = new AllowedTally();
  const { policies } = options;
  const audit = new RunAudit({
    machine,
    run: id,
    cwd,
    mode: options.mode,
    tally,
    principal: policies?.principal,
    logs: policies?.audit,
    onProblem: (problem) => options.onNotice?.(problem),
  });
  // What one principal's command was refused is nothing for the next one to hear.
  const history = new FailureHistory(policies === undefined ? options : { machine, cwd });
  const answerInner = serveInner({ id, profile, policyFiles: options.policyFiles }, options);
  const told = (event: RunEvent): void => {
    try {
      if (isNotable(event)) records.event(event);
    } catch (error) {
      // A full disk: the run's own calls are refused where they could not be undone; a receipt with a gap is no reason to end it.
      unkept ??= messageOf(error);
    }
    audit.event(event);
    if (event.action.kind === "exec" && event.outcome === "passed") history.started(event);
    if (event.outcome === "refused") {
      history.refused(event);
      options.onRefused?.(event);
    }
    options.onEvent?.(event);
  };

  /** The program itself has ended, and something of its tree lives. */
  let onLeft: ((result: RunResult) => void) | undefined;
  const supervised = async (): Promise<RunResult> => {
    try {
      return await new Promise<RunResult>((resolve, reject) => {
        const outside: Outside = {
          ask: (question) => questions.put(question),
          drop: (seq) => questions.drop(seq),
          events: (events) => events.forEach(told),
          inner: answerInner,
          notice: (text) => options.onNotice?.(text),
          unkept: (text) => {
            if (options.confined === undefined) options.onNotice?.(text);
          },
          takenBack: (what) => {
            tookBack = true;
            history.takenBack();
            (options.onTakenBack ?? options.onNotice)?.(sayTakenBack(what));
          },
          lacks: (lack) => {
            history.lacked(lack);
            const { name, need, way } = lack;
            if (options.confined === undefined)
              options.onNotice?.(`${visible(name)} ${need}: that does not work in a supervised run; ${way}`);
          },
          started: () => {
            const { pid = 0 } = launched ?? {};
            options.onStart?.({ pid, signal: (signal) => kill(pid, signal) });
          },
          refused: (why) => {
            refusal = why;
          },
          ended: (status) => {
            exit = exitOf(status);
            if (tookBack && exit.by === "exit" && exit.code === 0) exit = { by: "exit", code: TEMPFAIL };
            const failed = launched?.failure();
            if (failed !== undefined) reject(new RunError("exec", refusal ?? withWay(failed.message)));
            else if (options.leaves === true) setTimeout(() => leave(), PATIENCE);
          },
          failed: (error) => reject(error),
          closed: () => {
            over = true;
            const end = exit ?? { by: "exit", code: 1 };
            history.ended(end);
            process.off("exit", killTree);
            questions.close(end).then(
              () =>
                resolve({
                  id,
                  exit: end,
                  removed,
                  lacked: history.lacks,
                  ...(questions.ended === undefined ? {} : { ended: questions.ended }),
                }),
              reject,
            );
          },
        };
        const begin = (): void => {
          const judge = new GrantingJudge({
            machine,
            cwd,
            root: options.root,
            session: options.confined?.session,
            who: options.confined && { agents: [agentName(options.confined.agent)], session: options.confined.session },
            env,
            ofAgent,
            asksPerson: options.approver?.atTerminal === true,
            policyFiles: options.policyFiles,
            policies,
            profileFile: profileFile(machine, profile),
            reader: () => ({ read }),
            own: options.own,
            onSteering: (path) => noteChanges(machine, [path], `run ${id}`),
          });
          const { warnings, broken } = judge.policy;
          for (const text of warnings) options.onNotice?.(text);
          if (broken !== undefined) {
            // Under it even loading a library would be a question.
            if (options.mode !== "observe")
              throw new RunError("policy", `${broken}: a policy file has a mistake, so nothing was started; correct it`);
            options.onNotice?.(`${broken}: without --log-only nothing would be started until it is corrected`);
          }
          if (options.confined !== undefined && judge.reachesOutside) {
            removed = secretVariables(env);
            env = Object.fromEntries(Object.entries(env).filter(([name]) => !removed.includes(name)));
          }
          // A guard's policy says nothing about what others want to keep.
          audit.keep = retentionOf(policies === undefined ? judge.policy.settings.audit : undefined);
          const { confined } = options;
          const session = confined?.session === undefined ? undefined : sessionName(confined.agent, confined.session);
          // Before anything of it can change them.
          const refs = refsBefore(machine, cwd, session);
          limits = limitsOf(judge.policy.settings.undo);
          if (undoes) undo = new UndoStore(folder);
          otherRuns = new OtherRuns(machine, id, undoes && !options.bestEffort, () => judge.ground, session);
          // Orphans of the tree become our children, not init's: only so can they be read and reaped (PR_SET_CHILD_SUBREAPER(2const)).
          must("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
          if (confined !== undefined) noLonger = noteLiveRun(machine, id, session);
          // Whatever ends us must not leave the tree behind.
          process.once("exit", killTree);
          launched = launch({
            path: pathOf(options),
            argv: [options.word ?? argv[0], ...argv.slice(1)],
            env: withoutLeakCheck(env),
            observeReads: true,
            trapKill: confined !== undefined,
            ownSockets: !canCopyDescriptors(),
            bestEffort: options.bestEffort,
            job: options.job === true,
          });
          for (const { piece, why, consequence } of launched.missing) options.onNotice?.(`without ${piece}: ${consequence} (${why})`);
          const observes = options.mode === "observe";
          lookUps = new LookUps({
            judge,
            told,
            isThere: (afar) => options.approver?.isThere?.(afar) === true,
            afar: (action) => answerableName(judge, action),
            ask: (question) => questions.put(question),
            consent: (host, lasts) => door?.consentToHost(host, lasts),
            about: { run: id, profile, cwd, command: [options.word ?? argv[0], ...argv.slice(1)] },
            program: () => describeProcess(launched?.pid ?? 0),
          });
          const mayLookUp = lookUps;
          door = new Door({
            listener: launched.listener,
            program: launched.pid,
            walled: launched.enforced.landlock.fs !== 0,
            outside,
            judge,
            undo,
            parts: `${folder}/parts`,
            refs,
            run: id,
            profile,
            home: machine.home,
            cwd,
            command: [options.word ?? argv[0], ...argv.slice(1)],
            env,
            observes,
            asks: (afar) => options.approver !== undefined && options.approver.isThere?.(afar) !== false,
            tellsAll: options.onEvent !== undefined,
            tally,
            exceeds: () => otherRuns?.exceeds(),
            holds: (grant) => stillGranted(machine, grant),
            typed: !ofAgent,
            watchesFiles: ofAgent ? () => watchChanges(machine, `run ${id}`) : undefined,
            ...(confined === undefined
              ? {}
              : {
                  signals: {
                    scoped: launched.enforced.landlock.scopes !== 0,
                    isOfSession: (pid) => session !== undefined && isOfSession(machine, session, pid),
                  },
                }),
            net: netDoor({
              judge,
              names,
              relay: () =>
                (relay ??= { found: startRelay(names, options.onNotice, refusesNames ? (name) => mayLookUp.allow(name) : undefined) }).found
                  ?.address,
              env,
              observes,
              otherRuns,
            }),
          });
          door.serve();
        };
        begin();
      });
    } catch (error) {
      process.off("exit", killTree);
      door?.stop();
      // Without the door every judged call fails, and nothing good comes of going on.
      killTree();
      if (error instanceof RunError) throw error;
      throw new RunError(error instanceof WallError ? error.code : "failed", withWay(messageOf(error)));
    } finally {
      noLonger?.();
      relay?.found?.relay.close();
      undo?.close();
      otherRuns?.close();
      audit.end();
      if (unkept !== undefined) options.onNotice?.(`the receipt is not complete: ${unkept}`);
      if (launched === undefined) discard(records);
      else keep(records, undoes, exit, options.onNotice);
      pruneSeldom(runsFolder(machine), limits, policies === undefined ? undefined : ({ guard }) => guard !== undefined);
    }
  };
  const all = supervised();
  const leave = (): void => {
    if (over) return;
    const processes = listLiving().map((pid) => describeProcess(pid));
    if (processes.length === 0) return;
    const end = exit ?? { by: "exit", code: 1 };
    history.ended(end);
    void questions.close(end).finally(() => {
      try {
        keepSoFar(
          records,
          undoes,
          end,
          processes.map(({ pid, name }) => ({ pid, name })),
        );
      } catch (error) {
        options.onNotice?.(`the receipt is not complete: ${messageOf(error)}`);
      }
      onLeft?.({
        id,
        exit: end,
        removed,
        lacked: history.lacks,
        ...(questions.ended === undefined ? {} : { ended: questions.ended }),
        left: { processes, over: all, noteEnd: (leftEnded) => records.end({ leftEnded }) },
      });
    });
  };
  if (options.leaves !== true) return await all;
  return await Promise.race([all, new Promise<RunResult>((resolve) => (onLeft = resolve))]);
}

type Relay = ReturnType<typeof DnsRelay.start>;

/** As it was typed, where that is a path: a script is told the path by which it was started. */
const pathOf = ({ word, argv }: RunOptions): string => (word?.includes("/") === true ? word : argv[0]);

/** The name server of the run. Without one, names are not known: what is asked about are addresses. */
function startRelay(names: Names, onNotice: RunOptions["onNotice"], allow: RelayOptions["allow"]): Relay | undefined {
  const servers = nameServersOf();
  try {
    return DnsRelay.start({
      nameServers: () => servers.value,
      onNames: (found) => names.add(found, performance.now()),
      ...(allow === undefined ? {} : { allow, answersNone: true }),
    });
  } catch (error) {
    onNotice?.(`host names cannot be looked up: ${messageOf(error)}`);
    return undefined;
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}
