import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { askClientCode, askClientProgram } from "../../src/agents/install/index.ts";
import { DIST } from "../scratch.ts";
import { describeSource } from "./assembled.ts";

describeSource("ask", askClientCode);

it("lies beside the program", () => {
  for (const architecture of ["x64", "arm64"] as const)
    expect(readFileSync(join(DIST, `ask-${architecture}`)).equals(askClientProgram(architecture))).toBe(true);
});
