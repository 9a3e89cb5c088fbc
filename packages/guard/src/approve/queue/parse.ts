import type { Action, Call } from "@assent/core/action";
import { isObject, parseObject, pointOf } from "@assent/core/data";
import type { RuleSource } from "@assent/core/policy";
import { readLife, type Life } from "../life.ts";
import { type Answer, channelOf, type Extent, type ProcessInfo, type Proposal, type Question, type QueueEnd } from "../types.ts";
import { MOST_MINUTES } from "../prompt.ts";
import type { QueuedQuestion } from "./types.ts";

/** What the files of the queue hold. INVARIANT: a file that is not understood is no question, and no answer. */

/** A question with its asker. */
export interface FiledEntry {
  readonly queued: QueuedQuestion;
  readonly asker: Life;
}

export const LONGEST_NOTE = 500;
const LONGEST_RULE = 8192;

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isOptional = <T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined => value === undefined || is(value);
const isListOf =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is readonly T[] =>
    Array.isArray(value) && value.every((one: unknown) => is(one));
const isTexts = isListOf(isText);

const isProcess = (value: unknown): value is ProcessInfo =>
  isObject(value) && isNumber(value["pid"]) && isText(value["name"]) && isTexts(value["argv"]);
const isProposal = (value: unknown): value is Proposal => isObject(value) && isText(value["rule"]) && isText(value["covers"]);
const isExtent = (value: unknown): value is Extent =>
  isListOf(
    (one: unknown): one is Extent[number] =>
      isObject(one) && (one["does"] === "write" || one["does"] === "delete") && isText(one["path"]) && isOptional(one["name"], isText),
  )(value);
const isRule = (value: unknown): value is RuleSource =>
  isObject(value) && isText(value["text"]) && isText(value["file"]) && isNumber(value["line"]) && isNumber(value["column"]);
const isCall = (value: unknown): value is Call =>
  isObject(value) &&
  isText(value["name"]) &&
  Array.isArray(value["args"]) &&
  value["args"].every((one: unknown) => isText(one) || isTexts(one));

/** As far as a question shows it: the askers are ours. */
function isAction(value: unknown): value is Action {
  if (!isObject(value) || !isText(value["kind"])) return false;
  const { kind, target, host } = value;
  if (kind === "net") return isOptional(host, isText);
  return kind !== "file" || (isObject(target) && isText(target["kind"]) && isOptional(target["path"], isText));
}

const isQuestion = (value: unknown): value is Question =>
  isObject(value) &&
  isNumber(value["seq"]) &&
  ["run", "profile", "cwd", "what", "reason", "group"].every((name) => isText(value[name])) &&
  isProcess(value["process"]) &&
  isListOf(isProcess)(value["ancestry"]) &&
  isOptional(value["command"], isTexts) &&
  isOptional(value["call"], isCall) &&
  isAction(value["action"]) &&
  isOptional(value["rule"], isRule) &&
  isOptional(value["basis"], isText) &&
  isOptional(value["help"], isText) &&
  isOptional(value["extent"], isExtent) &&
  isOptional(value["difference"], isTexts) &&
  isListOf(isProposal)(value["proposals"]);

export function entryOf(text: string, id: string): FiledEntry | undefined {
  const value = parseObject(text);
  if (value?.["v"] !== 1 || value["id"] !== id) return undefined;
  const { asked, until, agent, session, question, alike, others } = value;
  const point = pointOf(value["point"]);
  const asker = readLife(value["asker"]);
  if (point === undefined || asker === undefined || !isNumber(asked) || !isOptional(until, isNumber) || !isNumber(alike)) return undefined;
  if (!isOptional(agent, isText) || !isOptional(session, isText) || !isQuestion(question) || !isListOf(isQuestion)(others))
    return undefined;
  const queued = {
    id,
    asked,
    ...(until === undefined ? {} : { until }),
    point,
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    question,
    alike,
    others,
  };
  return { queued, asker };
}

/** An end as its file says it; of an answer also how many questions were alike for whoever gave it. */
export function endOf(text: string): { readonly end: QueueEnd; readonly seen: number } | undefined {
  const value = parseObject(text);
  if (value?.["v"] !== 1 || !isNumber(value["at"])) return undefined;
  const { is, at, seen } = value;
  if (is === "withdrawn" || is === "expired") return { end: { is, at }, seen: 0 };
  const by = channelOf(value["by"]);
  const answer = answerOf(value["answer"]);
  if (is !== "answered" || by === undefined || answer === undefined || !isNumber(seen)) return undefined;
  return { end: { is, answer, by, at }, seen };
}

/** An answer that somebody typed or sent. Undefined: it is none. */
export function answerOf(value: unknown): Answer | undefined {
  if (!isObject(value)) return undefined;
  const { answer, scope, rule, minutes, note } = value;
  if (!isOptional(note, isText)) return undefined;
  const noted = note === undefined || note === "" ? {} : { note: note.slice(0, LONGEST_NOTE) };
  if (answer === "quit") return { answer };
  if (answer !== "allow" && answer !== "deny") return undefined;
  if (scope === "always")
    return isText(rule) && rule.trim() !== "" && rule.length <= LONGEST_RULE ? { answer, scope, rule: rule.trim(), ...noted } : undefined;
  if (answer === "deny") return scope === "once" ? { answer, scope, ...noted } : undefined;
  if (scope === "time")
    return isNumber(minutes) && Number.isInteger(minutes) && minutes >= 1 && minutes <= MOST_MINUTES
      ? { answer, scope, minutes }
      : undefined;
  return scope === "once" || scope === "session" || scope === "tree" ? { answer, scope } : undefined;
}
