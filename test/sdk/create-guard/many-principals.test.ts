import { expect, it } from "vitest";
import { createGuard, type GuardCall, type GuardQuestion, type Principal } from "@assent/library/sdk";
import { numbers } from "../../numbers.ts";

const PRINCIPALS = 1000;
const REQUESTS = 10_000;
const ROLES = ["reader", "writer", "editor", "ops", "guest"] as const;

interface One {
  readonly principal: Principal & { readonly user: string; readonly role: string };
  /** Says yes for the session; the others say no each time. */
  readonly agrees: boolean;
  asked: number;
}

const CALLS: readonly GuardCall[] = [{ edit: "docs/a.md" }, { shell: "make all" }, { write: "src/a.ts" }, { read: ".env" }];

/** What is said to somebody who has been asked so often about the third call. */
function expected({ principal: { role, tenant }, agrees }: One, call: number, asked: number): string {
  if (call === 0) return role === "writer" || role === "editor" ? "allow" : "deny, ask";
  if (call === 1) return tenant === "trial" ? "deny" : "deny, ask";
  if (call === 3) return "deny";
  if (!agrees) return "deny, ask";
  return asked === 0 ? "allow, ask" : "allow";
}

it("ten thousand requests of a thousand principals at once: each gets its own answers", async () => {
  const all = Array.from({ length: PRINCIPALS }, (_, at): One => {
    const role = ROLES[at % ROLES.length] ?? "guest";
    return {
      principal: { user: `u${at}`, tenant: at % 7 === 0 ? "trial" : "paid", role, session: `s${at % 3}` },
      agrees: at % 2 === 0,
      asked: 0,
    };
  });
  const byUser = new Map(all.map((one) => [one.principal.user, one]));
  const told: [string, string | undefined][] = [];
  const guard = createGuard({
    cwd: "/repo",
    home: "/home/me",
    policy: {
      permissions: {
        allow: [{ rule: "Edit(docs/**)", when: { role: ["writer", "editor"] } }],
        deny: [{ rule: "Bash(make:*)", when: { tenant: "trial" } }],
      },
    },
    onAsk: async ({ principal, calls: [call] }: GuardQuestion) => {
      const one = byUser.get(principal?.user ?? "");
      // Others go on meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      if (one === undefined || call === undefined || !("write" in call)) return { no: "" };
      one.asked += 1;
      return one.agrees ? { yes: "session" } : { no: "" };
    },
    onDecision: ({ id, principal }) => void told.push([id, principal?.user]),
  });
  const random = numbers(20_261_126);
  const next = (below: number): number => Number(random.next().value) % below;
  // In rounds, so that nobody asks about the same call twice at once: what is said to the second would hang on who was first.
  const wrong: string[] = [];
  const owners = new Map<string, string>();
  for (let left = REQUESTS; left > 0;) {
    const round = new Set(Array.from({ length: Math.min(200, left) }, () => next(PRINCIPALS)));
    left -= round.size;
    await Promise.all(
      [...round].map(async (at) => {
        const one = all[at];
        const which = next(CALLS.length);
        const call = CALLS[which];
        if (one === undefined || call === undefined) return;
        const want = expected(one, which, one.asked);
        const { verdict, decision } = await guard.with({ principal: one.principal }).check(call);
        owners.set(decision.id, one.principal.user);
        const said = decision.verdict === verdict ? verdict : `${verdict}, ${decision.verdict}`;
        if (said !== want || decision.principal?.user !== one.principal.user)
          wrong.push(`${JSON.stringify(one.principal)} ${which}: ${said}, not ${want}`);
      }),
    );
  }
  expect(wrong).toEqual([]);
  expect(told.filter(([id, user]) => owners.get(id) !== user)).toEqual([]);
}, 300_000);
