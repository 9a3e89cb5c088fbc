import { AGENT_MARKS } from "./agent-table.ts";

/** Set by hosts of agents for the commands that their models run, and by whoever starts `assent` for one. */
const OF_AGENTS = /* @__PURE__ */ new RegExp(`^(?:${[...AGENT_MARKS, "ASSENT_AGENT"].join("|").replaceAll("*", "\\w*")})$`);

/** The variable that says that an agent started this; undefined: a person may have. */
export function agentMark(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return Object.keys(env).find((name) => OF_AGENTS.test(name) && (env[name] ?? "") !== "" && env[name] !== "0");
}
