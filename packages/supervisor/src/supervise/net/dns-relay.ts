import { randomInt } from "node:crypto";
import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { bindBoth } from "./sockaddr.ts";
import { type DnsAnswer, type DnsQuery, loopbackAnswer, readAnswer, readQuery, refusal, truncated } from "./dns-wire.ts";
import type { FoundNames } from "./names.ts";
import type { NameServer } from "./resolv.ts";

interface StreamRelayOptions {
  readonly server: (at: number) => { readonly host: string; readonly port: number } | undefined;
  /** The question; the answer to give instead of asking; or undefined for what is no question. It may take its time. */
  readonly mayAsk: (query: Buffer) => AllowedQuery | Promise<AllowedQuery>;
  readonly onAnswer: (answer: DnsAnswer) => void;
}

/** The question; the answer to give instead of asking; or undefined for what is no question. */
type AllowedQuery = DnsQuery | Buffer | undefined;

const IDLE = 30_000;
const MOST_CONNECTIONS = 128;
/** Of one connection: RFC 7766 lets many questions wait. */
const MOST_WAITING = 64;

/** DNS over TCP (RFC 7766): messages behind their length in two bytes. One connection to the server for each of a program's. */
class StreamRelay {
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
    const waiting = new Map<number, DnsQuery>();
    let upstream: Socket | undefined;
    const end = (): void => {
      client.destroy();
      upstream?.destroy();
      this.#sockets.delete(client);
      if (upstream !== undefined) this.#sockets.delete(upstream);
    };
    const keep = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.setTimeout(IDLE, end);
      socket.on("error", end);
      socket.on("close", end);
    };
    keep(client);
    const go = (query: Buffer, question: AllowedQuery): void => {
      if (question === undefined || waiting.size >= MOST_WAITING) return end();
      if (Buffer.isBuffer(question)) return void client.write(framed(question));
      // Not before there is something to ask: a server does not wait long for the first question.
      upstream ??= this.#connect(client, waiting, keep, end);
      if (upstream === undefined) return end();
      waiting.set(question.id, question);
      upstream.write(framed(query));
    };
    client.on(
      "data",
      messages((query) => {
        const allowed = this.#options.mayAsk(query);
        if (!(allowed instanceof Promise)) return go(query, allowed);
        // A person is asked, who takes as long as it takes.
        client.setTimeout(0);
        void allowed.then((question) => {
          if (!this.#sockets.has(client)) return;
          client.setTimeout(IDLE, end);
          go(query, question);
        });
      }),
    );
  }

  #connect(client: Socket, waiting: Map<number, DnsQuery>, keep: (socket: Socket) => void, end: () => void): Socket | undefined {
    const to = this.#options.server(0);
    if (to === undefined) return undefined;
    const upstream = createConnection(to);
    keep(upstream);
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
    return upstream;
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

export interface RelayOptions {
  /** The system's resolver, asked anew for each question. */
  readonly nameServers: () => readonly NameServer[];
  /** Called before the program sees the answer. */
  readonly onNames: (found: FoundNames) => void;
  /** False: the question is answered REFUSED, or NXDOMAIN, after which nobody tries again; and leaves this machine never. */
  readonly allow?: (name: string | undefined) => boolean | Promise<boolean>;
  readonly answersNone?: boolean;
  /** Port of the name servers, for tests. */
  readonly port?: number;
}

/** Where the relay listens. */
export interface RelayAddress {
  readonly v4: number;
  /** Undefined where this machine has no IPv6. */
  readonly v6: number | undefined;
}

/** Milliseconds until the next server is asked; stub resolvers themselves wait 5 s for theirs. */
const NEXT_SERVER_AFTER = 1500;
const GIVE_UP_AFTER = 10_000;
const MOST_PENDING = 1024;

/**
 * The name server that supervised programs really talk to: it hands their questions to the system's resolver, byte by
 * byte, and tells which names led to which addresses. Each question leaves from a socket and with an id of its own,
 * connected to the server, so that nobody else's datagram is taken for the answer.
 */
export class DnsRelay {
  readonly #options: RelayOptions;
  readonly #sockets: DatagramSocket[] = [];
  readonly #pending = new Set<{ end: () => void }>();
  readonly #streams: StreamRelay;

  private constructor(options: RelayOptions) {
    this.#options = options;
    this.#streams = new StreamRelay({
      server: (at) => this.#server(at),
      mayAsk: (query) => this.#mayAsk(query),
      onAnswer: (answer) => this.#tell(answer),
    });
  }

  /** Whoever asks from now on is answered. */
  static start(options: RelayOptions): { readonly relay: DnsRelay; readonly address: RelayAddress } {
    const relay = new DnsRelay(options);
    try {
      const v4 = relay.#listen("127.0.0.1");
      if (v4 === undefined) throw new Error("no port on 127.0.0.1 for the name relay");
      return { relay, address: { v4, v6: relay.#listen("::1") } };
    } catch (error) {
      relay.close();
      throw error;
    }
  }

  #listen(host: "127.0.0.1" | "::1"): number | undefined {
    const bound = bindBoth(host);
    if (bound === undefined) return undefined;
    const socket = createSocket(host === "::1" ? "udp6" : "udp4");
    socket.on("error", () => {});
    socket.on("message", (message, from) => this.#ask(message, (answer) => socket.send(answer, from.port, from.address, () => {})));
    socket.bind({ fd: bound.datagrams });
    this.#sockets.push(socket);
    this.#streams.listen(bound.streams);
    return bound.port;
  }

  #server(at: number): { readonly host: string; readonly port: number } | undefined {
    const server = this.#options.nameServers()[at];
    if (server === undefined) return undefined;
    const { address, zone } = server;
    const host = address.length === 4 ? address.join(".") : `${hexGroups(address)}${zone === undefined ? "" : `%${zone}`}`;
    return { host, port: this.#options.port ?? server.port };
  }

  #mayAsk(query: Buffer): AllowedQuery | Promise<AllowedQuery> {
    const question = readQuery(query);
    if (question === undefined) return undefined;
    const loopback = loopbackAnswer(query, question);
    if (loopback !== undefined) {
      // A rule may name it.
      const answer = readAnswer(loopback);
      if (answer !== undefined) this.#tell(answer);
      return loopback;
    }
    const said = (allowed: boolean | undefined): AllowedQuery =>
      allowed === false ? refusal(query, question, this.#options.answersNone === true ? 3 : 5) : question;
    const allowed = this.#options.allow?.(question.name);
    return allowed instanceof Promise ? allowed.then(said) : said(allowed);
  }

  #tell({ name, aliases, addresses }: DnsAnswer): void {
    if (name !== undefined && addresses.length > 0) this.#options.onNames({ name, aliases, addresses });
  }

  /** What is no question is dropped, as a name server does. */
  #ask(query: Buffer, reply: (answer: Buffer) => void): void {
    const question = this.#mayAsk(query);
    if (question instanceof Promise) {
      // Nobody waits for a datagram for as long as a person takes to answer: over TCP resolvers do (RFC 7766).
      const asked = readQuery(query);
      if (asked !== undefined) reply(truncated(query, asked));
      return;
    }
    if (question === undefined) return;
    if (Buffer.isBuffer(question)) return reply(question);
    if (this.#pending.size >= MOST_PENDING) return reply(refusal(query, question, 2));
    const id = randomInt(0x1_0000);
    const sent = Buffer.from(query);
    sent.writeUInt16BE(id, 0);

    const open: DatagramSocket[] = [];
    const timers: NodeJS.Timeout[] = [];
    const pending = {
      end: () => {
        for (const timer of timers) clearTimeout(timer);
        for (const socket of open) socket.close();
        this.#pending.delete(pending);
      },
    };
    this.#pending.add(pending);
    const finish = (answer: Buffer): void => {
      pending.end();
      reply(answer);
    };
    const tryServer = (at: number): void => {
      const server = this.#server(at);
      if (server === undefined) return;
      const socket = createSocket(server.host.includes(":") ? "udp6" : "udp4");
      open.push(socket);
      timers.push(setTimeout(() => tryServer(at + 1), NEXT_SERVER_AFTER));
      socket.on("error", () => {});
      socket.on("message", (message) => {
        const answer = this.#answer(message, id, question);
        if (answer === undefined) return;
        const back = Buffer.from(message);
        back.writeUInt16BE(question.id, 0);
        this.#tell(answer);
        finish(back);
      });
      socket.connect(server.port, server.host, () => {
        try {
          socket.send(sent, (error) => {
            if (error !== null && this.#pending.has(pending)) tryServer(at + 1);
          });
        } catch {
          // Not connected after all: the next server's turn comes.
        }
      });
    };
    tryServer(0);
    timers.push(setTimeout(() => finish(refusal(query, question, 2)), GIVE_UP_AFTER));
  }

  #answer(message: Buffer, id: number, question: DnsQuery): DnsAnswer | undefined {
    const answer = readAnswer(message);
    if (answer === undefined) return undefined;
    const same = answer.id === id && answer.name === question.name && answer.type === question.type && answer.class === question.class;
    return same ? answer : undefined;
  }

  close(): void {
    for (const pending of this.#pending) pending.end();
    for (const socket of this.#sockets) socket.close();
    this.#sockets.length = 0;
    this.#streams.close();
  }
}

function hexGroups(address: Uint8Array): string {
  return (Buffer.from(address).toString("hex").match(/.{4}/g) ?? []).join(":");
}
