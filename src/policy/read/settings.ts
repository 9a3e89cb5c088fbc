import type { AuditSettings, Automation, Settings } from "../types.ts";
import type { PolicyInput } from "./schema.ts";

/** What an `automation` block says where it is silent. */
const AUTOMATION: Automation = {
  when: "everywhere",
  agents: { trusted: [], restricted: [] },
  breaker: { denials: 10, minutes: 0 },
  refusals: { minutes: 10 },
};
const KEEP = { keepDays: 90, keepMegabytes: 4096 };

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
    ...(audit === undefined ? {} : { audit: readAudit(audit) }),
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
    refusals: { ...AUTOMATION.refusals, ...input.refusals },
  };
}

function readAudit({ otlp, ...keep }: NonNullable<PolicyInput["audit"]>): AuditSettings {
  return { ...KEEP, ...keep, ...(otlp === undefined ? {} : { otlp: { endpoint: otlp.endpoint, headers: otlp.headers ?? {} } }) };
}
