import { type Action, unpaid } from "@assent/core/action";
import { joinLayers, type Policy, type Settings } from "@assent/core/policy";
import {
  isOwn,
  isSandboxingOver,
  openState,
  readConsent,
  readRegular,
  readTrust,
  writeAtomic,
  type Machine,
  type Trust,
} from "../state/index.ts";
import { lowerExample } from "@assent/core/request";
import type { PolicySource } from "./policy-files.ts";

/** The part that understands policy files: large, and needed only when one has changed. */
export interface PolicyReader {
  read(sources: readonly PolicySource[], trust: Trust, examples: (command: string) => readonly Action[]): Policy;
}

/** Thrown by a reader of a hook: what strangers wrote is read in a thread that can be given up on. */
export class WatchFirst extends Error {}

/** Set by the build: a cache written by another build is not read. */
declare const ASSENT_BUILD: string | undefined;
const BUILD = typeof ASSENT_BUILD === "string" ? ASSENT_BUILD : "source";
const MAX_CACHE = 16 << 20;

interface Cached {
  readonly build: string;
  /** Everything the policy was made from, verbatim: a cache is good exactly when nothing of it has changed. */
  readonly key: string;
  readonly policy: Policy;
}

/** What holds without any policy file. */
let preset: Policy | undefined;
/** In one process the last few policies stay in memory, with what they were made from. */
interface RememberedPolicy {
  readonly sources: readonly PolicySource[];
  readonly trust: string;
  readonly policy: Policy;
}
const remembered: RememberedPolicy[] = [];
const MAX_REMEMBERED = 16;

/** Files that have not changed are the same text, so that the largest are compared at once. */
function isFrom({ sources, trust }: RememberedPolicy, found: readonly PolicySource[], text: string): boolean {
  return trust === text && sources.length === found.length && sources.every((source, at) => isSame(source, found[at]));
}

function isSame(a: PolicySource, b: PolicySource | undefined): boolean {
  if (b === undefined || a.file !== b.file || a.layer !== b.layer || a.root !== b.root || a.mayGrant !== b.mayGrant) return false;
  return a.content.is === "text"
    ? b.content.is === "text" && a.content.text === b.content.text
    : b.content.is === "broken" && a.content.why === b.content.why;
}

/** FNV-1a: names the cache file. Equal names are told apart by the key inside. */
function nameOf(sources: readonly PolicySource[]): string {
  let hash = 0x811c9dc5;
  for (const char of sources.map((source) => `${source.layer}:${source.file}`).join("\n")) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return `policy-${hash.toString(16).padStart(8, "0")}.json`;
}

/** The text of `trust.json` belongs to the key: trusting or distrusting a project changes its policy. */
const keyOf = (sources: readonly PolicySource[], trust: Trust): string =>
  JSON.stringify([
    trust.text,
    sources.map(({ layer, file, root, mayGrant, content }) => [
      layer,
      file,
      root,
      mayGrant,
      content.is === "text" ? content.text : { why: content.why },
    ]),
  ]);

/** INVARIANT: what is read here was written by `store` of the same build, by the same user, in a folder only they may write. */
function load(file: string, machine: Machine, key: string): Policy | undefined {
  const found = readRegular(file, MAX_CACHE);
  if (found.is !== "text" || !isOwn(found.stats, machine.uid)) return undefined;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see the invariant; the key is compared before the policy is used
    const cached = JSON.parse(found.text) as Partial<Cached>;
    return cached.build === BUILD && cached.key === key ? cached.policy : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The policy of the files found: from memory, from the compiled cache in the state folder, or read anew.
 * A cache that cannot be written costs time, nothing else.
 */
export function compiledPolicy(machine: Machine, sources: readonly PolicySource[], reader: () => PolicyReader): Policy {
  if (sources.length === 0) return (preset ??= joinLayers([]));
  // Of a project's file it says whether it counts, of others which packs do.
  const asks = sources.some(({ layer, content }) => layer === "project" || (content.is === "text" && content.text.includes("extends")));
  const trust = asks ? readTrust(machine) : { text: "", pins: new Map<string, string>() };
  for (const known of remembered) if (isFrom(known, sources, trust.text)) return inForce(known.policy, machine);
  const key = keyOf(sources, trust);
  const state = machine.memory === undefined ? openState(machine) : { problem: "nothing is kept" };
  const file = "folder" in state ? `${state.folder}/${nameOf(sources)}` : undefined;
  let policy = file === undefined ? undefined : load(file, machine, key);
  if (policy === undefined) {
    // Kept before anything is judged by it: a call that is given up on leaves it to the next one.
    policy = unpaid(() => reader().read(sources, trust, lowerExample));
    if (file !== undefined) store(file, { build: BUILD, key, policy });
  }
  if (remembered.length >= MAX_REMEMBERED) remembered.length = 0;
  remembered.push({ sources, trust: trust.text, policy });
  return inForce(policy, machine);
}

/** Past its time, and where the clock was set back, the policy of a team is a stricter one; so is sandboxing that was chosen for a while. */
function inForce(policy: Policy, machine: Machine): Policy {
  const { holds } = policy;
  const now = Date.now();
  const settings = holds && (now < holds.since || now > holds.until) ? holds.late : policy.settings;
  const held = settingsInForce(settings, machine, now);
  return held === policy.settings ? policy : { ...policy, settings: held };
}

/** Asks again where a person has chosen sandboxing for a while that is over. */
export function settingsInForce(settings: Settings, machine: Machine, now: number): Settings {
  const { unknown, mode } = settings;
  if ((unknown !== "confine" && mode !== "full-auto") || !isSandboxingOver(readConsent(machine), now)) return settings;
  return { ...settings, unknown: unknown === "confine" ? "ask" : unknown, mode: mode === "full-auto" ? "auto-edit" : mode };
}

function store(file: string, cached: Cached): void {
  try {
    writeAtomic(file, JSON.stringify(cached));
  } catch {
    // Read-only home: the next call reads the files again.
  }
}
