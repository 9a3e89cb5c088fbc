import { type Action, adviceForPerson, type Call, printCall, visible } from "@assent/core/action";
import { type Extent, type ProcessInfo, type Proposal, type Question, ruleOf } from "@assent/guard/approve";
import { baseName, parentOf } from "@assent/core/path";
import type { AnswerableRemote, Verdict } from "@assent/core/policy";
import type { ProcessTree } from "./process-tree.ts";
import type { TrapOptions } from "./options.ts";
import type { CommandPlan } from "../services/plans.ts";
import { programElsewhere } from "./judge-created-files.ts";
import { asNamed, sayPlan, sayWish, shortPath } from "./sentences.ts";
import { ancestryOf, describeProcess, programOf, startOf } from "./processes.ts";
import type { Task } from "./tasks.ts";

interface AskedAbout {
  readonly seq: number;
  readonly run: string;
  readonly profile: string;
  readonly home: string;
  readonly pid: number;
  readonly cwd: string;
  readonly call: Call;
  readonly action: Action;
  readonly note: string | undefined;
  readonly verdict: Verdict;
  readonly env: Readonly<Record<string, string>>;
  /** What was typed. */
  readonly command: readonly string[];
  /** What it is a part of, and is asked about as a whole. */
  readonly plan: CommandPlan | undefined;
  readonly extent: Extent | undefined;
  readonly afar: AnswerableRemote | undefined;
  readonly difference: readonly string[] | undefined;
}

/** Puts a call that must be asked about into words. */
export function questionOf(about: AskedAbout): Question {
  const { seq, run, profile, home, pid, cwd, call, action, note, verdict, command, plan, extent, afar, difference } = about;
  const process = describeProcess(pid);
  const [link] = plan?.does === "links" ? plan.into : [];
  const named = link === undefined || action.kind !== "file" ? action : { ...action, ...asNamed(link, call) };
  return {
    seq,
    run,
    profile,
    process,
    ancestry: ancestryOf(pid),
    cwd,
    call,
    action,
    command,
    what: plan === undefined || link !== undefined ? sayWish(named, named.call ?? call, note, home) : sayPlan(plan, home),
    reason: reasonOf(about),
    basis: verdict.basis,
    ...(verdict.rule === undefined ? {} : { rule: verdict.rule }),
    ...(verdict.help === undefined ? {} : { help: adviceForPerson(verdict.help) }),
    ...(extent === undefined ? {} : { extent }),
    ...(difference === undefined ? {} : { difference }),
    proposals: proposalsFor(named, named.call ?? call, extent, home),
    group:
      difference !== undefined
        ? `difference\0${seq}`
        : plan === undefined
          ? groupOf(pid, action, call, verdict)
          : `plan\0${JSON.stringify(plan)}`,
    ...(afar === undefined ? {} : { afar: { ...afar, what: sayWish(action, call, note, home), parts: partsOf(about, process) } }),
  };
}

/** Which program does what, why it is asked, and what was typed to start the run. */
const partsOf = ({ pid, cwd, call, action, note, verdict, command, profile }: AskedAbout, { argv }: ProcessInfo): readonly unknown[] => {
  const does = [programOf(pid), argv, cwd, action, call, note ?? null];
  return [does, verdict.decision, verdict.reason, verdict.rule?.text ?? null, command, profile];
};

/** What comes of it, where that is more than that it lies outside. */
function reasonOf({ plan, verdict, action, call, home, env }: AskedAbout): string {
  const [programs] = plan?.programs ?? [];
  if (programs !== undefined) return `later commands start what is put into ${shortPath(programs, home)} by its name`;
  if (verdict.builtin !== "run.programs" || action.kind !== "file" || action.target.kind !== "path") return verdict.reason;
  const [, to] = call.args;
  const path = call.name === "rename" && typeof to === "string" ? to : action.target.path;
  const name = baseName(path);
  const other = programElsewhere(path, env["PATH"]);
  if (other === undefined) return `later commands start it by its name, ${visible(name)}`;
  return `later commands named ${visible(name)} may start it in place of ${visible(other)}`;
}

/** Questions alike: the same program file doing the same in the same folder, or with the same host, asked about for the same reason. */
function groupOf(pid: number, action: Action, call: Call, { rule, builtin, basis }: Verdict): string {
  const where =
    action.kind === "file" && action.target.kind !== "unknown" && action.target.kind !== "glob"
      ? `${action.operation}:${builtin === "run.programs" ? action.target.path : parentOf(action.target.path)}`
      : action.kind === "net"
        ? `${action.operation}:${action.host ?? ""}:${action.port ?? ""}`
        : printCall(call);
  const why = rule === undefined ? (builtin ?? basis) : `${rule.file}:${rule.text}`;
  return `${programOf(pid) ?? pid}\0${action.kind}\0${where}\0${why}`;
}

/** Rules that a remembered answer could write, from the narrowest to the broadest. */
function proposalsFor(action: Action, call: Call, extent: Extent | undefined, home: string): readonly Proposal[] {
  const exact: Proposal = { rule: printCall(call), covers: "exactly this call" };
  if (action.kind === "net" && action.host !== undefined) {
    const host = action.host.includes(":") && !action.host.startsWith("[") ? `[${action.host}]` : action.host;
    return [{ rule: `Net(${host}${action.port === undefined ? "" : `:${action.port}`})`, covers: "this host and port" }, exact];
  }
  if (action.kind === "exec") {
    const [path = ""] = call.args;
    const literal =
      typeof path === "string" && isPlain(path) ? [{ rule: `exec(${path}, _)`, covers: "this program with any arguments" }] : [];
    return [exact, ...literal];
  }
  if (action.kind !== "file" || (action.target.kind !== "path" && action.target.kind !== "tree")) return [exact];
  const name = { read: "Read", list: "List", delete: "Delete", write: "Edit", edit: "Edit" }[action.operation as string] ?? "Write";
  const whole = extent === undefined ? undefined : ruleOf(extent, home);
  const covered: readonly Proposal[] = whole === undefined ? [exact] : [whole];
  const { path } = action.target;
  // What a glob would take for a wildcard, or a person cannot see, is named by the call itself.
  if (!isPlain(path)) return covered;
  const short = (text: string): string => (text.startsWith(`${home}/`) ? `~${text.slice(home.length)}` : text);
  const folder = parentOf(path);
  // A folder says nothing of the services that have their sockets in it (net/judge-socket.ts).
  if (call.name === "connect") return [{ rule: `${name}(${short(path)})`, covers: "this socket" }];
  const isLooked = action.operation === "read" || action.operation === "list";
  const proposals: Proposal[] = isLooked ? [{ rule: `${name}(${short(path)})`, covers: "this file" }] : [...covered];
  if (folder !== "/" && folder !== home)
    proposals.push({ rule: `${name}(${short(folder)}/**)`, covers: `everything below ${short(folder)}` });
  // The program's own folder at home, such as ~/.npm.
  const top = folder.startsWith(`${home}/`) ? home + /^\/[^/]+/.exec(folder.slice(home.length))?.[0] : "";
  if (top !== "" && top !== folder) proposals.push({ rule: `${name}(${short(top)}/**)`, covers: `everything below ${short(top)}` });
  return proposals;
}

const MOST_CONNECTED = 1000;

/** A number of a process comes again; when it began does not. */
const connectionOf = (pid: number, action: Action, call: Call, verdict: Verdict): string =>
  `${pid}:${startOf(pid) ?? ""}\0${groupOf(pid, action, call, verdict)}`;

const isPlain = (path: string): boolean => /^[\w./~+@%,=:-]+$/.test(path);

/** What a person has said about this run as a whole. */
export class RunConsent {
  readonly #processTree: ProcessTree;
  /** Where each is remembered for others to see, and to take back. */
  readonly #groups = new Map<string, { readonly grant: string | undefined; readonly until: number }>();
  readonly #trees = new Map<string, number>();
  readonly #connected = new Set<string>();
  /** Hosts, and until when. */
  readonly #hosts = new Map<string, number>();
  readonly #holds: (grant: string) => boolean;
  readonly #asks: TrapOptions["asks"];

  constructor(processTree: ProcessTree, { holds, asks }: Pick<TrapOptions, "holds" | "asks">) {
    this.#processTree = processTree;
    this.#holds = holds;
    this.#asks = asks;
  }

  /** A person may be asked for this task; one of the team, where `afar` says so. */
  asks({ tgid }: Task, afar?: AnswerableRemote): boolean {
    return !this.#processTree.isAlone(tgid) && this.#asks(afar);
  }

  /** Once is enough for one process and one place on the network, however many connections it opens. */
  connected({ tgid }: Task, action: Action | undefined, call: Call, verdict: Verdict): void {
    if (action?.kind !== "net" || action.operation === "listen" || action.host === undefined) return;
    if (startOf(tgid) !== undefined && this.#connected.size < MOST_CONNECTED)
      this.#connected.add(connectionOf(tgid, action, call, verdict));
  }

  /** Questions alike need not be asked again, for so many milliseconds. */
  allow(group: string, grant: string | undefined, lasts = Number.POSITIVE_INFINITY): void {
    this.#groups.set(group, { grant, until: performance.now() + lasts });
  }

  /** Nor those that connect to a host of this name. */
  allowHost(host: string, lasts: number): void {
    this.#hosts.set(host, performance.now() + lasts);
  }

  /** INVARIANT: a name from outside is a yes to public addresses only: its owner says where it leads. */
  #isHostAllowed(action: Action, { builtin }: Verdict): boolean {
    if (this.#hosts.size === 0 || action.kind !== "net" || action.operation !== "connect" || action.host === undefined) return false;
    return (this.#hosts.get(action.host) ?? 0) > performance.now() && builtin?.endsWith("-address") !== true;
  }

  /** Nor those of this process and what it starts. */
  trust(pid: number, grant: string | undefined): void {
    this.#processTree.trust(pid);
    if (grant !== undefined) this.#trees.set(grant, pid);
  }

  /** What was taken back holds no longer. */
  #review(group: string): void {
    for (const [grant, pid] of this.#trees) {
      if (this.#holds(grant)) continue;
      this.#trees.delete(grant);
      this.#processTree.distrust(pid);
    }
    const { grant, until = 0 } = this.#groups.get(group) ?? {};
    if (performance.now() >= until || (grant !== undefined && !this.#holds(grant))) this.#groups.delete(group);
  }

  /** It is looked at only where nothing denies; what the floor asks is asked each time. */
  skips(task: Task, action: Action | undefined, call: Call, verdict: Verdict): "trusted" | "alike" | undefined {
    if (verdict.basis === "floor" || action === undefined) return undefined;
    if (this.#trees.size > 0) this.#review("");
    // Programs that others start later are no matter of this one and its run.
    const isOfRun = verdict.builtin !== "run.programs";
    if (isOfRun && this.#processTree.isTrusted(task.tgid)) return "trusted";
    // Another start of it was told by others what to do: what is protected is asked again.
    if (isOfRun && verdict.basis === "default" && this.#processTree.isTrustedProgram(task.tgid)) return "trusted";
    return this.skipsAlike(task, action, call, verdict) ? "alike" : undefined;
  }

  /** Only a question of the same kind will do: trusting a program says nothing about it. */
  skipsAlike({ tgid }: Task, action: Action | undefined, call: Call, verdict: Verdict): boolean {
    if (action !== undefined && this.#isHostAllowed(action, verdict)) return true;
    if (action?.kind === "net" && this.#connected.has(connectionOf(tgid, action, call, verdict))) return true;
    if (this.#groups.size === 0 || action === undefined) return false;
    const group = groupOf(tgid, action, call, verdict);
    this.#review(group);
    return this.#groups.has(group);
  }
}
