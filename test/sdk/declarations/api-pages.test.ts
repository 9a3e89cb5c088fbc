import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { libraryExports } from "../../../scripts/library-docs.ts";
import { fetchInto } from "../packages/fetch.ts";

const ROOT = join(import.meta.dirname, "../../..");

it.skipIf(process.env["TEST_DECLARATIONS"] === undefined)(
  "npm run api makes a page of every entry and every export, without a warning",
  () => {
    fetchInto(join(ROOT, "api"));
    const out = mkdtempSync(join(tmpdir(), "assent-api-"));
    try {
      const typedoc = [join(ROOT, "api/node_modules/typedoc/bin/typedoc"), "--out", out, "--treatWarningsAsErrors"];
      execFileSync(process.execPath, typedoc, { cwd: join(ROOT, "api"), stdio: ["ignore", "pipe", "inherit"] });
      const made = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
      const entries = libraryExports(ROOT);
      expect(made.filter((file) => file.startsWith("modules/")).length).toBeGreaterThanOrEqual(entries.length);
      const names = new Set(made.map((file) => /([^./]+)\.html$/.exec(file)?.[1]));
      const missing = entries.flatMap(({ exports }) => exports.map(({ name }) => name)).filter((name) => !names.has(name));
      expect(missing).toEqual([]);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  },
);
