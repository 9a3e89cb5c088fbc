import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { visible } from "../action/index.ts";
import { AUDIT_FILE, readLog, type LogEntry } from "../audit/index.ts";
import { errorCode, stateFolder, thisMachine } from "../state/index.ts";
import { fit, styleFor, type Style } from "./style.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

const CHUNK = 1 << 20;
const MAX_BYTES = 256 << 20;
const POLL_MS = 200;

/** Text from `offset` up to the last complete line, and where that ends. */
function readFrom(file: string, offset: number): { readonly text: string; readonly end: number } {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    // The file was replaced by a shorter one: start again.
    let at = Math.max(size < offset ? 0 : offset, size - MAX_BYTES);
    const parts: Buffer[] = [];
    while (at < size) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - at));
      const got = readSync(descriptor, chunk, 0, chunk.length, at);
      if (got === 0) break;
      parts.push(chunk.subarray(0, got));
      at += got;
    }
    const bytes = Buffer.concat(parts);
    const complete = bytes.lastIndexOf(0x0a) + 1;
    return { text: bytes.toString("utf8", 0, complete), end: at - (bytes.length - complete) };
  } finally {
    closeSync(descriptor);
  }
}

function row(entry: LogEntry, style: Style): string {
  const time = visible(entry.time).slice(0, 19).replace("T", " ");
  const answer = entry.answer === entry.verdict ? entry.verdict : `${entry.verdict}→${entry.answer}`;
  const head = `${style.dim(fit(time, 19))}  ${style.verdict(entry.verdict, fit(answer, 10))}  ${fit(visible(entry.agent), 8)}  ${fit(visible(entry.tool), 12)}`;
  const left = Math.max(20, style.width - 57);
  return `${head}  ${fit(visible(entry.subject), left).trimEnd()}\n${" ".repeat(21)}${style.dim(fit(visible(entry.reason), style.width - 22).trimEnd())}\n`;
}

/** `assent log`: the last decisions, and with `--follow` those to come. */
export async function log(options: { readonly lines: number; readonly follow?: boolean; readonly json?: boolean }): Promise<number> {
  const file = `${stateFolder(thisMachine())}/${AUDIT_FILE}`;
  const style = styleFor(process.stdout, process.env);
  const show = (text: string, last: number): void => {
    const entries = readLog(text);
    for (const { line, entry } of last === 0 ? [] : entries.slice(-last))
      writeStdout(options.json === true ? `${line}\n` : row(entry, style));
  };
  const step = (offset: number, last: number): number => {
    try {
      const { text, end } = readFrom(file, offset);
      show(text, last);
      return end;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return 0;
      throw error;
    }
  };
  let offset = step(0, options.lines);
  if (offset === 0 && options.follow !== true) writeStderr(`no decisions yet: ${file} does not exist\n`);
  while (options.follow === true) {
    await wait(POLL_MS);
    offset = step(offset, Number.POSITIVE_INFINITY);
  }
  return 0;
}
