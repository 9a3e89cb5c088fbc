import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as library from "@assent/library/sdk";
import * as compat from "@assent/library/sdk/compat";
import * as core from "@assent/library/sdk/core";

/** The errors of the library: one family, each with a code. */

const verdict = { decision: "deny", basis: "default", reason: "x", actions: [], unknowns: [] } as const;
const refusal = { operation: "read", target: "a", reason: "x", verdict };
const ENTRIES: Readonly<Record<string, object>> = { library, compat, core };

/** What each is made with. */
const MADE: Readonly<Record<string, readonly unknown[]>> = {
  PermissionDenied: [{ verdict: "deny", by: "policy", forModel: "x", decision: {} }],
  ApprovalPending: [{ verdict: "pending", token: "t", expires: new Date(0), forModel: "x", decision: {} }],
  UnknownApproval: [],
  GuardCallError: ["x"],
  GuardOptionError: ["cwd", "x"],
  PermissionDeniedError: [refusal],
  PermissionAskError: [refusal],
  RulesetError: [["x"]],
  ExecuteDisabledError: [],
};

/** Errors that no program sees: they are caught where the library's own functions call one another, or end a server of `assent mcp`. */
const INSIDE: Readonly<Record<string, string>> = {
  "backend/pin.ts": "UnsteadyError",
  "backend/content.ts": "MovedError",
  "common/ask.ts": "Error",
  "core/given-world.ts": "TypeError",
  "core/judge-calls.ts": "Error",
  "core/no-commands.ts": "CommandsNotUnderstood Error",
  "create-guard/approvals.ts": "Error",
  "create-guard/judging.ts": "Error",
  "create-guard/policy-in-code.ts": "Error",
  "machine/open-guard.ts": "Error",
  "mcp/gateway/server-process.ts": "Error",
  "mcp/http/body.ts": "TooLargeError",
  "mcp/http/proxy.ts": "Error",
  "mcp/http/remote.ts": "Error NoStreamError",
};

/** What an SDK is thrown has the form that the SDK reads. */
const OF_SDKS = /^(?:ai-sdk|claude-agent-sdk|langchain|mastra|mcp-transport|openai-agents)\//;

it("is all that the library throws", () => {
  const root = join(import.meta.dirname, "../../packages/library/src/sdk");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts") && !OF_SDKS.test(file));
  const thrown = files.flatMap((file) => {
    const found = [...readFileSync(join(root, file), "utf8").matchAll(/\bthrow new (\w+)/g)].map(([, name = ""]) => name);
    const strange = new Set(found.filter((name) => !(name in MADE) && !WITHIN.has(name)));
    return strange.size === 0 ? [] : [[file, [...strange].toSorted().join(" ")] as const];
  });
  expect(Object.fromEntries(thrown)).toEqual(INSIDE);
});

/** Of the family, and exported by no entry. */
const WITHIN = new Set(["NobodyThereError", "PartMissing"]);

/** Of the engine: no guard throws it. */
const OTHERS = new Set(["OutOfBudget"]);

const classes = Object.entries(ENTRIES).flatMap(([entry, all]) =>
  Object.entries(all).flatMap(([name, value]: readonly [string, unknown]) =>
    typeof value === "function" && value.prototype instanceof Error && !OTHERS.has(name) ? [{ entry, name, value }] : [],
  ),
);

describe("every error that the library exports", () => {
  it("is here", () => expect(new Set(classes.map(({ name }) => name))).toEqual(new Set(Object.keys(MADE))));

  it.each(classes)("is one of the family: $name of $entry", ({ name, value }) => {
    const error: unknown = Reflect.construct(value, MADE[name] ?? []);
    expect(library.isAssentError(error)).toBe(true);
    expect(error).toMatchObject({ name, code: expect.stringMatching(/^[a-z-]+$/) as unknown });
  });
});

it.each([
  new Error("x"),
  Object.assign(new Error("x"), { code: "permission-denied" }),
  Object.assign(new TypeError("x"), { name: "GuardCallError", code: "guard-option" }),
  Object.assign(new Error("x"), { name: "constructor", code: undefined }),
  { name: "PermissionDenied", code: "permission-denied" },
  undefined,
])("what is no error of ours is none of the family: %s", (error) => expect(library.isAssentError(error)).toBe(false));
