import { dirname } from "node:path";
import { confinedCommand, singleQuoted } from "@assent/core/action";
import { ensureConfineLauncher } from "@assent/hosts/agents/install";
import type { Request } from "@assent/guard/engine";
import type { GivenPolicies } from "@assent/guard/engine/given";
import type { Policy } from "@assent/core/policy";
import { type Machine, writeSealedTicket, writeTicket } from "@assent/guard/state";
import { sandboxIsKnown, UNSUPERVISED } from "../common/sandbox.ts";
import { assentProgram } from "../confined/run.ts";
import type { RunTells } from "../confined/listen.ts";
import type { ConfinedStart } from "./confined-start.ts";

/** Whoever opens a guard so has chosen it; a policy file that denies what nobody can know keeps to that. */
export function confineUnknown(files: Policy): Policy {
  const { settings } = files;
  return settings.unknown === "deny" ? files : { ...files, settings: { ...settings, unknown: "confine" } };
}

/**
 * Leaves a ticket for the command, which names it to the supervisor. `policies`: what its run goes by, in the place of the machine's; `tells`:
 * who hears what it refuses.
 */
export function confinedStart(
  { facts, input, agent, session, cwd, sessionRoot }: Request,
  machine: Machine,
  policies?: GivenPolicies,
  tells?: RunTells,
): ConfinedStart | { readonly problem: string } {
  const program = assentProgram();
  if (program === undefined || !sandboxIsKnown()) return { problem: UNSUPERVISED };
  const given: unknown = facts?.does === "shell" || facts?.does === "argv" ? input[facts.field] : undefined;
  // Started as a program, whatever the shell has of that name.
  const command = Array.isArray(given) ? `exec ${given.map((word) => singleQuoted(String(word))).join(" ")}` : given;
  if (typeof command !== "string" || command === "" || command.includes("\0")) return { problem: "the command is missing" };
  const launcher = ensureConfineLauncher(machine, { node: process.execPath, folder: dirname(program) });
  if ("problem" in launcher) return launcher;
  const own = { agent, ...(session === undefined ? {} : { session }), command, cwd, root: sessionRoot ?? cwd };
  const ticket =
    policies === undefined
      ? writeTicket(machine, own)
      : writeSealedTicket(machine, { ...own, policies: { ...policies }, ...(tells === undefined ? {} : { tells: { ...tells } }) });
  if ("problem" in ticket) return ticket;
  return { argv: [launcher.file, ticket.id, command], line: confinedCommand(machine.home, ticket.id, command) };
}
