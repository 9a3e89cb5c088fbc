import { isObject } from "@assent/core/data";
import { type Client, DENY, NOBODY, type QuestionQueue, type QueueEnd, type Waiting } from "@assent/guard/approve";

/** The person of an MCP client, who is shown one question by elicitation. */
export class FormClient implements Client {
  readonly #id: string;
  readonly #message: string;
  /** Undefined: the client waits for nothing more. */
  #send: ((line: string) => void) | undefined;
  #queue: QuestionQueue | undefined;
  #waiting: Waiting | undefined;

  constructor(id: string, message: string, send: (line: string) => void) {
    this.#id = id;
    this.#message = message;
    this.#send = send;
  }

  /** As far as anybody knows. */
  isThere = (): boolean => true;

  begin(queue: QuestionQueue): void {
    this.#queue = queue;
  }

  show(waiting: Waiting): boolean {
    this.#waiting = waiting;
    // An accepted empty form could be a client's habit: only the box is a yes.
    const allow = { type: "boolean", title: "Allow this call", default: false };
    const requestedSchema = { type: "object", properties: { allow }, required: ["allow"] };
    this.#tell({ id: this.#id, method: "elicitation/create", params: { message: this.#message, requestedSchema } });
    return true;
  }

  /** What the client answered. A form that was closed, or that it could not show, is nobody's no. */
  hear(result: unknown): void {
    this.leave();
    const action = isObject(result) ? result["action"] : undefined;
    const content = isObject(result) && action === "accept" ? result["content"] : undefined;
    if (this.#waiting === undefined) return;
    if (isObject(content) && content["allow"] === true) this.#queue?.answer(this.#waiting, { answer: "allow", scope: "once", by: "host" });
    else if (action === "decline" || isObject(content)) this.#queue?.answer(this.#waiting, { ...DENY, by: "host" });
    else this.#queue?.end(NOBODY);
  }

  drop(_: readonly Waiting[], end: QueueEnd | undefined): void {
    const reason = end?.is === "answered" ? "it was answered elsewhere" : "the call was cancelled";
    this.#tell({ method: "notifications/cancelled", params: { requestId: this.#id, reason } });
  }

  /** Nobody looks at it any more. */
  leave(): void {
    this.#send = undefined;
  }

  #tell(message: object): void {
    this.#send?.(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }
}
