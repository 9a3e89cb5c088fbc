import { type MessagePort, parentPort } from "node:worker_threads";
import { read } from "../../guard/reader/index.ts";
import type { Machine } from "../../state/index.ts";
import { RunJudge } from "../judge/index.ts";
import { addressOf, alloc, must, sys, SYSCALLS } from "../kernel/index.ts";
import type { RelayAddress } from "../net/index.ts";
import { UndoStore } from "../undo/index.ts";
import { dropCapabilities } from "../wall/capabilities.ts";
import { Door } from "./door.ts";
import type { FromDoor } from "./messages.ts";
import { netHandlers } from "./net/index.ts";

export interface DoorData {
  readonly port: MessagePort;
  readonly wake: number;
  readonly machine: Machine;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  readonly policyFiles: readonly string[];
  readonly profileFile: string;
  readonly profile: string;
  readonly own: readonly string[];
  readonly run: string;
  /** Folder of the run, where undo is wanted. */
  readonly undoFolder: string | undefined;
  readonly observes: boolean;
  readonly asks: boolean;
  readonly tellsAll: boolean;
  /** What the name relay finds. */
  readonly names: MessagePort;
}

/** What is known a little later. */
interface Opened {
  readonly listener: number;
  /** Where the name relay listens; undefined: there is none. */
  readonly relay: RelayAddress | undefined;
}

const CLONE_FS = 0x200;

/** The thread that owns the listener. It prepares, says so, waits for the descriptor, and serves until the tree is gone. */
function main(data: DoorData, atEnd: () => void): void {
  const tell = (message: FromDoor): void => data.port.postMessage(message);
  try {
    // The program's own rights, and nothing more: what the door does for it must not reach further than it could itself.
    dropCapabilities();
    // Its own umask: modes are set exactly as the program's umask has them.
    must("unshare", CLONE_FS);
    sys(SYSCALLS.umask, 0);
    raiseDescriptors();
    const { machine, cwd, env, policyFiles, profileFile, own } = data;
    const judge = new RunJudge({ machine, cwd, env, policyFiles, profileFile, reader: () => ({ read }), own });
    const undo = data.undoFolder === undefined ? undefined : new UndoStore(data.undoFolder);
    const { warnings, broken } = judge.policy;
    tell({
      kind: "ready",
      notices: broken === undefined ? warnings : [...warnings, `${broken}: until it is mended, nothing is allowed unasked`],
    });
    const typed = judge.typed(data.argv);
    data.port.once("message", ({ listener, relay }: Partial<Opened>) => {
      try {
        // The run is over before it began.
        if (listener === undefined) return;
        new Door({
          ...data,
          listener,
          judge,
          undo,
          home: machine.home,
          typed,
          net: netHandlers({ judge, found: data.names, relay, env, observes: data.observes }),
        }).serve();
        undo?.close();
        atEnd();
        tell({ kind: "closed" });
      } catch (error) {
        tell({ kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      } finally {
        data.port.close();
        data.names.close();
      }
    });
  } catch (error) {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    data.port.close();
  }
}

/** Many calls may wait, each with objects pinned. */
function raiseDescriptors(): void {
  const RLIMIT_NOFILE = 7;
  const limits = alloc(16);
  const at = addressOf(limits);
  if (sys(SYSCALLS.prlimit64, 0, RLIMIT_NOFILE, 0, at) !== 0) return;
  limits.copy(limits, 0, 8, 16);
  sys(SYSCALLS.prlimit64, 0, RLIMIT_NOFILE, at, 0);
}

/** Waits for the data of a run, which `superviseRun` sends. `atEnd`: called when everything is answered. */
export function awaitRun(atEnd: () => void): void {
  parentPort?.once("message", (data: DoorData) => main(data, atEnd));
  parentPort?.postMessage("loaded");
}
