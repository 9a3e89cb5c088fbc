import { visible } from "@assent/core/action";
import { AGENTS } from "@assent/hosts/agents";
import { automationLevel } from "@assent/guard/engine";
import { inspect } from "@assent/guard/inspect";
import type { Settings } from "@assent/core/policy";
import { changeConsent, readConsent, type Consent, type Machine, thisMachine } from "@assent/guard/state";
import { engine } from "@assent/page/look";
import { JSON_VERSION } from "./json.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";
import { confirmed, unattended } from "./terminal.ts";

const COMMAND = "auto";

function fail(message: string, help?: string): number {
  complain(COMMAND, message, help);
  return 1;
}

const settingsHere = (machine: Machine): Settings => inspect({ machine, cwd: absolute("."), own: engine.own }).policy.settings;

/** `assent auto on`: a person agrees to what goes ahead without him. Asked at a terminal, never implied. */
export async function autoOn(options: { readonly subagentsOnly?: boolean }): Promise<number> {
  const machine = thisMachine();
  const nobody = unattended(process.env);
  if (nobody !== undefined)
    return fail(`${nobody} is set: nobody is here to agree`, "say it at a terminal of your own; nothing was changed");
  const when = options.subagentsOnly === true ? "subagents" : "everywhere";
  const settings = settingsHere(machine);
  const style = styleFor({ isTTY: true }, process.env);
  const page = [
    style.bold(when === "everywhere" ? "Let agents go ahead without asking you?" : "Let trusted sub-agents go ahead without asking you?"),
    `  What the policy allows goes ahead by itself${when === "subagents" ? ", for the sub-agents named by `assent agents trust`" : ""}. ` +
      "What it asks or denies stays as it is.",
    `  The mode \`${settings.mode}\` counts from now ` +
      `on${settings.mode === "suggest" ? " (it allows nothing more), and so does what you set it to later" : `: ${MODES[settings.mode]}`}.`,
    `  Everything is kept on this machine, in the log: \`assent log\`. Nothing is sent anywhere.`,
    "  `assent auto off` ends it at once.",
    "",
  ].join("\n");
  const agreed = await confirmed(page, "Agree?");
  if (agreed === undefined) return fail("this is not a terminal, so nobody can be asked", "nothing was changed");
  if (!agreed) return fail("nothing was changed");
  const problem = changeConsent(machine, (consent) => ({ ...consent, when, modes: new Date().toISOString() }));
  if (problem !== undefined) return fail(visible(problem));
  writeStdout(when === "everywhere" ? "automation is on\n" : "automation is on for trusted sub-agents\n");
  return 0;
}

const MODES = {
  suggest: "it allows nothing more",
  "auto-edit": "files inside the writable roots may be changed",
  "full-auto": "what runs under supervision may do what no rule asks about",
} as const;

/** `assent auto off`: from now on a person decides. Needs no question. */
export function autoOff(): number {
  const problem = changeConsent(thisMachine(), ({ modes: _agreed, ...consent }) => ({ ...consent, when: "off" }));
  if (problem !== undefined) return fail(visible(problem));
  writeStdout(
    "automation is off: what would be allowed is a question from now on. Agents that ask by themselves put it to you; " +
      `one that asks little by itself (${AGENTS.flatMap(({ setup }) => setup?.asksLittle ?? []).join(", ")}) goes on: give it rules that ask or deny\n`,
  );
  return 0;
}

/** `assent auto status`: what holds here, and who says so. */
export function autoStatus(options: { readonly json?: boolean }): number {
  const machine = thisMachine();
  const consent = readConsent(machine);
  const { automation, mode } = settingsHere(machine);
  const level = automationLevel(automation, consent, machine.env);
  if (options.json === true) {
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, level, mode, consent, policy: automation })}\n`);
    return 0;
  }
  writeStdout(`${LEVELS[level]}\n`);
  writeStdout(`  ${"you said".padEnd(10)}${saidText(consent)}\n`);
  writeStdout(
    `  ${"policy".padEnd(10)}${automation.when}, mode ${mode}${mode !== "suggest" && consent.modes === undefined ? " (not agreed to: it asks)" : ""}\n`,
  );
  for (const name of ["ASSENT_AUTO", "MCP_AUTO_APPROVE"]) {
    const value = machine.env[name];
    if (value !== undefined) writeStdout(`  ${name} is ${visible(value)}: it can only make this stricter\n`);
  }
  return 0;
}

/** What each level means, for people. */
export const LEVELS = {
  everywhere: "automation is on: what the policy allows goes ahead",
  subagents: "automation is on for trusted sub-agents only",
  off: "automation is off: what would be allowed is asked",
} as const;

function saidText({ when, modes }: Consent): string {
  if (modes !== undefined) return `${when}, on ${visible(modes).slice(0, 16).replace("T", " ")}`;
  return when === "off" ? "off" : "nothing yet";
}
