import { type AgentId, AGENTS } from "../all.ts";
import { readAgentperm } from "./agentperm.ts";
import { consentPlace, isAutonomousDev, isConsent, readAutonomousDev } from "./autonomous-dev.ts";
import { inProject, ofUser, type RefusalWriter, type NativeRuleReader } from "../rules/contract.ts";
import { readDippy } from "./dippy.ts";
import { isPydantic, isPydanticPython, readPydantic } from "./pydantic.ts";
import { readSafetyNet } from "./safety-net.ts";

export type { NativePlace, RefusalWriter, NativeSurroundings } from "../rules/contract.ts";
export { formatOf, gather, type Gathered, type NativeFile } from "./gather.ts";
export { HOST_READERS, hostMightObject, type Objection } from "./host-rules.ts";
export { allowsOf, ownedAllows, ownedIn, recordOwned } from "./record.ts";
export type { WrittenExport } from "../rules/write.ts";

/** A program whose rules can be taken over. */
export interface NativeFormat extends NativeRuleReader {
  readonly id: string;
}

const AUTONOMOUS_DEV = [".claude/config/auto_approve_policy.json", "plugins/autonomous-dev/config/auto_approve_policy.json"];

/** Programs that are no agents. */
const PROGRAMS: readonly NativeFormat[] = [
  {
    id: "dippy",
    places: (around) => [ofUser(`${around.home}/.dippy/config`, readDippy), ...inProject(around, readDippy, ".dippy")],
    readerFor: () => readDippy,
  },
  {
    id: "cc-safety-net",
    places: (around) => [
      ofUser(`${around.home}/.cc-safety-net/config.json`, readSafetyNet),
      ...inProject(around, readSafetyNet, ".safety-net.json"),
    ],
    readerFor: () => readSafetyNet,
  },
  {
    id: "autonomous-dev",
    places: (around) => [
      ...inProject(around, readAutonomousDev, ...AUTONOMOUS_DEV),
      ...[".claude/config", ".claude/plugins/autonomous-dev/config"].map((path) =>
        ofUser(`${around.home}/${path}/auto_approve_policy.json`, readAutonomousDev),
      ),
      consentPlace(around),
    ],
    readerFor: () => readAutonomousDev,
    first: true,
    holds: (root) => isAutonomousDev(root) || isConsent(root),
  },
  // A ruleset is written in code; only files that are named can be read.
  { id: "pydantic-ai-backend", places: () => [], readerFor: () => readPydantic, holds: isPydantic, holdsText: isPydanticPython },
  // Its files are where ours are: only others can be merged into them.
  { id: "agentperm", places: () => [], readerFor: () => readAgentperm },
];

const WITH_RULES = AGENTS.flatMap(({ id, name, rules }) =>
  typeof rules === "string" ? [] : [{ id, name, load: async () => (await rules()).rules }],
);

/** Whose rules `assent import` reads, and whom `assent export` can tell what to refuse: for the table. */
export const RULE_IDS = { read: [...WITH_RULES, ...PROGRAMS].map(({ id }) => id), told: WITH_RULES.map(({ id }) => id) };

export async function loadReaders(): Promise<readonly NativeFormat[]> {
  const agents = await Promise.all(WITH_RULES.map(async ({ id, load }) => ({ id, ...(await load()).reader })));
  return [...agents, ...PROGRAMS];
}

/** An agent that can be told what to refuse. */
export interface RefusalFormat extends RefusalWriter {
  readonly id: AgentId;
  readonly name: string;
}

export async function loadRefusals(wanted: string): Promise<RefusalFormat | undefined> {
  const agent = WITH_RULES.find(({ id }) => id === wanted);
  return agent === undefined ? undefined : { id: agent.id, name: agent.name, ...(await agent.load()).refusals };
}
