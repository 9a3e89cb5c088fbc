import { describe, expect, it } from "vitest";
import { CallReader, printAnswerFrame, type DaemonCall } from "../../packages/assent/src/daemon/wire.ts";

const CALL: DaemonCall = {
  words: ["/opt/launch", "HOME=/h", "/usr/bin/node", "/opt/bin.cjs", "check", ""],
  env: ["PATH=/bin:/usr/bin", "A=é\n=", ""],
  folder: "/work/ä b",
  pid: 4_000_000_000,
  parent: 1,
  sent: 2n ** 63n + 7n,
  input: Buffer.from('{"a":"\0\u{1f600}"}'),
};

/** A call as a client writes it. */
function printCallFrame({ words, env, folder, pid, parent, sent, input }: DaemonCall): Buffer {
  const texts = Buffer.from([folder, ...words, ...env].map((text) => `${text}\0`).join(""));
  const header = Buffer.alloc(48);
  header.write("assent?1", "latin1");
  header.writeUInt32LE(words.length, 8);
  header.writeUInt32LE(env.length, 12);
  header.writeUInt32LE(pid, 16);
  header.writeUInt32LE(parent, 20);
  header.writeBigUInt64LE(sent, 24);
  header.writeBigUInt64LE(BigInt(texts.length), 32);
  header.writeBigUInt64LE(BigInt(input.length), 40);
  return Buffer.concat([header, texts, input]);
}

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
  it("has a header of 24 bytes, then standard output, then standard error", () => {
    const [out, error] = [Buffer.from('{"a":"é"}\n'), Buffer.from("assent: ü\n")];
    const bytes = printAnswerFrame({ stdout: out.toString(), stderr: error.toString(), status: 2 });
    expect(bytes.toString("latin1", 0, 8)).toBe("assent!1");
    expect([8, 12, 16, 20].map((at) => bytes.readUInt32LE(at))).toEqual([2, out.length, error.length, 0]);
    expect(bytes.subarray(24)).toEqual(Buffer.concat([out, error]));
  });
});
