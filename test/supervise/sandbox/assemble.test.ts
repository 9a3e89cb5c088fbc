import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assemble, type BpfInstruction } from "../../../packages/supervisor/src/supervise/sandbox/filter.ts";
import { dataBytes, runBpf } from "./classic-bpf.ts";

/** What the labels mean, without distances. */
function interpret(program: readonly BpfInstruction[], data: Buffer): number {
  const labels = new Map(program.flatMap((each, at) => (each.op === "label" ? [[each.name, at] as const] : [])));
  const to = (label: string): number => labels.get(label) ?? Number.NaN;
  let value = 0;
  for (let at = 0; ; at++) {
    const each = program[at];
    if (each === undefined) throw new Error("fell off the end");
    if (each.op === "return") return each.value >>> 0;
    if (each.op === "load") value = data.readUInt32LE(each.offset);
    if (each.op === "and") value = (value & each.mask) >>> 0;
    if (each.op === "goto") at = to(each.label);
    if (each.op === "if") {
      const label = (each.test === "eq" ? value === each.value : value >= each.value) ? each.yes : each.no;
      if (label !== undefined) at = to(label);
    }
  }
}

/** Programs of up to 1200 instructions; every one is a label, too. Jumps go forward, near and far. */
const programs = fc
  .array(
    fc.record({
      kind: fc.constantFrom("load", "and", "goto", "if", "if", "if", "return"),
      word: fc.integer({ min: 0, max: 15 }),
      value: fc.nat(6),
      eq: fc.boolean(),
      yes: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      no: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    }),
    { maxLength: 1200, size: "max" },
  )
  .map((steps) => {
    const program: BpfInstruction[] = [];
    const target = (at: number, share: number): string => `at ${Math.min(steps.length, at + 1 + Math.floor(share * (steps.length - at)))}`;
    steps.forEach(({ kind, word, value, eq, yes, no }, at) => {
      program.push({ op: "label", name: `at ${at}` });
      if (kind === "load") program.push({ op: "load", offset: 4 * word });
      else if (kind === "and") program.push({ op: "and", mask: value });
      else if (kind === "goto") program.push({ op: "goto", label: target(at, yes ?? 0) });
      else if (kind === "return" && at % 7 === 0) program.push({ op: "return", value: at });
      else
        program.push({
          op: "if",
          test: eq ? "eq" : "ge",
          value,
          ...(yes === null ? {} : { yes: target(at, yes) }),
          ...(no === null ? {} : { no: target(at, no) }),
        });
    });
    program.push({ op: "label", name: `at ${steps.length}` }, { op: "return", value: 0xffff });
    return program;
  });

const data = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { minLength: 6, maxLength: 6 }).map((args) => dataBytes({ nr: 3, arch: 5, args }));

describe("the assembler", () => {
  it("does what the labels say, however far they are", () => {
    fc.assert(
      fc.property(programs, fc.array(data, { minLength: 1, maxLength: 20 }), (program, inputs) => {
        const bytes = assemble(program);
        for (const input of inputs) expect(runBpf(bytes, input)).toBe(interpret(program, input));
      }),
      { numRuns: 300 },
    );
  });

  it.each([254, 255, 256, 257, 258, 600])("jumps over %i instructions both ways", (count) => {
    const body: BpfInstruction[] = Array.from({ length: count }, () => ({ op: "and", mask: 1 }));
    const program: BpfInstruction[] = [
      { op: "load", offset: 16 },
      { op: "if", test: "eq", value: 1, yes: "one", no: "other" },
      ...body,
      { op: "label", name: "one" },
      { op: "return", value: 1 },
      { op: "label", name: "other" },
      { op: "return", value: 2 },
    ];
    const bytes = assemble(program);
    const answer = (low: number): number => runBpf(bytes, dataBytes({ nr: 0, arch: 0, args: [[low, 0]] }));
    expect([answer(1), answer(0)]).toEqual([1, 2]);
  });

  it.each<[string, string, BpfInstruction[]]>([
    ["a label that is not there", "is not after its jump", [{ op: "goto", label: "nowhere" }]],
    [
      "a label before its jump",
      "is not after its jump",
      [
        { op: "label", name: "a" },
        { op: "goto", label: "a" },
      ],
    ],
    [
      "a label that stands twice",
      "stands twice",
      [
        { op: "label", name: "a" },
        { op: "label", name: "a" },
        { op: "return", value: 0 },
      ],
    ],
    ["more than the kernel takes", "4097 instructions", Array.from({ length: 4097 }, () => ({ op: "return", value: 0 }) as const)],
  ])("refuses %s", (_, message, program) => {
    expect(() => assemble(program)).toThrow(message);
  });
});
