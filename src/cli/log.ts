import { setTimeout as wait } from "node:timers/promises";
import { visible } from "../action/index.ts";
import { Follower, type Found, isWanted, lastOf, type LogEntry, query, type Query, readRecord } from "../audit/index.ts";
import { stateFolder, thisMachine } from "../state/index.ts";
import { logStats } from "./log-stats.ts";
import { readSince } from "./since.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { fit, type Style, styleFor } from "./style.ts";

const POLL_MS = 200;
const LAST = 50;

export interface LogOptions {
  readonly lines?: number;
  readonly since?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly denied?: boolean;
  readonly command?: string;
  readonly stats?: boolean;
  readonly follow?: boolean;
  readonly json?: boolean;
}

function row(entry: LogEntry, style: Style): string {
  const time = visible(entry.time).slice(0, 19).replace("T", " ");
  const answer = entry.answer === entry.verdict ? entry.verdict : `${entry.verdict}→${entry.answer}`;
  const who = entry.subagent === "" ? entry.agent : `${entry.agent}/${entry.subagent}`;
  const head = `${style.dim(fit(time, 19))}  ${style.verdict(entry.verdict, fit(answer, 10))}  ${fit(visible(who), 8)}  ${fit(visible(entry.tool), 12)}`;
  const left = Math.max(20, style.width - 57);
  const subject = entry.count === 1 ? entry.subject : `${entry.count} times ${entry.subject}`;
  return `${head}  ${fit(visible(subject), left).trimEnd()}\n${" ".repeat(21)}${style.dim(fit(visible(entry.reason), style.width - 22).trimEnd())}\n`;
}

/** `assent log`: the last decisions, or those since a time; with `--follow` those to come. */
export async function log(options: LogOptions): Promise<number> {
  const since = options.since === undefined ? undefined : readSince(options.since, Date.now());
  if (since !== undefined && typeof since !== "number") {
    writeStderr(`assent log: ${since.wrong}\n`);
    return 2;
  }
  const { agent, session, denied, command } = options;
  const wanted: Query = {
    ...(since === undefined ? {} : { since }),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(denied === undefined ? {} : { denied }),
    ...(command === undefined ? {} : { command }),
  };
  const folder = stateFolder(thisMachine());
  if (options.stats === true) return logStats(query(folder, wanted), options.json === true);

  const style = styleFor(process.stdout, process.env);
  const show = ({ line, entry }: Found): void => writeStdout(options.json === true ? `${line}\n` : row(entry, style));
  // Before what is there is read: nothing that comes meanwhile is lost.
  const follower = options.follow === true ? new Follower(folder) : undefined;
  let any = false;
  const found = since === undefined || options.lines !== undefined ? lastOf(folder, wanted, options.lines ?? LAST) : query(folder, wanted);
  for (const one of found) {
    any = true;
    show(one);
  }
  if (!any && follower === undefined)
    writeStderr(Object.keys(wanted).length === 0 ? `no decisions yet in ${visible(folder)}\n` : "no such decision\n");
  return follower === undefined ? 0 : await watch(follower, wanted, show);
}

/** Until it is interrupted. */
async function watch(follower: Follower, wanted: Query, show: (found: Found) => void): Promise<never> {
  for (;;) {
    await wait(POLL_MS);
    for (const line of follower.lines()) {
      const entry = readRecord(line);
      if (entry !== undefined && isWanted(entry, wanted)) show({ line, entry });
    }
  }
}
