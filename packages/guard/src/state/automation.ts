import { isOwn, readRegular } from "./files.ts";
import type { Machine } from "./machine.ts";
import { stateFolder } from "./state.ts";

export type AutomationLevel = "everywhere" | "subagents" | "off";

/** What a person has said about going ahead without him. Nothing said: everywhere, no mode agreed to, nobody named. */
export interface Consent {
  readonly when: AutomationLevel;
  /** Agreed to what `auto-edit`, `full-auto` and `confine` allow: since when (ISO 8601). */
  readonly modes?: string;
  /** When a person last chose between asking and sandboxing (ISO 8601). */
  readonly since?: string;
  /** Until when sandboxing was chosen (ISO 8601); absent: until somebody says otherwise. */
  readonly until?: string;
  /** What runs sandboxed is tried first: it counts when it has ended and was judged as a whole. */
  readonly tried?: true;
  readonly trusted: readonly string[];
  readonly restricted: readonly string[];
  /** Sentences that a person said no to, and that are not offered again. */
  readonly declined?: readonly string[];
}

export const NOTHING_SAID: Consent = { when: "everywhere", trusted: [], restricted: [] };
export const AUTOMATION_FILE = "automation.json";
export const AUTOMATION_BYTES = 1 << 20;
const LEVELS: ReadonlySet<unknown> = new Set(["everywhere", "subagents", "off"]);

const isLevel = (value: unknown): value is AutomationLevel => LEVELS.has(value);
const names = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : [];

/** Reads `automation.json`. A damaged file, or one that others could have written, agrees to nothing and switches everything off. */
export function readConsent(machine: Machine): Consent {
  if (machine.memory !== undefined) return machine.memory.consent;
  const file = readRegular(`${stateFolder(machine)}/${AUTOMATION_FILE}`, AUTOMATION_BYTES);
  if (file.is === "missing") return NOTHING_SAID;
  return (file.is === "text" && isOwn(file.stats, machine.uid) ? parse(file.text) : undefined) ?? { ...NOTHING_SAID, when: "off" };
}

/** Sandboxing was chosen for a time that has passed, or that begins later than now: the clock was set back. */
export function isSandboxingOver({ since, until }: Consent, now: number): boolean {
  return until !== undefined && !(since !== undefined && Date.parse(since) <= now && now < Date.parse(until));
}

function parse(text: string): Consent | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || !("when" in parsed) || !isLevel(parsed.when)) return undefined;
    const { when } = parsed;
    return {
      when,
      ...("modes" in parsed && typeof parsed.modes === "string" ? { modes: parsed.modes } : {}),
      ...("since" in parsed && typeof parsed.since === "string" ? { since: parsed.since } : {}),
      // What cannot be read as a time is over.
      ...("until" in parsed ? { until: String(parsed.until) } : {}),
      ...("tried" in parsed && parsed.tried === true ? { tried: true } : {}),
      trusted: "trusted" in parsed ? names(parsed.trusted) : [],
      restricted: "restricted" in parsed ? names(parsed.restricted) : [],
      ...("declined" in parsed ? { declined: names(parsed.declined) } : {}),
    };
  } catch {
    return undefined;
  }
}
