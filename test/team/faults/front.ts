import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Front {
  readonly base: string;
  /** Batches come twice, late and out of order, and answers to them get lost. */
  isBad: boolean;
  /** A batch has just reached this server, which has not answered yet. */
  onBatch: ((port: number) => void) | undefined;
  close(): Promise<void>;
}

/** What stands before the servers, as a load balancer does: one after the other, and another one where one does not answer. */
export async function openFront(ports: readonly number[], random: () => number): Promise<Front> {
  let turn = 0;
  const front = { isBad: false, onBatch: undefined as Front["onBatch"] };
  const kept: (() => void)[] = [];

  const pass = (incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse | undefined, tries: number): void => {
    const port = ports[turn++ % ports.length] ?? 0;
    const { method, url, headers } = incoming;
    const asked = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
      if (outgoing === undefined) return void answer.resume();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
      outgoing.on("close", () => answer.destroy());
    });
    asked.on("error", () => {
      if (outgoing === undefined || outgoing.headersSent) return void outgoing?.destroy();
      // What was perhaps done is not done again by a load balancer: whoever asked does that.
      if (method === "GET" && tries > 1) pass(incoming, body, outgoing, tries - 1);
      else outgoing.destroy();
    });
    asked.end(body);
    if (url === "/v1/log") asked.on("finish", () => front.onBatch?.(port));
  };

  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("error", () => outgoing.destroy());
    incoming.on("end", () => {
      const body = Buffer.concat(parts);
      if (!front.isBad) for (const late of kept.splice(0)) late();
      if (!front.isBad || incoming.url !== "/v1/log") return pass(incoming, body, outgoing, ports.length);
      // An older batch arrives now, behind later ones.
      if (kept.length > 0 && random() < 0.5) kept.splice(Math.floor(random() * kept.length), 1)[0]?.();
      if (random() < 0.4) kept.push(() => pass(incoming, body, undefined, 1));
      if (random() < 0.4) pass(incoming, body, undefined, 1);
      if (random() < 0.3) {
        pass(incoming, body, undefined, 1);
        setTimeout(() => outgoing.destroy(), 50);
      } else pass(incoming, body, outgoing, ports.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(front, {
    base,
    close: async () => {
      for (const late of kept.splice(0)) late();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
