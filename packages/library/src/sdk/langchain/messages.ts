import { isObject } from "@assent/core/data";
import { listIn } from "../common/members.ts";
import type { ModelCall } from "./shapes.ts";

/** A message of the model's that calls tools, as far as it is used. */
export type ModelMessage = Readonly<Record<string, unknown>>;

/** Where a message says which of its calls are asked about: no provider is sent it. */
const NOTE = "assent";

const isCall = (call: unknown): call is ModelCall => isObject(call) && typeof call["name"] === "string";
const isOfModel = (message: unknown): message is ModelMessage => isObject(message) && message["type"] === "ai";

const callsOf = (message: ModelMessage): readonly ModelCall[] => listIn(message["tool_calls"]).filter(isCall);

/** What the model gives as its answer in a form it was told: no tool of that name is run. */
const isAnswer = ({ name }: ModelCall): boolean => name.startsWith("extract-");

/** Writes down which calls of a message are asked about. */
export function noteAsks(message: unknown, isAsked: (call: ModelCall) => boolean): void {
  if (!isOfModel(message)) return;
  const asked = callsOf(message).filter((call) => !isAnswer(call) && isAsked(call));
  if (asked.length === 0) return;
  const metadata: unknown = message["response_metadata"];
  Reflect.set(message, "response_metadata", { ...(isObject(metadata) ? metadata : {}), [NOTE]: { asks: asked.map(({ id = "" }) => id) } });
}

/** The last message of the model. */
export const lastOfModel = (state: object): ModelMessage | undefined => listIn(Reflect.get(state, "messages")).findLast(isOfModel);

/** Its calls that are asked about and have no result yet. */
export function asksOf(message: ModelMessage, state: object): readonly ModelCall[] {
  const metadata: unknown = message["response_metadata"];
  const note = isObject(metadata) ? metadata[NOTE] : undefined;
  const asked = new Set(listIn(isObject(note) ? note["asks"] : undefined));
  const answered = new Set(listIn(Reflect.get(state, "messages")).map((one) => (isObject(one) ? one["tool_call_id"] : undefined)));
  return callsOf(message).filter((call) => asked.has(call.id ?? "") && !answered.has(call.id ?? "") && !isAnswer(call));
}

/** The message with other calls in the place of some of its own: what the model reads of it is what was run. */
export function editedMessage(message: ModelMessage, edits: ReadonlyMap<ModelCall, ModelCall>): ModelMessage {
  const { id, name, content, additional_kwargs, response_metadata, usage_metadata, invalid_tool_calls } = message;
  const byId = new Map([...edits].map(([call, edited]) => [call.id, edited]));
  const block = (part: unknown): unknown => {
    const edited = isObject(part) && part["type"] === "tool_use" ? byId.get(String(part["id"])) : undefined;
    return edited === undefined || !isObject(part) ? part : { ...part, name: edited.name, input: edited.args };
  };
  // As a provider wrote them: they would say what was not run.
  const { tool_calls: _, ...kwargs } = isObject(additional_kwargs) ? additional_kwargs : {};
  return {
    type: "ai",
    id,
    name,
    content: Array.isArray(content) ? listIn(content).map(block) : content,
    tool_calls: callsOf(message).map((call) => ({ ...(edits.get(call) ?? call), type: "tool_call" })),
    invalid_tool_calls,
    additional_kwargs: kwargs,
    response_metadata,
    usage_metadata,
  };
}
