import Ajv from "ajv-draft-04";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sarifOf } from "../../../packages/assent/src/cli/sarif.ts";
import { CODES, type LintCode } from "@assent/guard/lint";

const SCHEMA = join(import.meta.dirname, "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");

it("what `assent lint --sarif` writes is valid by the schema of SARIF 2.1.0", () => {
  const schema: unknown = JSON.parse(readFileSync(SCHEMA, "utf8"));
  // A pattern of the schema is none with the `u` flag.
  const ajv = new Ajv.default({ strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false });
  if (typeof schema !== "object" || schema === null) throw new Error("the schema is no object");
  const validate = ajv.compile(schema);
  const names = ["/p/.agent-permissions.jsonc", "/p/a b/ü%#?.jsonc", "/elsewhere/x"];
  const findings = Object.keys(CODES).flatMap((code) =>
    names.map((file, at) => ({
      code: code as LintCode,
      severity: CODES[code as LintCode].severity,
      file,
      line: at + 1,
      column: 1,
      rule: at === 0 ? "" : "Bash(\u202e`x`)",
      message: "means <b>more</b>\n",
      ...(at === 2 ? {} : { help: "write less" }),
    })),
  );
  for (const some of [findings, []]) {
    const sarif: unknown = JSON.parse(sarifOf(some, "/p"));
    expect(validate(sarif), JSON.stringify(validate.errors)).toBe(true);
    // It does tell right from wrong.
    expect(validate({ ...(sarif as object), version: "2.0.0" })).toBe(false);
  }
});
