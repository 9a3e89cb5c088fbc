import { type Block, pages, readPage } from "./blocks.ts";

/** The examples that are not run, and why. Written by `npm run examples -- --write`. */
export const NOT_RUN_LIST = "test/docs/not-run.txt";

const isExample = ({ language }: Block): boolean => language !== "" && language !== "text";

export function notRunList(root: string): string {
  const blocks = pages(root).flatMap((file) => readPage(root, file).filter(isExample));
  const left = blocks.filter(({ notRun }) => notRun !== undefined);
  const lines = left.map(({ file, notRun, text }) => `${file}: ${text.split("\n")[0]}\n  ${notRun}\n`);
  return `${left.length} examples of README and docs are not run\n\n${lines.join("")}`;
}
