import type { Automation, Settings } from "../types.ts";
import type { PolicyInput } from "./schema.ts";

/** What an `automation` block says where it is silent. */
const AUTOMATION: Automation = { when: "everywhere", agents: { trusted: [], restricted: [] }, breaker: { denials: 10, minutes: 0 } };
const KEEP_DAYS = 90;

/** The settings a file makes; one it does not make is absent. */
export function readSettings(input: PolicyInput): Partial<Settings> {
  const { preset, mode, writableRoots, unknown, bypass, automation, audit } = input;
  return {
    ...(preset === undefined ? {} : { preset }),
    ...(mode === undefined ? {} : { mode }),
    ...(writableRoots === undefined ? {} : { writableRoots }),
    ...(unknown === undefined ? {} : { unknown }),
    ...(bypass === undefined ? {} : { bypass }),
    ...(automation === undefined ? {} : { automation: readAutomation(automation) }),
    ...(audit === undefined ? {} : { audit: { keepDays: audit.keepDays ?? KEEP_DAYS } }),
  };
}

function readAutomation(input: NonNullable<PolicyInput["automation"]>): Automation {
  return {
    when: input.when ?? AUTOMATION.when,
    agents: {
      trusted: input.agents?.trusted ?? AUTOMATION.agents.trusted,
      restricted: input.agents?.restricted ?? AUTOMATION.agents.restricted,
    },
    breaker: { ...AUTOMATION.breaker, ...input.breaker },
  };
}
