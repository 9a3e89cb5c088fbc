import { isIP } from "node:net";
import { type Advice, quote, type NetAction } from "@assent/core/action";
import { isOfPreset, parseRule, type RuleSource, type Verdict, verdictOf } from "@assent/core/policy";
import type { Address } from "@assent/core/policy";
import type { NameOf } from "./names.ts";

/** One attempt to reach an address. */
export interface SocketDestination {
  readonly address: Address;
  readonly port: number;
  /** Names that the system's resolver gave for the address. */
  readonly names: readonly NameOf[];
  /** The address is one of this machine's own, whatever it looks like. */
  readonly local?: boolean;
  /** What listens at a local address: a socket of the run, of another that may do no more, somebody else's, or nothing. */
  readonly listener?: "own" | "equal" | "other" | "none";
  /** Id of the other run that listens there. */
  readonly run?: string;
  /** Who listens there is heard by the loopback device only. */
  readonly confined?: boolean;
}

export interface NetDeps {
  readonly judge: (action: NetAction) => Verdict;
  /** Whether an allow rule names this very host, not a pattern it falls under. */
  readonly isLiteral?: (rule: RuleSource, host: string) => boolean;
}

export interface NetVerdict {
  /** What is asked, logged and remembered: the name that was asked for, else the address. */
  readonly action: NetAction;
  readonly verdict: Verdict;
  /** Listening: it is allowed where nobody but this machine is heard. */
  readonly confined?: true;
}

interface CandidateName {
  readonly host: string;
  /** An allow for it opens the way. */
  readonly mayAllow: boolean;
  readonly action: NetAction;
  readonly verdict: Verdict;
}

/**
 * Judges a connection by the address really dialled, under every name it is known by: a written deny or ask for any
 * name holds; an allow for one name that was asked for, or for the address, is enough. What only a name of the outside
 * world opens is never this machine, a private network or a metadata service: their addresses are granted by a rule
 * that names them, or the person.
 */
export function judgeConnect(to: SocketDestination, deps: NetDeps): NetVerdict {
  const candidates = candidatesOf(to).map((candidate) => judged(candidate, "connect", to.port, deps));
  const shown = candidates.find(({ mayAllow }) => mayAllow) ?? must(candidates);
  const say = ({ action, verdict }: CandidateName): NetVerdict => ({ action, verdict });

  const denied = candidates.find(({ verdict }) => verdict.decision === "deny" && isWritten(verdict));
  if (denied !== undefined) return { action: denied.mayAllow ? denied.action : shown.action, verdict: denied.verdict };
  const mayAllow = candidates.filter((candidate) => candidate.mayAllow && candidate.verdict.decision === "allow");
  const granted = mayAllow.find(({ verdict }) => verdict.basis === "grant");
  if (granted !== undefined) return say(granted);

  const reach = to.local === true ? "loopback" : to.address.reach;
  if (reach === "loopback" && to.listener === "own") return { action: shown.action, verdict: OWN };
  if (reach === "loopback" && to.listener === "none") return { action: shown.action, verdict: NOBODY };

  const asked = candidates.find(({ verdict }) => verdict.decision === "ask" && isWritten(verdict));
  if (asked !== undefined) return { action: asked.mayAllow ? asked.action : shown.action, verdict: asked.verdict };
  if (reach === "loopback" && to.listener === "equal") return { action: shown.action, verdict: EQUAL };
  if (reach !== "public") {
    const isLiteral = deps.isLiteral ?? namesHost;
    const literal = mayAllow.find(
      ({ host, verdict }) =>
        verdict.rule !== undefined && isLiteral(verdict.rule, host) && (to.address.reach !== "loopback" || isThisMachine(host, to)),
    );
    return literal !== undefined ? say(literal) : { action: shown.action, verdict: special(reach, shown, to) };
  }
  const allowed = mayAllow[0];
  return allowed !== undefined ? say(allowed) : say(shown);
}

export interface ListenAt extends Pick<SocketDestination, "address" | "port"> {
  /** The socket can be tied to this machine, whatever its address. */
  readonly confines: boolean;
}

/** Judges being reachable at an address. */
export function judgeListen(at: ListenAt, deps: NetDeps): NetVerdict {
  const hosts = at.address.reach === "loopback" && !at.address.any ? ["localhost", at.address.host] : [at.address.host];
  const candidates = hosts.map((host) => judged({ host, mayAllow: true }, "listen", at.port, deps));
  const shown = candidates.at(-1) ?? must(candidates);
  for (const decision of ["deny", "ask"] as const) {
    const written = candidates.find(({ verdict }) => verdict.decision === decision && isWritten(verdict));
    if (written !== undefined) return { action: shown.action, verdict: written.verdict };
  }
  const allowed = candidates.find(({ verdict }) => verdict.decision === "allow");
  if (allowed !== undefined) return { action: shown.action, verdict: allowed.verdict };
  // Who answers on port 53 of a local resolver could tell the relay lies.
  if (!at.address.any && at.address.reach === "loopback" && at.port !== 53) return { action: shown.action, verdict: LOCAL };
  if (at.confines && at.port !== 53 && shown.verdict.decision !== "deny")
    return { action: shown.action, verdict: CONFINED, confined: true };
  return { action: shown.action, verdict: shown.verdict };
}

const OWN = verdictOf("allow", "own-listener");
const EQUAL = verdictOf("allow", "own-listener", { reason: "another run of yours answers there, which may do no more than this one" });
const NOBODY = verdictOf("allow", "no-listener");
const CONFINED = verdictOf("allow", "loopback", { reason: "only programs of this machine can answer there" });
const LOCAL = verdictOf("allow", "loopback");

function candidatesOf({ address, names, local }: SocketDestination): readonly Pick<CandidateName, "host" | "mayAllow">[] {
  const hosts = new Map<string, boolean>();
  const add = (host: string, mayAllow: boolean): void => void hosts.set(host, mayAllow || (hosts.get(host) ?? false));
  for (const { name, asked } of names) add(name, asked);
  if (address.reach === "loopback" || local === true) add("localhost", true);
  if (address.any) {
    // What Linux makes of them.
    add("127.0.0.1", true);
    add("[::1]", true);
  }
  add(address.host, true);
  // The same address in its wrapping: whoever denies it, means it.
  if (address.embedded !== undefined) add(wrapped(address.bytes), false);
  return [...hosts].map(([host, mayAllow]) => ({ host, mayAllow }));
}

function wrapped(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex").match(/.{4}/g) ?? [];
  return new URL(`http://[${hex.join(":")}]/`).hostname;
}

function judged(
  candidate: Pick<CandidateName, "host" | "mayAllow">,
  operation: "connect" | "listen",
  port: number,
  deps: NetDeps,
): CandidateName {
  const { host } = candidate;
  const action: NetAction = {
    kind: "net",
    operation,
    host,
    port,
    origin: { by: "tool" },
    call: { name: operation, args: [host, String(port)] },
  };
  return { ...candidate, action, verdict: deps.judge(action) };
}

/** A rule, the floor or a protection said it; not what is said where nobody says anything. */
function isWritten({ basis, builtin }: Verdict): boolean {
  if (isOfPreset(builtin)) return false;
  return basis === "rule" || basis === "floor" || basis === "protection";
}

const WHAT = {
  loopback: "this machine, and the program that answers there is not part of this run",
  private: "an address in a private network",
  "link-local": "an address in the local network",
  many: "an address of many machines at once",
  reserved: "a reserved address, to which nothing should connect",
} as const;

/** A rule for exactly this, in both voices. */
function allowedBy(rule: string): Advice {
  const command = `assent allow ${quote(rule)}`;
  return { person: `to allow it: ${command}`, model: `go on without it, or ask the user to allow it: ${command}` };
}

function special(reach: Exclude<Address["reach"], "public">, shown: CandidateName, to: SocketDestination): Verdict {
  const where = shown.host === to.address.host ? shown.host : `${shown.host} (${to.address.host})`;
  const isHere = to.address.any || (reach === "loopback" && isThisMachine(shown.host, to));
  const rule = `Net(${isHere ? "localhost" : to.address.host}:${to.port})`;
  const help = allowedBy(rule);
  if (reach === "metadata") {
    const reason = `${where} is a cloud's metadata service, which hands out this machine's credentials`;
    return verdictOf("deny", "metadata-address", { reason, help });
  }
  const { verdict } = shown;
  // A deny by default is not softened to a question.
  if (verdict.decision === "deny") return verdict;
  const what =
    reach === "loopback" && to.run !== undefined
      ? `this machine, and the program that answers there is part of the run ${to.run}, which may do more than this one`
      : WHAT[reach];
  return verdictOf("ask", `${reach}-address`, { reason: `${where} is ${what}`, help });
}

/** A name from outside never means this machine, whatever its owner has the resolver say; one of hosts(5) may. */
const isThisMachine = (host: string, { names }: SocketDestination): boolean =>
  host === "localhost" || isIP(host.replace(/^\[|\]$/g, "")) !== 0 || names.some(({ name, local }) => name === host && local === true);

/** Whether the rule says this host itself: `Net(db.corp:5432)`, `connect(10.0.0.5, _)`; no `*.corp`, no `*`. */
export function namesHost(rule: RuleSource, host: string): boolean {
  const parsed = parseRule(rule.text);
  if (!parsed.ok) return false;
  if (parsed.matcher.kind === "net") return parsed.matcher.host === host;
  const first = parsed.matcher.kind === "call" ? parsed.matcher.args[0] : undefined;
  return first?.is === "text" && first.text === host;
}

function must(candidates: readonly CandidateName[]): CandidateName {
  const [first] = candidates;
  if (first === undefined) throw new TypeError("an address has a name: itself");
  return first;
}
