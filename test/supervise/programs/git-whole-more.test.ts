import { afterAll, expect, it } from "vitest";
import { playGit } from "./git-cases.ts";
import { Suite } from "./place.ts";

const RUNS = Number(process.env["GIT_RUNS"] ?? 300);
const suite = new Suite();
afterAll(() => suite.remove());

/** One command after the other leaves a processor idle: halves, side by side, each of a seed of its own. */
it.concurrent.each([0, 1])(
  `git goes through whole, or leaves everything as it was (half %s of ${RUNS} cases; npm run git-whole draws thousands)`,
  { timeout: RUNS * 20_000 },
  async (half) => {
    expect(await playGit(suite, RUNS / 2, half)).toBe("");
  },
);
