import type { Input } from "@assent/guard/engine";
import { CALL_SIGNS } from "@assent/core/policy";
import type { CallSign, Form } from "./host/agent.ts";
import type { AgentId } from "./all.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The payload's own name for its event, else the registered one. */
function eventOf(payload: Input, registered: string | undefined): string {
  const own = payload["hook_event_name"] ?? payload["agent_action_name"] ?? payload["event"] ?? payload["type"];
  return typeof own === "string" ? own : (registered ?? "");
}

/** The most telling first. */
const SIGNS: readonly (CallSign & { readonly agent: AgentId })[] = CALL_SIGNS;

/**
 * `--agent auto`: the host that knows the call as its own. A registered hook names its agent; this is for those that do not.
 */
export function recognise(payload: Input, registered: string | undefined, env: Env): AgentId {
  const event = eventOf(payload, registered);
  const found = SIGNS.find(
    ({ events, fields = {}, variables = {} }) =>
      events?.includes(event) !== false &&
      Object.entries(fields).every(([name, form]) => hasForm(payload[name], form)) &&
      Object.entries(variables).every(([name, form]) => hasForm(env[name], form)),
  );
  if (found === undefined) throw new Error("no agent takes a call that no other knows");
  return found.agent;
}

function hasForm(value: unknown, form: Form): boolean {
  switch (form) {
    case "there":
      return value !== undefined;
    case "absent":
      return value === undefined;
    case "text":
      return typeof value === "string";
    case "object":
      return typeof value === "object" && value !== null;
    default:
      return form.includes(String(value));
  }
}
