import { visible } from "../../action/index.ts";
import type { Principal } from "../../policy/index.ts";
import { checkOptions, type Options } from "../options.ts";
import { GuardOptionError } from "./policy-in-code.ts";
import { snapshot } from "./snapshot.ts";
import type { GuardCallOptions, GuardChange } from "./types.ts";

const CALL_OPTIONS = {
  principal: "object",
  cwd: "string",
  subagent: "string",
  reason: "string",
  signal: "object",
} satisfies Options<GuardCallOptions>;

export const WITH_OPTIONS = { principal: "object", cwd: "string", policy: "any" } satisfies Options<GuardChange>;

const PRINCIPAL = { user: "string", tenant: "string", role: "any", agent: "string", session: "string" } satisfies Options<Principal>;

/** Throws for a principal that is none: whoever is misspelt would be nobody. */
export function checkPrincipal(of: string, principal: Principal | undefined): void {
  checkOptions(`${of}: \`principal\``, principal, PRINCIPAL);
  if (principal === undefined) return;
  const { role = [] } = principal;
  const roles: readonly unknown[] = typeof role === "string" ? [role] : Array.isArray(role) ? role : [undefined];
  if (!roles.every((one) => typeof one === "string"))
    throw new GuardOptionError("principal", `${of}: \`role\` of the principal must be a text or a list of texts`);
  for (const [name, value] of Object.entries(principal))
    if (value === "" || (typeof value === "string" && value.includes("\0")))
      throw new GuardOptionError("principal", `${of}: \`${visible(name)}\` of the principal is empty, or no name`);
}

/** What belongs to one call, as it is now. Throws for what does not exist. */
export function readCallOptions<P extends Principal>(options: GuardCallOptions<P>): GuardCallOptions<P> {
  checkOptions("the guard", options, CALL_OPTIONS);
  const { principal } = options;
  checkPrincipal("the guard", principal);
  return principal === undefined ? options : { ...options, principal: snapshot(principal) };
}
