import { createConnection, createServer, type Server, type Socket } from "node:net";
import { type DnsAnswer, type DnsQuestion, readAnswer } from "./dns-wire.ts";

export interface StreamRelayOptions {
  readonly server: (at: number) => { readonly host: string; readonly port: number } | undefined;
  /** The question; the answer to give instead of asking; or undefined for what is no question. */
  readonly mayAsk: (query: Buffer) => DnsQuestion | Buffer | undefined;
  readonly onAnswer: (answer: DnsAnswer) => void;
}

const IDLE = 30_000;
const MOST_CONNECTIONS = 128;
/** Of one connection: RFC 7766 lets many questions wait. */
const MOST_WAITING = 64;

/** DNS over TCP (RFC 7766): messages behind their length in two bytes. One connection to the server for each of a program's. */
export class StreamRelay {
  readonly #options: StreamRelayOptions;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  constructor(options: StreamRelayOptions) {
    this.#options = options;
  }

  /** `fd`: a socket that listens. */
  listen(fd: number): void {
    const server = createServer((client) => this.#serve(client));
    server.maxConnections = MOST_CONNECTIONS;
    server.on("error", () => {});
    server.listen({ fd });
    this.#servers.push(server);
  }

  #serve(client: Socket): void {
    const to = this.#options.server(0);
    const upstream = to === undefined ? undefined : createConnection(to);
    if (upstream === undefined) return void client.destroy();
    const waiting = new Map<number, DnsQuestion>();
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      this.#sockets.delete(client);
      this.#sockets.delete(upstream);
    };
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.setTimeout(IDLE, end);
      socket.on("error", end);
      socket.on("close", end);
    }
    client.on(
      "data",
      messages((query) => {
        const question = this.#options.mayAsk(query);
        if (question === undefined || waiting.size >= MOST_WAITING) return end();
        if (Buffer.isBuffer(question)) return void client.write(framed(question));
        waiting.set(question.id, question);
        upstream.write(framed(query));
      }),
    );
    upstream.on(
      "data",
      messages((message) => {
        const answer = readAnswer(message);
        const question = message.length >= 2 ? waiting.get(message.readUInt16BE(0)) : undefined;
        // A zone transfer answers with several messages; it names no host that anybody connects to.
        if (question === undefined) return end();
        if (answer !== undefined && answer.name === question.name && answer.type === question.type) this.#options.onAnswer(answer);
        waiting.delete(question.id);
        client.write(framed(message));
      }),
    );
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#servers.length = 0;
    this.#sockets.clear();
  }
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  return Buffer.concat([length, message]);
}

/** Cuts a stream into messages: at most 64 KiB wait. */
function messages(each: (message: Buffer) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 2) {
      const end = 2 + rest.readUInt16BE(0);
      if (rest.length < end) return;
      const message = rest.subarray(2, end);
      rest = Buffer.from(rest.subarray(end));
      each(message);
    }
  };
}
