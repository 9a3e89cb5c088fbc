import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Suite, type User, USERS } from "../../supervise/programs/place.ts";
import { treeOf, TryPlace } from "../place.ts";
import { type Attack, expectSecretsKept, inHome, says, SECRET, victim } from "./harness.ts";
import { PROTOTYPE, PROTOTYPE_PLAYED } from "./prototype.ts";
import { SIBLINGS, SIBLINGS_PLAYED } from "./siblings.ts";

const suite = new Suite();
afterAll(() => {
  suite.remove();
  victim.kill();
  rmSync("/dev/shm/assent-try-attack", { force: true });
});

/** Nothing of it is applied. */
async function expectHeld(user: User, { command, prepare, then }: Attack): Promise<void> {
  const place = new TryPlace(suite, user);
  prepare?.(place);
  const before = [place.cwd, place.place.home].map((folder) => treeOf(folder));
  const ran = await place.try(command);
  expect(ran.status, says(ran)).toBe(75);
  expect([place.cwd, place.place.home].map((folder) => treeOf(folder))).toEqual(before);
  then?.(place, ran);
}

/** It may be applied: what is dangerous in it failed. */
async function expectStopped(user: User, { command, prepare, outside, status, then }: Attack): Promise<void> {
  const place = new TryPlace(suite, user);
  prepare?.(place);
  const home = treeOf(place.place.home);
  const ran = await place.try(command, ["--apply"], { VICTIM: String(victim.pid), UDP: "5353", TCP: "22" });
  await outside?.(place);
  expect(says(ran)).not.toContain(SECRET);
  expectSecretsKept(place);
  if (status !== undefined) expect(ran.status, says(ran)).toBe(status);
  then?.(place, ran);
  for (const [name, text] of [
    [join(place.cwd, ".env"), `TOKEN=${SECRET}\n`],
    [inHome(place, ".ssh/id_rsa"), SECRET],
  ] as const)
    if (existsSync(name)) expect(readFileSync(name, "utf8")).toBe(text);
  expect(treeOf(place.place.home)).toEqual(home);
}

interface Row {
  readonly number?: number;
  readonly name: string;
  readonly only?: string;
  readonly play: (user: User) => Promise<void>;
}

const rowOf = (attack: Attack): Row => ({
  ...attack,
  play: (user) => (attack.is === "held" ? expectHeld : expectStopped)(user, attack),
});
const playedRow = ({ play, ...played }: (typeof PROTOTYPE_PLAYED)[number]): Row => ({
  ...played,
  play: async (user) => {
    await play(new TryPlace(suite, user), suite);
  },
});

const NUMBERED = [...PROTOTYPE.map(rowOf), ...PROTOTYPE_PLAYED.map(playedRow)].sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
const OTHERS = [...SIBLINGS.map(rowOf), ...SIBLINGS_PLAYED.map(playedRow)];

describe.each(USERS)("a program of a tried run of %s does not succeed, which", (user) => {
  const mine = (rows: readonly Row[]): readonly Row[] => rows.filter(({ only }) => only === undefined || only === user);
  it.each(mine(NUMBERED).map((row) => [row.number, row.name, row] as const))("%i: %s", async (_, _name, row) => {
    expect.hasAssertions();
    await row.play(user);
  });
  it.each(mine(OTHERS).map((row) => [row.name, row] as const))("%s", async (_, row) => {
    expect.hasAssertions();
    await row.play(user);
  });
});

it("each of the attacks on the prototype has its row", () => {
  expect([...new Set(NUMBERED.map(({ number }) => number))]).toEqual(Array.from({ length: 39 }, (_, at) => at + 1));
  const names = [...NUMBERED, ...OTHERS].map(({ number = 0, name }) => `${number} ${name}`);
  expect(new Set(names).size).toBe(names.length);
});
