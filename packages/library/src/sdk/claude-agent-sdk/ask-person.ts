import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { EditedInput, NobodyThereError, RefusedWith } from "../common/ask.ts";
import { refusalOf, targetOf, type Judged } from "../adapters/judge.ts";
import type { CallOptions, ClaudeAnswer, ClaudeQuestion, OnClaudeAsk, PermissionAnswer } from "../common/host-shapes.ts";

/** A call that has to be asked about. */
interface Question {
  readonly input: Record<string, unknown>;
  readonly judged: Judged;
  readonly call: CallOptions;
  /** For an input that a person puts in the place of this one. */
  readonly judge: (input: Readonly<Record<string, unknown>>) => Judged;
}

/** Puts a question; what is no yes is a no. Never throws: the host would wait for an answer for ever. */
export async function askPerson(
  onAsk: OnClaudeAsk | undefined,
  asked: Question,
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

async function answered(onAsk: OnClaudeAsk, { input, judged, call }: Question): Promise<ClaudeAnswer> {
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
  try {
    const answer: unknown = await onAsk(question);
    if (typeof answer === "boolean") return { allow: answer };
    if (answer instanceof EditedInput) return { allow: true, updatedInput: answer.input };
    if (answer instanceof RefusedWith) return { allow: false, message: refusalOf(judged, answer) };
    return isAnswer(answer) ? answer : { allow: false };
  } catch (error) {
    return { allow: false, ...(error instanceof NobodyThereError ? { message: `approval required: ${judged.reason}` } : {}) };
  }
}

const isAnswer = (value: unknown): value is ClaudeAnswer =>
  isObject(value) && typeof value["allow"] === "boolean" && (value["updatedInput"] === undefined || isObject(value["updatedInput"]));
