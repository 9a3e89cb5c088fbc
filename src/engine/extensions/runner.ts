/**
 * What runs in an extension's own process: reads the question on standard input, answers on descriptor 3. It gets nothing
 * of ours but this text, and we take nothing of its but one line of JSON.
 */
export const RUNNER = String.raw`"use strict";
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
    if (/\.m?ts$/.test(file) && !features.typescript) return fail("TypeScript needs Node 22.18 or newer, this is " + process.version + ": write it in JavaScript (.mjs)");
    const module = await import(pathToFileURL(file).href);
    const made = module.default && module.default.default ? module.default.default : module.default;
    const check = typeof module.check === "function" ? module.check : made && typeof made.check === "function" ? made.check.bind(made) : typeof made === "function" ? made : undefined;
    if (check === undefined) return fail("it exports no check: write export default { check(question) { … } }");
    if (question === undefined) return answer({ loads: true });
    const said = await check(frozen(question));
    if (said === undefined || said === null) return answer({ said: "nothing" });
    const { decision, reason } = said;
    if ((decision !== "ask" && decision !== "deny") || typeof reason !== "string") return fail("it answered something else than nothing, or { decision: \"ask\" or \"deny\", reason: \"…\" }");
    answer({ said: decision, reason: reason.slice(0, 2000) });
  } catch (error) {
    fail(error);
  }
})();
`;
