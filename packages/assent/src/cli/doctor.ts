import { attempt } from "@assent/core/data";
import { visible } from "@assent/core/action";
import { inspect } from "@assent/guard/inspect";
import { askExtension, findExtensions } from "@assent/guard/engine";
import { canSupervise, type Probe, probeKernel } from "@assent/supervisor/supervise/sandbox/probe";
import { bypassHere, type Machine, stateFolder, stateProblem, thisMachine } from "@assent/guard/state";
import { storedBytes, undoProblem } from "@assent/supervisor/supervise/edits";
import { agentChecks } from "./doctor-agents.ts";
import { outdatedAllows } from "./export-allows.ts";
import { chooseEngine, openEngine, type RunEngine } from "@assent/supervisor/engines";
import { engine } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { absolute } from "./place.ts";
import { writeStdout } from "./stdio.ts";
import { isTeamReached } from "@assent/team/team/remote";
import { fleetProgress, readHeld, readMembership, readSender, senderText } from "@assent/team/team";
import { joiningText } from "./team-member.ts";
import { fit, styleFor, type TerminalStyle } from "./style.ts";
import { probeTried } from "./try.ts";

interface DoctorOptions {
  readonly json?: boolean;
}

/** One part of the report: `assent doctor` fails when one of them does. */
interface Section {
  /** Its key in JSON. */
  readonly id: string;
  readonly title: string;
  readonly ok: boolean;
  /** One line for people. */
  readonly summary: string;
  readonly checks: readonly Check[];
}

type Check = Omit<Probe, "id"> & { readonly id: string; /** Neither good nor bad. */ readonly note?: true };

/** `assent doctor`: what protects on this machine, and what does not. Exit 0 all of it would work, 1 something would refuse. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const sections = [await supervision(), agents(), undo(), ...extensions(), ...team()];
  if (options.json === true) writeJson(doctorJson(sections));
  else writeStdout(sections.map((section) => report(section, styleFor(process.stdout, process.env))).join("\n"));
  return sections.every(({ ok }) => ok) ? 0 : 1;
}

/** What holds a run here; where the variable names none, a run refuses to start, and what would hold it by itself is looked at. */
function chosenEngine(): ReturnType<typeof chooseEngine> {
  return attempt(() => chooseEngine(thisMachine()), process.platform === "linux" ? "assent" : "sandbox-runtime");
}

/** Where another library confines, and what it does not do. */
async function otherEngine(held: RunEngine): Promise<Section> {
  const { id, cannot } = held;
  const why = await held.problem();
  const note = { ok: true, required: false, note: true, why: "" } as const;
  const checks: Check[] = [
    {
      id,
      title: `${id} sandboxes here`,
      ok: why === undefined,
      required: true,
      why: why ?? "",
    },
    { id: "tried", title: "it was tried on Linux only, over bubblewrap: nobody has run it on a Mac", ...note },
    ...cannot.map((text, at): Check => ({ id: `cannot.${at + 1}`, title: text, ...note })),
  ];
  const summary = why === undefined ? `\`assent run\` works by ${id}, which does less than on Linux` : "`assent run` refuses to start here";
  return { id: "supervision", title: "supervision", ok: why === undefined, summary, checks };
}

async function supervision(): Promise<Section> {
  const chosen = chosenEngine();
  if (chosen !== "assent") return await otherEngine(await openEngine(chosen));
  const problem = stateProblem(thisMachine());
  const probes = await probeKernel(absolute("."));
  const ok = canSupervise(probes) && problem === undefined;
  const checks: Check[] = [...probes, stateCheck(problem)];
  const off = checks.filter((check) => !check.ok).length;
  const summary = ok
    ? off === 0
      ? "`assent run` has all it needs"
      : "`assent run` works; what is marked `less` above it does without"
    : "`assent run` refuses to start here; --best-effort goes on without what is marked `off`, where that is possible";
  if (ok) checks.push(await triedCheck());
  return { id: "supervision", title: "supervision", ok, summary, checks };
}

async function triedCheck(): Promise<Check> {
  const why = await probeTried(thisMachine());
  const lost = "`assent try` starts nothing here, and names `assent run`";
  const found = why === undefined ? { ok: true, why: "folders can be laid above one another" } : { ok: false, why, consequence: lost };
  return { id: "try", title: "commands that are tried first", required: false, ...found };
}

function stateCheck(problem: string | undefined): Check {
  const lost = "a run keeps its records there; set XDG_STATE_HOME to a folder that can be written";
  const found = problem === undefined ? { ok: true, why: "can be written" } : { ok: false, why: problem, consequence: lost };
  return { id: "state", title: "folder of records", required: true, ...found };
}

function agents(): Section {
  const machine = thisMachine();
  const waived = bypassHere(machine, Date.now());
  const checks: Check[] = [...agentChecks(machine, absolute("."))];
  for (const { file, entries } of outdatedAllows(machine)) {
    const why = `${file} lets its host take ${entries.join(", ")} unchecked, which Assent does not: \`assent export --allow --write\` writes it anew`;
    checks.push({ id: "export.allows", title: "exported rules", ok: false, required: false, why });
  }
  if (waived !== undefined)
    checks.unshift({ id: "bypass", title: "bypass", ok: false, required: false, why: `questions are skipped: ${waived.by}` });
  const wrong = checks.filter(({ ok, required }) => !ok && required).length;
  const found = new Set(checks.map(({ id }) => id.slice(0, id.indexOf("."))));
  const summary =
    found.size === 0
      ? "no agent was found on this machine"
      : wrong === 0
        ? "what is registered answers"
        : "what is marked `off` does not protect as it should";
  return { id: "agents", title: "agents", ok: wrong === 0, summary, checks };
}

/** What is kept for undo, and how much more may be. */
function undo(): Section {
  const machine = thisMachine();
  const folder = stateFolder(machine);
  const problem = stateProblem(machine) ?? undoProblem(folder);
  const kept = storedBytes(`${folder}/runs`);
  const { keepRuns, keepMegabytes, keepDays } = inspect({ machine, cwd: absolute("."), own: engine.own }).policy.settings.undo;
  const shown = (count: number): string => count.toLocaleString("en-US");
  const used =
    `${shown(kept.count)} of at most ${shown(keepRuns)} runs and edits, ` +
    `${shown(Math.ceil(kept.bytes / 2 ** 20))} of at most ${shown(keepMegabytes)} MB, ${shown(keepDays)} days`;
  const checks: Check[] = [{ id: "room", title: "room", ok: problem === undefined, required: false, why: problem ?? used }];
  const summary = problem === undefined ? "what goes ahead sandboxed can be taken back" : "what would go ahead sandboxed is asked";
  return { id: "undo", title: "undo", ok: true, summary, checks };
}

/** A machine that root's file lets into a team, and that is not there yet. */
function joining(machine: Machine): readonly Section[] {
  const progress = fleetProgress(machine);
  if (progress === undefined || progress.is === "left") return [];
  const ok = progress.is === "new" || progress.is === "trying";
  const check: Check = { id: "joins", title: "this machine joins its team", ok, required: false, why: visible(joiningText(progress)) };
  return [{ id: "team", title: "team", ok: true, summary: "until it has joined, only what is on this machine decides", checks: [check] }];
}

/** No section where this machine has none. */
function team(): readonly Section[] {
  const machine = thisMachine();
  const membership = readMembership(machine);
  if (membership === "missing") return joining(machine);
  const sender = readSender(machine);
  const held = readHeld(machine);
  const sends: Check = {
    id: "sender",
    title: "what is decided here is sent",
    ok: sender !== undefined && isTeamReached(machine),
    required: false,
    why:
      sender === undefined
        ? "nobody sends: `assent daemon on`, or `assent team send --follow`"
        : `${senderText(sender)}${isTeamReached(machine) ? "" : ", and is not connected now"}`,
  };
  const problem =
    membership === "broken" || held === undefined
      ? "what is known of the team is damaged: assent team leave --offline, then join again"
      : held.problem;
  const policy: Check = {
    id: "policy",
    title: "the team's policy",
    ok: problem === undefined,
    required: true,
    why: visible(problem ?? (held?.version === undefined ? "no version has come yet" : `version ${held.version} holds`)),
  };
  const summary = problem === undefined ? "assent team status says more" : "what would be allowed asks";
  return [{ id: "team", title: "team", ok: policy.ok, summary, checks: [policy, sends] }];
}

/** No section where there are none. */
function extensions(): readonly Section[] {
  const files = findExtensions(thisMachine());
  if (files.length === 0) return [];
  const checks = files.map(({ name, path, problem }): Check => {
    const tried = problem === undefined ? askExtension(path, undefined) : { is: "failed" as const, why: problem };
    return {
      id: name,
      title: visible(name),
      ok: tried.is !== "failed",
      required: true,
      why: tried.is === "failed" ? tried.why : "is asked about every request",
    };
  });
  const ok = checks.every((check) => check.ok);
  const summary = ok ? "they can tighten what the policy says" : "as long as one cannot be asked, everything is a question";
  return [{ id: "extensions", title: "extensions", ok, summary, checks }];
}

function doctorJson(sections: readonly Section[]): Record<string, unknown> {
  return {
    ok: sections.every(({ ok }) => ok),
    ...Object.fromEntries(
      sections.map(({ id, ok, checks }) => [id, { ok, checks: checks.map(({ why, ...check }) => ({ ...check, why: visible(why) })) }]),
    ),
  };
}

/** `ok`, `less` (it goes on without), `off` (it refuses). */
function stateOf({ ok, required, note }: Check): readonly [state: string, colour: string] {
  if (note === true) return ["note", "none"];
  if (ok) return ["ok", "allow"];
  return required ? ["off", "deny"] : ["less", "ask"];
}

function report({ title, summary, checks }: Section, style: TerminalStyle): string {
  const width = Math.max(0, ...checks.map((check) => check.title.length));
  const lines = checks.map((check) => {
    const [state, colour] = stateOf(check);
    const consequence = check.consequence === undefined ? "" : `: ${check.consequence}`;
    return `  ${style.verdict(colour, fit(state, 4))}  ${fit(check.title, width)}  ${visible(check.why)}${consequence}`;
  });
  return `${style.bold(title)}\n${lines.map((line) => `${line}\n`).join("")}  ${summary}\n`;
}
