import { describe, expect, it } from "vitest";
import {
  parseAnswerFrame,
  printAnswerFrame,
  CallReader,
  printCallFrame,
  type ResidentCall,
} from "../../packages/assent/src/resident/wire.ts";

const CALL: ResidentCall = {
  words: ["/opt/launch", "HOME=/h", "/usr/bin/node", "/opt/bin.cjs", "check", ""],
  env: ["PATH=/bin:/usr/bin", "A=é\n=", ""],
  folder: "/work/ä b",
  pid: 4_000_000_000,
  parent: 1,
  sent: 2n ** 63n + 7n,
  input: Buffer.from('{"a":"\0\u{1f600}"}'),
};

describe("a call", () => {
  it.each([1, 2, 47, 48, 49, 1000])("arrives in pieces of %i bytes", (size) => {
    const bytes = printCallFrame(CALL);
    const reader = new CallReader();
    const got: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size) got.push(reader.take(bytes.subarray(at, at + size)));
    expect(got.slice(0, -1).every((each) => each === undefined)).toBe(true);
    expect(got.at(-1)).toEqual(CALL);
  });

  const edited = (edit: (bytes: Buffer) => Buffer | void): Buffer => {
    const bytes = printCallFrame(CALL);
    return edit(bytes) ?? bytes;
  };
  /** [what is wrong, the bytes] */
  const WRONG: readonly (readonly [string, Buffer])[] = [
    ["another word at its start", edited((bytes) => void bytes.write("assent?2"))],
    ["more words than there are", edited((bytes) => void bytes.writeUInt32LE(7, 8))],
    ["fewer words than there are", edited((bytes) => void bytes.writeUInt32LE(5, 8))],
    ["more variables than there are", edited((bytes) => void bytes.writeUInt32LE(4, 12))],
    ["2^64 bytes of texts", edited((bytes) => void bytes.writeBigUInt64LE(2n ** 64n - 1n, 32))],
    ["2^53 bytes of input", edited((bytes) => void bytes.writeBigUInt64LE(2n ** 53n, 40))],
    ["a text without an end", edited((bytes) => void bytes.writeUInt8(65, bytes.length - CALL.input.length - 1))],
    ["something behind it", edited((bytes) => Buffer.concat([bytes, Buffer.from("x")]))],
    ["a page of NULs", Buffer.alloc(4096)],
  ];
  it.each(WRONG)("is none with %s", (_what, bytes) => {
    expect(new CallReader().take(bytes)).toBe("wrong");
  });
});

describe("an answer", () => {
  const ANSWER = { stdout: '{"a":"é"}\n', stderr: "assent: ü\n", status: 2 };
  it("comes as it was", () => {
    expect(parseAnswerFrame(printAnswerFrame(ANSWER))).toEqual(ANSWER);
  });
  it("is none unless it is whole", () => {
    const bytes = printAnswerFrame(ANSWER);
    for (let end = 0; end < bytes.length; end += 1) expect(parseAnswerFrame(bytes.subarray(0, end))).toBeUndefined();
    expect(parseAnswerFrame(Buffer.concat([bytes, Buffer.from("x")]))).toBeUndefined();
    bytes.writeUInt32LE(256, 8);
    expect(parseAnswerFrame(bytes)).toBeUndefined();
  });
});
