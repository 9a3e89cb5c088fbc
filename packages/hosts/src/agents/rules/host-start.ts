import { readFileSync } from "node:fs";
import { attempt } from "@assent/core/data";
import type { HostStart } from "./contract.ts";

/** A shell and what the registration starts first lie between the host and its hook, and perhaps a watcher of its own. */
const MOST_PARENTS = 6;

/**
 * Why the way in which the host was started might take something away from its user, when another command takes the place of the one
 * asked about; undefined: it does not. Its words are those of the process above this one (proc(5)), which nothing that an agent
 * starts can change. What cannot be read, and an option that nobody knows, might say anything.
 */
export function startObjection(start: HostStart, pid: number = process.ppid): string | undefined {
  const words = wordsOfHost(start, pid);
  if (words === undefined) return "it is not known how the host was started";
  const unknown = words.find((word) => word.startsWith("-") && !start.options.has(word.replace(/=[\s\S]*$/, "")));
  if (unknown !== undefined) return `the host was started with ${unknown.slice(0, 40)}, which might be a rule of its own`;
  if (start.unasking === undefined) return undefined;
  const text = `\n${words.join("\n")}\n`.replaceAll("=", "\n");
  const isUnasked = start.unasking.some((way) => text.includes(`\n${way.replaceAll(" ", "\n")}\n`));
  return isUnasked ? undefined : "the host asks by itself, and would show another command than the one that is meant";
}

/** What comes behind the host's program. */
function wordsOfHost({ program }: HostStart, pid: number): readonly string[] | undefined {
  for (let depth = 0, at: number | undefined = pid; depth < MOST_PARENTS && at !== undefined && at > 1; depth += 1) {
    const line = readOf(at, "cmdline");
    const words = line?.endsWith("\0") === true ? line.slice(0, -1).split("\0") : [];
    const index = words.findIndex((word, place) => place < MOST_BEFORE && program.test(word.slice(word.lastIndexOf("/") + 1)));
    // Whoever writes a title of its own over its words leaves empty ones (libuv, uv_set_process_title).
    if (index >= 0 && !isShell(words[0])) return words.includes("") ? undefined : words.slice(index + 1);
    const parent: string | undefined = /^PPid:\t(\d+)$/m.exec(readOf(at, "status") ?? "")?.[1];
    at = parent === undefined ? undefined : Number(parent);
  }
  return undefined;
}

/** Node with options of its own, then the script. */
const MOST_BEFORE = 6;
const isShell = (word = ""): boolean => /(?:^|\/)(?:ba|da|z|k)?sh$/.test(word);

const readOf = (pid: number, name: "cmdline" | "status"): string | undefined =>
  attempt(() => readFileSync(`/proc/${pid}/${name}`, "utf8"), undefined);
