import { type Danger, type DangerId, DANGERS } from "../action/index.ts";
import type { Basis } from "./verdict.ts";
import { PRESET_TABLE, type Row } from "./presets.ts";
import type { PresetName } from "./types.ts";

/** Families of built-in reasons, in the order of docs/reasons.md. */
export const REASON_CLASSES = {
  floor: "Never allowed by any rule, answer, mode or bypass",
  failure: "Something is broken",
  danger: "Danger classes",
  protect: "What is protected unless a rule names it",
  unknown: "What cannot be known beforehand",
  automation: "What is held back although a rule or a mode allows it",
  preset: "Defaults of a preset",
  run: "In a supervised run",
  network: "The network of a supervised run",
  knowledge: "Why something goes ahead without a rule",
} as const;

export type ReasonClass = keyof typeof REASON_CLASSES;

/** Why something is decided without a rule that anybody wrote. */
export interface Reason {
  readonly class: ReasonClass;
  readonly basis: Basis;
  /** What it says, for people: a clause without a full stop. */
  readonly title: string;
  /** What to do next, where that is always the same. */
  readonly help?: string;
  /** As in `Verdict.waivable`. */
  readonly waivable?: false | "by-host";
  /** A supervised run sees it happen and holds it to the policy, and undo brings back what it changes: no reason to ask beforehand. */
  readonly confinable?: true;
  /** What is read may be a secret: words that nobody knows the meaning of are held against it, too. */
  readonly secret?: true;
}

const CONFIRM = "let the user confirm";
const TERMINAL = "ask the user to run this in a terminal";
const WITHOUT_UNDO = "run with --no-undo to go on without a way back";
const CHANGE = "ask the user to make this change";
const ONCE = "allow it for this run, or remember a rule in the profile";

/** Every reason by itself. Those of danger classes, presets, extensions and known commands are in `ReasonId`, too. */
export const REASONS = {
  "floor.self": { class: "floor", basis: "floor", title: "the policy, Assent's own files or its registration are changed", help: CHANGE },
  "floor.command": { class: "floor", basis: "floor", title: "a command loosens what an agent may do", help: TERMINAL },
  "floor.settings": {
    class: "floor",
    basis: "floor",
    title: "a file that decides what an agent may do is changed",
    help: "let the user confirm, or make this change yourself",
    waivable: false,
  },
  "floor.unclear": {
    class: "floor",
    basis: "floor",
    title: "it cannot be told what an `assent` command changes",
    help: CONFIRM,
    waivable: false,
  },
  "floor.agent-command": {
    class: "floor",
    basis: "floor",
    title: "an agent's own command line changes its settings, or starts an agent that asks nobody",
    help: CONFIRM,
    waivable: false,
  },
  "floor.named": {
    class: "floor",
    basis: "floor",
    title: "an unknown program or tool is given a file of Assent's or of an agent's settings",
    help: CONFIRM,
    waivable: false,
  },
  "floor.runs": {
    class: "floor",
    basis: "floor",
    title: "the records of runs hold what files were before they were changed, secrets among them",
    help: "ask the user to look it up with `assent receipt` or `assent undo`",
  },
  "exec.tampered": {
    class: "floor",
    basis: "floor",
    title: "the arguments of a program were changed while they were judged; the program was killed",
  },

  failure: { class: "failure", basis: "protection", title: "Assent itself failed, so nothing is known of this", waivable: false },
  "failure.extension": { class: "failure", basis: "protection", title: "one of your extensions could not be asked" },
  "policy.broken": {
    class: "failure",
    basis: "protection",
    title: "a policy file is broken: what would have been allowed, or waived, may be what it denies",
    help: "correct the policy file; until then nothing is allowed unasked",
    waivable: false,
  },
  "undo.failed": {
    class: "failure",
    basis: "protection",
    title: "what the call destroys could not be kept for undo",
    help: WITHOUT_UNDO,
  },
  "protect.secrets": { class: "protect", basis: "protection", title: "a secret is read or changed", secret: true },
  "protect.system": {
    class: "protect",
    basis: "protection",
    title: "a system file is changed",
    help: "ask the user to make this change, or work in the project",
  },
  "protect.git-config": {
    class: "protect",
    basis: "protection",
    title: "git's configuration is changed, which names programs that git runs",
  },
  "protect.steering": {
    class: "protect",
    basis: "protection",
    title: "in a run, a file is changed from which later commands take programs or hosts",
    help: "ask the user to make this change, or to allow it by name",
  },
  "protect.inside": {
    class: "protect",
    basis: "protection",
    title: "a folder or pattern reaches something that is protected",
    secret: true,
    confinable: true,
  },
  metadata: { class: "protect", basis: "protection", title: "a cloud's metadata service is reached, which hands out credentials" },
  "protect.net-loopback": { class: "protect", basis: "protection", title: "a web tool reaches this machine" },
  "protect.net-link-local": { class: "protect", basis: "protection", title: "a web tool reaches the local network" },
  "protect.net-private": { class: "protect", basis: "protection", title: "a web tool reaches a private network" },
  "protect.net-many": { class: "protect", basis: "protection", title: "a web tool reaches many receivers at once" },
  "protect.net-reserved": { class: "protect", basis: "protection", title: "a web tool reaches an address that nothing should connect to" },
  "shell.redirect": { class: "protect", basis: "protection", title: 'under `"preset": "none"`, a redirect writes a file', help: CONFIRM },
  "shell.wrapper": {
    class: "protect",
    basis: "protection",
    title: 'under `"preset": "none"`, a command starts another one in a way that cannot be followed',
    help: "run the inner command by itself",
  },
  "tool.corrupt-path": {
    class: "protect",
    basis: "protection",
    title: "a path in a tool's input holds a NUL or another control character",
    help: "give the path as it is, without control characters",
  },
  "tool.variable": {
    class: "protect",
    basis: "protection",
    title: "a server is asked to run something with a variable that steers programs",
    help: "leave the variable out",
  },
  "refused.before": {
    class: "protect",
    basis: "protection",
    title: "the same was refused a short while ago, maybe through another tool",
    help: CONFIRM,
    waivable: "by-host",
  },

  unknown: {
    class: "unknown",
    basis: "protection",
    title: "what happens is only known when it runs",
    confinable: true,
    help: "write it out so that it can be judged",
  },
  "protect.unknown-target": {
    class: "unknown",
    basis: "protection",
    title: "it cannot be told which file is read or changed",
    confinable: true,
    help: "name the file, or a folder inside the project",
  },
  "tool.too-large": { class: "unknown", basis: "protection", title: "a tool's input is too large to look through" },
  "unknown.deny": { class: "unknown", basis: "default", title: 'under `"unknown": "deny"`, no rule speaks about a program or code' },
  none: { class: "unknown", basis: "default", title: "no rule speaks about it; the host decides as it always does" },

  "automation.restricted": {
    class: "automation",
    basis: "protection",
    title: "this agent is restricted: everything it wants is asked",
    help: "`assent agents list` shows who is",
    waivable: "by-host",
  },
  "automation.off": {
    class: "automation",
    basis: "default",
    title: "automation is off: what would be allowed is asked",
    help: "`assent auto on` switches it on",
    waivable: "by-host",
  },
  "automation.subagents": {
    class: "automation",
    basis: "default",
    title: "automation is for trusted sub-agents only: what the main agent wants is asked",
    help: "`assent auto on` switches it on everywhere",
    waivable: "by-host",
  },
  "automation.untrusted": {
    class: "automation",
    basis: "protection",
    title: "this sub-agent is not trusted: what it wants is asked",
    waivable: "by-host",
  },
  "automation.consent": {
    class: "automation",
    basis: "default",
    title: "the policy's mode would allow this, but nobody has agreed to that on this machine",
    help: "`assent auto on` asks you",
    waivable: "by-host",
  },
  "automation.breaker": {
    class: "automation",
    basis: "protection",
    title: "the circuit breaker has tripped: too many requests in a row were refused in this session",
    help: "look at `assent log --denied`, then say `assent breaker reset`",
    waivable: "by-host",
  },

  "run.outside": { class: "run", basis: "default", title: "outside the working folder and temporary folders", help: ONCE },
  "run.programs": {
    class: "run",
    basis: "protection",
    title: "later commands start the programs in this folder by their names",
    help: ONCE,
  },
  "run.lends-rights": {
    class: "run",
    basis: "default",
    title: "whoever starts the file gets root's rights, or those of its group",
    help: ONCE,
  },
  "run.large-move": {
    class: "run",
    basis: "protection",
    title: "more is moved than can be looked through for what is protected",
    help: "move it in parts, or allow it for this run",
  },
  "undo.too-large": {
    class: "run",
    basis: "protection",
    title: "what the call destroys is too large to be kept for undo",
    help: WITHOUT_UNDO,
  },
  "exec.unverified": { class: "run", basis: "protection", title: "nobody could look at what would be started" },
  "confine.fails": {
    class: "run",
    basis: "protection",
    title: "it is known not to work in a supervised run, or has failed in one before",
    waivable: false,
  },
  "confine.unseen": {
    class: "run",
    basis: "protection",
    title: "what it does hangs on a file that an agent changed and nobody has looked at, and here nothing can be confined",
    waivable: "by-host",
    help: "let the user look at the file with `assent seen`",
  },
  "confine.host-rule": {
    class: "run",
    basis: "protection",
    title: "a rule of the host's own may speak about it, and only of plain words is it known that the host hears them",
    help: "run the part that the rule is about by itself, in plain words without quotes, variables or redirections",
    waivable: false,
  },
  "run.default": { class: "run", basis: "default", title: "allowed in a supervised run" },
  "run.errand": { class: "run", basis: "knowledge", title: "what this program was started for" },
  "run.typed": { class: "run", basis: "grant", title: "named in the command that was typed" },

  "metadata-address": {
    class: "network",
    basis: "protection",
    title: "the address is a cloud's metadata service, which hands out this machine's credentials",
  },
  "loopback-address": {
    class: "network",
    basis: "protection",
    title: "something that listens on this machine and does not belong to the run",
  },
  "private-address": { class: "network", basis: "protection", title: "an address of a private network" },
  "link-local-address": { class: "network", basis: "protection", title: "an address of the local network" },
  "many-address": { class: "network", basis: "protection", title: "a group of machines" },
  "reserved-address": { class: "network", basis: "protection", title: "an address that is reserved" },
  "unreachable-name": {
    class: "network",
    basis: "protection",
    title: "nothing of the run may reach a host of that name, and looking it up would carry data to whoever serves it",
  },
  "abstract-socket": {
    class: "network",
    basis: "protection",
    title: "a socket without a file belongs to a program outside the run",
    help: "let that program use a socket with a path, and allow that",
  },
  "foreign-socket": { class: "network", basis: "protection", title: "a program outside the run made the socket" },
  "powerful-socket": {
    class: "network",
    basis: "protection",
    title: "the socket leads to a service with power over the machine or your keys",
  },
  udp: { class: "network", basis: "protection", title: "UDP goes only where a rule allows it" },
  "own-socket": { class: "network", basis: "knowledge", title: "a program of this run listens there" },
  "own-listener": { class: "network", basis: "knowledge", title: "a program of this run listens there" },
  "login.leaves": {
    class: "network",
    basis: "protection",
    title: "this program has read what it logs in with, and a program of the run that poses as its service listens there",
    help: "let it talk to the service itself, or let the user confirm",
  },
  "no-listener": { class: "network", basis: "knowledge", title: "nothing listens there" },
  loopback: { class: "network", basis: "knowledge", title: "only this machine can reach it" },
  connected: { class: "network", basis: "knowledge", title: "it goes where connecting was allowed" },
  "no-data": { class: "network", basis: "knowledge", title: "nothing is sent" },

  upkeep: { class: "knowledge", basis: "knowledge", title: "the program does this for itself" },
  "device.harmless": { class: "knowledge", basis: "knowledge", title: "nothing is kept there" },
  "shell.input": { class: "knowledge", basis: "knowledge", title: "input redirection" },
  "shell.intrinsic": { class: "knowledge", basis: "knowledge", title: "a part of the shell that does nothing by itself" },
  nothing: { class: "knowledge", basis: "knowledge", title: "nothing is run" },
  "mode.auto-edit": { class: "knowledge", basis: "mode", title: "auto-edit: inside the writable roots" },
  confined: {
    class: "knowledge",
    basis: "mode",
    title: "it goes ahead confined: held to the policy while it runs, and kept for undo",
  },
  "mode.full-auto": { class: "knowledge", basis: "mode", title: "full-auto: what it does is supervised" },
} as const satisfies Readonly<Record<string, Reason>>;

export type FixedReasonId = keyof typeof REASONS;

type Dashed<Words extends string> = Words extends `${infer First} ${infer Last}` ? `${First}-${Last}` : Words;
type PresetReasonId = `preset.${PresetName}.${Dashed<Row>}`;

declare const known: unique symbol;
/** The name of a command that the tables know, as they have it: `git status`. */
export type EntryId = string & { readonly [known]: true };

export type ReasonId = FixedReasonId | `danger.${DangerId}` | PresetReasonId | `extension.${string}` | EntryId;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a brand, given to whatever names an entry
export const entryReason = (entry: string): EntryId => entry as EntryId;

export const dangerReason = (id: DangerId): `danger.${DangerId}` => `danger.${id}`;

const DASHED: { readonly [R in Row]: Dashed<R> } = {
  read: "read",
  list: "list",
  write: "write",
  delete: "delete",
  exec: "exec",
  code: "code",
  net: "net",
  "remote read": "remote-read",
  "remote change": "remote-change",
  "remote publish": "remote-publish",
  process: "process",
  system: "system",
  privilege: "privilege",
  tool: "tool",
};

export const presetReason = (preset: PresetName, row: Row): PresetReasonId => `preset.${preset}.${DASHED[row]}`;

const DANGER_OF: ReadonlyMap<string, DangerId> = new Map(keysOf(DANGERS).map((id) => [dangerReason(id), id]));
const OF_PRESETS: ReadonlySet<string> = new Set(
  keysOf(PRESET_TABLE).flatMap((preset) => keysOf(DASHED).map((row) => presetReason(preset, row))),
);

/** The danger class that a verdict rests on. */
export const dangerOf = (id: ReasonId | undefined): DangerId | undefined => (id === undefined ? undefined : DANGER_OF.get(id));

/** A preset says it, because nobody else does. */
export const isOfPreset = (id: ReasonId | undefined): boolean => id !== undefined && OF_PRESETS.has(id);

/** A supervised run holds it to the policy, and undo brings back what it changes. */
export function isConfinable(id: ReasonId | undefined): boolean {
  if (id === undefined) return false;
  const danger = dangerOf(id);
  if (danger !== undefined) {
    const { confinable }: Partial<Danger> = DANGERS[danger];
    return confinable === true;
  }
  const reason: Reason | undefined = isFixed(id) ? REASONS[id] : undefined;
  return reason?.confinable === true;
}

/** What a built-in reason always says, without the particulars of one call; undefined: it is a known command, or nobody's. */
export function titleOf(id: ReasonId | undefined): string | undefined {
  if (id === undefined) return undefined;
  const danger = dangerOf(id);
  if (danger !== undefined) return DANGERS[danger].title;
  return isFixed(id) ? REASONS[id].title : undefined;
}

/** Words that nobody knows the meaning of are held against it, too. */
export function guardsSecrets(id: ReasonId | undefined): boolean {
  const reason: Reason | undefined = id !== undefined && isFixed(id) ? REASONS[id] : undefined;
  return reason?.secret === true;
}

const isFixed = (id: ReasonId): id is FixedReasonId => Object.hasOwn(REASONS, id);

function keysOf<T extends object>(table: T): readonly (keyof T & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant table has the keys that it is written with
  return Object.keys(table) as (keyof T & string)[];
}
