import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect } from "vitest";
import { appendAll, KEEP } from "@assent/guard/audit";
import type { ChainHead, LogBatch, LogTaken } from "@assent/team/team/protocol";
import { sendToTeam, type TeamMembership, writeMembership } from "@assent/team/team";
import { scratch, type Scratch } from "../../scratch.ts";

/** A machine that belongs to a server which says what the test wants it to say. */

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

export type Reply = { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> };
export const json = (status: number, message: unknown): Reply => ({ status, body: JSON.stringify(message) });

export async function machineAt(
  answer: (path: string, batch: LogBatch | undefined, nth: number) => Reply,
  lines: readonly string[] = ['{"a":1}', '{"a":2}', '{"a":3}'],
): Promise<{ place: Scratch; membership: TeamMembership; asked: () => number }> {
  let asked = 0;
  const made = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const reply = answer(request.url ?? "", text === "" ? undefined : (JSON.parse(text) as LogBatch), asked++);
      response.writeHead(reply.status, reply.headers).end(reply.body);
    });
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  const place = scratch();
  const membership: TeamMembership = {
    v: 1,
    url: `http://127.0.0.1:${(made.address() as AddressInfo).port}`,
    machine: "M".repeat(22),
    organisation: "O".repeat(22),
    name: "box",
    token: "t".repeat(43),
    salt: "s".repeat(43),
    joined: "2026-11-20T10:00:00Z",
    from: { segment: 1, offset: 0, seq: 0 },
  };
  expect(writeMembership(place.machine, membership)).toBeUndefined();
  expect(appendAll(place.machine, lines, KEEP)).toBeUndefined();
  return { place, membership, asked: () => asked };
}

export const send = ({ place, membership }: { place: Scratch; membership: TeamMembership }) =>
  sendToTeam({ machine: place.machine, membership, follow: false, ended: () => Promise.resolve(true), notice: () => undefined });

export const head = ({ epoch, after, records, hash }: LogBatch): ChainHead => ({ epoch, seq: after.seq + records.length, hash });
export const taken = (of: ChainHead): LogTaken => ({ v: 1, is: "taken", head: of });
