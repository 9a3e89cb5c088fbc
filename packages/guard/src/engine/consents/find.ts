import { BYSTANDER } from "#knowledge/traits";
import { visible } from "@assent/core/action";
import { type ConsentEntry, type ConsentedYes, FOREIGN_REPOSITORY, type RequestVerdict, type Verdict } from "@assent/core/policy";
import { sha256 } from "@assent/core/data";
import { fetchFrom } from "./fetch.ts";
import { folder } from "./folder.ts";
import { type AskedAction, type ConsentKind, type ConsentRequest, type NoConsent, readPlain, type WantedConsent } from "./kind.ts";
import { port } from "./port.ts";
import { pullRequests } from "./pull-requests.ts";
import { pushBranches } from "./push-branches.ts";

/** What consents make of a request. */
export interface FoundConsents {
  /** By the place of an action: the yes. Absent: it stays as it is. */
  readonly given?: ReadonlyMap<number, ConsentedYes>;
  /** The one sentence that would let it go ahead. */
  readonly offer?: ConsentOffer;
  /** Why what was said, or could be said, does not let it go ahead. */
  readonly why?: string;
}

export interface ConsentOffer {
  readonly entry: ConsentEntry;
  readonly sentence: string;
}

type Wanted = WantedConsent<ConsentEntry>;

/** One kind, whatever its entries hold: an entry of another kind is none of its own. */
function asAny<Name extends ConsentEntry["consent"]>(kind: ConsentKind<Name>) {
  const isOwn = (entry: ConsentEntry): entry is Parameters<typeof kind.sentence>[0] => entry.consent === kind.name;
  return {
    wants(asked: AskedAction): Wanted | NoConsent | undefined {
      if (!kind.isAbout(asked)) return undefined;
      const plain = readPlain(asked, kind.answers);
      const wanted: WantedConsent<Parameters<typeof kind.sentence>[0]> | NoConsent = "why" in plain ? plain : kind.wants(plain);
      if ("why" in wanted) return wanted;
      return { ...wanted, whyNot: (given) => (isOwn(given) ? wanted.whyNot(given) : "it is another sentence") };
    },
    sentence: (entry: ConsentEntry): string | undefined => (isOwn(entry) ? kind.sentence(entry) : undefined),
  };
}

const KINDS = [asAny(pushBranches), asAny(pullRequests), asAny(fetchFrom), asAny(port), asAny(folder)];

/** The sentence as a person reads it. */
export const sayConsent = (entry: ConsentEntry): string => visible(KINDS.flatMap((kind) => kind.sentence(entry) ?? [])[0] ?? entry.consent);

/** By which it is listed and ended. */
export const consentId = (entry: ConsentEntry): string =>
  `c${sha256([Buffer.from(JSON.stringify(entry))])
    .toString("hex")
    .slice(0, 7)}`;

/**
 * What was said once for this repository, and what could be said. INVARIANT: everything else that the line does only looks, nothing of it is
 * asked for another reason, and nothing that an agent has started goes on beside it; so what was looked at here is what is done.
 */
export function findConsents(about: ConsentRequest): FoundConsents {
  try {
    return lookForConsents(about);
  } catch (error) {
    return { why: error instanceof Error ? visible(error.message) : "it could not be looked at" };
  }
}

function lookForConsents(about: ConsentRequest): FoundConsents {
  const { found, policy, othersRun } = about;
  const open = found.actions.flatMap(({ verdict }, at) => (verdict.decision === "allow" ? [] : [at]));
  const dangers = open.filter((at) => found.actions[at]?.verdict.basis !== "default");
  if (dangers.some((at) => found.actions[at]?.verdict.builtin !== FOREIGN_REPOSITORY) || found.unknowns.length > 0) return {};
  const wanted: Wanted[] = [];
  for (const at of open) {
    const action = found.actions[at]?.action;
    const execAt = action?.kind === "exec" ? at : action?.origin.by === "command" ? action.origin.exec : -1;
    const exec = found.actions[execAt]?.action;
    if (action === undefined || exec?.kind !== "exec" || action.kind === "code") continue;
    const asked = { ...about, action, at, exec, execAt };
    for (const kind of KINDS) {
      const want = kind.wants(asked);
      if (want !== undefined && "why" in want) return want;
      if (want !== undefined) wanted.push(want);
    }
  }
  const covered = new Set(wanted.flatMap(({ covers }) => covers));
  const isAnswered = (at: number): boolean => wanted.some((want) => want.answersDanger === true && want.covers.includes(at));
  if (wanted.length === 0 || open.some((at) => !covered.has(at)) || !dangers.every(isAnswered)) return {};
  const other = found.actions.find((_, at) => !covered.has(at) && !isOnlyLooking(found, at));
  if (other !== undefined) return { why: "the line does other things, too: it can go ahead as a command of its own" };
  if (othersRun) return { why: "a sandboxed command is running, which may change what it sends" };
  const given = new Map<number, ConsentedYes>();
  const missing: { readonly want: Wanted; readonly why: string | undefined }[] = [];
  for (const want of wanted) {
    const own = (policy.settings.consents ?? []).filter(({ consent, root }) => consent === want.entry.consent && root === want.entry.root);
    const whys = own.map((entry) => want.whyNot(entry));
    const yes = own[whys.indexOf(undefined)];
    if (yes === undefined) missing.push({ want, why: whys[0] });
    else for (const at of want.covers) given.set(at, { verdict: byConsent(yes), answersDanger: want.answersDanger });
  }
  if (missing.length === 0) return { given };
  const entries = new Map(missing.map(({ want }) => [JSON.stringify(want.entry), want]));
  const [only] = entries.values();
  // INVARIANT: nothing is offered that would not let this very request go ahead.
  const impossible =
    only === undefined || entries.size > 1
      ? undefined
      : missing.map(({ want }) => want.whyNot(only.entry)).find((why) => why !== undefined);
  if (only === undefined || entries.size > 1 || impossible !== undefined) return impossible === undefined ? {} : { why: impossible };
  const why = missing.flatMap((one) => one.why ?? [])[0];
  return { offer: { entry: only.entry, sentence: sayConsent(only.entry) }, ...(why === undefined ? {} : { why }) };
}

const LOOKS_OF_GIT = /^git (?:status|log|diff|show|rev-parse)$/;
const isBystander = (known: string): boolean => BYSTANDER.has(known) || LOOKS_OF_GIT.test(known);

function isOnlyLooking({ actions }: RequestVerdict, at: number): boolean {
  const { action, verdict } = actions[at] ?? {};
  if (action === undefined || verdict?.decision !== "allow") return false;
  if (action.kind === "exec") return action.trusted && action.env.length === 0 && isBystander(action.knowledge ?? action.program);
  if (action.kind === "file")
    return action.operation === "read" || action.operation === "list" || action.upkeep === true || verdict.builtin === "device.harmless";
  return action.kind === "remote" && action.operation === "read";
}

function byConsent(entry: ConsentEntry): Verdict {
  const sentence = sayConsent(entry);
  return {
    decision: "allow",
    basis: "grant",
    reason: `you said yes once: ${sentence.replace(/\?.*$/, "")}`,
    grant: { id: consentId(entry), rule: sentence },
    bare: true,
  };
}
