import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnswer, readQuery, refusal } from "../../../packages/supervisor/src/supervise/net/dns-wire.ts";
import { answerTo, encodeName, queryFor } from "./dns-message.ts";

const A = Uint8Array.of(192, 0, 2, 1);
const B = Uint8Array.of(192, 0, 2, 2);
const q = queryFor("www.Example.com");

describe("DNS messages", () => {
  it("reads a question", () => {
    expect(readQuery(q)).toEqual({ id: 0x1234, name: "www.example.com", type: 1, class: 1, end: q.length });
    expect(readQuery(answerTo(q, []))).toBeUndefined();
    expect(readAnswer(q)).toBeUndefined();
  });

  it.each<[what: string, message: Buffer, expected: object | undefined]>([
    [
      "an address",
      answerTo(q, [{ name: "www.example.com", ttl: 30, data: { address: A } }]),
      { addresses: [{ address: A, ttl: 30 }], aliases: [] },
    ],
    [
      "a chain, in any order, the shortest life counts",
      answerTo(q, [
        { name: "b.cdn.net", ttl: 300, data: { address: A } },
        { name: "WWW.example.com", ttl: 20, data: { cname: "a.cdn.net" } },
        { name: "a.cdn.net", ttl: 600, data: { cname: "b.cdn.net" } },
      ]),
      { aliases: ["a.cdn.net", "b.cdn.net"], addresses: [{ address: A, ttl: 20 }] },
    ],
    [
      "an address for another name is nobody's answer",
      answerTo(q, [
        { name: "www.example.com", data: { address: A } },
        { name: "bank.example", data: { address: B } },
      ]),
      { addresses: [{ address: A }] },
    ],
    [
      "an address of the other family",
      answerTo(q, [{ name: "www.example.com", data: { address: Uint8Array.from({ length: 16 }, () => 1) } }]),
      { addresses: [] },
    ],
    [
      "a loop of aliases",
      answerTo(q, [
        { name: "www.example.com", data: { cname: "a.net" } },
        { name: "a.net", data: { cname: "www.example.com" } },
      ]),
      { aliases: ["a.net"], addresses: [] },
    ],
    ["no such name", answerTo(q, [], { code: 3 }), { code: 3, addresses: [] }],
    [
      "cut off",
      answerTo(q, [{ name: "www.example.com", data: { address: A } }], { truncated: true }).subarray(0, -2),
      { truncated: true, addresses: [] },
    ],
    ["cut without saying so", answerTo(q, [{ name: "www.example.com", data: { address: A } }]).subarray(0, -2), undefined],
    ["an A of five bytes", answerTo(q, [{ name: "www.example.com", data: { raw: Buffer.alloc(5), type: 1 } }]), undefined],
    [
      "a negative life is none",
      answerTo(q, [{ name: "www.example.com", ttl: 0x80000000, data: { address: A } }]),
      { addresses: [{ ttl: 0 }] },
    ],
    ["an unknown record", answerTo(q, [{ name: "www.example.com", data: { raw: Buffer.alloc(9), type: 65 } }]), { addresses: [] }],
  ])("%s", (_, message, expected) => {
    if (expected === undefined) expect(readAnswer(message)).toBeUndefined();
    else expect(readAnswer(message)).toMatchObject(expected);
  });

  it.each([
    ["a dot within a label", "\x07allowed\x0bcom\0.evil.x\0"],
    ["a blank", "\x03a b\0"],
    ["a NUL", "\x03a\0b\0"],
    ["beyond ASCII", "\x01\xe9\0"],
  ])("%s is not a host name", (_, name) => {
    const message = Buffer.concat([q.subarray(0, 12), Buffer.from(name, "latin1"), Buffer.of(0, 1, 0, 1)]);
    expect(readQuery(message)?.name).toBeUndefined();
  });

  it.each([
    ["itself", [0xc0, 12]],
    ["forwards", [0xc0, 20]],
    ["into the header", [0xc0, 0]],
    ["nowhere", [0xc0]],
    ["a reserved kind", [0x40, 1]],
    ["no end", [3, 97, 98]],
    ["a loop over two", [1, 97, 0xc0, 12]],
  ])("a name that points to %s is refused", (_, name) => {
    expect(readQuery(Buffer.concat([q.subarray(0, 12), Buffer.from(name)]))).toBeUndefined();
    expect(readQuery(Buffer.concat([q.subarray(0, 12), Buffer.from(name), Buffer.of(0, 1, 0, 1)]))).toBeUndefined();
  });

  it("follows pointers backwards", () => {
    const record = Buffer.concat([Buffer.of(0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4), A]);
    const head = answerTo(q, []);
    head.writeUInt16BE(1, 6);
    expect(readAnswer(Buffer.concat([head, record]))).toMatchObject({ addresses: [{ address: A, ttl: 9 }] });
  });

  it("refuses names longer than 255 bytes", () => {
    const long = Array.from({ length: 5 }, () => "a".repeat(60)).join(".");
    expect(readQuery(Buffer.concat([q.subarray(0, 12), encodeName(long), Buffer.of(0, 1, 0, 1)]))).toBeUndefined();
  });

  it("ends, and reads nothing outside, whatever the bytes", () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(bytes, (given) => {
        readQuery(Buffer.from(given));
        readAnswer(Buffer.from(given));
      }),
      { numRuns: 2000 },
    );
    const good = answerTo(q, [
      { name: "www.example.com", data: { cname: "a.net" } },
      { name: "a.net", data: { address: A } },
    ]);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, value, length) => {
        const damaged = Buffer.from(good);
        damaged[at] = value;
        for (const { address, ttl } of readAnswer(damaged.subarray(0, length))?.addresses ?? []) {
          expect([4, 16]).toContain(address.length);
          expect(ttl).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it("refuses in the resolver's words", () => {
    const question = readQuery(q);
    expect(question && readAnswer(refusal(q, question, 5))).toMatchObject({ id: 0x1234, code: 5, name: "www.example.com" });
  });
});
