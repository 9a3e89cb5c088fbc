import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  dropLeftRun,
  dropReport,
  endSession,
  expectReport,
  isLeftRun,
  isReportUnheard,
  leftFolder,
  type Machine,
  noteLeftRun,
  readReport,
  reportsFolder,
  stateFolder,
  writeReport,
} from "@assent/guard/state";
import { scratch } from "../scratch.ts";

const RUN = "20261123-190000-abcdef";
const OTHER = "20261123-190001-abcdef";
const TICKET = "0123456789abcdef";
const REPORT = { run: RUN, changed: 2, lines: ["refused: x"], refused: 1, left: ["sleep (7)"] };

describe("the end of a session", () => {
  it.each<readonly [name: string, agent: string, session: string, ended: number]>([
    ["its own", "claude", "s1", 1],
    ["another session", "claude", "s2", 0],
    ["another agent's of that name", "codex", "s1", 0],
    ["no session", "claude", "", 0],
  ])("%s", (_, agent, session, ended) => {
    const { machine } = scratch();
    expect(endSession(machine, agent, session)).toBe(0);
    expect(noteLeftRun(machine, RUN, { agent: "claude", session: "s1" })).toBeUndefined();
    expect(noteLeftRun(machine, OTHER, { agent: "claude" })).toBeUndefined();
    expect(endSession(machine, agent, session)).toBe(ended);
    expect(isLeftRun(machine, RUN)).toBe(ended === 0);
    expect(isLeftRun(machine, OTHER)).toBe(true);
    dropLeftRun(machine, RUN);
    expect(isLeftRun(machine, RUN)).toBe(false);
    expect(existsSync(leftFolder(machine))).toBe(true);
    dropLeftRun(machine, OTHER);
    expect(existsSync(leftFolder(machine))).toBe(false);
  });

  it("what nobody can read is left alone", () => {
    const { machine } = scratch();
    noteLeftRun(machine, RUN, { agent: "claude", session: "s1" });
    const file = join(stateFolder(machine), "left", `${RUN}.json`);
    writeFileSync(file, "{");
    expect(endSession(machine, "claude", "s1")).toBe(0);
    expect(existsSync(file)).toBe(true);
  });
});

describe("the report of a confined command", () => {
  const folder = (machine: Machine): string => reportsFolder(machine);

  it("is told once, and its folder is there no longer than something is to be told", () => {
    const { machine } = scratch();
    expect(readReport(machine, TICKET)).toBeUndefined();
    expect(expectReport(machine, TICKET)).toBeUndefined();
    expect(writeReport(machine, TICKET, REPORT)).toBeUndefined();
    expect(existsSync(folder(machine))).toBe(true);
    expect(readReport(machine, TICKET)).toEqual(REPORT);
    expect(readReport(machine, TICKET)).toBeUndefined();
    expect(existsSync(folder(machine))).toBe(false);
  });

  it("cannot be left where the hook has been there before: the run tells it then", () => {
    const { machine } = scratch();
    expectReport(machine, TICKET);
    expect(readReport(machine, TICKET)).toBeUndefined();
    expect(writeReport(machine, TICKET, REPORT)).toBeDefined();
    expect(readReport(machine, TICKET)).toBeUndefined();
  });

  it("nothing to tell leaves nothing behind, and nothing of others goes", () => {
    const { machine } = scratch();
    expectReport(machine, TICKET);
    expectReport(machine, "fedcba9876543210");
    dropReport(machine, TICKET);
    expect(readdirSync(folder(machine))).toEqual(["fedcba9876543210.run"]);
    dropReport(machine, "fedcba9876543210");
    expect(existsSync(folder(machine))).toBe(false);
  });

  it("is nobody's under another number, nor where others could have written it", () => {
    const { machine } = scratch();
    expect(expectReport(machine, "../x")).toBeDefined();
    expect(writeReport(machine, "../x", REPORT)).toBeDefined();
    expect(readReport(machine, "../x")).toBeUndefined();
    expectReport(machine, TICKET);
    writeReport(machine, TICKET, REPORT);
    chmodSync(join(folder(machine), `${TICKET}.json`), 0o666);
    expect(readReport(machine, TICKET)).toBeUndefined();
  });

  it("goes away when nobody asks for it, and shows that nobody hears", () => {
    const { machine } = scratch();
    expectReport(machine, TICKET);
    writeReport(machine, TICKET, REPORT);
    expect(isReportUnheard(machine)).toBe(false);
    expect(isReportUnheard(machine, Date.now() + 2 * 60_000)).toBe(true);
    expectReport(machine, "fedcba9876543210", Date.now() + 2 * 60 * 60_000);
    expect(readdirSync(folder(machine))).toEqual(["fedcba9876543210.run"]);
  });
});
