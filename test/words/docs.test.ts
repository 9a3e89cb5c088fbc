import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pages } from "../docs/blocks.ts";
import { FORBIDDEN } from "./forbidden.ts";
import { proseOf } from "./prose.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Pages about the code itself. */
const OF_THE_CODE = /^docs\/(?:architecture|decisions\/)/;

const read = pages(ROOT).filter((file) => !OF_THE_CODE.test(file));

it.each(read)("%s says what people say", (file) => {
  const prose = proseOf(
    readFileSync(join(ROOT, file), "utf8")
      .replace(/<!--[\s\S]*?-->/g, "")
      .replace(/\]\([^)\n]*\)/g, "]"),
  );
  const found = prose.split("\n").flatMap((line) =>
    FORBIDDEN.flatMap(({ word, instead }) => {
      const hit = word.exec(line);
      return hit === null ? [] : [`"${hit[0]}" in «${line.slice(Math.max(0, hit.index - 40), hit.index + 40)}»; say: ${instead}`];
    }),
  );
  expect(found).toEqual([]);
});
