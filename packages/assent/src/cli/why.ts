import { writeFileSync } from "node:fs";
import { release } from "node:os";
import { adviceForPerson, brief, visible } from "@assent/core/action";
import { isLeftToHost, isQuestion, isRefusal, type FoundRecord, lastOf, type LogEntry, redactString } from "@assent/guard/audit";
import { isWithin } from "@assent/core/path";
import { isConfined, unconfined } from "@assent/core/policy";
import { type Machine, stateFolder, thisMachine } from "@assent/guard/state";
import { advise } from "@assent/guard/suggest";
import { judgeOnly, ruleReader } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { VERSION } from "./program-frame.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";

/** So many decisions are looked through. */
const MOST = 2000;

interface WhyOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly report?: string;
}

/** `assent why`: the last question or refusal in this folder: what, why, and what changes it. Exit 0 where there is one, else 1. */
export function why({ cwd, json, report }: WhyOptions): number {
  const machine = thisMachine();
  const folder = absolute(cwd ?? ".");
  const found = lastHere(machine, folder);
  if (found === undefined) {
    complain(
      "why",
      "nothing was asked or refused in this folder lately",
      "`assent log` shows every decision, `assent explain COMMAND` judges one",
    );
    return 1;
  }
  const { entry } = found;
  const way = wayOn(entry, machine);
  if (report !== undefined) return writeReport(report, entry, way, machine);
  if (json === true) {
    const { time, agent, tool, subject, reason, rule, answer } = entry;
    return writeJson({ time, agent, tool, what: visible(subject), answer, why: visible(reason), rule, way });
  }
  const style = styleFor(process.stdout, process.env);
  const said = isRefusal(entry) ? "refused" : "asked";
  const rows = [
    [said, style.bold(brief(entry.subject === "" ? entry.tool : entry.subject, style.width - 10))],
    ["when", `${entry.time.slice(0, 16).replace("T", " ")}, ${visible(entry.agent)}${isLeftToHost(entry) ? ", which asks by itself" : ""}`],
    ["why", visible(entry.reason)],
    ...(entry.rule === "" ? [] : [["from", entry.basis === "rule" ? visible(entry.rule) : "built in"]]),
    ["then", way],
  ];
  writeStdout(rows.map(([name = "", text = ""]) => `${style.dim(name.padEnd(9))}${text}\n`).join(""));
  return 0;
}

function lastHere(machine: Machine, folder: string): FoundRecord | undefined {
  return lastOf(stateFolder(machine), {}, MOST).findLast(
    ({ entry }) =>
      (isQuestion(entry) || isRefusal(entry) || isLeftToHost(entry)) &&
      entry.cwd !== "" &&
      (isWithin(entry.cwd, folder) || isWithin(folder, entry.cwd)),
  );
}

/** What changes it, as things are now: the policy may be another one by now. */
function wayOn(entry: LogEntry, machine: Machine): string {
  if (entry.point === "run" || entry.point === "confined") return wayOnInRun(entry);
  const { tool, input, cwd } = entry;
  const now = judgeOnly({ tool, input, cwd }, machine, [], { memory: "look" });
  // It was asked where it could not be sandboxed: what allows it as it is, is said.
  const confined = isConfined(now.verdict);
  const { verdict } = advise(confined ? { ...now, verdict: unconfined(now.verdict) } : now, ruleReader);
  if (verdict.decision === "allow") return "it goes ahead now";
  if (verdict.rule !== undefined) return `the rule at ${visible(verdict.rule.file)}:${verdict.rule.line} decides: change it there`;
  const way = verdict.help === undefined ? "no rule changes it" : visible(adviceForPerson(verdict.help));
  return confined ? `where the agent sandboxes, it goes ahead sandboxed; else ${way}` : way;
}

/** A call of a program is no command: what allows it is a rule of the run. A run is the session of its own calls. */
function wayOnInRun({ point, session, basis, rule }: LogEntry): string {
  if (basis === "floor") return "no rule changes it";
  if (basis === "rule") return `the rule at ${visible(rule)} decides: change it there`;
  if (point === "confined") return "`assent receipt` shows the command that it belongs to, and what a rule would allow";
  return `run it in your terminal and answer there, or choose what to allow: assent allow --run ${visible(session)}`;
}

/** A text for an issue: no secret, no name of the user, nothing of other decisions. */
function writeReport(file: string, entry: LogEntry, way: string, machine: Machine): number {
  const { HOME: _, USER: user = "" } = machine.env;
  const hidden = (text: string): string => {
    const short = redactString(text).replaceAll(entry.cwd, "PROJECT").replaceAll(machine.home, "~");
    return visible(user.length < 3 ? short : short.replaceAll(user, "USER"));
  };
  const lines = [
    `Assent ${VERSION}, Node ${process.version}, ${process.platform} ${release()}`,
    `agent: ${hidden(entry.agent)}, tool: ${hidden(entry.tool)}, judged in: ${entry.point}`,
    `what: ${hidden(entry.subject)}`,
    `verdict: ${entry.verdict}, told: ${entry.answer}, basis: ${entry.basis}`,
    `why: ${hidden(entry.reason)}`,
    `rule: ${hidden(entry.rule)}`,
    `way on: ${hidden(way)}`,
    "",
    "What I expected instead:",
  ];
  try {
    writeFileSync(absolute(file), `${lines.join("\n")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    complain(
      "why",
      `the report was not written: ${error instanceof Error ? visible(error.message) : ""}`,
      "name a new file: assent why --report report.txt",
    );
    return 1;
  }
  writeStdout(`wrote ${visible(file)}: read it before you send it\n`);
  return 0;
}
