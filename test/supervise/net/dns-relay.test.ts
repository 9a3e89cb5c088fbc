import { createSocket, type Socket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { connect, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { DnsRelay, type RelayAddress } from "../../../packages/supervisor/src/supervise/net/dns-relay.ts";
import { readAnswer } from "../../../packages/supervisor/src/supervise/net/dns-wire.ts";
import type { FoundNames } from "../../../packages/supervisor/src/supervise/net/names.ts";
import { type Answered, answerTo, queryFor } from "./dns-message.ts";

const LOOPBACK = { address: Uint8Array.of(127, 0, 0, 1), port: 53 } as const;
const A = Uint8Array.of(192, 0, 2, 1);
const open: { close: () => void }[] = [];

afterEach(() => {
  for (const thing of open.splice(0)) thing.close();
});

/** A name server of one record set; what it saw is kept. */
async function server(records: readonly Answered[], change: (answer: Buffer, query: Buffer) => readonly Buffer[] = (answer) => [answer]) {
  const seen: Buffer[] = [];
  const udp: Socket = createSocket("udp4");
  udp.on("message", (query, from) => {
    seen.push(query);
    for (const answer of change(answerTo(query, records), query)) udp.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  const { port } = udp.address();
  const tcp: Server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const answer = answerTo(data.subarray(2), records);
      socket.write(Buffer.concat([Buffer.of(answer.length >> 8, answer.length & 255), answer]));
    });
  });
  await new Promise<void>((resolve) => tcp.listen(port, "127.0.0.1", resolve));
  open.push(udp, tcp);
  return { port, seen };
}

async function relayTo(port: number, allow?: (name: string | undefined) => boolean) {
  const found: FoundNames[] = [];
  const { relay, address } = DnsRelay.start({
    nameServers: () => [LOOPBACK],
    onNames: (names) => found.push(names),
    port,
    ...(allow === undefined ? {} : { allow }),
  });
  open.push(relay);
  return { found, address };
}

function ask({ v4 }: RelayAddress, query: Buffer): Promise<Buffer> {
  const socket = createSocket("udp4");
  open.push(socket);
  return new Promise((resolve, reject) => {
    socket.on("message", resolve);
    socket.send(query, v4, "127.0.0.1");
    setTimeout(() => reject(new Error("no answer")), 1000);
  });
}

describe("the name relay", () => {
  it("hands on questions and answers byte by byte, under an id of its own, and tells the names first", async () => {
    const { port, seen } = await server([
      { name: "a.com", ttl: 60, data: { cname: "x.net" } },
      { name: "x.net", ttl: 30, data: { address: A } },
    ]);
    const { found, address } = await relayTo(port);
    const query = queryFor("a.com");
    const answer = await ask(address, query);
    expect(answer).toEqual(
      answerTo(query, [
        { name: "a.com", ttl: 60, data: { cname: "x.net" } },
        { name: "x.net", ttl: 30, data: { address: A } },
      ]),
    );
    expect(found).toEqual([{ name: "a.com", aliases: ["x.net"], addresses: [{ address: A, ttl: 30 }] }]);
    expect(seen[0]?.subarray(2)).toEqual(query.subarray(2));
  });

  it("takes no answer to another question", async () => {
    const { port } = await server([{ name: "a.com", data: { address: A } }], (answer, query) => {
      const other = answerTo(queryFor("evil.com", 1, query.readUInt16BE(0)), [{ name: "evil.com", data: { address: A } }]);
      const id = Buffer.from(answer);
      id.writeUInt16BE((answer.readUInt16BE(0) + 1) & 0xffff, 0);
      return [other, id, Buffer.from("junk"), answer];
    });
    const { found, address } = await relayTo(port);
    await ask(address, queryFor("a.com"));
    expect(found.map(({ name }) => name)).toEqual(["a.com"]);
  });

  it("answers over TCP", async () => {
    const { port } = await server([{ name: "a.com", data: { address: A } }]);
    const { found, address } = await relayTo(port);
    const query = queryFor("a.com");
    const socket = connect(address.v4, "127.0.0.1");
    open.push({ close: () => socket.destroy() });
    const framed = Buffer.concat([Buffer.of(0, query.length), query]);
    for (const byte of framed) socket.write(Buffer.of(byte));
    const answer = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
    expect(answer.subarray(2)).toEqual(answerTo(query, [{ name: "a.com", data: { address: A } }]));
    expect(found).toHaveLength(1);
  });

  it("keeps questions at home that are not allowed", async () => {
    const { port, seen } = await server([{ name: "secret.evil.com", data: { address: A } }]);
    const { address } = await relayTo(port, (name) => name !== undefined && !name.endsWith("evil.com"));
    const answer = await ask(address, queryFor("secret.evil.com"));
    expect((answer[3] ?? 0) & 15).toBe(5);
    expect(seen).toEqual([]);
  });

  // Debian's list of hosts in a container has no `::1 localhost`, so resolvers ask for it (RFC 6761, 6.3).
  it.each([
    ["localhost", 1, [Buffer.of(127, 0, 0, 1)]],
    ["LocalHost", 1, [Buffer.of(127, 0, 0, 1)]],
    ["web.localhost", 1, [Buffer.of(127, 0, 0, 1)]],
    ["localhost", 28, []],
    ["web.localhost", 28, []],
    // An HTTPS record, as browsers ask for.
    ["localhost", 65, []],
  ])("answers for this machine by itself: %s, type %i", async (name, type, addresses) => {
    const { port, seen } = await server([{ name: name.toLowerCase(), data: { address: A } }]);
    const refused: (string | undefined)[] = [];
    const { found, address } = await relayTo(port, (asked) => (refused.push(asked), false));
    const answer = readAnswer(await ask(address, queryFor(name, type)));
    expect(answer).toMatchObject({
      code: 0,
      name: name.toLowerCase(),
      addresses: addresses.map((one) => ({ address: Uint8Array.from(one) })),
    });
    // A rule may name it.
    const told = addresses.length > 0 ? [name.toLowerCase().replace(/\.$/, "")] : [];
    expect([seen, refused, found.map((one) => one.name)]).toEqual([[], [], told]);
  });

  it.each(["localhost.evil.com", "notlocalhost", "localhostx", "local.host"])("and not for %s", async (name) => {
    const { port } = await server([]);
    const { address } = await relayTo(port, () => false);
    expect(readAnswer(await ask(address, queryFor(name)))).toMatchObject({ code: 5, addresses: [] });
  });

  it("drops what is no question", async () => {
    const { port, seen } = await server([]);
    const { address } = await relayTo(port);
    await expect(ask(address, Buffer.from("stolen data"))).rejects.toThrow("no answer");
    expect(seen).toEqual([]);
  });

  it("serves a real resolver", async () => {
    const { port } = await server([{ name: "a.com", data: { address: A } }]);
    const { found, address } = await relayTo(port);
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${address.v4}`]);
    expect(await resolver.resolve4("a.com")).toEqual(["192.0.2.1"]);
    expect(found).toHaveLength(1);
  });
});
