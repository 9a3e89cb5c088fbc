import { MessageChannel, type MessagePort } from "node:worker_threads";
import { openState, profileFile, programProfile } from "../state/index.ts";
import { alloc, must, sys, SYSCALLS, lastingAddressOf } from "./kernel/index.ts";
import { eventDescriptor, type FromDoor, killTree, type ToDoor } from "./door/index.ts";
import type { DoorData } from "./door/door-worker.ts";
import type { FromLauncher, LaunchData } from "./launch/messages.ts";
import { DnsRelay, nameServersOf } from "./net/index.ts";
import { answerInner } from "./inner.ts";
import { Questions } from "./questions.ts";
import { takeThreads, threadsLoaded } from "./threads/index.ts";
import type { Exit, RunEvent, RunOptions, RunResult } from "./types.ts";
import { newRunId, prune, RunFolder, runsFolder, sealRun } from "./undo/index.ts";

const PR_SET_CHILD_SUBREAPER = 36;
const LAST_WORDS_MS = 500;
/** A run that could not begin, or that Assent itself could not go on with. */
export class RunError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "RunError";
    this.code = code;
  }
}

/**
 * Runs a program under the policy, for the whole life of its process tree. `options.argv[0]` is an absolute path.
 *
 * Three threads: this one asks people and keeps records; the *launcher* walls itself in and starts the program; the
 * *door* answers the tree's system calls. docs/architecture.md tells it in order.
 *
 * Throws `RunError`: nothing was started, or supervision broke down (and the tree with it).
 */
export async function superviseRun(options: RunOptions): Promise<RunResult> {
  const { machine, cwd, argv, env } = options;
  const profile = options.profile ?? programProfile(argv[0], machine, cwd);
  const records = recordsOf(options, profile);
  const { id, folder } = records;
  // Orphans of the tree become our children, not init's: only so can they be read and reaped (PR_SET_CHILD_SUBREAPER(2const)).
  must("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const wake = eventDescriptor();
  const { port1, port2 } = new MessageChannel();
  const names = new MessageChannel();
  const doorData: DoorData = {
    port: port2,
    names: names.port2,
    wake,
    machine: { ...machine, env: { ...machine.env } },
    cwd,
    env,
    argv,
    policyFiles: options.policyFiles,
    profileFile: profileFile(machine, profile),
    profile,
    own: options.own,
    run: id,
    undoFolder: options.undo && options.mode === "enforce" ? folder : undefined,
    observes: options.mode === "observe",
    asks: options.approver !== undefined,
    tellsAll: options.onEvent !== undefined,
  };
  const launchData: LaunchData = {
    path: pathOf(options),
    argv: [options.word ?? argv[0], ...argv.slice(1)],
    env,
    bestEffort: options.bestEffort,
    job: options.job === true,
  };
  const { door, launcher } = takeThreads();
  door.postMessage(doorData, [port2, names.port2]);
  launcher.postMessage(launchData);
  const tell = (message: ToDoor): void => {
    port1.postMessage(message);
    raise(wake);
  };
  const questions = new Questions(options, profile, tell);

  return await new Promise<RunResult>((resolve, reject) => {
    let listener: number | undefined;
    let ready = false;
    /** The name server of the run, once that is known; `found` is undefined where there is none. */
    let relay: { readonly found: Relay | undefined } | undefined;
    let exit: Exit | undefined;
    let over = false;
    /** Why the program itself was not started. */
    let refusal: string | undefined;
    /** Why the receipt has gaps. */
    let unkept: string | undefined;
    const fail = (code: string, message: string): void => {
      if (over) return;
      over = true;
      process.off("exit", killTree);
      relay?.found?.relay.close();
      // A thread that waits in a system call cannot be ended from here.
      tell({ kind: "stop" });
      void threadsLoaded().then(() => Promise.all([launcher.terminate(), door.terminate()]));
      // Without the door every judged call fails, and nothing good comes of going on.
      killTree();
      keep(records, false, undefined, options.onNotice);
      reject(new RunError(code, message));
    };
    const told = (event: RunEvent): void => {
      try {
        if (isNotable(event)) records.event(event);
      } catch (error) {
        // A full disk: the run's own calls are refused where they could not be undone; a receipt with a gap is no reason to end it.
        unkept ??= error instanceof Error ? error.message : String(error);
      }
      options.onEvent?.(event);
    };
    const open = (): void => {
      if (ready && listener !== undefined && relay !== undefined) port1.postMessage({ listener, relay: relay.found?.address });
    };
    // The threads get ready meanwhile.
    void startRelay(names.port1, options.onNotice).then((found) => {
      relay = { found };
      open();
    });
    launcher.on("error", (error) => fail("launcher", error.message));
    launcher.on("message", (message: FromLauncher) => {
      if (message.kind === "restricted") {
        listener = message.listener;
        for (const { piece, why, consequence } of message.missing) options.onNotice?.(`without ${piece}: ${consequence} (${why})`);
        open();
      } else if (message.kind === "started") {
        tell({ kind: "program", pid: message.pid });
        options.onStart?.({ pid: message.pid, signal: (signal) => kill(message.pid, signal) });
      } else if (message.kind === "failed") {
        // Why the program could not be started is what the door says of it.
        setTimeout(() => fail(message.code, refusal ?? message.message), message.code === "exec" ? LAST_WORDS_MS : 0);
      }
    });
    door.on("error", (error) => fail("door", error.message));
    door.on("exit", () => {
      // Its last words may still be on their way.
      setTimeout(() => {
        if (!over) fail("door", "the thread that judges calls has ended");
      }, LAST_WORDS_MS);
    });
    // Whatever ends us must not leave the tree behind.
    process.once("exit", killTree);
    port1.on("message", (message: FromDoor) => {
      if (message.kind === "ready") {
        for (const text of message.notices) options.onNotice?.(text);
        ready = true;
        open();
      } else if (message.kind === "ask") questions.put(message.question);
      else if (message.kind === "void") questions.drop(message.seq);
      else if (message.kind === "events") for (const event of message.events) told(event);
      else if (message.kind === "inner") answerInner(message.fd, message.cwd, { id, profile }, options.onHook);
      else if (message.kind === "refused") refusal = message.why;
      else if (message.kind === "notice") options.onNotice?.(message.text);
      else if (message.kind === "ended") exit = exitOf(message.status);
      else if (message.kind === "failed") fail("door", message.message);
      else {
        over = true;
        process.off("exit", killTree);
        void questions.close(exit ?? { by: "exit", code: 1 }).then(() => {
          port1.close();
          names.port1.close();
          relay?.found?.relay.close();
          if (unkept !== undefined) options.onNotice?.(`the receipt is not complete: ${unkept}`);
          keep(records, doorData.undoFolder !== undefined, exit, options.onNotice);
          prune(runsFolder(machine));
          resolve({ id, exit: exit ?? { by: "exit", code: 1 }, ...(questions.ended === undefined ? {} : { ended: questions.ended }) });
        });
      }
    });
  });
}

type Relay = Awaited<ReturnType<typeof DnsRelay.start>>;

/** As it was typed, where that is a path: a script is told the path by which it was started. */
const pathOf = ({ word, argv }: RunOptions): string => (word?.includes("/") === true ? word : argv[0]);

/** The name server of the run. Without one, names are not known: what is asked about are addresses. */
async function startRelay(port: MessagePort, onNotice: RunOptions["onNotice"]): Promise<Relay | undefined> {
  const servers = nameServersOf();
  try {
    return await DnsRelay.start({ nameServers: () => servers.value, onNames: (found) => port.postMessage(found) });
  } catch (error) {
    onNotice?.(`host names cannot be looked up: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function recordsOf({ machine, argv, cwd }: RunOptions, profile: string): RunFolder {
  const state = openState(machine);
  if ("problem" in state) throw new RunError("state", `${state.problem}: the run's records need it`);
  const started = Date.now();
  try {
    return new RunFolder(runsFolder(machine), { id: newRunId(started), argv, cwd, profile, started });
  } catch (error) {
    throw new RunError("state", `the run's records cannot be kept: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What the run left is written down, so that an undo can tell what was changed since. */
function keep(records: RunFolder, undo: boolean, exit: Exit | undefined, onNotice: RunOptions["onNotice"]): void {
  const ended = Date.now();
  try {
    records.end({ ended, ...(exit === undefined ? {} : { exit }) });
    if (undo) records.end({ bytes: sealRun(records.folder, ended) });
    records.close();
  } catch (error) {
    onNotice?.(
      `what the run left could not be noted, so an undo will be careful: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** What a receipt tells. */
function isNotable({ outcome, answer, action }: RunEvent): boolean {
  return outcome === "refused" || answer !== undefined || action.kind === "exec" || action.kind === "net";
}

const one = alloc(8);
one.writeUInt32LE(1, 0);
const oneAt = lastingAddressOf(one);

/** eventfd(2): adds one, which the door sees in its poll. */
const raise = (descriptor: number): number => sys(SYSCALLS.write, descriptor, oneAt, 8);

/** wait(2) status. */
function exitOf(status: number): Exit {
  return (status & 0x7f) === 0 ? { by: "exit", code: (status >> 8) & 0xff } : { by: "signal", signal: status & 0x7f };
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}
