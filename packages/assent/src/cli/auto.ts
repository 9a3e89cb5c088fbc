import { visible } from "@assent/core/action";
import { AGENTS } from "@assent/hosts/agents";
import { automationLevel } from "@assent/guard/engine";
import { inspect } from "@assent/guard/inspect";
import type { Settings } from "@assent/core/policy";
import { changeConsent, readConsent, type Consent, type Machine, thisMachine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { JSON_VERSION } from "./json.ts";
import { autoTable, printTable, settingHere } from "./auto-table.ts";
import { choose, consentPage, type Sandboxing } from "./confine.ts";
import { absolute } from "./place.ts";
import { readLength } from "./since.ts";
import { complain, failing } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";
import { whyNotAgreed } from "./terminal.ts";

const COMMAND = "auto";
const fail = failing(COMMAND);

const settingsHere = (machine: Machine): Settings => inspect({ machine, cwd: absolute("."), own: engine.own }).policy.settings;

/** `assent auto on`: a person agrees to what goes ahead without him. Asked at a terminal, never implied. */
export async function autoOn(options: { readonly subagentsOnly?: boolean }): Promise<number> {
  const machine = thisMachine();
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
  const refused = await whyNotAgreed(page);
  if (refused !== undefined) return fail(refused, "nothing was changed");
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

/** Longer is no while: say it without `--for`. */
const LONGEST_FOR_MS = 30 * 86_400_000;

/** `assent auto sandbox [--for TIME] [--tried]`: going up is asked at the terminal. Exit 0 done, 1 not, 2 wrong usage. */
export async function autoSandbox(options: Sandboxing): Promise<number> {
  const machine = thisMachine();
  const length = options.for === undefined ? undefined : readLength(options.for);
  if (length !== undefined && (typeof length !== "number" || length > LONGEST_FOR_MS)) {
    complain(COMMAND, typeof length === "number" ? "the longest is 30d" : length.wrong, "--for 2h, 3d; without it until you say otherwise");
    return 2;
  }
  const refused = await whyNotAgreed(consentPage(machine.env, options));
  if (refused !== undefined) return fail(refused, "nothing was changed");
  return choose(machine, "sandbox", length, options.tried);
}

/** `assent auto ask`: going down needs no question; from refusing what cannot be known it is going up. */
export async function autoAsk(): Promise<number> {
  const machine = thisMachine();
  const refuses = settingsHere(machine).unknown === "deny";
  const refused = refuses ? await whyNotAgreed("What cannot be known is refused now. From then on you are asked about it.\n") : undefined;
  return refused === undefined ? choose(machine, "ask") : fail(refused, "nothing was changed");
}

/** `assent auto`, `assent auto status`: what goes ahead here without a person, why, and who says so. */
export function autoStatus(options: { readonly json?: boolean }): number {
  const machine = thisMachine();
  const consent = readConsent(machine);
  const cwd = absolute(".");
  const inspection = inspect({ machine, cwd, own: engine.own });
  const { automation, mode } = inspection.policy.settings;
  const [here, table] = [settingHere(machine, inspection, Date.now()), autoTable(machine, cwd, inspection)];
  const level = automationLevel(automation, consent, machine.env);
  if (options.json === true) {
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, setting: here, table, level, mode, consent, policy: automation })}\n`);
    return 0;
  }
  writeStdout(printTable(here, table));
  writeStdout(
    here.setting === "sandbox"
      ? "change: assent auto ask (tests and scripts ask, too) · assent auto sandbox --for 2h\n\n"
      : "change: assent auto sandbox (tests and scripts go ahead sandboxed) · assent auto sandbox --for 2h\n\n",
  );
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
