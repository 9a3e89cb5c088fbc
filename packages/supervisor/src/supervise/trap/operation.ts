import type { Action, Call, FileAction, FileOperation } from "@assent/core/action";
import type { Verdict } from "@assent/core/policy";
import type { ToolService, KnownHost } from "../services/services.ts";
import type { Caller, CallSubject, Started } from "../judge/types.ts";
import { sys, SYSCALLS } from "../kernel/index.ts";
import type { KeepResult, ObjectStat, UndoStore } from "../undo/index.ts";
import type { TrappedCall } from "../sandbox/filter-table.ts";
import type { Listener, SeccompTrap } from "./listener.ts";
import type { CallPlace } from "./created-files.ts";
import type { Memory } from "./memory.ts";
import type { Paths, PinnedObject } from "./paths.ts";
import type { Task, Tasks } from "./tasks.ts";

/** By what a handler decodes a call, and the trap handler answers it. */
export interface TaskAccess {
  readonly listener: Listener;
  readonly memory: Memory;
  readonly tasks: Tasks;
  readonly paths: Paths;
  /** Landlock bounds what the kernel is left to do itself. */
  readonly sandboxed: boolean;
  readonly undo: UndoStore | undefined;
}

/** One decoded call over pinned objects: what would happen, and how to do it on the task's behalf. */
export interface DecodedCall {
  readonly call: Call;
  /** Judged together; the strictest verdict counts. */
  readonly actions: readonly Action[];
  /** Whose other names count, and what is moved. */
  readonly about?: CallSubject | undefined;
  /** Judges it where the policy's word on each action is not all there is to say; the verdict is about the first action. */
  readonly judge?: (caller: Caller) => Verdict;
  /** The names that its actions are about. Without them it is asked about each time. */
  readonly places?: readonly CallPlace[];
  /** What it made, once it succeeded: a file, a folder or a link that was not there. */
  readonly makes?: (result: number) => ObjectStat | number;
  /** It is made only if nothing has its name; `private`: for its user alone, too (mkstemp(3)). */
  readonly exclusive?: "shared" | "private" | undefined;
  /** What is new or lost, for the person who is asked: `new file`. */
  readonly note?: string;
  /** Keeps what would be lost, before `perform`. */
  readonly save?: ((undo: UndoStore, anyway: boolean) => KeepResult) | undefined;
  /** Does it. The call's result, or a negative errno. With `gives`, a descriptor of ours that the task gets a copy of. */
  readonly perform: () => number;
  readonly gives?: { readonly closeOnExec: boolean };
  /** Recorded once it succeeded. */
  readonly done?: (undo: UndoStore, result: number) => void;
  /** What is refused without a question or a record: probing that programs do by themselves. */
  readonly quiet?: boolean;
  /** Once it is allowed the kernel does it, for the trap handler cannot; `perform` is nothing. */
  readonly leaves?: true;
  /** Ours, to be closed when the call is over. */
  readonly pinned: readonly number[];
}

/** An exec, decoded. The kernel does it, and starts.ts looks at what it really did. */
export interface DecodedExec {
  readonly call: Call;
  /** The file named, then its interpreters in the order in which the kernel follows them. */
  readonly chain: readonly [Started, ...Started[]];
  /** What a dynamic loader that is started by name goes on to load. */
  readonly loads: readonly Started[];
  /** What the kernel starts in the place of one of them (PT_INTERP). */
  readonly maps: readonly Started[];
  readonly pinned: readonly number[];
  /** What judging found out: the command as an action, what it is started for, the trusted names it goes by. */
  readonly action?: Action;
  readonly toolService?: ToolService;
  readonly named?: readonly KnownHost[];
  readonly says?: readonly string[];
  readonly programs?: readonly string[];
  /** It goes on with the tool service of the program that starts it. */
  readonly helps?: boolean;
  readonly logins?: readonly string[];
  /** From the moment it was judged on: nobody else has changed what it would load of the project. */
  readonly settled?: (() => boolean) | undefined;
}

export const isExec = (work: DecodedCall | DecodedExec): work is DecodedExec => "chain" in work;

/** Closes what was pinned for a call that is over. */
export function closeAll(pinned: readonly number[]): void {
  for (const fd of pinned) sys(SYSCALLS.close, fd);
}

/** The kernel may do the call itself. INVARIANT: the sandbox bounds every value that the arguments could be changed to. */
export const PASS = "pass";
/** The call's name changed hands between looking and doing: look again. */
export const AGAIN = -512;
/** Not yet: `perform` is to be tried again in a moment. */
export const LATER = -513;
/** What to judge, a final result or negative errno, or PASS. */
export type Decoded<Work extends DecodedCall | DecodedExec = DecodedCall> = Work | number | typeof PASS;
/** Decodes a trapped call: handlers.ts has one for each. */
export type Handler = (trap: SeccompTrap, task: Task, access: TaskAccess) => Decoded<DecodedCall | DecodedExec>;

/** Handlers of some of the calls that the filter traps. */
export type Handlers = Partial<Readonly<Record<TrappedCall, Handler>>>;

const BY_TOOL = { by: "tool" } as const;

/** S_ISUID, S_ISGID: whoever starts such a file has its owner's or group's rights (execve(2)). */
export const SET_ID_BITS = 0o6000;

/** Giving a file these bits of its mode is judged as chmod(2) would be. */
export function setIdActions(bits: number, path: string): readonly Action[] {
  if ((bits & SET_ID_BITS) === 0) return [];
  return [fileAction("metadata", path, { name: "chmod", args: [path, (bits & 0o7777).toString(8).padStart(4, "0")] })];
}

/** The object that an action is about, which may have other names. */
export const aboutObject = ({ path, stat }: Pick<PinnedObject, "path" | "stat">): CallSubject => ({ object: { path, identity: stat } });

/** A file action of a supervised program. */
export function fileAction(operation: FileOperation, path: string, call: Call, more?: Partial<FileAction>): FileAction {
  const action: FileAction = { kind: "file", operation, target: { kind: "path", path }, origin: BY_TOOL, call };
  return more === undefined ? action : { ...action, ...more };
}
