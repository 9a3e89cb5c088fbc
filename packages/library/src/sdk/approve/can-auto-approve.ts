import { realpathSync, statSync } from "node:fs";
import { isAbsolute, normalize, resolve } from "node:path";
import { adviceForPerson, type Action, brief, type ExecAction, visible, type World } from "@assent/core/action";
import { failedVerdict, realWorld } from "@assent/guard/engine";
import { lowerPatch, readPatch } from "@assent/core/patch";
import { isWithin, parentOf } from "@assent/core/path";
import { isConfined, type Mode, type Policy, type RequestVerdict, stricterOf } from "@assent/core/policy";
import { type Machine, thisMachine } from "@assent/guard/state";
import { INSIDE, type InsideGuard } from "../adapters/guards.ts";
import { ask, isPlainYes, type OnAsk } from "../common/ask.ts";
import type { GuardCall } from "../create-guard/call.ts";
import { type GuardInside, machineGuard } from "../create-guard/inside.ts";
import { forgetful, type JudgingWay } from "../create-guard/judging.ts";
import { openedDecision } from "../create-guard/opened.ts";
import type { CallDecision } from "../create-guard/types.ts";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import { sandboxIsKnown } from "../common/sandbox.ts";

/** `suggest`: only what surely changes nothing. `auto-edit`: edits inside the writable roots, too. `full-auto`: everything else supervised. */
export type ApprovalPolicy = Mode;

/** Where a command would run, and what may go ahead by itself. */
export interface AutoApproveOptions {
  /** Where the command will run; by default the process's folder. */
  readonly workdir?: string;
  readonly policy: ApprovalPolicy;
  /** Folders in which `auto-edit` may change files; relative ones start at `workdir`. By default `workdir` itself. */
  readonly writableRoots?: readonly string[];
  /** The environment the command will get; by default the process's. Policy and state stay the process's own, whatever `HOME` says. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What was approved for the session. */
  readonly approvals?: SessionApprovals;
  /** Patches are rejected for blanks around headers, and context that has lost its blank, which codex and others forgive. */
  readonly strictPatches?: boolean;
  /** Programs can be supervised; by default what `probeSandbox()` found in this process. */
  readonly sandbox?: boolean;
  /** Further policy files, by path. */
  readonly policyFiles?: readonly string[];
  /**
   * A guard of `createGuard`, whose policy and principal hold in the place of this machine's files, with `policy` as the mode. What it was
   * answered counts, and it tells whoever listens. Who it asks is asked by `guard.check({ argv })`. Not together with `policyFiles` and `machine`.
   */
  readonly guard?: InsideGuard;
  /** For tests: another home. */
  readonly machine?: Machine;
}

/** The patch that a command applies. */
export interface PatchInCommand {
  readonly patch: string;
}

/**
 * - `auto-approve`: run it; `runInSandbox`: only under supervision. `group` is a heading to show it under.
 * - `ask-user`: a person decides; `reason` says what is asked.
 * - `reject`: the policy denies it, or it can not be what it says it is.
 */
export type Assessment =
  | {
      readonly type: "auto-approve";
      readonly reason: string;
      readonly group: string;
      readonly runInSandbox: boolean;
      readonly applyPatch?: PatchInCommand;
    }
  | { readonly type: "ask-user"; readonly reason: string; readonly help?: string; readonly applyPatch?: PatchInCommand }
  | { readonly type: "reject"; readonly reason: string; readonly applyPatch?: PatchInCommand };

/**
 * Whether a command may run without a question. Denies, asks and allows of the policy files count; dangers, secrets and
 * Assent's own files are protected whatever `policy` says. Never throws: what goes wrong is `ask-user`.
 *
 * ```ts
 * canAutoApprove(["bash", "-lc", "ls && git diff"], { workdir: "/repo", policy: "suggest" });
 * // { type: "auto-approve", reason: "List directory", group: "Searching", runInSandbox: false }
 * ```
 */
export function canAutoApprove(argv: readonly string[], options: AutoApproveOptions): Assessment;
/** In a row, as codex has it. Without `writableRoots` no folder is one. */
export function canAutoApprove(
  argv: readonly string[],
  workdir: string | undefined,
  policy: ApprovalPolicy,
  writableRoots: readonly string[],
  env?: AutoApproveOptions["env"],
): Assessment;
export function canAutoApprove(
  argv: readonly string[],
  first: AutoApproveOptions | string | undefined,
  policy?: ApprovalPolicy,
  writableRoots: readonly string[] = [],
  env?: AutoApproveOptions["env"],
): Assessment {
  try {
    if (policy === undefined && typeof first === "object") return assess(argv, first);
    if (policy === undefined || typeof first === "object") throw new GuardOptionError("policy", "canAutoApprove: the policy is missing");
    return assess(argv, {
      policy,
      writableRoots,
      ...(first === undefined ? {} : { workdir: first }),
      ...(env === undefined ? {} : { env }),
    });
  } catch (error) {
    return { type: "ask-user", reason: failedVerdict(error).reason };
  }
}

/** Why a command may run without a question whatever was approved, as codex has it; null: it may not. */
export function isSafeCommand(argv: readonly string[]): Approval | null {
  const said = canAutoApprove(argv, { policy: "suggest", sandbox: false });
  return said.type === "auto-approve" ? { reason: said.reason, group: said.group } : null;
}

/** A path as a command in that folder means it, as codex has it. */
export const resolvePathAgainstWorkdir = (path: string, workdir: string | undefined): string =>
  isAbsolute(path) ? normalize(path) : resolve(workdir ?? ".", path);

const OPTIONS = {
  workdir: "string",
  policy: ["suggest", "auto-edit", "full-auto"],
  writableRoots: "texts",
  env: "object",
  approvals: "object",
  strictPatches: "boolean",
  sandbox: "boolean",
  policyFiles: "texts",
  guard: "object",
  machine: "object",
} satisfies Options<AutoApproveOptions>;

function assess(argv: readonly string[], options: AutoApproveOptions): Assessment {
  checkOptions("canAutoApprove", options, OPTIONS);
  const { guard } = options;
  const twice = guard === undefined ? undefined : (["policyFiles", "machine"] as const).find((name) => options[name] !== undefined);
  if (twice !== undefined)
    throw new GuardOptionError(twice, `canAutoApprove: the option \`${twice}\` is the guard's own: give it to createGuard`);
  const inside = guard === undefined ? byFiles(options) : guard[INSIDE](options.workdir === undefined ? {} : { cwd: options.workdir });
  const own = inside.root.machine;
  const surroundings = environment(own, options.env);
  if ("problem" in surroundings) return { type: "ask-user", reason: surroundings.problem };
  const { machine, assignments, home } = surroundings;
  const workdir = inside.place.cwd;
  if (!workdir.startsWith("/")) return { type: "ask-user", reason: "the working directory is not an absolute path" };
  if (argv.length === 0 || argv.some((word) => typeof word !== "string" || word.includes("\0")))
    return { type: "reject", reason: "the command is not a list of words" };
  const call = patchCall(argv);
  if (call.is === "invalid") return { type: "reject", reason: "Invalid apply_patch command" };
  const here = realWorld(machine, workdir, undefined);
  const world = home === machine.home ? here : realWorld({ ...machine, home }, workdir, undefined);
  if (world !== here) {
    const problem = preparedHome(home, own, [world.projectRoot, here.projectRoot, workdir, ...(options.writableRoots ?? [])], here);
    if (problem !== undefined) return { type: "ask-user", reason: problem };
  }
  const place: CommandPlace = { machine, world, worlds: world === here ? [here] : [world, here], workdir, assignments, options, inside };
  const said = call.is === "patch" ? assessPatch(call.text, argv, place) : assessCommand(argv, place);
  if (guard === undefined) return said;
  inside.tell(decisionOf(said, argv, place, inside));
  const { type, reason, ...more } = said;
  if (!inside.shadow || type === "auto-approve") return said;
  return {
    type: "auto-approve",
    reason,
    group: "Reported only",
    runInSandbox: false,
    ...("applyPatch" in more ? { applyPatch: more.applyPatch } : {}),
  };
}

/** The files of this machine judge, and nothing that was answered before. */
function byFiles({ workdir = process.cwd(), policyFiles = [], machine = thisMachine() }: AutoApproveOptions): GuardInside {
  const own = { agent: "library", point: "library", sessionRoot: workdir, policies: { policyFiles, extensions: "off" } } as const;
  return machineGuard({ machine: forgetful(machine), own }, workdir);
}

const VERDICTS = { "auto-approve": "allow", "ask-user": "ask", reject: "deny" } as const;

/** For whoever listens: what the guard says of the command, with the verdict that the mode makes of it. */
function decisionOf(said: Assessment, argv: readonly string[], place: CommandPlace, inside: GuardInside): CallDecision {
  const { workdir } = place;
  const calls: readonly GuardCall[] = said.applyPatch === undefined ? [{ argv }] : [said.applyPatch];
  const { decision } = inside.judge(calls, { cwd: workdir }, { looks: true, shell: "bash", adapt: (files) => withMode(files, place) });
  const verdict = VERDICTS[said.type];
  const why = decision.verdict === verdict ? {} : { forPerson: said.reason, forModel: said.reason };
  return { ...decision, verdict, confined: said.type === "auto-approve" && said.runInSandbox, ...why };
}

/** The environment the command will get: where programs are looked up, and what is set otherwise than for this process. */
function environment(
  own: Machine,
  env: AutoApproveOptions["env"],
): { readonly machine: Machine; readonly assignments: readonly string[]; readonly home: string } | { readonly problem: string } {
  if (env === undefined) return { machine: own, assignments: [], home: own.home };
  const changed = Object.entries(env).filter(([name, value]) => value !== undefined && value !== own.env[name] && !LOOKED_AT.has(name));
  // `BASH_FUNC_ls%%` is a function.
  const strange = changed.find(([name]) => !/^[A-Za-z_]\w*$/.test(name));
  if (strange !== undefined) return { problem: `the environment has a variable with a strange name: ${brief(strange[0], 60)}` };
  return {
    // It controls the command, not the judge: where policy and state lie is this process's own.
    machine: { ...own, env: { ...env, ...JUDGES, ...pick(own.env), HOME: own.home } },
    assignments: changed.map(([name, value = ""]) => `${name}=${value}`),
    home: env["HOME"] ?? own.home,
  };
}

/**
 * Why programs must not take their settings from this home folder. Git, shells and others run what they find there: it has
 * to be somebody's own, out of reach of whoever asks for the command.
 */
function preparedHome(home: string, own: Machine, reached: readonly string[], world: World): string | undefined {
  const shown = brief(home, 200);
  if (!home.startsWith("/") || world.canonical(home) !== home) return `HOME of the command is not a plain folder: ${shown}`;
  const writable = [...own.temp, ...reached.map((root) => world.canonical(root.startsWith("/") ? root : `${world.cwd}/${root}`))];
  if (writable.some((root) => isWithin(home, root))) return `HOME of the command lies where agents may write: ${shown}`;
  for (let at = home; ; at = parentOf(at)) {
    const stats = statSync(at, { throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) return `HOME of the command is not a folder: ${shown}`;
    // In `/tmp` and its like another may put a folder in the place of one that is not there, and not of this one.
    const open = (stats.mode & 0o022) !== 0 && (at === home || (stats.mode & 0o1000) === 0);
    if (open || (stats.uid !== 0 && stats.uid !== own.uid)) return `others may change HOME of the command: ${shown}`;
    if (at === "/") return undefined;
  }
}

const CONTROLLING = ["ASSENT_POLICY", "ASSENT_AUTO", "MCP_AUTO_APPROVE", "XDG_STATE_HOME", "XDG_CACHE_HOME"] as const;
const JUDGES: Readonly<Record<string, undefined>> = Object.fromEntries(CONTROLLING.map((name) => [name, undefined]));
const pick = (env: Machine["env"]): Machine["env"] =>
  Object.fromEntries(CONTROLLING.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));

/** Known to the world, or meaning nothing to a program that is started. */
const LOOKED_AT = new Set(["PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "_"]);

interface CommandPlace {
  readonly assignments: readonly string[];
  readonly machine: Machine;
  /** With the home folder that the command gets. */
  readonly world: World;
  /** That one, and the process's own where it is another: what is protected in either is. */
  readonly worlds: readonly World[];
  readonly workdir: string;
  readonly options: AutoApproveOptions;
  /** Who judges: the guard that was given, or the files of this machine. */
  readonly inside: GuardInside;
}

function assessCommand(argv: readonly string[], place: CommandPlace): Assessment {
  // As a program of its own it changes nobody's folder; there is none on most machines.
  if (argv[0] === "cd" && argv.length <= 2) {
    const nothing = verdictOn([{ argv: ["true"] }], place, false);
    return nothing.decision === "allow" ? { type: "auto-approve", ...CHANGE_DIRECTORY, runInSandbox: false } : asking(nothing);
  }
  const words = place.assignments.length === 0 ? argv : ["env", ...place.assignments, ...argv];
  const verdict = verdictOn([{ argv: words }], place, canConfine(place));
  const confined = goesConfined(verdict, place);
  if (verdict.decision === "allow" && confined === undefined) return { type: "auto-approve", ...approvalFor(verdict), runInSandbox: false };
  if (verdict.decision === "deny") return { type: "reject", reason: verdict.reason };
  if (isApproved(argv, verdict, place))
    return { type: "auto-approve", reason: "Approved for this session", group: "Running commands", runInSandbox: false };
  if (confined !== undefined) return { type: "auto-approve", ...confined, group: "Running commands", runInSandbox: true };
  return asking(verdict);
}

function assessPatch(text: string, argv: readonly string[], place: CommandPlace): Assessment {
  const { options, world } = place;
  const applyPatch = { patch: text };
  const reading = readPatch(text, { strict: place.options.strictPatches === true });
  if (!reading.ok) return { type: "reject", reason: `the patch is malformed in line ${reading.line}: ${reading.message}`, applyPatch };
  const verdict = verdictOn([applyPatch], place, false);
  if (verdict.decision === "deny") return { type: "reject", reason: verdict.reason, applyPatch };
  const { actions, unknowns } = lowerPatch(text, world);
  const changes = actions.flatMap(asEdit);
  const edits = unknowns.length > 0 || changes.length < actions.length ? verdict : verdictOn(changes, place, false);
  // What a patch takes away is in the patch: it counts as an edit, unless something more than a default asks.
  const isEdit = edits.decision === "allow" && (verdict.decision === "allow" || verdict.basis === "default");
  if (isEdit && options.policy !== "suggest") {
    const reason = "apply_patch command is constrained to writable paths";
    return { type: "auto-approve", reason, group: "Editing", runInSandbox: false, applyPatch };
  }
  if (isApproved(argv, verdict, place))
    return { type: "auto-approve", reason: "Approved for this session", group: "Editing", runInSandbox: false, applyPatch };
  const confined = goesConfined(verdictOn([applyPatch], place, canConfine(place)), place);
  if (confined !== undefined) return { type: "auto-approve", ...confined, group: "Editing", runInSandbox: true, applyPatch };
  return { ...asking(isEdit ? verdict : edits), applyPatch };
}

/** For the session; what could not be judged nobody has approved. */
const isApproved = (argv: readonly string[], { builtin }: RequestVerdict, { options, workdir }: CommandPlace): boolean =>
  builtin !== "failure" && options.approvals?.has(argv, workdir) === true;

/** As a call by itself, in which taking away is an edit; none where that cannot be said. */
function asEdit(action: Action): readonly GuardCall[] {
  if (action.kind !== "file" || action.target.kind !== "path" || action.recursive === true) return [];
  const operation = action.operation === "delete" ? "edit" : action.operation;
  return [{ tool: operation, input: { path: action.asGiven ?? action.target.path }, facts: { does: "file", operation, fields: ["path"] } }];
}

function asking({ reason, help }: RequestVerdict): Assessment {
  return { type: "ask-user", reason, ...(help === undefined ? {} : { help: adviceForPerson(help) }) };
}

/** It goes ahead where each of its calls is judged and kept for undo, by the mode or by `"unknown": "confine"`. */
function goesConfined(verdict: RequestVerdict, { options }: CommandPlace): { readonly reason: string } | undefined {
  if (!isConfined(verdict)) return undefined;
  return { reason: options.policy === "full-auto" ? "Full auto mode" : "Sandboxed: held to the policy, and kept for undo" };
}

/** By a guard nothing is confined here: the run would not know its policy. */
const canConfine = ({ options }: CommandPlace): boolean => options.guard === undefined && (options.sandbox ?? sandboxIsKnown());

function verdictOn(calls: readonly GuardCall[], place: CommandPlace, confines: boolean): RequestVerdict {
  const { inside, machine, workdir, options } = place;
  const way: JudgingWay = {
    looks: true,
    shell: "bash",
    machine,
    adapt: (files) => withMode(files, place),
    // As codex does: whoever gets a refusal there may ask by `mayRunOutside`.
    ...(confines ? { sandbox: () => undefined, refusable: options.policy === "full-auto" } : {}),
  };
  const verdicts = place.worlds.map(
    (world) => openedDecision(inside.judge(calls, { cwd: workdir }, { ...way, world: () => world }), false).verdict,
  );
  const whole = verdicts.reduce(stricterOf);
  // Of two that go ahead, one may do so confined only.
  return whole.decision === "allow" ? (verdicts.find(isConfined) ?? whole) : whole;
}

function withMode(files: Policy, { workdir, options }: Pick<CommandPlace, "workdir" | "options">): Policy {
  const roots = options.writableRoots ?? ["."];
  const writableRoots = roots.map((root) => (root.startsWith("/") ? root : `${workdir}/${root}`));
  return { ...files, settings: { ...files.settings, mode: options.policy, writableRoots } };
}

/**
 * What a person has approved for the rest of a session. An approval covers exactly the words that were approved, in
 * the folder they were approved in: nothing shorter, nothing longer, no other patch. Denies hold all the same.
 */
export class SessionApprovals {
  readonly #keys = new Set<string>();

  add(argv: readonly string[], workdir: string): void {
    this.#keys.add(keyOf(argv, workdir));
  }

  has(argv: readonly string[], workdir: string): boolean {
    return this.#keys.has(keyOf(argv, workdir));
  }

  clear(): void {
    this.#keys.clear();
  }
}

function keyOf(argv: readonly string[], workdir: string): string {
  let folder = workdir;
  try {
    folder = realpathSync.native(workdir);
  } catch {
    // A folder that is not there is only itself.
  }
  return JSON.stringify([folder, ...argv]);
}

/** What is known of a confined run that did not get through. */
export interface OutsideOptions extends AutoApproveOptions {
  /** Who is asked; only `true` is a yes. */
  readonly onAsk: OnAsk;
  /** What became of the run, for the person: `exit code 1`, `writing ~/.npmrc was refused`. */
  readonly failure: string;
}

/**
 * Whether a command that was refused or failed in the sandbox may run once more outside of it. A person is asked each
 * time: neither the policy nor an approval for the session answers. What the policy denies is not offered.
 *
 * ```ts
 * if (said.type === "auto-approve" && said.runInSandbox && (await run(argv)).exitCode !== 0)
 *   if (await mayRunOutside(argv, { ...options, onAsk, failure: "exit code 1" })) await runOutside(argv);
 * ```
 */
export async function mayRunOutside(argv: readonly string[], { onAsk, failure, ...options }: OutsideOptions): Promise<boolean> {
  const { approvals: _, ...asked } = { ...options, policy: "suggest", sandbox: false } as const;
  const said = canAutoApprove(argv, asked);
  if (said.type === "reject") return false;
  const known = said.type === "ask-user" ? `; ${said.reason}` : "";
  const reason = `it did not get through the sandbox (${failure}); outside nothing it does is held back${known}`;
  const verdict: RequestVerdict = { decision: "ask", basis: "default", reason: visible(reason), actions: [], unknowns: [] };
  return isPlainYes(await ask(onAsk, { operation: "execute", target: argv.join(" "), reason: "", verdict }));
}

/**
 * Whether a command is a call of apply_patch, and of which patch. Only forms in which nothing else happens are
 * calls; every other command with the word in it is judged as what it is.
 */
type PatchCall = { readonly is: "patch"; readonly text: string } | { readonly is: "invalid" } | { readonly is: "none" };

function patchCall(argv: readonly string[]): PatchCall {
  if (argv[0] === "apply_patch") return argv.length === 2 && argv[1] !== undefined ? { is: "patch", text: argv[1] } : { is: "invalid" };
  const [shell = "", option = "", script = ""] = argv;
  if (argv.length !== 3 || !/^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh$/.test(shell) || !/^-l?c$/.test(option)) return { is: "none" };
  const text = inHeredoc(script);
  return text === undefined ? { is: "none" } : { is: "patch", text };
}

const START = /^[ \t\n]*apply_patch[ \t]*<<[ \t]*(?:'([\w-]+)'|"([\w-]+)"|([\w-]+))[ \t]*$/;

/** The body of a heredoc that is the whole script. */
function inHeredoc(script: string): string | undefined {
  const at = script.indexOf("\n", script.search(/\S/));
  if (at < 0) return undefined;
  const start = START.exec(script.slice(0, at));
  if (start === null) return undefined;
  const [, single, double, plain] = start;
  const lines = script.slice(at + 1).split("\n");
  const end = lines.indexOf(single ?? double ?? plain ?? "");
  // What follows would run, too.
  if (end < 0 || lines.slice(end + 1).some((line) => line.trim() !== "")) return undefined;
  const body = lines.slice(0, end).join("\n");
  // Without quotes the shell changes the text.
  return plain !== undefined && /[$`\\]/.test(body) ? undefined : body;
}

/** Why something runs without a question, and the heading it is shown under. */
export interface Approval {
  readonly reason: string;
  readonly group: string;
}

/** What codex says of the commands it knows, by program, or by program and subcommand. */
const KNOWN: Readonly<Record<string, readonly [reason: string, group: string]>> = {
  cd: ["Change directory", "Navigating"],
  ls: ["List directory", "Searching"],
  pwd: ["Print working directory", "Navigating"],
  true: ["No-op (true)", "Utility"],
  echo: ["Echo string", "Printing"],
  cat: ["View file contents", "Reading files"],
  rg: ["Ripgrep search", "Searching"],
  find: ["Find files or directories", "Searching"],
  grep: ["Text search (grep)", "Searching"],
  head: ["Show file head", "Reading files"],
  tail: ["Show file tail", "Reading files"],
  wc: ["Word count", "Reading files"],
  which: ["Locate command", "Searching"],
  sed: ["Sed print subset", "Reading files"],
  "git status": ["Git status", "Versioning"],
  "git branch": ["List Git branches", "Versioning"],
  "git log": ["Git log", "Using git"],
  "git diff": ["Git diff", "Using git"],
  "git show": ["Git show", "Using git"],
  "cargo check": ["Cargo check", "Running command"],
};

const CHANGE_DIRECTORY: Approval = { reason: "Change directory", group: "Navigating" };

/** In the words of the first command; a rule that a person wrote is said to be theirs. */
function approvalFor(verdict: RequestVerdict): Approval {
  const actions = verdict.actions.map(({ action }) => action);
  const written = verdict.actions.find(({ verdict: { basis } }) => basis === "rule");
  if (written !== undefined) return { reason: "User-defined safe command", group: "User config" };
  if (verdict.actions.some(({ verdict: { basis } }) => basis === "mode"))
    return { reason: "Changes files inside the writable roots", group: "Editing" };
  const first = actions.find((action): action is ExecAction => action.kind === "exec" && !wraps(action, actions));
  const known = first !== undefined && Object.hasOwn(KNOWN, nameOf(first)) ? KNOWN[nameOf(first)] : undefined;
  if (known !== undefined) return { reason: known[0], group: known[1] };
  return { reason: first === undefined ? "Nothing is run" : `${nameOf(first)} changes nothing`, group: "Running commands" };
}

/** `bash -lc "ls"` is said to be what it runs. */
function wraps({ program }: ExecAction, actions: readonly Action[]): boolean {
  return /^(?:env|(?:ba|z|da|k)?sh)$/.test(program) && actions.filter(({ kind }) => kind === "exec").length > 1;
}

function nameOf({ program, argv }: ExecAction): string {
  if (program !== "git" && program !== "cargo") return program;
  // Options in front of a subcommand are not its name.
  const names = argv.slice(1).map((word) => (word.known ? `${program} ${word.text}` : ""));
  return names.find((name) => name in KNOWN) ?? program;
}
