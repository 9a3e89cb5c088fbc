import { parseObject } from "@assent/core/data";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parentOf } from "@assent/core/path";
import type { ExtensionQuestion } from "./types.ts";

/** What an extension may use up for one answer. */
export interface ExtensionLimits {
  readonly milliseconds: number;
  readonly megabytes: number;
}

const EXTENSION_LIMITS: ExtensionLimits = { milliseconds: 5000, megabytes: 512 };

export type ExtensionResult =
  | { readonly is: "nothing" }
  | { readonly is: "objection"; readonly decision: "ask" | "deny"; readonly reason: string }
  | { readonly is: "failed"; readonly why: string };

const LONGEST_ANSWER = 1 << 16;
const ANSWER = 3;

/**
 * Kilobytes that count as data of a process and that nobody uses: Node from 24 on reserves half a gigabyte when it starts
 * (proc_pid_status(5), VmData). The extension's process is of the same Node; elsewhere than on Linux they do not count.
 */
function reserved(): number {
  try {
    const data = /^VmData:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? "0";
    return Math.max(0, Number(data) - Math.floor(process.memoryUsage.rss() / 1024));
  } catch {
    return 0;
  }
}

/** The data of a process are bounded too (setrlimit(2), RLIMIT_DATA): buffers lie outside of V8's heap. */
const LIMITED = 'ulimit -c 0; ulimit -d "$1"; shift; exec "$@"';

/**
 * Asks one extension, in a process of its own: whatever it does to itself, no answer of Assent depends on more than one
 * line that it writes. Without a question it is only loaded.
 */
export function askExtension(file: string, question: ExtensionQuestion | undefined, limits = EXTENSION_LIMITS): ExtensionResult {
  const node = /^node(?:js)?(?:\.exe)?$/.test(basename(process.execPath)) ? process.execPath : "node";
  const flags = [`--max-old-space-size=${Math.floor(limits.megabytes / 2)}`, "--no-warnings"];
  const run = spawnSync("/bin/sh", ["-c", LIMITED, "sh", String(limits.megabytes * 1024 + reserved()), node, ...flags, "-e", RUNNER], {
    cwd: parentOf(file),
    // It is given what it needs as data: nothing of an agent's environment reaches it.
    env: { PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", HOME: process.env["HOME"] ?? "/" },
    input: JSON.stringify({ file, question }),
    stdio: ["pipe", "ignore", "ignore", "pipe"],
    timeout: limits.milliseconds,
    killSignal: "SIGKILL",
    maxBuffer: LONGEST_ANSWER,
  });
  const text = String(run.output?.[ANSWER] ?? "");
  if (run.error !== undefined) return { is: "failed", why: whyNot(run.error, limits) };
  if (run.signal !== null) return { is: "failed", why: `it was ended by ${run.signal}` };
  if (text === "") return { is: "failed", why: `it ended without an answer (exit code ${run.status ?? "?"})` };
  return read(text);
}

function whyNot(error: Error, { milliseconds }: ExtensionLimits): string {
  const code = "code" in error ? String(error.code) : error.message;
  if (code === "ETIMEDOUT") return `it did not answer within ${milliseconds} ms`;
  return code === "ENOBUFS" ? "its answer is too long" : `it could not be started: ${code}`;
}

function read(text: string): ExtensionResult {
  const garbled: ExtensionResult = { is: "failed", why: "its answer is garbled" };
  const { failed, said, reason, loads } = parseObject(text) ?? {};
  if (typeof failed === "string") return { is: "failed", why: failed };
  if (said === "nothing" || loads === true) return { is: "nothing" };
  if ((said === "ask" || said === "deny") && typeof reason === "string") return { is: "objection", decision: said, reason };
  return garbled;
}

/**
 * What runs in an extension's own process: reads the question on standard input, answers on descriptor 3. It gets nothing
 * of ours but this text, and we take nothing of its but one line of JSON.
 */
const RUNNER = String.raw`"use strict";
const { readFileSync, writeSync } = require("node:fs");
const { pathToFileURL } = require("node:url");
const { stringify, parse } = JSON;
const { freeze, values } = Object;
const { exit, features } = process;
const { Function: F, String: S } = globalThis;
const answer = (value) => { const text = stringify(value) + "\n"; for (let b = Buffer.from(text); b.length > 0;) b = b.subarray(writeSync(3, b)); exit(0); };
const fail = (error) => answer({ failed: S(error && error.message ? error.message : error).slice(0, 300) });
const frozen = (value) => { if (typeof value === "object" && value !== null) { freeze(value); for (const each of values(value)) frozen(each); } return value; };
(async () => {
  try {
    const { file, question } = parse(readFileSync(0, "utf8"));
    if (/\.m?ts$/.test(file) && !features.typescript)
      return fail("TypeScript needs Node 22.18 or newer, this is " + process.version + ": write it in JavaScript (.mjs)");
    const module = await import(pathToFileURL(file).href);
    const made = module.default && module.default.default ? module.default.default : module.default;
    const check =
      typeof module.check === "function" ? module.check
      : made && typeof made.check === "function" ? made.check.bind(made)
      : typeof made === "function" ? made : undefined;
    if (check === undefined) return fail("it exports no check: write export default { check(question) { … } }");
    if (question === undefined) return answer({ loads: true });
    const said = await check(frozen(question));
    if (said === undefined || said === null) return answer({ said: "nothing" });
    const { decision, reason } = said;
    if ((decision !== "ask" && decision !== "deny") || typeof reason !== "string")
      return fail("it answered something else than nothing, or { decision: \"ask\" or \"deny\", reason: \"…\" }");
    answer({ said: decision, reason: reason.slice(0, 2000) });
  } catch (error) {
    fail(error);
  }
})();
`;
