import type { Principal } from "@assent/core/policy";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import { snapshot } from "./snapshot.ts";
import type { CoreGuardChange, GuardCallOptions, GuardChange } from "./types.ts";

const CALL_OPTIONS = {
  principal: "object",
  cwd: "string",
  subagent: "string",
  reason: "string",
  signal: "object",
} satisfies Options<GuardCallOptions>;

const WITH_OPTIONS = { principal: "object", cwd: "string", policy: "any" } satisfies Options<GuardChange>;

const PRINCIPAL = { user: "string", tenant: "string", role: "any", agent: "string", session: "string" } satisfies Options<Principal>;

/**
 * A principal as it is now, in an object of its own: what a class computes is read once, and what is changed later is somebody else's.
 * Throws for one that is none: whoever is misspelt would be nobody.
 */
export function readPrincipal<P extends Principal>(of: string, given: P | undefined): P | undefined {
  const what = `${of}: \`principal\``;
  checkOptions(what, given, PRINCIPAL);
  if (given === undefined) return undefined;
  const fields = Object.keys(PRINCIPAL).flatMap((name) => {
    const value: unknown = snapshot(Reflect.get(given, name));
    return value === undefined ? [] : [[name, value] as const];
  });
  const principal: Record<string, unknown> = Object.fromEntries(fields);
  checkOptions(what, principal, PRINCIPAL);
  const { role = [] } = principal;
  const roles: readonly unknown[] = typeof role === "string" ? [role] : Array.isArray(role) ? role : [undefined];
  if (!Array.from(roles).every((one) => typeof one === "string"))
    throw new GuardOptionError("principal", `${of}: \`role\` of the principal must be a text or a list of texts`);
  for (const [name, value] of fields)
    if ([value].flat().some((one) => one === "" || (typeof one === "string" && one.includes("\0"))))
      throw new GuardOptionError("principal", `${of}: \`${name}\` of the principal is empty, or no name`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names with the same values
  return principal as P;
}

/** What belongs to one call, as it is now. Throws for what does not exist. */
export function readCallOptions<P extends Principal>(options: GuardCallOptions<P>): GuardCallOptions<P> {
  checkOptions("the guard", options, CALL_OPTIONS);
  if (options.signal !== undefined && !("aborted" in options.signal))
    throw new GuardOptionError("signal", "the guard: the option `signal` must be an AbortSignal");
  const principal = readPrincipal("the guard", options.principal);
  return principal === undefined ? options : { ...options, principal };
}

/** Whom a guard is for that is made of another one. Throws for what does not exist. */
export function changedPrincipal<P extends Principal>(change: CoreGuardChange<unknown, P>, before: P | undefined): P | undefined {
  checkOptions("with", change, WITH_OPTIONS);
  return readPrincipal("with", change.principal) ?? before;
}
