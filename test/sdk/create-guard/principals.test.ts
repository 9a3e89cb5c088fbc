import { describe, expect, it } from "vitest";
import { createGuard as createCoreGuard, plainWorld } from "@assent/library/sdk/core";
import { createGuard, memoryApprovals, type GuardAnswer, type Principal } from "@assent/library/sdk";

/** What is another's, however the two are alike. */

const write = { write: "src/a.ts" } as const;

const PAIRS: readonly (readonly [Principal, Principal | undefined])[] = [
  [{ user: "a", tenant: "b" }, { user: "a" }],
  [{ user: "a" }, { tenant: "a" }],
  [
    { user: "a", tenant: "b" },
    { user: "a", tenant: "c" },
  ],
  [{ user: 'a","b' }, { user: "a", tenant: "b" }],
  [{ user: "b/a" }, { user: "b", tenant: "a" }],
  [
    { user: "a", role: "x" },
    { user: "a", role: "y" },
  ],
  [{ role: ["x", "y"] }, { role: "x" }],
  [{ role: "x" }, { role: "y" }],
  [{ agent: "x" }, { agent: "y" }],
  [{ agent: "x" }, undefined],
  [
    { user: "a", agent: "x" },
    { user: "a", agent: "y" },
  ],
  [{ user: "a", agent: "x" }, { user: "a" }],
  [{ user: "a" }, { user: "a", agent: "x" }],
  [{ session: "x" }, { session: "y" }],
  [{ session: "x" }, undefined],
  [
    { tenant: "t", session: "x" },
    { tenant: "t", session: "y" },
  ],
  [{ user: "a" }, undefined],
  [{ user: "A" }, { user: "a" }],
  [{ user: "a\n" }, { user: "a" }],
  [{ user: "__proto__" }, { user: "a" }],
];
const YES: readonly GuardAnswer[] = [{ yes: "session" }, { yes: { for: "8h" } }, { yes: { rule: "Edit(src/**)" } }];

it.each(PAIRS)("what %j may is no yes to %j", async (one, other) => {
  for (const answer of YES) {
    const guard = createGuard({ cwd: "/repo", home: "/home/me", onAsk: () => answer });
    await guard.with({ principal: one }).check(write);
    const by = other === undefined ? guard : guard.with({ principal: other });
    expect([(await guard.with({ principal: one }).decide(write)).verdict, (await by.decide(write)).verdict]).toEqual(["allow", "ask"]);
  }
});

/** As a server's session objects are: nothing of it is an own field. */
class Session {
  name = "";
  constructor(name: string) {
    Object.defineProperty(this, "name", { value: name, enumerable: false, writable: true });
  }
  get user(): string {
    return this.name;
  }
}

describe("a principal that a class computes", () => {
  const world = plainWorld({ cwd: "/repo", home: "/home/me" });
  it.each([
    ["on Node", () => createGuard({ cwd: "/repo", home: "/home/me", onAsk: () => ({ yes: "session" }) })],
    ["without Node", () => createCoreGuard({ world, onAsk: () => ({ yes: "session" }) })],
  ] as const)("is who it is, and no other: %s", async (_, make) => {
    const guard = make();
    const said = async (name: string) => {
      const { decision } = await guard.with({ principal: new Session(name) }).check(write);
      return [decision.principal?.user, decision.answer ?? "not asked"];
    };
    await said("ann");
    expect(await said("bob")).toEqual(["bob", "allowed"]);
  });

  it("is who it was when the guard was made", async () => {
    const session = new Session("ann");
    const guard = createGuard({
      cwd: "/repo",
      home: "/home/me",
      policy: { permissions: { allow: [{ rule: "Edit(src/**)", when: { user: "admin" } }] } },
    }).with({ principal: session });
    session.name = "admin";
    expect((await guard.decide(write)).verdict).toBe("ask");
  });

  it("waits in a store as who it is", async () => {
    const approvals = memoryApprovals();
    const guard = createGuard({ cwd: "/repo", home: "/home/me", approvals, principal: new Session("ann") });
    const asked = await guard.check(write);
    if (asked.verdict !== "pending") throw new Error(asked.verdict);
    expect((await guard.resume(asked.token, true, "bob")).decision.principal).toEqual({ user: "ann" });
  });
});
