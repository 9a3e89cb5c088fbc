import { randomBytes } from "node:crypto";
import { visible, withoutAdvice } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { isMeantQuestion } from "@assent/core/policy";
import type { AdaptedGuard, GuardDecision } from "../../common/adapted-guard.ts";
import { askClients, type QueuedRequest } from "../../queue/index.ts";
import { type Answer, type Client, isSaid, NOBODY, noteOf, unanswered } from "@assent/guard/approve";
import { FormClient } from "./form.ts";
import { isId, keyOf, readServer, requestId, type Id, type Message, type Said } from "./message.ts";

/** The ways that belong to something the client said: on standard input there is one for all, in HTTP each POST has its own. */
export interface Exchange {
  readonly toServer: (said: Said) => void;
  /** The answer to a request, of the gateway itself; without an id: to something that was none. */
  readonly answer: (id: Id | null, line: string) => void;
  /** A question to the client; undefined where it cannot be asked. */
  readonly ask: ((line: string) => void) | undefined;
  /** There will be no answer: the call was cancelled. */
  readonly over: (id: Id) => void;
}

export interface GatewayOptions {
  readonly guard: AdaptedGuard;
  /** The server's name in rules, `mcp__NAME__tool`. Given by the person, never by the server. */
  readonly name: string;
  /** For people. */
  readonly onNotice: (text: string) => void;
  /** Asks these clients of the queue and whoever has the questions open elsewhere, until the signal is raised. Absent: nobody else. */
  readonly ask?: (
    asked: Pick<QueuedRequest, "who" | "what" | "verdict">,
    clients: readonly Client[],
    signal: AbortSignal,
  ) => Promise<Answer>;
}

/** A message on its way to the client. */
export interface Passed {
  readonly line: Buffer | string;
  /** Undefined: it is no message at all. */
  readonly message: Message | undefined;
  /** Which request of the client's it answers. */
  readonly answers: Id | undefined;
}

interface AskedCall {
  readonly id: Id;
  readonly said: Said;
  readonly decision: GuardDecision;
  readonly via: Exchange;
}

interface Pending extends Pick<AskedCall, "id" | "via"> {
  /** What the client's person is shown; undefined: nothing can be. */
  readonly form: FormClient | undefined;
  /** Raised when it needs no answer any more. */
  readonly over: AbortController;
}

const CANNOT_ASK = "approval required, and this client cannot be asked: ";
const NOT_ANSWERED = "approval required, and nobody answered: ";
const WAITS_FOR_TEAM =
  "asked, waiting: a person was asked and has not answered yet. Go on with something else, and try exactly the same again later: ";

/** The specification's codes. */
export const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;

/**
 * One client, one server, and every tool call judged between them. Looked at are what `tools/list` answers,
 * from which tools that no call of theirs would be allowed are taken out, `tools/call`, and resources that are files. All else passes as it is, byte
 * by byte. A question is put by elicitation where the client has it; where not, the call is refused and says the way out.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  /** Requests of the client that the server has not answered, and which of them list tools. */
  readonly #open = new Map<string, { readonly id: Id; readonly lists: boolean; readonly via: Exchange }>();
  /** Questions to the client, by the gateway's own id. */
  readonly #asked = new Map<string, Pending>();
  /** Nobody else makes such ids. */
  readonly #prefix = `assent-${randomBytes(8).toString("hex")}-`;
  #count = 0;
  #elicits = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  fromClient(said: Said, via: Exchange): void {
    const { message } = said;
    if (this.#isAnswer(message)) return;
    const { method } = message;
    if (method === "initialize") this.#elicits = canElicit(message);
    if (method === "tools/call") {
      this.#call(said, via);
      return;
    }
    if (method === "notifications/cancelled" && this.#cancels(message)) return;
    if (method === "resources/read" && this.#keepsBack(message, via)) return;
    const id = requestId(message);
    if (id !== undefined) this.#open.set(keyOf(id), { id, lists: method === "tools/list", via });
    via.toServer(said);
  }

  /** What of it goes on to the client: each message of a batch by itself. */
  fromServer(line: Buffer): readonly Passed[] {
    const said = readServer(line);
    if (said === undefined) return [{ line, message: undefined, answers: undefined }];
    return said.map(({ message, line: own }) => {
      const { id } = message;
      if (!isId(id) || message["method"] !== undefined) return { line: own, message, answers: undefined };
      const request = this.#open.get(keyOf(id));
      this.#open.delete(keyOf(id));
      // An answer that comes twice, in a stream that is resumed, is one to a request nobody knows any more.
      const filtered = request === undefined || request.lists ? this.#withoutDenied(message) : undefined;
      return { line: filtered === undefined ? own : JSON.stringify(filtered), message, answers: id };
    });
  }

  /** The server is gone: what it has not answered will not be. */
  serverEnded(why: string): void {
    for (const { id, via } of [...this.#open.values(), ...this.#asked.values()]) this.fail(id, why, via);
    for (const [asked, pending] of this.#asked) this.#drop(asked, pending);
    this.#open.clear();
  }

  /** The server will not answer this request. */
  fail(id: Id, why: string, via: Exchange): void {
    this.#open.delete(keyOf(id));
    via.answer(id, errorLine(id, INTERNAL_ERROR, why));
  }

  /** Nobody listens there any more: what was asked about there is not done. */
  gone(via: Exchange): void {
    for (const [asked, pending] of this.#asked) if (pending.via === via) this.#drop(asked, pending);
    for (const [key, open] of this.#open) if (open.via === via) this.#open.delete(key);
  }

  #call(said: Said, via: Exchange): void {
    const { message } = said;
    const { id, params } = { id: message["id"], params: message["params"] };
    const name = isObject(params) ? params["name"] : undefined;
    const input = isObject(params) ? (params["arguments"] ?? {}) : undefined;
    if (!isId(id) || typeof name !== "string" || !isObject(input)) {
      const to = isId(id) ? id : null;
      via.answer(to, errorLine(to, INVALID_REQUEST, "a tool call needs an id, a name and arguments"));
      return;
    }
    const tool = `mcp__${this.#options.name}__${name}`;
    const decision = this.#options.guard.decide({ tool, input });
    for (const warning of decision.warnings) this.#options.onNotice(warning);
    if (decision.decision === "allow") this.#pass(id, said, via);
    else if (decision.decision === "deny") refuse(id, decision, "", via);
    else if ((!this.#elicits || via.ask === undefined) && this.#options.ask === undefined) refuse(id, decision, CANNOT_ASK, via);
    else {
      const of = visible(tool);
      const message = `Allow \`${of}\` with ${shown(input)}? ${visible(decision.reason)}`;
      void this.#ask({ id, said, decision, via }, `call ${of} with ${shown(input)}`, message);
    }
  }

  /** A resource that is a file is read as any other; what is no file has no rules. A question about it cannot be put in its result. */
  #keepsBack({ id, params }: Message, via: Exchange): boolean {
    const uri = isObject(params) ? params["uri"] : undefined;
    if (typeof uri !== "string" || !/^\s*file:/i.test(uri)) return false;
    const { decision, verdict, modelReason } = this.#options.guard.decide({ operation: "read", path: uri, event: "resources/read" });
    if (decision !== "deny" && !isMeantQuestion({ decision, basis: verdict.basis })) return false;
    via.answer(isId(id) ? id : null, errorLine(isId(id) ? id : null, INVALID_REQUEST, modelReason));
    return true;
  }

  #pass(id: Id, said: Said, via: Exchange): void {
    this.#open.set(keyOf(id), { id, lists: false, via });
    via.toServer(said);
  }

  /** The client's person and whoever has the questions open elsewhere: the first answer counts. */
  async #ask({ id, said, decision, via }: AskedCall, what: string, message: string): Promise<void> {
    this.#count += 1;
    const asked = `${this.#prefix}${this.#count}`;
    const send = this.#elicits ? via.ask : undefined;
    const form = send === undefined ? undefined : new FormClient(asked, message, send);
    const over = new AbortController();
    this.#asked.set(asked, { id, via, form, over });
    const { name, ask = askClients } = this.#options;
    const clients = form === undefined ? [] : [form];
    const reply = await ask({ who: name, what, verdict: decision.verdict }, clients, over.signal).catch(() => NOBODY);
    // The call was given up.
    if (!this.#asked.delete(asked)) return;
    if (reply.answer === "allow") return this.#pass(id, said, via);
    if (isSaid(reply)) {
      const note = noteOf(reply);
      return refuse(id, withNo(decision), note === undefined ? "the user refused: " : `the user refused, and says: ${note}: `, via);
    }
    const why = unanswered(reply) === "waits" ? WAITS_FOR_TEAM : form === undefined ? CANNOT_ASK : NOT_ANSWERED;
    refuse(id, decision, why, via);
  }

  #drop(asked: string, { form, over }: Pending, isHeard = false): void {
    this.#asked.delete(asked);
    if (!isHeard) form?.leave();
    over.abort();
  }

  /** An answer to a question of ours never reaches the server. */
  #isAnswer(message: Message): boolean {
    const { id, result } = { id: message["id"], result: message["result"] };
    if (typeof id !== "string" || !id.startsWith(this.#prefix) || message["method"] !== undefined) return false;
    this.#asked.get(id)?.form?.hear(result);
    return true;
  }

  /** A call that is still being asked about ends here; the server has never heard of it. */
  #cancels({ params }: Message): boolean {
    const cancelled = isObject(params) ? params["requestId"] : undefined;
    for (const [asked, pending] of this.#asked) {
      const { id, via } = pending;
      if (id !== cancelled) continue;
      this.#drop(asked, pending, true);
      via.over(id);
      return true;
    }
    // Whatever still comes for it, its client waits no more.
    if (isId(cancelled)) this.#open.delete(keyOf(cancelled));
    return false;
  }

  /** Undefined where nothing is taken out, so that the answer passes as it is. */
  #withoutDenied(message: Message): Message | undefined {
    const { result } = message;
    const tools: unknown = isObject(result) ? result["tools"] : undefined;
    if (!isObject(result) || !Array.isArray(tools)) return undefined;
    const kept = tools.filter((tool: unknown) => !this.#isDenied(isObject(tool) ? tool["name"] : undefined));
    return kept.length === tools.length ? undefined : { ...message, result: { ...result, tools: kept } };
  }

  #isDenied(name: unknown): boolean {
    if (typeof name !== "string") return false;
    return this.#options.guard.decide({ tool: `mcp__${this.#options.name}__${name}`, input: {}, event: "tools/list" }).decision === "deny";
  }
}

/** A result, not an error of the protocol: the model is to read it. */
const withNo = (decision: GuardDecision): GuardDecision => ({
  ...decision,
  modelReason: withoutAdvice(decision.modelReason, decision.verdict.help),
});

function refuse(id: Id, { modelReason }: GuardDecision, before: string, via: Exchange): void {
  const text = `Assent: ${before}${modelReason}`;
  via.answer(id, JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], isError: true } }));
}

export function errorLine(id: Id | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: `Assent: ${visible(message)}` } });
}

/** Forms, that is: since revision 2025-11-25 a client may have only addresses to open. */
function canElicit({ params }: Message): boolean {
  const capabilities = isObject(params) ? params["capabilities"] : undefined;
  const elicitation = isObject(capabilities) ? capabilities["elicitation"] : undefined;
  return isObject(elicitation) && (elicitation["form"] !== undefined || elicitation["url"] === undefined);
}

const LONGEST_INPUT = 2000;

function shown(input: Message): string {
  const text = visible(JSON.stringify(input));
  return text.length <= LONGEST_INPUT ? text : `${text.slice(0, LONGEST_INPUT)}… (${text.length} characters)`;
}
