import { resolve } from "node:path";
import { randomUUID } from "node:crypto";
import { thisMachine, type Machine } from "@assent/guard/state";
import { INSIDE, type InsideGuard } from "../adapters/guards.ts";
import type { GuardInside } from "../create-guard/inside.ts";
import type { OnAsk } from "../common/ask.ts";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import { type CheckerOptions, PermissionChecker } from "../rules/checker.ts";
import { type Operation, policyTextOf, presets, readRuleset, type Ruleset } from "../rules/ruleset.ts";
import { effectOf } from "../rules/judge.ts";
import { BackendChecker, checkTarget } from "../rules/backend-checker.ts";
import { probeSandbox } from "../common/sandbox.ts";
import { Runner, type BackgroundInfo, type BackgroundOutput, type ExecuteOptions, type ExecuteResult } from "./execute.ts";
import { Files, type ReadBytes, type ReadOptions, type ReadText, type Written } from "./files.ts";
import type { LineEdit } from "./lines.ts";
import { pinning } from "./pin.ts";
import { Place } from "./place.ts";
import type { Failure } from "./result.ts";
import { findRipgrep } from "./ripgrep.ts";
import { Search, type GlobResult, type GrepOptions, type GrepResult, type Listing } from "./search.ts";
import { Supervision, type Supervising, orderedStart, whyNotSupervised } from "./supervision.ts";
import type { Start } from "./command.ts";

/**
 * Commands behind a guard of `createGuard`: the run goes by its policies and its principal, which it is told by its channel; nothing of them
 * lies on a disk. Its questions are the guard's, and what it refuses is told to who listens to the guard.
 */
function guardSupervision(inside: GuardInside): Supervising {
  // Of the commands of one backend: they are one principal's.
  const session = randomUUID();
  const confine: Supervising["confine"] = (argv, place, { line, reason }) => {
    const about = { call: { shell: line }, reason };
    const start = orderedStart(argv, place, {
      policyFiles: [],
      policies: inside.given(),
      asks: inside.asks,
      confined: { agent: inside.place.principal?.agent ?? "library", session, command: line },
    });
    if ("problem" in start) return start;
    const heard: Start["heard"] = {
      asks: async (question, signal) => await inside.askInRun(question, about, signal),
      refused: (_, judged) => {
        if (judged !== undefined) inside.tellInRun(judged, about);
      },
    };
    return { start: { ...start, heard }, clean: () => undefined };
  };
  return { start: confine, confine };
}

/** What a backend may reach, and who answers its questions. */
export interface LocalBackendOptions {
  /** What relative paths and commands start from; made where it is missing. */
  readonly root: string;
  /** Folders in which files may be read and changed; by default only `root`. Made where they are missing. */
  readonly allowedDirectories?: readonly string[];
  /** `presets.default` unless said otherwise. */
  readonly permissions?: Ruleset;
  /**
   * A guard of `createGuard`, in the place of a ruleset: everything goes by its policy, its principal and its answers, and it tells whoever
   * listens. Commands get its environment. Not together with `permissions`, `onAsk`, `askFallback`, `files`, `policyFiles`, `env`, `audit`
   * and `machine`.
   */
  readonly guard?: InsideGuard;
  /** Answers the questions. */
  readonly onAsk?: OnAsk;
  /**
   * What a question does where there is no `onAsk`: `deny` (by default) gives a failure with `approval-required`, `error`
   * throws `PermissionAskError`.
   */
  readonly askFallback?: "deny" | "error";
  /** Whether the policy files of this machine hold, too; `machine` by default. */
  readonly files?: "machine" | "none";
  readonly policyFiles?: readonly string[];
  /** False: there is no running of commands at all. */
  readonly execute?: boolean;
  /**
   * Run commands under supervision; where the kernel does not allow it, they are refused. `unknown`: only those of which
   * nobody can know what they do; these go ahead without a question, confined to the policy and kept for undo
   * (`ExecuteResult.confined`), and are asked about where the kernel does not allow it. What is known to be harmless runs as it is,
   * what a rule asks is asked, what is denied is denied. By default `unknown` with a guard that confines, else false.
   */
  readonly supervise?: boolean | "unknown";
  /**
   * What follows when a command was refused or failed under supervision: `never` (by default) nothing; `ask` puts the
   * question whether it may run once more outside of it, each time anew.
   */
  readonly outside?: "never" | "ask";
  /** Environment of the commands; by default the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds; 120 000 by default. */
  readonly timeout?: number;
  /** Characters of a command's output that are kept; 100 000 by default. */
  readonly maxOutput?: number;
  /** Characters of one read; 200 000 by default. */
  readonly maxReadChars?: number;
  /** Bytes of one image or document; 50 MB by default. */
  readonly maxBytes?: number;
  /** Whether `grep` asks ripgrep, where it is installed, which files to look into; true unless said otherwise. What it finds is the same. */
  readonly ripgrep?: boolean;
  readonly audit?: boolean;
  /** For tests: another home, other environment variables. */
  readonly machine?: Machine;
  /** For tests: how objects are held. */
  readonly hold?: "descriptor" | "path";
}

const OPTIONS = {
  root: "string",
  allowedDirectories: "texts",
  permissions: "object",
  guard: "object",
  onAsk: "function",
  askFallback: ["deny", "error"],
  files: ["machine", "none"],
  policyFiles: "texts",
  execute: "boolean",
  supervise: [true, false, "unknown"],
  outside: ["never", "ask"],
  env: "object",
  timeout: "number",
  maxOutput: "number",
  maxReadChars: "number",
  maxBytes: "number",
  ripgrep: "boolean",
  audit: "boolean",
  machine: "object",
  hold: ["descriptor", "path"],
} satisfies Options<LocalBackendOptions>;

/** What a guard says itself. */
const OF_GUARD = ["permissions", "onAsk", "askFallback", "files", "policyFiles", "env", "audit", "machine"] as const;

function checkGuard({ guard, ...options }: LocalBackendOptions): void {
  if (guard === undefined) return;
  if (!(INSIDE in guard)) throw new GuardOptionError("guard", "LocalBackend: the option `guard` must be a guard of createGuard");
  const twice = OF_GUARD.find((name) => options[name] !== undefined);
  if (twice !== undefined)
    throw new GuardOptionError(twice, `LocalBackend: the option \`${twice}\` is the guard's own: give it to createGuard`);
}

/** `execute` was called on a backend that was made without it. */
export class ExecuteDisabledError extends Error {
  override readonly name = "ExecuteDisabledError";
  readonly code = "execute-disabled";
  constructor() {
    super("this backend runs no commands: it was made with execute: false");
  }
}

/**
 * Files and commands of this machine for an agent. Paths pass two gates, the allowed directories and the ruleset, and both
 * look at the object that was opened, so that links which change meanwhile win nothing. What is refused comes back as a
 * value, not as an exception.
 *
 * ```ts
 * const backend = new LocalBackend({ root: "/repo", onAsk: async ({ question }) => confirm(question) });
 * const read = await backend.read("src/a.ts", { from: 1, lines: 50 });
 * if (read.ok) console.log(read.text); else console.log(read.error);
 * const { exitCode, output } = await backend.execute("npm test", { timeout: 60_000 });
 * ```
 */
export class LocalBackend {
  readonly root: string;
  /** Undefined where a guard judges. */
  readonly permissions: Ruleset | undefined;
  /** Whether commands can be run at all. */
  readonly executes: boolean;
  /** That of the ruleset; undefined where a guard judges. */
  readonly checker: PermissionChecker | undefined;
  readonly #checker: BackendChecker;
  readonly #place: Place;
  readonly #files: Files;
  readonly #search: Search;
  readonly #runner: Runner;

  /** Throws `TypeError` for an option that does not exist, `RulesetError` when the permissions are no ruleset. */
  constructor(options: LocalBackendOptions) {
    checkOptions("LocalBackend", options ?? {}, OPTIONS);
    if (options?.root === undefined)
      throw new GuardOptionError("root", "LocalBackend: the option `root` is missing: the folder that it works in");
    checkGuard(options);
    const root = resolve(options.root);
    const by = options.guard === undefined ? byRuleset(options, root) : byGuard(options.guard, options, root);
    const { checker, machine, env, supervision, unknown } = by;
    this.permissions = by.permissions;
    this.executes = options.execute ?? true;
    // For `needsApproval`, which cannot wait.
    if (unknown) void probeSandbox(root);
    this.#checker = checker;
    this.checker = by.own;
    const allowedDirectories = (options.allowedDirectories ?? [root]).map((folder) => resolve(root, folder));
    const place = new Place({ root, allowedDirectories, machine, checker, pinning: pinning(options.hold) });
    this.root = place.root;
    this.#place = place;
    this.#files = new Files(place, { maxReadChars: options.maxReadChars ?? 200_000, maxBytes: options.maxBytes ?? 50 << 20 });
    this.#search = new Search(place, options.ripgrep === false ? undefined : findRipgrep(by.path, place.allowed));
    this.#runner = new Runner({
      checker,
      cwd: place.root,
      env,
      timeout: options.timeout ?? 120_000,
      maxOutput: options.maxOutput ?? 100_000,
      supervision,
      unknown,
      machine,
      outside: options.outside ?? "never",
    });
  }

  /** Whether an operation is worth being offered to a model: what is denied altogether is not. */
  offers(operation: Operation): boolean {
    return (operation !== "execute" || this.executes) && this.#checker.offers(operation);
  }

  /** Whether an operation on a path, or a command, would be asked about. */
  needsApproval(operation: Operation, target: string): boolean {
    return operation === "execute"
      ? effectOf(this.#checker.verdictOn(checkTarget(operation, target)).decision) === "ask"
      : this.#place.asks(operation, target);
  }

  /** A text, or some of its lines. Without a range, a long one is cut (`truncated`). */
  async read(path: string, options?: ReadOptions): Promise<ReadText | Failure> {
    return await this.#files.read(path, options);
  }

  /** An image or document, whole. */
  async readBytes(path: string): Promise<ReadBytes | Failure> {
    return await this.#files.readBytes(path);
  }

  /** Creates or replaces a file, in one step, and the folders above it. */
  async write(path: string, content: string | Uint8Array): Promise<Written | Failure> {
    return await this.#files.write(path, content);
  }

  /** Replaces a text in a file. Refused when the file has changed since it was read here. */
  async edit(path: string, old: string, replacement: string, options?: { readonly all?: boolean }): Promise<Written | Failure> {
    return await this.#files.edit(path, old, replacement, options);
  }

  /** Replaces lines by the addresses that `read` gives with `hashes: true`. */
  async editLines(path: string, edits: readonly LineEdit[]): Promise<Written | Failure> {
    return await this.#files.editLines(path, edits);
  }

  async ls(path = "."): Promise<Listing | Failure> {
    return await this.#search.ls(path);
  }

  /** Files below a folder whose path matches, newest first. */
  async glob(pattern: string, path = "."): Promise<GlobResult | Failure> {
    return await this.#search.glob(pattern, path);
  }

  /** Lines that match a regular expression (without look-around and back-references, so that none takes long). */
  async grep(pattern: string, options?: GrepOptions): Promise<GrepResult | Failure> {
    return await this.#search.grep(pattern, options);
  }

  /** Runs a line of shell (`/bin/sh`) in the root. Throws `ExecuteDisabledError`. */
  async execute(command: string, options?: ExecuteOptions): Promise<ExecuteResult> {
    this.#needExecute();
    return await this.#runner.execute(command, options);
  }

  /**
   * Runs a line of shell outside supervision, for one that did not get through it. A person is asked first, whatever rules
   * and earlier approvals say; what the ruleset denies stays denied.
   */
  async executeOutside(command: string, options?: ExecuteOptions): Promise<ExecuteResult> {
    this.#needExecute();
    return await this.#runner.executeOutside(command, options);
  }

  /** Starts a command that goes on by itself; `output` says what it has written. */
  async start(command: string, reason?: string): Promise<BackgroundInfo | { readonly error: string }> {
    this.#needExecute();
    return await this.#runner.start(command, reason);
  }

  /** What a command in the background has written since the last time; undefined where there is none of that id. */
  output(id: string): BackgroundOutput | undefined {
    return this.#runner.output(id);
  }

  background(): readonly BackgroundInfo[] {
    return this.#runner.list();
  }

  /** Ends a command in the background and all it has started. */
  async kill(id: string): Promise<boolean> {
    return await this.#runner.kill(id);
  }

  /** Ends all commands in the background. */
  async killAll(): Promise<void> {
    await this.#runner.killAll();
  }

  #needExecute(): void {
    if (!this.executes) throw new ExecuteDisabledError();
  }
}

/** What differs between a backend behind a ruleset and one behind a guard. */
interface JudgedBy {
  readonly checker: BackendChecker;
  readonly own: PermissionChecker | undefined;
  readonly permissions: Ruleset | undefined;
  readonly machine: Machine;
  /** Of commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where programs of the backend's own are found. */
  readonly path: string | undefined;
  readonly supervision: Supervising | undefined;
  /** Only what nobody can know is supervised. */
  readonly unknown: boolean;
}

function byRuleset(options: LocalBackendOptions, root: string): JudgedBy {
  const { permissions = presets.default, onAsk, askFallback = "deny", files, policyFiles = [], audit } = options;
  const own = options.machine ?? thisMachine();
  const machine = options.env === undefined ? own : { ...own, env: { ...options.env, HOME: own.home } };
  const unknown = options.supervise === "unknown";
  const supervision =
    unknown || options.supervise === true ? new Supervision(policyTextOf(readRuleset(permissions)), policyFiles, onAsk) : undefined;
  const checkerOptions: CheckerOptions = {
    machine,
    cwd: root,
    askFallback,
    shell: "sh",
    policyFiles,
    ...(onAsk === undefined ? {} : { onAsk }),
    ...(files === undefined ? {} : { files }),
    ...(audit === undefined ? {} : { audit }),
  };
  const checker = new PermissionChecker(permissions, checkerOptions, unknown ? whyNotSupervised : undefined);
  return { checker, own: checker, permissions, machine, env: options.env ?? process.env, path: own.env["PATH"], supervision, unknown };
}

function byGuard(guard: InsideGuard, options: LocalBackendOptions, root: string): JudgedBy {
  const inside = guard[INSIDE]({ cwd: root });
  const { machine, confine } = inside.root;
  const { supervise = confine ? "unknown" : false } = options;
  const { env } = machine;
  // A guard that only reports stops nothing, so nothing stands around its commands.
  const supervision = supervise === false || inside.shadow ? undefined : guardSupervision(inside);
  const unknown = supervise === "unknown" && supervision !== undefined;
  const sandbox = unknown ? { sandbox: whyNotSupervised } : {};
  const checker = new BackendChecker(inside, { way: { fixed: true, shell: "sh", ...sandbox } });
  return { checker, own: undefined, permissions: undefined, machine, env, path: env["PATH"], supervision, unknown };
}
