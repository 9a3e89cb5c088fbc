import { visible } from "@assent/core/action";
import { AGENTS } from "@assent/hosts/agents";
import { readInstalled } from "@assent/hosts/agents/install";
import type { DecideOptions } from "@assent/guard/engine";
import { inspect } from "@assent/guard/inspect";
import { editPolicy, policyPlace, readPlace, starterPolicy } from "@assent/guard/policy-edit";
import type { Settings, UnknownSetting } from "@assent/core/policy";
import { changeConsent, type Machine, readConsent, thisMachine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { policyText, rememberAnswer } from "./install-left.ts";
import { JSON_VERSION } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain, failing, schemaFor, showProblems } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";
import { confirmed, unattended, whyNotAgreed } from "./terminal.ts";
import { updateWrapping } from "./wrapping.ts";

const COMMAND = "confine";
const fail = failing(COMMAND);
const COMMENT = "What cannot be known beforehand runs sandboxed instead of being asked: held to this policy, and kept for `assent undo`.";

/** How long, and whether what is sandboxed is tried first. */
export interface Sandboxing {
  readonly for?: string;
  readonly tried?: boolean;
}

/** What a person agrees to, before `"unknown": "confine"` is written. */
export function consentPage(env: Machine["env"], { for: time, tried = false }: Sandboxing = {}): string {
  const style = styleFor({ isTTY: true }, env);
  return [
    style.bold("Run what cannot be known sandboxed, instead of asking you?"),
    "  The project's own scripts, tests and builds, programs that Assent does not know, and commands that change the project's",
    "  files go ahead without a question, files that they delete or overwrite there among them. While they run, the kernel holds",
    "  them to your policy: no secrets, nothing written outside the project and temporary folders, no hosts but a tool's own.",
    "  What they change is kept: `assent undo` brings it back, `assent receipt` shows it.",
    ...(tried
      ? [
          "  Where it can be, a command is tried first: nothing on disk changes before it has ended, and then all of what it did counts,",
          "  or none of it: that is kept for you (`assent try list`).",
        ]
      : []),
    "  Still asked: pushing and publishing, everything else that nobody can take back, what your rules ask about, and, unless",
    "  your mode lets them go ahead, edits with an agent's own tools.",
    `  ${time === undefined ? "" : `It ends by itself after ${visible(time)}. `}\`assent auto ask\` ends it at the next call.`,
    "",
  ].join("\n");
}

/** `assent confine on`: a person agrees, at the terminal. */
export async function confineOn(options: { readonly log?: boolean }): Promise<number> {
  const machine = thisMachine();
  if (options.log !== true && ownUnknown(machine) === "confine" && readConsent(machine).until === undefined) return report(machine);
  // Only the log says what would be confined: nothing is skipped that needs agreeing to, but by a person.
  const nobody = options.log === true ? unattended(process.env) : undefined;
  const refused =
    options.log === true ? nobody && `${nobody} is set: nobody is here to agree` : await whyNotAgreed(consentPage(machine.env));
  return refused === undefined ? write(machine, options.log === true ? "confine-log" : "confine") : fail(refused, "nothing was changed");
}

/** `assent confine off`: from now on a person is asked again. Needs no question. */
export const confineOff = (): number => write(thisMachine(), "ask");

/** What the setting means, for people. */
export const CONFINING: Readonly<Record<UnknownSetting, string>> = {
  confine: "on: what cannot be known runs sandboxed instead of being asked",
  "confine-log": "off: what would be sandboxed is asked, and logged (`assent replay --confined`)",
  ask: "off: what cannot be known is asked",
  deny: "off: what cannot be known is refused",
};

/** What a person chose by `assent auto`, for so many milliseconds or until they say otherwise. */
export function choose(machine: Machine, setting: "sandbox" | "ask", length?: number, tried = false): number {
  const now = Date.now();
  // INVARIANT: the end is kept before anything is let go ahead.
  const problem = changeConsent(machine, ({ until: _until, tried: _tried, ...consent }) => ({
    ...consent,
    since: new Date(now).toISOString(),
    ...(tried ? { tried: true } : {}),
    ...(length === undefined ? {} : { until: new Date(now + length).toISOString() }),
    // Who lets things go ahead again means it.
    ...(setting === "sandbox" && consent.when === "off" ? { when: "everywhere" } : {}),
  }));
  return problem === undefined ? write(machine, setting === "sandbox" ? "confine" : "ask", true) : fail(visible(problem));
}

/** Writes the setting into the user's own policy file, which is made where there is none. `kept`: since when is written down already. */
export function write(machine: Machine, unknown: UnknownSetting, kept = false): number {
  const place = policyPlace("global", machine, absolute("."));
  if (place === undefined) return fail("no place for your policy file was found");
  const short = (path: string): string => visible(shorten(path, absolute("."), machine.home));
  if (unknown === "ask" && readPlace(place).is === "missing") return report(machine);
  if (!kept) {
    const since = new Date().toISOString();
    const problem = changeConsent(machine, ({ until: _until, tried: _tried, ...consent }) => ({ ...consent, since }));
    if (problem !== undefined) return fail(visible(problem));
  }
  const comment = unknown === "confine" ? { comment: COMMENT } : {};
  // `full-auto` sandboxes, too: without that it is `auto-edit`.
  const mode =
    place.layer === "user" && unknown === "ask" && isFullAuto(place) ? [{ do: "set", path: ["mode"], value: "auto-edit" } as const] : [];
  const done = editPolicy(place, starterPolicy(place.layer, schemaFor(place)), () => ({
    edits: [{ do: "set", path: ["unknown"], value: unknown, ...comment }, ...mode],
  }));
  if (done.is === "broken") showProblems(done.problems, short);
  if (done.is !== "done")
    return fail(`${short(place.file)} ${done.is === "failed" ? visible(done.why) : "has mistakes"}`, "nothing was changed");
  for (const problem of updateWrapping(machine)) complain(COMMAND, visible(problem), "`assent install` tries it again");
  return report(machine);
}

/** What will go ahead without a person, in one sentence. */
export const settingSentence = (machine: Machine): string =>
  confinesBy(settingsHere(machine))
    ? "what only looks goes ahead, and tests, builds and scripts go ahead sandboxed (assent auto)"
    : "only what looks and changes nothing goes ahead (assent auto)";

function isFullAuto(place: Parameters<typeof readPlace>[0]): boolean {
  const found = readPlace(place);
  return found.is === "text" && found.read.ok && found.read.policy.settings.mode === "full-auto";
}

/** `assent confine status`. */
export function report(machine: Machine, options: { readonly json?: boolean } = {}): number {
  const settings = settingsHere(machine);
  if (options.json === true) {
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, unknown: settings.unknown, mode: settings.mode, confines: confinesBy(settings) })}\n`);
    return 0;
  }
  writeStdout(`sandboxing is ${CONFINING[settings.unknown]}\n`);
  if (settings.unknown === "confine" && !confinesBy(settings))
    writeStdout(`  not under the preset \`${settings.preset}\`, which asks about everything that nobody has allowed\n`);
  if (settings.unknown === "confine") for (const line of confiningAgents(machine)) writeStdout(`  ${line}\n`);
  return 0;
}

/** Which of the agents where Assent is installed confine, and what. */
function confiningAgents(machine: Machine): readonly string[] {
  const installed = new Set<string>(readInstalled(machine).map(({ agent }) => agent));
  return AGENTS.flatMap(({ id, name, setup }) =>
    setup === undefined || !installed.has(id)
      ? []
      : [`${name}: ${setup.confines ?? "not yet: what cannot be known is asked, or left to it"}`],
  );
}

/** `assent confine status`. */
export const confineStatus = (options: { readonly json?: boolean }): number => report(thisMachine(), options);

const settingsHere = (machine: Machine): Settings => inspect({ machine, cwd: absolute("."), own: engine.own }).policy.settings;
const confinesBy = ({ unknown, preset }: Settings): boolean => unknown === "confine" && (preset === "default" || preset === "permissive");

/** For those who only look: the policy as if confining were on. What is refused stays refused. */
export const asIfConfining: NonNullable<DecideOptions["adapt"]> = (policy) =>
  policy.settings.unknown === "deny" ? policy : { ...policy, settings: { ...policy.settings, unknown: "confine" } };

/** Whether `assent install` asks about it: as long as the person's own policy says nothing. */
export function isConfiningOffered(machine: Machine): boolean {
  if (unattended(process.env) !== undefined) return false;
  return ownUnknown(machine) === "";
}

/** What the person's own policy says; empty: nothing; undefined: nobody can tell. */
function ownUnknown(machine: Machine): UnknownSetting | "" | undefined {
  const place = policyPlace("global", machine, absolute("."));
  const found = place === undefined ? undefined : readPlace(place);
  if (found?.is === "text") return found.read.ok ? (found.read.policy.settings.unknown ?? "") : undefined;
  return found?.is === "missing" ? "" : undefined;
}

/** After `assent install`: asked once; `assent uninstall` takes the answer back. */
export async function offerConfining(machine: Machine): Promise<void> {
  if (!isConfiningOffered(machine)) return;
  const agreed = await confirmed(consentPage(machine.env), "Run what cannot be known sandboxed, instead of asking?", "[Y/n]");
  if (agreed === undefined) writeStdout("`assent confine on` lets what cannot be known run sandboxed instead of asking you\n");
  else {
    const before = policyText(machine);
    write(machine, agreed ? "confine" : "ask");
    rememberAnswer(machine, agreed ? "confine" : "ask", before);
  }
}
