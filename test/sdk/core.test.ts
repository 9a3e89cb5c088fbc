import { build } from "esbuild";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import { expect, it } from "vitest";
import * as core from "@assent/library/sdk/core";
import { verdictsOf } from "../core/verdicts.ts";
import { commandsOf, CORPORA } from "../corpora.ts";
import { DIST } from "../scratch.ts";

/** `assent/core` outside of Node. `npm run test:browser` does the same in a browser. */

/** All of them: `TEST_LONG=1`. */
const STEP = process.env["TEST_LONG"] === undefined ? 5 : 1;

it("the built core says of every command what the sources say, where there is no Node", async () => {
  const commands = CORPORA.flatMap(commandsOf).filter((_, at) => at % STEP === 0);
  const { outputFiles } = await build({
    stdin: {
      contents: `import * as core from ${JSON.stringify(join(DIST, "core.mjs"))};
        import { verdictsOf } from "./verdicts.ts";
        globalThis.verdicts = (commands) => core.loadParts().then(() => JSON.stringify(verdictsOf(core, JSON.parse(commands))));`,
      resolveDir: join(import.meta.dirname, "../core"),
    },
    bundle: true,
    platform: "neutral",
    format: "iife",
    write: false,
  });
  // What the language and every browser and worker has, and nothing of Node's.
  const realm = createContext({ TextEncoder, TextDecoder, URL });
  new Script(outputFiles[0]?.text ?? "").runInContext(realm);
  const said: unknown = await new Script(`verdicts(${JSON.stringify(JSON.stringify(commands))})`).runInContext(realm);
  const expected = verdictsOf(core, commands);
  expect(expected.filter((verdict) => verdict.startsWith("allow")).length).toBeGreaterThan(commands.length / 10);
  expect(expected.filter((verdict) => verdict.startsWith("deny")).length).toBeGreaterThan(commands.length / 20);
  const got = JSON.parse(String(said)) as readonly string[];
  expect(commands.flatMap((command, at) => (got[at] === expected[at] ? [] : [[command, got[at], expected[at]]]))).toEqual([]);
});
