import { describe, expect, it } from "vitest";
import { createGuard, memoryApprovals } from "@assent/library/sdk";

/** As plain JavaScript calls it. */
// oxlint-disable-next-line typescript/no-explicit-any, typescript/no-unsafe-type-assertion -- nothing of it is typed there
const plain = createGuard as unknown as (options?: unknown) => Readonly<Record<string, (...values: readonly unknown[]) => unknown>>;
const guard = plain({ cwd: "/repo", home: "/home/me", approvals: memoryApprovals() });

describe("a mistake is told where it is made", () => {
  it.each<readonly [string, () => unknown, string]>([
    ["a tool without a name", () => guard["tool"]?.({ does: "nothing" }, () => 1), "`name` must be the name of the tool"],
    ["a tool without a function", () => guard["tool"]?.({ name: "save", does: "nothing" }), "must be the tool's function"],
    [
      "a tool whose schema is none",
      () => guard["tool"]?.({ name: "save", does: "nothing", input: { type: "object" } }, () => 1),
      "must be a schema that follows standardschema.dev",
    ],
    ["no tool at all", () => guard["tool"]?.(undefined, () => 1), "tool takes an object of options"],
    ["no tools", () => guard["tools"]?.(undefined, {}), "tools: `tools` must be an object"],
    ["tools of which nothing is said", () => guard["tools"]?.({}), "tools: `effects` must be an object"],
    ["nothing to be seen", () => guard["visible"]?.(null), "visible: `tools` must be an object"],
    ["a tool whose name is no text", () => guard["openAiTool"]?.(() => [], 5), "toolGuard takes the name of the tool"],
    ["an environment that is no text", () => plain({ env: { HOME: 5 } }), "`HOME` of the option `env` must be a text"],
    ["a role without a name", () => plain({ principal: { role: ["dev", ""] } }), "`role` of the principal is empty"],
    // oxlint-disable-next-line no-sparse-arrays -- gaps are what it is about
    ["a gap among roles", () => plain({ principal: { role: ["dev", ,] } }), "must be a text or a list of texts"],
    ["a principal that computes a number", () => guard["with"]?.({ principal: new Computed() }), "the option `user` must be a text"],
  ])("%s", (_, call, message) => {
    expect(call).toThrow(message);
  });

  it.each<readonly [string, () => unknown, string]>([
    ["a controller in the place of its signal", () => guard["check"]?.({ read: "a" }, { signal: new AbortController() }), "`signal`"],
    ["no token", () => guard["resume"]?.(undefined, true, "bob"), "this question was not found"],
  ])("%s", async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
  });
});

class Computed {
  get user(): number {
    return 5;
  }
}
