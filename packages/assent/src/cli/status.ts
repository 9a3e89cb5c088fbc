import { listConsents } from "@assent/guard/policy-edit";
import { brief, visible } from "@assent/core/action";
import { copiedVersion } from "@assent/hosts/agents/install";
import { lastOf, type LogEntry, isDecision, isQuestion, isRefusal, query } from "@assent/guard/audit";
import { inspect, listRules } from "@assent/guard/inspect";
import { chooseEngine, openEngine } from "@assent/supervisor/engines";
import { automationLevel } from "@assent/guard/engine";
import {
  bypassHere,
  breakers,
  messageOf,
  readConsent,
  readGrants,
  stateFolder,
  thisMachine,
  unseenChanges,
  type Machine,
} from "@assent/guard/state";
import { isWithin } from "@assent/core/path";
import type { HereLine, HereRow, PageStatus } from "@assent/page/page";
import { commandOf, findRun, isRunning, listRuns, type RunRecord, runsFolder } from "@assent/supervisor/supervise/undo";
import { engine } from "@assent/page/preview";
import { autoTable, type SettingHere, settingHere, type TableLine } from "./auto-table.ts";
import { LEVELS } from "./auto.ts";
import { isTripped } from "./breaker.ts";
import { CONFINING } from "./confine.ts";
import { foundAgents, hooksOff } from "./doctor-agents.ts";
import { doesHold } from "./grants.ts";
import { writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { VERSION } from "./program-frame.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor, type TerminalStyle } from "./style.ts";

const REFUSALS = 3;
/** So many decisions are looked through for the mode of the last call here. */
const RECENT = 200;

/** All that `assent status` says: the shape of `--json`, but for `v`. */
interface Status {
  readonly cwd: string;
  readonly protected: ProtectionHere;
  readonly today: Today;
  readonly agents: ProtectionFacts["agents"];
  readonly policy: readonly {
    readonly file: string;
    readonly layer: string;
    readonly trusted: boolean;
    readonly rules: number;
    readonly problems: number;
  }[];
  readonly preset: string;
  readonly mode: string;
  readonly unknown: keyof typeof CONFINING;
  readonly automation: keyof typeof LEVELS;
  /** The one setting, and what goes ahead without a person, row by row. */
  readonly setting: SettingHere;
  readonly table: readonly TableLine[];
  /** By whom questions are skipped here. */
  readonly bypass: string | null;
  /** Who skipped its own questions at its last call here, in the words of the log. */
  readonly skipped: string | null;
  /** Sessions in which allows are questions after many refusals. */
  readonly tripped: number;
  readonly grants: number;
  /** Runs that go on now. */
  readonly running: readonly { readonly id: string; readonly command: string }[];
  /** Runs and edits of tools; `undoable` is what `assent undo` would take back. */
  readonly kept: {
    readonly count: number;
    readonly undoable?: { readonly id: string; readonly started: string; readonly command: string };
  };
  /** Files that name programs or hosts for later commands, changed by an agent and not looked at. Null: nobody can say. */
  readonly unseen: number | null;
  readonly refused: readonly { readonly time: string; readonly agent: string; readonly what: string; readonly why: string }[];
}

/** `assent status`: what protects here, what is on, what waits, what was refused last. Changes nothing. Exit 0. */
export async function status(options: { readonly cwd?: string; readonly json?: boolean }): Promise<number> {
  const found = await statusOf(absolute(options.cwd ?? "."));
  if (options.json === true) writeJson({ ...found });
  else writeStdout(page(found, styleFor(process.stdout, process.env)));
  return 0;
}

async function statusOf(cwd: string): Promise<Status> {
  const machine = thisMachine();
  const now = Date.now();
  const inspection = inspect({ machine, cwd, own: engine.own });
  const { settings } = inspection.policy;
  const { files, rules } = listRules(inspection);
  const runsAt = runsFolder(machine);
  const runs = listRuns(runsAt);
  const last = findRun(runsAt, undefined, cwd, true);
  const grants = readGrants(machine, now);
  const changed = unseenChanges(machine);
  const agents = foundAgents(machine).map((agent) => ({ ...agent, off: hooksOff(agent.id, machine, cwd) ?? null }));
  const bypass = bypassHere(machine, now)?.by ?? null;
  const hooksVersion = copiedVersion(machine);
  const tripped = breakers(machine).filter((row) => isTripped(row, settings.automation.breaker, now)).length;
  return {
    cwd,
    protected: protectionOf({
      agents,
      broken: files
        .filter(({ problems }) => problems.some(({ severity }) => severity === "error"))
        .map(({ file }) => shorten(file, cwd, machine.home)),
      preset: settings.preset,
      bypass,
      skips: settings.bypass === "host",
      tripped,
      older: hooksVersion === undefined || hooksVersion === VERSION ? null : hooksVersion,
      cannotSandbox: settings.unknown === "confine" ? await sandboxProblem() : null,
    }),
    today: await decisionsOfToday(machine, now),
    agents,
    policy: files
      .filter(({ agreed }) => agreed !== true)
      .map(({ file, layer, trusted, problems }) => ({
        file,
        layer,
        trusted,
        rules: rules.filter(({ rule }) => rule.source.file === file && rule.layer === layer).length,
        problems: problems.filter(({ severity }) => severity === "error").length,
      })),
    preset: settings.preset,
    mode: settings.mode,
    unknown: settings.unknown,
    automation: automationLevel(settings.automation, readConsent(machine), machine.env),
    setting: settingHere(machine, inspection, now),
    table: autoTable(machine, cwd, inspection),
    bypass,
    skipped: skippedHere(stateFolder(machine), cwd),
    tripped,
    grants: grants.all.filter((grant) => doesHold(grant, grants.uses.get(grant.id) ?? 0)).length + listConsents(machine).length,
    running: runs
      .filter(({ ended, folder }) => ended === undefined && isRunning(folder))
      .map((run) => ({ id: run.id, command: visible(commandOf(run)) })),
    kept: { count: runs.length, ...("problem" in last ? {} : { undoable: lastRun(last) }) },
    unseen: changed.is === "unclear" ? null : changed.files.length,
    refused: lastOf(stateFolder(machine), { denied: true }, REFUSALS).map(({ entry }) => refusal(entry)),
  };
}

/** A host's own bypass mode is known by what it last asked about here. */
function skippedHere(folder: string, cwd: string): string | null {
  const last = lastOf(folder, {}, RECENT).findLast(({ entry }) => entry.point === "hook" && entry.cwd !== "" && isWithin(entry.cwd, cwd));
  return last === undefined || last.entry.bypass === "" ? null : last.entry.bypass;
}

/** What is missing for anything to run sandboxed; it is tried, as `assent doctor` tries it. */
async function sandboxProblem(): Promise<string | null> {
  try {
    const held = await openEngine(chooseEngine(thisMachine()));
    const why = await held.problem();
    return why === undefined ? null : `${held.id === "assent" ? "missing kernel piece: " : ""}${why}`;
  } catch (error) {
    return messageOf(error);
  }
}

const lastRun = (run: RunRecord): { id: string; started: string; command: string } => ({
  id: run.id,
  started: new Date(run.started).toISOString(),
  command: visible(commandOf(run)),
});

const refusal = ({ time, agent, tool, subject, reason }: LogEntry): Status["refused"][number] => ({
  time: visible(time),
  agent: visible(agent),
  what: visible(subject === "" ? tool : subject),
  why: visible(reason),
});

/** What is on here, row by row, for the terminal and for the page. */
function statusRows(found: Status): readonly HereRow[] {
  const { agents, policy, bypass, running, kept } = found;
  const short = (path: string): string => visible(shorten(path, found.cwd, thisMachine().home));
  const registered = { all: "asks Assent", other: "asks another installation of Assent, or not in every way", none: "does not ask Assent" };
  const some = (title: string, ...lines: readonly HereLine[]): HereRow[] => [{ title, lines }];
  return [
    ...some(
      "without you",
      { text: found.setting.text, command: "assent auto" },
      ...found.table.map(({ label, text }) => ({ text: `${label}: ${text}` })),
    ),
    ...some(
      "agents",
      ...(agents.length === 0
        ? [{ text: "none was found on this machine" }]
        : agents.map(({ id, name, registered: is, off }): HereLine => {
            if (is !== "all") return { text: `${name} ${registered[is]}`, mark: "deny", command: `assent install --agent ${id}` };
            return off === null
              ? { text: `${name} ${registered.all}` }
              : { text: `${name}: its hooks are switched off here: ${visible(off)}`, mark: "deny" };
          })),
    ),
    ...some(
      "policy",
      ...(policy.length === 0
        ? [{ text: `no file: ${found.preset === "default" ? "what is built in decides" : `the preset ${found.preset} decides`}` }]
        : policy.map(({ file, trusted, rules, problems }): HereLine => {
            const text = `${short(file)}: ${count(rules, "rule")}${trusted ? "" : ", not trusted, so its allow rules do not count"}`;
            if (problems > 0) return { text: `${text}, ${count(problems, "mistake")}`, mark: "deny", command: "assent lint" };
            return trusted ? { text } : { text, mark: "ask", command: "assent trust" };
          })),
    ),
    ...some("sandboxing", { text: `is ${CONFINING[found.unknown]}` }),
    ...some("automation", {
      text: `${LEVELS[found.automation].replace(/^automation /, "")}${found.mode === "suggest" ? "" : `, mode ${found.mode}`}`,
    }),
    ...some(
      "questions",
      found.skipped !== null && bypass === null
        ? { text: `were skipped at the last call here: ${visible(found.skipped)}. Refusals hold`, mark: "ask" }
        : bypass === null
          ? { text: "are asked" }
          : { text: `are skipped: ${visible(bypass)}`, mark: "ask", command: "assent bypass off" },
    ),
    ...(found.tripped === 0
      ? []
      : some("breaker", { text: `${count(found.tripped, "session")} asked about everything`, mark: "ask", command: "assent breaker" })),
    ...(found.grants === 0 ? [] : some("grants", { text: `${count(found.grants, "answer")} given in advance`, command: "assent grants" })),
    ...(running.length === 0
      ? []
      : some("running", ...running.slice(-REFUSALS).map(({ id, command }) => ({ text: `${id}  ${brief(command, 60)}` })))),
    ...some("undo", {
      text:
        kept.undoable === undefined ? "nothing to take back" : `would take back ${kept.undoable.id}  ${brief(kept.undoable.command, 60)}`,
    }),
    ...(found.unseen === 0
      ? []
      : some(
          "look at",
          found.unseen === null
            ? { text: "what agents changed is not known: `assent seen` says why", mark: "ask" }
            : {
                text: `${count(found.unseen, "file")} that decide what later commands start, changed by an agent`,
                mark: "ask",
                command: "assent seen",
              },
        )),
  ];
}

/** The same for the page. */
export async function statusForPage(cwd: string): Promise<PageStatus> {
  const found = await statusOf(cwd);
  return { protected: found.protected, today: found.today, rows: statusRows(found), refused: found.refused };
}

const WIDTH = 11;

function page(found: Status, style: TerminalStyle): string {
  const { refused } = found;
  const row = (title: string, ...lines: readonly string[]): string[] =>
    lines.map((line, at) => `${(at === 0 ? title : "").padEnd(WIDTH)} ${line}`);
  const { checked, sandboxed, asked, refused: denied } = found.today;
  const colour = { yes: "allow", partly: "ask", no: "deny" } as const;
  const printed = ({ text, mark, command }: HereLine): string => {
    const line = command === undefined ? text : `${text}: ${command}`;
    return mark === undefined ? line : style.verdict(mark, line);
  };
  return `${[
    ...row("protected", style.verdict(colour[found.protected.is], found.protected.text)),
    ...row("today", `${checked} checked, ${sandboxed} sandboxed, ${asked} asked, ${denied} refused`),
    ...statusRows(found).flatMap(({ title, lines }) => row(title, ...lines.map(printed))),
    ...row(
      "refused",
      ...(refused.length === 0
        ? ["nothing"]
        : refused.flatMap(({ time, what, why }) => [
            `${style.dim(time.slice(0, 16).replace("T", " "))}  ${brief(what, style.width - 32)}`,
            `${" ".repeat(18)}${style.dim(brief(why, style.width - 32))}`,
          ])),
    ),
  ].join("\n")}\n`;
}

const count = (number: number, of: string): string => `${number.toLocaleString("en-US")} ${of}${number === 1 ? "" : "s"}`;

/** What `assent status` knows when it answers "am I protected here?". */
export interface ProtectionFacts {
  readonly agents: readonly {
    readonly id: string;
    readonly name: string;
    readonly registered: "all" | "none" | "other";
    readonly off: string | null;
  }[];
  /** Policy files with mistakes, as people know them. */
  readonly broken: readonly string[];
  readonly preset: string;
  /** By whom questions are skipped. */
  readonly bypass: string | null;
  /** The user lets a host's own bypass mode skip denials. */
  readonly skips: boolean;
  readonly tripped: number;
  /** The version that hooks run, where it is not this one. */
  readonly older: string | null;
  /** Why nothing can run sandboxed, where sandboxing is on. */
  readonly cannotSandbox: string | null;
}

/** `partly`: something is left open, or somebody has to do something first. */
interface ProtectionHere {
  readonly is: "yes" | "partly" | "no";
  /** One sentence, and where something is to be done the command. */
  readonly text: string;
}

const names = (all: readonly { readonly name: string }[]): string => all.map(({ name }) => name).join(", ");

/** INVARIANT: yes is said only where every agent that was found asks, its hooks are on, and every policy file is read. */
export function protectionOf({ agents, broken, preset, bypass, skips, tripped, older, cannotSandbox }: ProtectionFacts): ProtectionHere {
  const asking = agents.filter(({ registered, off }) => registered === "all" && off === null);
  const [silent] = agents.filter(({ registered }) => registered === "none");
  const [switched] = agents.filter(({ registered, off }) => registered !== "none" && off !== null);
  const [other] = agents.filter(({ registered, off }) => registered === "other" && off === null);
  if (agents.length === 0)
    return { is: "no", text: "no: no agent was found on this machine. `assent run COMMAND` protects a single command" };
  const open =
    switched !== undefined
      ? `hooks of ${switched.name} are switched off here: ${visible(switched.off ?? "")}`
      : silent !== undefined
        ? `${silent.name} does not ask Assent: assent install --agent ${silent.id}`
        : other === undefined
          ? undefined
          : `${other.name} asks another installation of Assent, or not in every way: assent install --agent ${other.id}`;
  if (asking.length === 0) return { is: "no", text: `no: ${open ?? "no agent asks Assent"}` };
  const [first] = broken;
  const but =
    first !== undefined
      ? `${visible(first)} has mistakes, so everything is asked: assent lint`
      : bypass !== null
        ? `questions are skipped, only refusals hold (${visible(bypass)}): assent bypass off`
        : preset === "none"
          ? 'the policy says `"preset": "none"`, so only written rules hold'
          : skips
            ? 'the policy says `"bypass": "host"`, so an agent that skips its questions skips refusals, too'
            : tripped > 0
              ? "a session was refused so often that it is asked about everything: assent breaker"
              : cannotSandbox !== null
                ? `sandboxing is on and cannot work here (${visible(cannotSandbox)}): assent doctor`
                : (open ?? (older === null ? undefined : `hooks run another version (${visible(older)}): assent install`));
  if (but === undefined)
    return { is: "yes", text: `yes: ${names(asking)} ${asking.length === 1 ? "asks" : "ask"} Assent before every tool` };
  return { is: "partly", text: `partly: ${names(asking)} ${asking.length === 1 ? "asks" : "ask"} Assent, but ${but}` };
}

/** Decisions of today, by what came of them. */
interface Today {
  readonly checked: number;
  readonly sandboxed: number;
  readonly asked: number;
  readonly refused: number;
}

/** How long it counts before others of this process have their turn. Milliseconds. */
const STRETCH_MS = 15;

export async function decisionsOfToday(machine: Machine, now: number): Promise<Today> {
  const start = new Date(now).setHours(0, 0, 0, 0);
  const out = { checked: 0, sandboxed: 0, asked: 0, refused: 0 };
  let began = performance.now();
  for (const { entry } of query(stateFolder(machine), { since: start })) {
    if (performance.now() - began > STRETCH_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
    if (!isDecision(entry)) continue;
    const { count } = entry;
    out.checked += count;
    if (entry.confined === "yes") out.sandboxed += count;
    if (isQuestion(entry)) out.asked += count;
    else if (isRefusal(entry)) out.refused += count;
  }
  return out;
}
