import { agentNamed } from "@assent/hosts/agents";
import type { Client } from "./client.ts";
import type { Report } from "./report.ts";
import type { Scenario } from "./scenarios.ts";

/** One cell of the table. */
export interface Cell {
  readonly result: "yes" | "no" | "absent" | "ran" | "refused";
  /** Why not, or what is particular about this client. */
  readonly why: string | undefined;
}

/** What a run without Assent shows is only that the call would have gone through. */
export function judgeControl({ made, problems, timedOut }: Report): string | undefined {
  if (made) return undefined;
  return `without Assent the call does not go through either${problems.length > 0 ? `: ${problems.join("; ")}` : timedOut ? ": timeout" : ""}`;
}

export function judge(client: Client, { expect, id }: Scenario, report: Report): string | undefined {
  const { verdict, runs, told, subagent } = { ...expect, ...client.differs?.[id] };
  const record = report.audit.find((line) => line.verdict === verdict && (subagent !== true || line.subagent !== undefined));
  const faults = [
    ...report.problems,
    ...(report.timedOut ? [`no end within ${Math.round(report.seconds)} s`] : []),
    ...(report.steps === 0 ? ["the client never asked the model for a step"] : []),
    ...(runs === "either" || report.made === runs ? [] : [runs ? "the call was not carried out" : "the call was carried out"]),
    ...report.lacking.map((path) => `${path} is not there`),
    ...(told === undefined || report.told.some((text) => told.test(text)) ? [] : ["the model was not told why"]),
    ...(verdict !== undefined && record === undefined
      ? [`no ${verdict} in the log${subagent === true ? " that names the sub-agent" : ""}`]
      : []),
    ...(record !== undefined && record.agent !== client.id ? [`the log says ${record.agent}`] : []),
  ];
  return faults.length === 0 ? undefined : faults.join("; ");
}

/** Tools that the client offers and nobody has looked at. Each may be a way to run a command. */
export function unknownTools(client: Client, offers: ReadonlySet<string>): string | undefined {
  const known = new Set([...Object.keys(agentNamed(client.id)?.protocol.tools ?? {}), ...client.harmless.split(" ")]);
  const unknown = [...offers].filter((name) => name !== "" && !known.has(name) && !/(?:^|_|-)(?:note|wipe)$/.test(name));
  return unknown.length === 0 ? undefined : `unknown tools: ${unknown.join(", ")}`;
}
