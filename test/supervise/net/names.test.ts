import { describe, expect, it } from "vitest";
import { parseAddress } from "@assent/core/policy";
import { Names } from "../../../packages/supervisor/src/supervise/net/names.ts";
import { overlaps, readOpenSockets, receives } from "../../../packages/supervisor/src/supervise/net/sock-diag.ts";
import { readHosts, readNameServers } from "../../../packages/supervisor/src/supervise/net/resolv.ts";

const bytes = (text: string): Uint8Array => parseAddress(text) ?? new Uint8Array();
const A = bytes("192.0.2.1");

function found(name: string, ttl: number, aliases: readonly string[] = [], address = A) {
  return { name, aliases, addresses: [{ address, ttl }] };
}

describe("names of addresses", () => {
  it("keeps what was asked for, the newest first, and aliases apart", () => {
    const names = new Names();
    names.add(found("a.com", 60, ["x.cdn.net"]), 0);
    names.add(found("b.com", 60), 1);
    expect(names.of(A, 2)).toEqual([
      { name: "b.com", asked: true },
      { name: "a.com", asked: true },
      { name: "x.cdn.net", asked: false },
    ]);
    names.add(found("x.cdn.net", 60), 3);
    names.add(found("a.com", 60, ["x.cdn.net"]), 4);
    expect(names.of(A, 5)).toContainEqual({ name: "x.cdn.net", asked: true });
    expect(names.of(bytes("::ffff:192.0.2.1"), 5)).toEqual(names.of(A, 5));
  });

  it.each([
    [0, 599, 601],
    [60, 599, 601],
    [3600, 3599, 3601],
    [1e9, 86_399, 86_401],
  ])("a life of %d s ends between %d and %d", (ttl, before, after) => {
    const names = new Names();
    names.add(found("a.com", ttl), 0);
    expect(names.of(A, before * 1000)).toHaveLength(1);
    expect(names.of(A, after * 1000)).toHaveLength(0);
  });

  it("is bounded", () => {
    const names = new Names();
    for (let i = 0; i < 1000; i++) names.add(found(`n${i}.com`, 60), 0);
    expect(names.of(A, 1).length).toBeLessThanOrEqual(32);
    expect(names.of(A, 1)[0]).toEqual({ name: "n999.com", asked: true });
    for (let i = 0; i < 40_000; i++) names.add(found("a.com", 60, [], Uint8Array.of(1, i >> 16, (i >> 8) & 255, i & 255)), 0);
    expect(names.size).toBe(16_384);
    expect(names.of(A, 1)).toEqual([]);
  });

  it("knows hosts(5)", () => {
    const hosts = readHosts(
      "127.0.0.1 localhost Me.local # the machine\n::1\tip6-localhost\n10.0.0.5 db.corp db\nbad line\n10.0.0.5 store b/ad\n",
    );
    const names = new Names(() => hosts);
    expect(names.of(bytes("10.0.0.5"), 0).map(({ name }) => name)).toEqual(["db.corp", "db", "store"]);
    expect(names.of(bytes("127.0.0.1"), 0)).toContainEqual({ name: "me.local", asked: true, local: true });
  });
});

describe("resolv.conf(5)", () => {
  it.each([
    ["nameserver 10.0.0.1\nnameserver\t2001:db8::53 \n", ["10.0.0.1", "2001:db8::53"]],
    ["# nameserver 1.1.1.1\n; nameserver 1.1.1.1\n nameserver 1.1.1.1\nnameserver fe80::1%eth0", ["fe80::1"]],
    ["", ["127.0.0.1"]],
    ["nameserver example.com", ["127.0.0.1"]],
  ])("%j", (text, expected) => expect(readNameServers(text).map(({ address }) => address)).toEqual(expected.map(bytes)));
});

const PROC = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0
   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 100 0 0 10 0
   2: 0100007F:0BB9 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000000000000000 100 0 0 10 0
`;
const PROC6 = `   0: 00000000000000000000000001000000:0035 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 99 1
   1: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 98 1
   2: 0000000000000000FFFF00000100007F:0051 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 97 1
`;

describe("/proc/net", () => {
  const sockets = [...readOpenSockets(PROC, "tcp"), ...readOpenSockets(PROC6, "tcp")];

  it("reads who listens", () => {
    expect(sockets.map(({ port, inode }) => [port, inode])).toEqual([
      [3000, 4711],
      [8080, 4712],
      [53, 99],
      [80, 98],
      [81, 97],
    ]);
    expect(sockets[0]?.address).toEqual(bytes("127.0.0.1"));
    expect(sockets[2]?.address).toEqual(bytes("::1"));
  });

  it.each([
    ["127.0.0.1", 3000, [4711]],
    ["127.0.0.2", 3000, []],
    ["0.0.0.0", 3000, [4711]],
    ["::ffff:127.0.0.1", 3000, [4711]],
    ["127.0.0.2", 8080, [4712]],
    ["::1", 8080, []],
    ["127.0.0.1", 80, [98]],
    ["::1", 80, [98]],
    ["::", 53, [99]],
    ["127.0.0.1", 53, []],
    ["127.0.0.1", 81, [97]],
  ])("%s port %d reaches %j", (address, port, inodes) =>
    expect(sockets.filter((socket) => receives(socket, bytes(address), port)).map(({ inode }) => inode)).toEqual(inodes),
  );

  it.each([
    ["127.0.0.1", 8080, true],
    ["0.0.0.0", 3000, true],
    ["127.0.0.2", 3000, false],
    ["127.0.0.1", 9999, false],
    ["127.0.0.1", 0, false],
  ])("binding %s port %d shares: %s", (address, port, shares) =>
    expect(sockets.some((socket) => overlaps(socket, bytes(address), port))).toBe(shares),
  );
});
