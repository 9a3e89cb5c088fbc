import { read } from "@assent/guard/engine/reader";
import { visible } from "@assent/core/action";
import { agentMark, agentName } from "@assent/core/policy";
import {
  isOfSession,
  messageOf,
  noteChanges,
  noteLiveRun,
  profileFile,
  programProfile,
  refsBefore,
  sendSignal,
  sessionName,
  stillGranted,
  watchChanges,
} from "@assent/guard/state";
import { exitOf } from "./exit.ts";
import { FailureHistory } from "./failures.ts";
import { AllowedTally } from "./trap/record.ts";
import { describeProcess, killTree, listLiving } from "./trap/processes.ts";
import { TrapHandler } from "./trap/trap-handler.ts";
import { netTraps } from "./trap/net/index.ts";
import type { Outside, TakenBack } from "./trap/options.ts";
import { serveInner } from "./inner.ts";
import { answerableName } from "./judge/remote-approval.ts";
import { GrantingJudge } from "./judge/granting-judge.ts";
import { secretVariables } from "./judge/secret-variables.ts";
import { canCopyDescriptors, must, PRCTL } from "./kernel/index.ts";
import { launch, type Launched } from "./launch/index.ts";
import { withoutLeakCheck } from "./leak-check.ts";
import { OtherRuns } from "./other-runs.ts";
import { runNames } from "./net/run-names.ts";
import { LookUps } from "./look-ups.ts";
import { givenAnswer } from "./given-answer.ts";
import { Questions } from "./questions.ts";
import { RunError, RunRecords } from "./records.ts";
import type { Exit, RunEvent, RunOptions, RunResult } from "./types.ts";
import { runsFolder, sealEdits, sealRun, UndoStore } from "./undo/index.ts";
import { procProblem } from "./sandbox/proc.ts";
import { SandboxError } from "./sandbox/restrict.ts";

/** What only a filter around us says, or a kernel that is too old. */
const withWay = (problem: string): string =>
  /: (?:EPERM|ENOSYS)\b/.test(problem)
    ? `${problem}; \`assent doctor\` says what this machine, or the container around this, refuses`
    : problem;

function sayTakenBack({ words, why, left: [first, ...more] }: TakenBack): string {
  const not =
    first === undefined
      ? ""
      : `, but for ${visible(first.path)} (${visible(first.why)})${more.length > 0 ? ` and ${more.length} more` : ""}`;
  return `\`${words}\` was ended, and what it had done was taken back${not}, for it may not go on: ${visible(why)}`;
}

/** sysexits.h, EX_TEMPFAIL: whatever the program itself says, a part of it was taken back. */
const TEMPFAIL = 75;
/** What is about to end with the program does so within these milliseconds. */
const PATIENCE = 50;

/**
 * A program under the policy, for the whole life of its process tree: the run begins, is served, and ends. `argv[0]` of the options
 * is an absolute path.
 *
 * One thread: the *trap handler* answers the tree's system calls in turns of node's event loop, which asks people, serves names and
 * passes signals on between them. docs/architecture.md tells it in order.
 */
export class SupervisedRun {
  readonly #options: RunOptions;
  readonly #ofAgent: boolean;
  readonly #undoes: boolean;
  readonly #profile: string;
  readonly #command: readonly string[];
  readonly #records: RunRecords;
  readonly #questions: Questions;
  readonly #tally = new AllowedTally();
  readonly #history: FailureHistory;
  /** Done when the run is over, in the opposite order. */
  readonly #closings: (() => void)[] = [];
  #launched: Launched | undefined;
  #trapHandler: TrapHandler | undefined;
  #lookUps: LookUps | undefined;
  /** Variables that the program is not given. */
  #removed: readonly string[] = [];
  #exit: Exit | undefined;
  /** Why the program itself was not started. */
  #refusal: string | undefined;
  /** A command was ended in the middle. */
  #tookBack = false;
  /** Nothing of the tree is left. */
  #isOver = false;
  #onClosed: ((exit: Exit) => void) | undefined;
  #onFailed: ((error: unknown) => void) | undefined;

  /** The program is inside the sandbox, and its exec waits to be served. Throws `RunError`: nothing was started. */
  static begin(options: RunOptions): SupervisedRun {
    const noProc = procProblem();
    if (noProc !== undefined) throw new RunError("proc", `supervision needs /proc, but ${noProc}`);
    // What tools have written before is told from what the run is about to write.
    sealEdits(runsFolder(options.machine));
    const run = new SupervisedRun(options);
    try {
      run.#begin();
      return run;
    } catch (error) {
      const failed = run.#failed(error);
      run.#end();
      throw failed;
    }
  }

  private constructor(options: RunOptions) {
    const { machine, cwd, argv, policies } = options;
    this.#options = options;
    this.#ofAgent = options.confined !== undefined || agentMark(options.env) !== undefined;
    this.#undoes = options.undo && options.mode === "enforce";
    this.#command = [options.word ?? argv[0], ...argv.slice(1)];
    this.#profile = options.profile ?? programProfile(argv[0], machine, cwd);
    this.#records = new RunRecords(options, { profile: this.#profile }, this.#tally);
    this.#questions = new Questions(
      options,
      { run: this.#records.id, profile: this.#profile },
      {
        answer: (seq, answer, grant) => {
          if (seq < 0 && answer.answer !== "quit") this.#lookUps?.answer(seq, answer, givenAnswer(answer));
          else this.#trapHandler?.answer(seq, answer, grant);
        },
        reload: () => this.#trapHandler?.reload(),
      },
    );
    // What one principal's command was refused is nothing for the next one to hear.
    this.#history = new FailureHistory(policies === undefined ? options : { machine, cwd });
  }

  #begin(): void {
    const { machine, cwd, confined, approver, onNotice } = this.#options;
    const { id: run, folder } = this.#records;
    const judge = this.#judge();
    const env = this.#environment(judge);
    this.#records.keepAs(judge.policy.settings);
    const session = confined?.session === undefined ? undefined : sessionName(confined.agent, confined.session);
    // Before anything of it can change them.
    const refs = refsBefore(machine, cwd, session);
    const undo = this.#undoes ? this.#close(new UndoStore(folder)) : undefined;
    const otherRuns = this.#close(
      new OtherRuns(machine, run, this.#undoes && this.#options.bestEffort !== true, () => judge.ground, session),
    );
    // Orphans of the tree become our children, not init's: only so can they be read and reaped (PR_SET_CHILD_SUBREAPER(2const)).
    must("prctl", PRCTL.SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (confined !== undefined) this.#closings.push(noteLiveRun(machine, run, session));
    // Whatever ends us must not leave the tree behind.
    process.once("exit", killTree);
    const launched = this.#launch(env);
    const observes = this.#options.mode === "observe";
    const about = { run, profile: this.#profile, cwd, command: this.#command };
    const lookUps = (this.#lookUps = new LookUps({
      judge,
      told: (event) => this.#told(event),
      isThere: (afar) => approver?.isThere?.(afar) === true,
      afar: (action) => answerableName(judge, action),
      ask: (question) => this.#questions.put(question),
      consent: (host, lasts) => this.#trapHandler?.consentToHost(host, lasts),
      about,
      program: () => describeProcess(launched.pid),
    }));
    // Where somebody is asked about a connection, its name is looked up before.
    const refusesNames = this.#ofAgent && !observes && (approver === undefined || approver.isThere !== undefined);
    const { names, relay } = this.#close(runNames(onNotice, refusesNames ? (name) => lookUps.allow(name) : undefined));
    this.#trapHandler = new TrapHandler({
      ...about,
      listener: launched.listener,
      program: launched.pid,
      sandboxed: launched.enforced.landlock.fs !== 0,
      outside: this.#outside(launched),
      judge,
      undo,
      parts: `${folder}/parts`,
      refs,
      home: machine.home,
      env,
      observes,
      asks: (afar) => approver !== undefined && approver.isThere?.(afar) !== false,
      tellsAll: this.#options.onEvent !== undefined,
      tally: this.#tally,
      exceeds: () => otherRuns.exceeds(),
      holds: (grant) => stillGranted(machine, grant),
      typed: !this.#ofAgent,
      watchesFiles: this.#ofAgent ? () => watchChanges(machine, `run ${run}`) : undefined,
      ...(confined === undefined
        ? {}
        : {
            signals: {
              scoped: launched.enforced.landlock.scopes !== 0,
              isOfSession: (pid) => session !== undefined && isOfSession(machine, session, pid),
            },
          }),
      net: netTraps({
        judge,
        names,
        relay,
        env,
        observes,
        otherRuns,
      }),
    });
  }

  #close<T extends { readonly close: () => void }>(opened: T): T {
    this.#closings.push(() => opened.close());
    return opened;
  }

  #judge(): GrantingJudge {
    const { machine, cwd, root, env, confined, approver, policyFiles, policies, own, onNotice, mode } = this.#options;
    const judge = new GrantingJudge({
      machine,
      cwd,
      root,
      session: confined?.session,
      who: confined && { agents: [agentName(confined.agent)], session: confined.session },
      env,
      ofAgent: this.#ofAgent,
      asksPerson: approver?.atTerminal === true,
      policyFiles,
      policies,
      profileFile: profileFile(machine, this.#profile),
      reader: () => ({ read }),
      own,
      onControlFile: (path) => noteChanges(machine, [path], `run ${this.#records.id}`),
    });
    const { warnings, broken } = judge.policy;
    for (const text of warnings) onNotice?.(text);
    // Under it even loading a library would be a question.
    if (broken !== undefined && mode !== "observe")
      throw new RunError("policy", `${broken}: a policy file has a mistake, so nothing was started; correct it`);
    if (broken !== undefined) onNotice?.(`${broken}: without --log-only nothing would be started until it is corrected`);
    return judge;
  }

  /** What the program gets: code that may reach hosts outside gets no secret. */
  #environment(judge: GrantingJudge): RunOptions["env"] {
    const { env, confined } = this.#options;
    if (confined === undefined || !judge.reachesOutside) return env;
    this.#removed = secretVariables(env);
    return Object.fromEntries(Object.entries(env).filter(([name]) => !this.#removed.includes(name)));
  }

  #launch(env: RunOptions["env"]): Launched {
    const { word, argv, confined, bestEffort, job, onNotice } = this.#options;
    const launched = launch({
      // As it was typed, where that is a path: a script is told the path by which it was started.
      path: word?.includes("/") === true ? word : argv[0],
      argv: this.#command,
      env: withoutLeakCheck(env),
      observeReads: true,
      trapKill: confined !== undefined,
      ownSockets: !canCopyDescriptors(),
      bestEffort: bestEffort === true,
      job: job === true,
    });
    this.#launched = launched;
    for (const { piece, why, consequence } of launched.missing) onNotice?.(`without ${piece}: ${consequence} (${why})`);
    return launched;
  }

  /** Until nothing of the tree is left or, where the run `leaves`, the program itself has ended. Throws `RunError`: supervision broke down. */
  async serve(): Promise<RunResult> {
    const all = this.#serve();
    if (this.#options.leaves !== true) return await all;
    return await Promise.race([all, new Promise<RunResult>((resolve) => (this.#onLeft = (exit) => void this.#leave(exit, all, resolve)))]);
  }

  async #serve(): Promise<RunResult> {
    try {
      const exit = await new Promise<Exit>((resolve, reject) => {
        this.#onClosed = resolve;
        this.#onFailed = reject;
        this.#trapHandler?.serve();
      });
      await this.#questions.close(exit);
      return this.#resultOf(exit);
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#end();
    }
  }

  #onLeft: ((exit: Exit) => void) | undefined;

  /** The program itself has ended; where something of its tree lives, whoever waits gets what there is so far. */
  async #leave(exit: Exit, over: Promise<RunResult>, leave: (result: RunResult) => void): Promise<void> {
    if (this.#isOver) return;
    const processes = listLiving().map((pid) => describeProcess(pid));
    if (processes.length === 0) return;
    this.#history.ended(exit);
    try {
      await this.#questions.close(exit);
    } finally {
      const left = processes.map(({ pid, name }) => ({ pid, name }));
      this.#records.endSoFar(exit, left, this.#undoes);
      leave({ ...this.#resultOf(exit), left: { processes, over, noteEnd: (leftEnded) => this.#records.note({ leftEnded }) } });
    }
  }

  #resultOf(exit: Exit): RunResult {
    const { ended } = this.#questions;
    return {
      id: this.#records.id,
      exit,
      removed: this.#removed,
      lacked: this.#history.lacks,
      ...(ended === undefined ? {} : { ended }),
    };
  }

  /** What the trap handler says of the program. */
  #outside(launched: Launched): Outside {
    const options = this.#options;
    /** A person who started it themselves hears of it at once; of a command of an agent the report tells. */
    const notice = (text: string): void => {
      if (options.confined === undefined) options.onNotice?.(text);
    };
    return {
      ask: (question) => this.#questions.put(question),
      drop: (seq) => this.#questions.drop(seq),
      events: (events) => events.forEach((event) => this.#told(event)),
      inner: serveInner({ id: this.#records.id, profile: this.#profile, policyFiles: options.policyFiles }, options),
      notice: (text) => options.onNotice?.(text),
      unkept: notice,
      takenBack: (what) => {
        this.#tookBack = true;
        this.#history.takenBack();
        (options.onTakenBack ?? options.onNotice)?.(sayTakenBack(what));
      },
      lacks: (lack) => {
        this.#history.lacked(lack);
        notice(`${visible(lack.name)} ${lack.need}: that does not work in a supervised run; ${lack.way}`);
      },
      started: () => options.onStart?.({ pid: launched.pid, signal: (signal) => sendSignal(launched.pid, signal) }),
      refused: (why) => {
        this.#refusal = why;
      },
      ended: (status) => {
        const exit = exitOf(status);
        this.#exit = this.#tookBack && exit.by === "exit" && exit.code === 0 ? { by: "exit", code: TEMPFAIL } : exit;
        const failed = launched.failure();
        if (failed !== undefined) this.#onFailed?.(new RunError("exec", this.#refusal ?? withWay(failed.message)));
        else if (this.#onLeft !== undefined) setTimeout(this.#onLeft, PATIENCE, this.#exit);
      },
      failed: (error) => this.#onFailed?.(error),
      closed: () => {
        this.#isOver = true;
        const exit = this.#exit ?? { by: "exit", code: 1 };
        this.#history.ended(exit);
        process.off("exit", killTree);
        this.#onClosed?.(exit);
      },
    };
  }

  #told(event: RunEvent): void {
    this.#records.event(event);
    if (event.action.kind === "exec" && event.outcome === "passed") this.#history.started(event);
    if (event.outcome === "refused") {
      this.#history.refused(event);
      this.#options.onRefused?.(event);
    }
    this.#options.onEvent?.(event);
  }

  /** Supervision broke down, and the tree with it. */
  #failed(error: unknown): RunError {
    process.off("exit", killTree);
    this.#trapHandler?.stop();
    // Without the trap handler every judged call fails, and nothing good comes of going on.
    killTree();
    if (error instanceof RunError) return error;
    return new RunError(error instanceof SandboxError ? error.code : "failed", withWay(messageOf(error)));
  }

  #end(): void {
    for (const close of this.#closings.toReversed()) close();
    if (this.#launched === undefined) this.#records.discard();
    else this.#records.end(this.#exit, this.#undoes ? (ended) => sealRun(this.#records.folder, ended) : undefined);
  }
}

/** Runs a program under the policy. Throws `RunError`: nothing was started, or supervision broke down (and the tree with it). */
export async function superviseRun(options: RunOptions): Promise<RunResult> {
  return await SupervisedRun.begin(options).serve();
}
