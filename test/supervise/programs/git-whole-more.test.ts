import { afterAll, expect, it } from "vitest";
import { playGit } from "./git-cases.ts";
import { Suite } from "./place.ts";

const RUNS = Number(process.env["GIT_RUNS"] ?? 300);
const suite = new Suite();
afterAll(() => suite.remove());

it(
  `git goes through whole, or leaves everything as it was (${RUNS} cases; npm run git-whole draws thousands)`,
  { timeout: RUNS * 20_000 },
  async () => {
    expect(await playGit(suite, RUNS)).toBe("");
  },
);
