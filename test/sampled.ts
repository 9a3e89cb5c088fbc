import { numbers } from "./numbers.ts";

/** `npm test` and `npm run test:rest` give it; elsewhere, and where a file is named, everything is played. */
const SEED = process.env["SAMPLE_SEED"];

/** Of a long table these play one row of so many, others each time; `npm run test:sampled`, which is for the night, plays all of them. */
export function sampled<T>(rows: readonly T[], oneOf: number, seed = SEED): readonly T[] {
  if (seed === undefined || rows.length === 0) return rows;
  const draw = numbers(Number(seed));
  const next = (): number => Number(draw.next().value);
  const drawn = rows.map((row) => ({ row, at: next() })).toSorted((a, b) => a.at - b.at);
  const taken = new Set(drawn.slice(0, Math.ceil(rows.length / oneOf)).map(({ row }) => row));
  return rows.filter((row) => taken.has(row));
}

/** For the name of a test: how the same rows are played again. */
export const SAMPLE = SEED === undefined ? "all" : `some, SAMPLE_SEED=${SEED}`;
