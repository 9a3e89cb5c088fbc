import { rmSync, statSync } from "node:fs";
import { copyFolder } from "@assent/hosts/agents/install";
import { editPolicy, policyPlace, readPlace, starterPolicy } from "@assent/guard/policy-edit";
import {
  changeBypass,
  errorCode,
  type Machine,
  openState,
  readBypass,
  readGrants,
  readRegular,
  revokeGrant,
  stateFolder,
  timeLeft,
  writeAtomic,
  namesIn,
} from "@assent/guard/state";
import { parseObject } from "@assent/core/data";
import { absolute, shorten } from "./place.ts";
import { schemaFor } from "./policy-target.ts";
import { dataFolder } from "./wrap-launcher.ts";

/** What a person answered to `assent install` about running things sandboxed, so that `uninstall` takes it out and `install` asks again. */
const ANSWER = "install-answer.json";
const MAX_BYTES = 1 << 20;

interface InstallAnswer {
  readonly unknown: string;
  /** What the person's policy said before; undefined: there was none. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Remembers what was answered. `before`: the policy file's text before it was written. */
export function rememberAnswer(machine: Machine, unknown: string, before: string | undefined): void {
  const [state, after] = [openState(machine), policyText(machine)];
  if ("folder" in state && after !== undefined)
    writeAtomic(`${state.folder}/${ANSWER}`, JSON.stringify({ unknown, ...(before === undefined ? {} : { before }), after }));
}

export function policyText(machine: Machine): string | undefined {
  const place = policyPlace("global", machine, absolute("."));
  const found = place === undefined ? undefined : readRegular(place.file, MAX_BYTES);
  return found?.is === "text" ? found.text : undefined;
}

function readAnswer(machine: Machine): InstallAnswer | undefined {
  const found = readRegular(`${stateFolder(machine)}/${ANSWER}`, MAX_BYTES);
  if (found.is !== "text") return undefined;
  const { unknown, before, after } = parseObject(found.text) ?? {};
  if (typeof unknown !== "string" || typeof after !== "string" || (before !== undefined && typeof before !== "string")) return undefined;
  return { unknown, before, after };
}

/** What is switched on, and ends with the hooks; in words. */
export function whatEnds(machine: Machine, now: number): readonly string[] {
  const grants = readGrants(machine, now).all.length;
  return [
    ...(isThere(`${stateFolder(machine)}/resident`) ? ["the daemon"] : []),
    ...(grants === 0 ? [] : [grants === 1 ? "1 grant" : `${grants} grants`]),
    ...(isBypassed(machine, now) ? ["the bypass"] : []),
    ...(readAnswer(machine) === undefined ? [] : ["what you answered about running things sandboxed"]),
  ];
}

const isBypassed = (machine: Machine, now: number): boolean => Object.values(readBypass(machine)).some((span) => timeLeft(span, now) > 0);

/** Ends it. Problems, in words. */
export function endWhatIsOn(machine: Machine, now: number): readonly string[] {
  const bypass = isBypassed(machine, now) ? changeBypass(machine, undefined, undefined, now) : undefined;
  for (const { id } of readGrants(machine, now).all) revokeGrant(machine, id);
  return [bypass, takeAnswerBack(machine)].flatMap((problem) => (problem === undefined ? [] : [problem]));
}

/** The policy says again what it said before the question; where somebody has changed it since, only that key goes. */
function takeAnswerBack(machine: Machine): string | undefined {
  const answer = readAnswer(machine);
  const place = policyPlace("global", machine, absolute("."));
  if (answer === undefined || place === undefined) return undefined;
  rmSync(`${stateFolder(machine)}/${ANSWER}`, { force: true });
  const found = readPlace(place);
  if (found.is !== "text") return undefined;
  if (found.text === answer.after) {
    if (answer.before === undefined) rmSync(place.file, { force: true });
    else writeAtomic(place.file, answer.before);
    return undefined;
  }
  if (!found.read.ok || found.read.policy.settings.unknown !== answer.unknown) return undefined;
  const done = editPolicy(place, starterPolicy(place.layer, schemaFor(place)), () => ({ edits: [{ do: "remove", path: ["unknown"] }] }));
  return done.is === "done" ? undefined : `${place.file} could not be changed: take \`unknown\` out by hand`;
}

/** Places that `uninstall` leaves, as a person reads them. */
export function whatStays(machine: Machine): readonly string[] {
  const short = (path: string): string => shorten(path, absolute("."), machine.home);
  const place = policyPlace("global", machine, absolute("."));
  const wrapped = wrappedNames(machine);
  return [
    ...(place !== undefined && isThere(place.file) && !isOfAnswer(machine) ? [`your policy: ${short(place.file)}`] : []),
    ...(isThere(stateFolder(machine)) ? [`the log, runs and what undo needs, trust: ${short(stateFolder(machine))}`] : []),
    ...(isThere(copyFolder(machine)) ? [`the program, for sessions that still run: ${short(copyFolder(machine))}`] : []),
    ...(wrapped.length === 0 ? [] : [`wrapped programs (assent unwrap NAME): ${wrapped.join(", ")}`]),
  ];
}

/** The policy file is there for what was answered, and goes with it. */
function isOfAnswer(machine: Machine): boolean {
  const answer = readAnswer(machine);
  return answer !== undefined && answer.before === undefined && answer.after === policyText(machine);
}

function wrappedNames(machine: Machine): readonly string[] {
  return ["bin", "wrap"].flatMap((name) => namesIn(`${dataFolder(machine)}/${name}`));
}

/** Everything that is this user's, for `uninstall --all`. A problem. */
export function removeAll(machine: Machine): string | undefined {
  const place = policyPlace("global", machine, absolute("."));
  try {
    for (const path of [stateFolder(machine), dataFolder(machine), ...(place === undefined ? [] : [place.file])])
      rmSync(path, { recursive: true, force: true });
    return undefined;
  } catch (error) {
    return errorCode(error) ?? String(error);
  }
}

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;
