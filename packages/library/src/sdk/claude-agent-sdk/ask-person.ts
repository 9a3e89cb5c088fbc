import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { readPlain } from "../common/ask.ts";
import { refusalOf, targetOf, type Judged } from "../adapters/judge.ts";
import type { CallOptions, ClaudeAnswer, ClaudeQuestion, OnClaudeAsk, PermissionAnswer } from "../common/host-shapes.ts";

/** A call that has to be asked about. */
interface ClaudeCall {
  readonly input: Record<string, unknown>;
  readonly judged: Judged;
  readonly call: CallOptions;
  /** For an input that a person puts in the place of this one. */
  readonly judge: (input: Readonly<Record<string, unknown>>) => Judged;
}

/** Puts a question; what is no yes is a no. Never throws: the host would wait for an answer for ever. */
export async function askPerson(
  onAsk: OnClaudeAsk | undefined,
  asked: ClaudeCall,
): Promise<{ readonly permission: PermissionAnswer; readonly remember: boolean }> {
  const { judged, call } = asked;
  const no = (message: string): { readonly permission: PermissionAnswer; readonly remember: boolean } => ({
    permission: { behavior: "deny", message },
    remember: false,
  });
  if (onAsk === undefined) return no(`approval required: ${judged.reason}`);
  const answer = await answered(onAsk, asked);
  if (call.signal.aborted) return no("cancelled");
  if (!answer.allow) {
    const { message = `the user refused: ${judged.reason}`, interrupt } = answer;
    return { permission: { behavior: "deny", message, ...(interrupt === true ? { interrupt } : {}) }, remember: false };
  }
  const { updatedInput, updatedPermissions, remember } = answer;
  const edited = updatedInput === undefined ? undefined : asked.judge(updatedInput);
  if (edited?.decision === "deny") return no(edited.reason);
  return {
    permission: {
      behavior: "allow",
      updatedInput: { ...(edited?.instead ?? updatedInput ?? asked.input) },
      ...(updatedPermissions === undefined ? {} : { updatedPermissions: [...updatedPermissions] }),
    },
    // What was remembered would be another call than the one that was asked about.
    remember: remember === true && edited === undefined,
  };
}

async function answered(onAsk: OnClaudeAsk, { input, judged, call }: ClaudeCall): Promise<ClaudeAnswer> {
  if (judged.verdict === undefined) return { allow: false };
  const { verdict, personReason } = judged;
  const operation = visible(judged.from.tool);
  const target = visible(targetOf(judged));
  const question: ClaudeQuestion = {
    operation,
    target,
    reason: typeof input["description"] === "string" ? visible(input["description"]) : "",
    question: `${operation} ${target}? ${personReason}`,
    verdict,
    input,
    toolUseID: call.toolUseID,
    subagent: judged.place.subagent,
    suggestions: call.suggestions ?? [],
    signal: call.signal,
  };
  let answer: unknown;
  try {
    answer = await onAsk(question);
  } catch {
    answer = "later";
  }
  if (isAnswer(answer)) return answer;
  const read = readPlain(answer);
  if (read.is === "later") return { allow: false, message: `approval required: ${judged.reason}` };
  if (read.is === "no" && read.note !== "") return { allow: false, message: refusalOf(judged, read.note) };
  if (read.is !== "yes" || read.call !== undefined || !(read.input === undefined || isObject(read.input))) return { allow: false };
  const { input: updatedInput, changes: updatedPermissions } = read;
  return {
    allow: true,
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(updatedPermissions === undefined ? {} : { updatedPermissions }),
  };
}

const isAnswer = (value: unknown): value is ClaudeAnswer =>
  isObject(value) && typeof value["allow"] === "boolean" && (value["updatedInput"] === undefined || isObject(value["updatedInput"]));
