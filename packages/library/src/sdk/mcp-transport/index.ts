/** `assent/mcp`: a guard between an MCP client and its server, in the program that has the client. */
import { isObject } from "@assent/core/data";
import { GuardCallError } from "../create-guard/call.ts";
import type { AdaptedGuard } from "../common/adapted-guard.ts";
import { adapted, type AnyGuard } from "../adapters/guards.ts";
import type { AdapterOptions } from "../adapters/judge.ts";
import { type Answer, type Client, DENY, isSaid, NOBODY, type QuestionQueue, type Waiting } from "@assent/guard/approve";
import { askClients, type QueuedRequest } from "../queue/index.ts";
import { ask, isPlainYes, type OnAsk, type OnToolAsk } from "../common/ask.ts";

import { type Exchange, Gateway } from "../mcp/gateway/gateway.ts";
import { readClient, requestId, type Said } from "../mcp/gateway/message.ts";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";

/** What is needed of a transport of `@modelcontextprotocol/sdk`. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
  onclose?(): void;
  onerror?(error: Error): void;
  onmessage?(message: unknown, extra?: unknown): void;
  sessionId?: string | undefined;
  setProtocolVersion?(version: string): void;
}

/** How a server's calls are judged. */
export interface GuardTransportOptions {
  /** The server's name in rules, `mcp__NAME__tool`: yours, never the server's own. */
  readonly name: string;
  /** Answers questions, in the place of the guard's own `onAsk`. Without either the client's user is asked by elicitation, if it can show it. */
  readonly onAsk?: OnAsk;
  /** For people: what went wrong beside. By default a warning of the process. */
  readonly onNotice?: (text: string) => void;
}

const OPTIONS = { name: "string", onAsk: "function", onNotice: "function" } satisfies Options<GuardTransportOptions>;
const NAME = /^[\w.-]{1,100}$/;

/**
 * A transport whose tool calls are judged on their way to the server, as `assent mcp` does it between two processes: what is denied is
 * answered with a text for the model and never reaches the server, tools that no call of theirs would be allowed are not listed, resources
 * that are files are read as files are. Everything else passes.
 *
 * ```ts
 * const client = new Client({ name: "agent", version: "1" });
 * await client.connect(guardTransport(guard, new StdioClientTransport({ command: "db-server" }), { name: "db" }));
 * ```
 */
export function guardTransport(guard: AnyGuard, transport: McpTransport, options: GuardTransportOptions): McpTransport {
  checkOptions("guardTransport", options, OPTIONS);
  const { name } = options;
  if (!NAME.test(name)) throw new GuardOptionError("name", "guardTransport: the option `name` must be letters, digits, `-`, `_` and `.`");
  const asked: AdapterOptions = options.onAsk === undefined ? {} : { onAsk: options.onAsk };
  const { guard: opened, options: told } = adapted("guardTransport", guard, asked);
  return new GuardedTransport(transport, opened, { ...options, onAsk: told.onAsk });
}

interface TransportSettings extends Omit<GuardTransportOptions, "onAsk"> {
  readonly onAsk: OnToolAsk | undefined;
}

/** The program's own `onAsk`. What was asked about is passed on as it is: a yes to another input is a no. */
class OnAskClient implements Client {
  readonly #ask: () => Promise<Answer>;
  #queue: QuestionQueue | undefined;

  constructor(onAsk: OnToolAsk, operation: string, { what, verdict }: Pick<QueuedRequest, "what" | "verdict">) {
    this.#ask = async () => {
      const read = await ask(onAsk, { operation, target: what, reason: "", verdict });
      return isPlainYes(read) ? { answer: "allow", scope: "once" } : read.is === "yes" || read.is === "no" ? DENY : NOBODY;
    };
  }

  begin(queue: QuestionQueue): void {
    this.#queue = queue;
  }

  show(waiting: Waiting): boolean {
    void this.#ask().then((answer) => (isSaid(answer) ? this.#queue?.answer(waiting, answer) : this.#queue?.decline(waiting, this)));
    return true;
  }

  drop(): void {}
}

class GuardedTransport implements McpTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: unknown, extra?: unknown) => void;
  setProtocolVersion?: (version: string) => void;
  readonly #transport: McpTransport;
  readonly #gateway: Gateway;

  constructor(transport: McpTransport, guard: AdaptedGuard, { name, onAsk, onNotice = warn }: TransportSettings) {
    this.#transport = transport;
    this.#gateway = new Gateway({
      guard,
      name,
      onNotice,
      ...(onAsk === undefined
        ? {}
        : {
            ask: (asked, clients, signal) => askClients(asked, [new OnAskClient(onAsk, name, asked), ...clients], signal),
          }),
    });
    if (transport.setProtocolVersion !== undefined) this.setProtocolVersion = (version) => transport.setProtocolVersion?.(version);
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  async start(): Promise<void> {
    Object.assign(this.#transport, {
      onmessage: (message: unknown, extra?: unknown): void => {
        for (const { line } of this.#gateway.fromServer(bytesOf(message))) this.#toClient(line, extra);
      },
      onclose: (): void => {
        this.#gateway.serverEnded("the server has ended");
        this.onclose?.();
      },
      onerror: (error: Error): void => this.onerror?.(error),
    } satisfies Partial<McpTransport>);
    await this.#transport.start();
  }

  /** INVARIANT: what reaches the server has been read here first, as every server reads it. */
  async send(message: unknown, options?: unknown): Promise<void> {
    const read = readClient(bytesOf(message));
    if ("wrong" in read) throw new GuardCallError(`the message was not passed on: ${read.wrong}`);
    const sent: Promise<void>[] = [];
    const via: Exchange = {
      toServer: (said) => void sent.push(this.#pass(said, options, via)),
      // The client hears of it as of any answer: not before `send` has come back.
      answer: (_, line) => setImmediate(() => this.#toClient(line)),
      ask: (line) => setImmediate(() => this.#toClient(line)),
      over: () => undefined,
    };
    for (const said of read.said) this.#gateway.fromClient(said, via);
    await Promise.all(sent);
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** A call that was asked about goes on when nobody waits for `send` any more: what fails is its answer. */
  async #pass({ message }: Said, options: unknown, via: Exchange): Promise<void> {
    try {
      await this.#transport.send(message, options);
    } catch (error) {
      const failed = error instanceof Error ? error : new Error(String(error));
      this.onerror?.(failed);
      const id = requestId(message);
      if (id !== undefined) this.#gateway.fail(id, failed.message, via);
    }
  }

  #toClient(line: Buffer | string, extra?: unknown): void {
    const message: unknown = JSON.parse(line.toString());
    if (isObject(message)) this.onmessage?.(message, extra);
  }
}

/** What is no JSON is refused by whoever reads it. */
const bytesOf = (message: unknown): Buffer => Buffer.from(JSON.stringify(message) ?? "");

const warn = (text: string): void => process.emitWarning(text, { code: "ASSENT_MCP" });
