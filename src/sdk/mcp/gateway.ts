import { randomBytes } from "node:crypto";
import { visible } from "../../action/index.ts";
import type { Guard, GuardDecision } from "../guard/open-guard.ts";
import { hasOddCase, isId, isMessage, keyOf, readStrictly, type Id, type Message } from "./message.ts";

/** Where messages go; each is a line without its end. */
export interface Ways {
  readonly toClient: (line: Buffer | string) => void;
  readonly toServer: (line: Buffer | string) => void;
  /** For people. */
  readonly onNotice: (text: string) => void;
}

export interface GatewayOptions extends Ways {
  readonly guard: Guard;
  /** The server's name in rules, `mcp__NAME__tool`. Given by the person, never by the server. */
  readonly name: string;
}

interface Pending {
  readonly id: Id;
  readonly line: Buffer;
  readonly decision: GuardDecision;
  readonly question: string;
}

/** The specification's code for a message that is none. */
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;

/**
 * One client, one server, and every tool call judged between them. Two things are looked at: what `tools/list` answers,
 * from which tools that no call of theirs would be allowed are taken out, and `tools/call`. All else passes as it is, byte
 * by byte. A question is put by elicitation where the client has it; where not, the call is refused and says the way out.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  /** Requests of the client that the server has not answered, and which of them list tools. */
  readonly #open = new Map<string, { readonly id: Id; readonly lists: boolean }>();
  /** Questions to the client, by the gateway's own id. */
  readonly #asked = new Map<string, Pending>();
  /** Nobody else makes such ids. */
  readonly #prefix = `assent-${randomBytes(8).toString("hex")}-`;
  #count = 0;
  #elicits = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  fromClient(line: Buffer): void {
    if (line.length === 0 || (line.length === 1 && line[0] === 13)) return;
    const read = readStrictly(line);
    if ("wrong" in read) {
      this.#fail(null, INVALID_REQUEST, `the message was not passed on: ${read.wrong}`);
      return;
    }
    if (!isMessage(read.value)) {
      // A batch, which the protocol has given up: each of its messages is one.
      if (Array.isArray(read.value)) for (const message of read.value) this.fromClient(Buffer.from(JSON.stringify(message)));
      else this.#fail(null, INVALID_REQUEST, "the message was not passed on: it is no object");
      return;
    }
    const message = read.value;
    if (hasOddCase(message)) {
      this.#fail(
        isId(message["id"]) ? message["id"] : null,
        INVALID_REQUEST,
        "the message was not passed on: a name of the protocol in another case",
      );
      return;
    }
    if (this.#isAnswer(message)) return;
    const { id, method } = { id: message["id"], method: message["method"] };
    if (method === "initialize") this.#elicits = canElicit(message);
    if (method === "tools/call") {
      this.#call(message, line);
      return;
    }
    if (method === "notifications/cancelled" && this.#cancels(message)) return;
    if (typeof method === "string" && isId(id)) this.#open.set(keyOf(id), { id, lists: method === "tools/list" });
    this.#options.toServer(line);
  }

  fromServer(line: Buffer): void {
    const message = parsed(line);
    const id = message?.["id"];
    if (message === undefined || !isId(id) || message["method"] !== undefined) {
      this.#options.toClient(line);
      return;
    }
    const request = this.#open.get(keyOf(id));
    this.#open.delete(keyOf(id));
    const filtered = request?.lists === true ? this.#withoutDenied(message) : undefined;
    this.#options.toClient(filtered === undefined ? line : JSON.stringify(filtered));
  }

  /** The server is gone: what it has not answered will not be. */
  serverEnded(why: string): void {
    for (const { id } of [...this.#open.values(), ...this.#asked.values()]) this.#fail(id, INTERNAL_ERROR, why);
    this.#open.clear();
    this.#asked.clear();
  }

  #call(message: Message, line: Buffer): void {
    const { id, params } = { id: message["id"], params: message["params"] };
    const name = isMessage(params) ? params["name"] : undefined;
    const input = isMessage(params) ? (params["arguments"] ?? {}) : undefined;
    if (!isId(id) || typeof name !== "string" || !isMessage(input)) {
      this.#fail(isId(id) ? id : null, INVALID_REQUEST, "a tool call needs an id, a name and arguments");
      return;
    }
    const tool = `mcp__${this.#options.name}__${name}`;
    const decision = this.#options.guard.decide({ tool, input });
    for (const warning of decision.warnings) this.#options.onNotice(warning);
    if (decision.decision === "allow") this.#pass(id, line);
    else if (decision.decision === "deny") this.#refuse(id, decision);
    else if (!this.#elicits) this.#refuse(id, decision, "approval required, and this client cannot be asked: ");
    else this.#ask({ id, line, decision, question: `Allow \`${visible(tool)}\` with ${shown(input)}? ${visible(decision.reason)}` });
  }

  #pass(id: Id, line: Buffer): void {
    this.#open.set(keyOf(id), { id, lists: false });
    this.#options.toServer(line);
  }

  /** A result, not an error of the protocol: the model is to read it. */
  #refuse(id: Id, { modelReason }: GuardDecision, before = ""): void {
    const text = `Assent: ${before}${modelReason}`;
    this.#options.toClient(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], isError: true } }));
  }

  #ask(pending: Pending): void {
    this.#count += 1;
    const id = `${this.#prefix}${this.#count}`;
    this.#asked.set(id, pending);
    // An accepted empty form could be a client's habit: only the box is a yes.
    const allow = { type: "boolean", title: "Allow this call", default: false };
    const requestedSchema = { type: "object", properties: { allow }, required: ["allow"] };
    const params = { message: pending.question, requestedSchema };
    this.#options.toClient(JSON.stringify({ jsonrpc: "2.0", id, method: "elicitation/create", params }));
  }

  /** An answer to a question of ours never reaches the server. */
  #isAnswer(message: Message): boolean {
    const { id, result } = { id: message["id"], result: message["result"] };
    if (typeof id !== "string" || !id.startsWith(this.#prefix) || message["method"] !== undefined) return false;
    const pending = this.#asked.get(id);
    this.#asked.delete(id);
    if (pending === undefined) return true;
    const content = isMessage(result) && result["action"] === "accept" ? result["content"] : undefined;
    if (isMessage(content) && content["allow"] === true) this.#pass(pending.id, pending.line);
    else this.#refuse(pending.id, pending.decision, "the user refused: ");
    return true;
  }

  /** A call that is still being asked about ends here; the server has never heard of it. */
  #cancels({ params }: Message): boolean {
    const cancelled = isMessage(params) ? params["requestId"] : undefined;
    for (const [asked, { id }] of this.#asked) {
      if (id !== cancelled) continue;
      this.#asked.delete(asked);
      const notice = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: asked, reason: "the call was cancelled" } };
      this.#options.toClient(JSON.stringify(notice));
      return true;
    }
    return false;
  }

  /** Undefined where nothing is taken out, so that the answer passes as it is. */
  #withoutDenied(message: Message): Message | undefined {
    const { result } = message;
    const tools: unknown = isMessage(result) ? result["tools"] : undefined;
    if (!isMessage(result) || !Array.isArray(tools)) return undefined;
    const kept = tools.filter((tool: unknown) => !this.#isDenied(isMessage(tool) ? tool["name"] : undefined));
    return kept.length === tools.length ? undefined : { ...message, result: { ...result, tools: kept } };
  }

  #isDenied(name: unknown): boolean {
    if (typeof name !== "string") return false;
    return this.#options.guard.decide({ tool: `mcp__${this.#options.name}__${name}`, input: {}, event: "tools/list" }).decision === "deny";
  }

  #fail(id: Id | null, code: number, message: string): void {
    this.#options.toClient(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: `Assent: ${visible(message)}` } }));
  }
}

function canElicit({ params }: Message): boolean {
  const capabilities = isMessage(params) ? params["capabilities"] : undefined;
  return isMessage(capabilities) && isMessage(capabilities["elicitation"]);
}

function parsed(line: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_INPUT = 2000;

function shown(input: Message): string {
  const text = visible(JSON.stringify(input));
  return text.length <= LONGEST_INPUT ? text : `${text.slice(0, LONGEST_INPUT)}… (${text.length} characters)`;
}
