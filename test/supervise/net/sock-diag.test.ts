import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { fstatSync, readdirSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { type OpenSocket, openSockets, socketsOn } from "../../../packages/supervisor/src/supervise/net/sock-diag.ts";

const open: { close: () => void }[] = [];
afterEach(() => {
  for (const thing of open.splice(0)) thing.close();
});

const inodes = (): ReadonlySet<number> =>
  new Set(
    readdirSync("/proc/self/fd").flatMap((fd) => {
      try {
        return [fstatSync(Number(fd)).ino];
      } catch {
        return [];
      }
    }),
  );
const sorted = (sockets: readonly OpenSocket[]): readonly OpenSocket[] => sockets.toSorted((a, b) => a.inode - b.inode);

it.each(["127.0.0.1", "0.0.0.0", "::1", "::"])("finds who listens on %s, as /proc/net does", async (host) => {
  const server = createServer();
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const found = socketsOn("tcp", port);
  expect(found).toHaveLength(1);
  expect(inodes()).toContain(found[0]?.inode);
  expect(sorted(found)).toEqual(sorted(openSockets("tcp").filter((socket) => socket.port === port)));
});

it.each(["udp4", "udp6"] as const)("finds sockets of %s", async (type) => {
  const socket = createSocket(type);
  open.push(socket);
  await new Promise<void>((resolve) => socket.bind(0, resolve));
  const { port } = socket.address();
  const found = socketsOn("udp", port);
  expect(inodes()).toContain(found[0]?.inode);
  expect(sorted(found)).toEqual(sorted(openSockets("udp").filter((one) => one.port === port)));
});

it("finds nobody where nobody is", () => expect(socketsOn("tcp", 1)).toEqual([]));
