import { visible } from "../action/index.ts";
import type { Found } from "../audit/index.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";

const MOST_ROWS = 10;
/** Kinds counted of each list: an attacker names as many tools as he likes. */
const MOST_KEYS = 10_000;

class Tally {
  readonly #counts = new Map<string, number>();

  add(key: string, count: number): void {
    if (key === "") return;
    const known = this.#counts.get(key);
    if (known !== undefined || this.#counts.size < MOST_KEYS) this.#counts.set(key, (known ?? 0) + count);
  }

  top(most = MOST_ROWS): readonly (readonly [string, number])[] {
    return [...this.#counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most);
  }
}

/** `assent log --stats`: how many decisions of which kind, and what they were about. */
export function logStats(found: Iterable<Found>, json: boolean): number {
  const lists = {
    verdicts: new Tally(),
    agents: new Tally(),
    tools: new Tally(),
    asked: new Tally(),
    refused: new Tally(),
    rules: new Tally(),
  };
  let decisions = 0;
  let first = "";
  let last = "";
  for (const { entry } of found) {
    const { count } = entry;
    decisions += count;
    if (first === "") first = entry.time;
    last = entry.time;
    lists.verdicts.add(entry.verdict, count);
    lists.agents.add(entry.subagent === "" ? entry.agent : `${entry.agent}/${entry.subagent}`, count);
    lists.tools.add(entry.tool, count);
    const what = entry.programs[0] ?? entry.tool;
    if (entry.verdict === "ask") lists.asked.add(what, count);
    if (entry.verdict === "deny") lists.refused.add(what, count);
    if (entry.verdict !== "allow" && entry.verdict !== "none") lists.rules.add(entry.rule, count);
  }
  if (json) {
    const counted = Object.fromEntries(Object.entries(lists).map(([name, tally]) => [name, Object.fromEntries(tally.top(MOST_KEYS))]));
    writeStdout(`${JSON.stringify({ decisions, first, last, ...counted }, undefined, 2)}\n`);
    return 0;
  }
  const style = styleFor(process.stdout, process.env);
  writeStdout(`${decisions} decisions${decisions === 0 ? "" : `, ${visible(first).slice(0, 19)} to ${visible(last).slice(0, 19)}`}\n`);
  const titles: Readonly<Record<keyof typeof lists, string>> = {
    verdicts: "verdicts",
    agents: "by agent",
    tools: "by tool",
    asked: "most asked",
    refused: "most refused",
    rules: "by rule (asked and refused)",
  };
  for (const name of ["verdicts", "agents", "tools", "asked", "refused", "rules"] as const) {
    const rows = lists[name].top();
    if (rows.length === 0) continue;
    writeStdout(`\n${style.bold(titles[name])}\n`);
    for (const [key, count] of rows)
      writeStdout(`${String(count).padStart(8)}  ${name === "verdicts" ? style.verdict(key) : visible(key)}\n`);
  }
  return 0;
}
