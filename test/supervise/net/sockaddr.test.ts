import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress } from "@assent/core/policy";
import {
  internetSockaddr,
  isRefused,
  readSockaddr,
  sockaddrLength,
  unixSockaddr,
} from "../../../packages/supervisor/src/supervise/net/sockaddr.ts";

const [EINVAL, EAFNOSUPPORT] = [22, 97];
const bytes = (text: string): Uint8Array => parseAddress(text) ?? new Uint8Array();
const unix = (path: string): Buffer => Buffer.concat([Buffer.of(1, 0), Buffer.from(path, "latin1")]);

describe("sockaddr", () => {
  it.each<[name: string, given: Buffer, expected: object]>([
    ["IPv4", internetSockaddr(bytes("192.0.2.1"), 443), { family: "internet", version: 4, port: 443, address: { host: "192.0.2.1" } }],
    [
      "IPv6 with a scope",
      internetSockaddr(bytes("fe80::1"), 53, 7),
      { family: "internet", version: 6, scope: 7, address: { host: "[fe80::1]" } },
    ],
    ["IPv6 without a scope", internetSockaddr(bytes("::1"), 1).subarray(0, 24), { family: "internet", scope: 0, port: 1 }],
    [
      "mapped",
      internetSockaddr(bytes("::ffff:10.0.0.1"), 1),
      { family: "internet", version: 6, address: { host: "10.0.0.1", reach: "private" } },
    ],
    ["trailing bytes", Buffer.concat([internetSockaddr(bytes("1.1.1.1"), 1), Buffer.alloc(50, 1)]), { address: { host: "1.1.1.1" } }],
    ["the whole storage", Buffer.concat([internetSockaddr(bytes("1.1.1.1"), 1), Buffer.alloc(112)]), { family: "internet" }],
    ["too long", Buffer.alloc(129), { errno: EINVAL }],
    ["empty", Buffer.alloc(0), { errno: EINVAL }],
    ["one byte", Buffer.alloc(1), { errno: EINVAL }],
    ["short IPv4", internetSockaddr(bytes("1.1.1.1"), 1).subarray(0, 15), { errno: EINVAL }],
    ["short IPv6", internetSockaddr(bytes("::1"), 1).subarray(0, 23), { errno: EINVAL }],
    ["disconnect", Buffer.alloc(2), { family: "unspecified" }],
    ["another family", Buffer.concat([Buffer.of(40, 0), Buffer.alloc(14)]), { errno: EAFNOSUPPORT }],
    ["a path", unix("/run/x\0"), { family: "unix", kind: "path", path: Buffer.from("/run/x") }],
    ["a path without NUL", unix("/run/x"), { path: Buffer.from("/run/x") }],
    ["a path of 108 bytes", unix("/".padEnd(108, "x")), { path: Buffer.from("/".padEnd(108, "x")) }],
    ["a NUL within", unix("/run/allowed\0/evil"), { path: Buffer.from("/run/allowed") }],
    ["not UTF-8", unix("/\xff"), { path: Buffer.of(0x2f, 0xff) }],
    ["abstract", unix("\0/tmp/.X11-unix/X0"), { kind: "abstract", name: Buffer.from("/tmp/.X11-unix/X0") }],
    ["abstract with NULs", unix("\0a\0b"), { kind: "abstract", name: Buffer.from("a\0b") }],
    ["abstract and empty", unix("\0"), { kind: "abstract", name: Buffer.alloc(0) }],
    ["unnamed", Buffer.of(1, 0), { kind: "unnamed" }],
    ["109 bytes of path", unix("x".repeat(109)), { errno: EINVAL }],
  ])("%s", (_, given, expected) => expect(readSockaddr(given)).toMatchObject(expected));

  it.each([
    [-1, undefined],
    [0, 0],
    [128, 128],
    [129, undefined],
    [0x1_0000_0010, 16],
  ])("the kernel takes the length %d as %s", (given, expected) => expect(sockaddrLength(given)).toBe(expected));

  it("never fails, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.constantFrom(0, 1, 2, 10, 16, 17, 40), fc.uint8Array({ maxLength: 200 }), (family, rest) => {
        const read = readSockaddr(Buffer.concat([Buffer.of(family, 0), rest]));
        if (!isRefused(read) && read.family === "unix" && read.kind === "path") {
          expect(read.path.length).toBeGreaterThan(0);
          expect(read.path.includes(0)).toBe(false);
        }
      }),
    );
  });

  it("writes what it reads", () => {
    expect(readSockaddr(unixSockaddr(Buffer.from("/proc/self/fd/9")) ?? Buffer.alloc(0))).toMatchObject({
      path: Buffer.from("/proc/self/fd/9"),
    });
    expect(unixSockaddr(Buffer.alloc(108, 0x61))).toBeUndefined();
    expect(unixSockaddr(Buffer.from("a\0b"))).toBeUndefined();
  });
});
