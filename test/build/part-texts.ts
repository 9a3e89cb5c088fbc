import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DIST } from "../scratch.ts";

const TEXTS = ["hook", "shell", "more", "run", "try", "apply", "start"];

/** Every part of dist/, by its name, as it lies in its text. */
export const PART_TEXTS: ReadonlyMap<string, string> = new Map(
  TEXTS.flatMap((name) => readFileSync(join(DIST, `${name}.cjs`), "latin1").split(/(?<=^\(\{|},\n)(?="[\w.-]+":function\()/)).flatMap(
    (text) => {
      const name = /^"([\w.-]+)":function\(/.exec(text)?.[1];
      return name === undefined ? [] : [[name, text] as const];
    },
  ),
);
