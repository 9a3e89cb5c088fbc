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
