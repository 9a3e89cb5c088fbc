import { spawn } from "node:child_process";
import { beforeAll, expect, it, vi } from "vitest";
import { type CallDecision, createGuard, type GuardOptions, type Principal, probeSandbox } from "@assent/library/sdk";
import { here } from "../../cli/run-place.ts";
import { numbers } from "../../numbers.ts";

/** A thousand principals of two guards in one process, of which one confines: nobody is confined for somebody else, or told of another's run. */

const PRINCIPALS = 1000;
const REQUESTS = 10_000;
/** Runs that are really started. */
const RUNS = 12;

let supervised = false;
beforeAll(async () => {
  supervised = await probeSandbox();
});

type Known = Principal & { readonly user: string; readonly role: string };

interface Started {
  readonly principal: Known;
  readonly argv: readonly string[];
}

it("ten thousand requests at once: each is confined, asked about or refused as its own guard and its own rules say", async () => {
  if (!supervised) return;
  const place = here();
  place.write("x.sh", 'cat notes/plan.md 2>/dev/null && echo " read" || echo "not read"');
  place.write("notes/plan.md", "PLAN");
  const told: CallDecision[] = [];
  const options: GuardOptions<Known> = {
    cwd: place.project,
    home: place.home,
    env: place.machine.env,
    policy: {
      permissions: {
        allow: [{ rule: "Edit(docs/**)", when: { role: "writer" } }],
        deny: [{ rule: "Read(notes/**)", when: { role: "writer" } }],
        ask: [{ rule: "Bash(sh:*)", when: { tenant: "trial" } }],
      },
    },
    onDecision: (decision) => void told.push(decision),
  };
  const [confining, plain] = [createGuard<Known>({ ...options, confine: true }), createGuard<Known>(options)];
  const all = Array.from({ length: PRINCIPALS }, (_, at): Known => {
    return { user: `u${at}`, role: at % 2 === 0 ? "writer" : "reader", tenant: at % 3 === 0 ? "trial" : "paid" };
  });
  const random = numbers(20_261_126);
  const next = (below: number): number => Number(random.next().value) % below;
  const wrong: string[] = [];
  const starts: Started[] = [];
  const ids = new Set<string>();
  const request = async (at: number): Promise<void> => {
    const principal = all[at];
    if (principal === undefined) return;
    const confines = at % 5 === 0;
    const which = next(8);
    const guard = (confines ? confining : plain).with({ principal });
    const outcome = await guard.check(which === 0 ? { shell: "sh x.sh" } : which < 5 ? { edit: "docs/a.md" } : { read: "notes/plan.md" });
    const start = outcome.verdict === "allow" ? outcome.start : undefined;
    const want =
      which === 0
        ? confines && principal.tenant === "paid"
          ? "allow, confined"
          : "deny"
        : which < 5
          ? principal.role === "writer"
            ? "allow"
            : "deny"
          : principal.role === "writer"
            ? "deny"
            : "allow";
    const said = `${outcome.verdict}${start === undefined ? "" : ", confined"}`;
    if (said !== want || (outcome.decision.principal !== principal && outcome.decision.principal?.user !== principal.user))
      wrong.push(`${JSON.stringify(principal)} ${which}: ${said}, not ${want}`);
    if (start === undefined) return;
    if (ids.has(start.argv[1])) wrong.push(`${start.argv[1]} was given twice`);
    ids.add(start.argv[1]);
    if (starts.length < RUNS) starts.push({ principal, argv: start.argv });
  };
  for (let left = REQUESTS; left > 0; left -= 200)
    await Promise.all(Array.from({ length: 200 }, async () => await request(next(PRINCIPALS))));
  expect(wrong).toEqual([]);
  expect(ids.size).toBeGreaterThan(100);
  expect(starts.length).toBe(RUNS);

  // Some of them started, several at once, in another order.
  told.length = 0;
  const outputs = await Promise.all(
    starts.toReversed().map(async ({ principal, argv: [program = "", ...words] }) => {
      const child = spawn(program, words, { cwd: place.project, env: place.machine.env, stdio: ["ignore", "pipe", "ignore"] });
      let text = "";
      for await (const chunk of child.stdout.setEncoding("utf8")) text += String(chunk);
      return [principal.role, text.trim()];
    }),
  );
  for (const [role, text] of outputs) expect(text).toBe(role === "writer" ? "not read" : "PLAN read");
  const writers = starts.flatMap(({ principal }) => (principal.role === "writer" ? [principal.user] : [])).toSorted();
  await vi.waitFor(() => expect(told.flatMap(({ principal }) => principal?.user ?? []).toSorted()).toEqual(writers));
  expect(told.every(({ confined, rule }) => confined && rule?.text === "Read(notes/**)")).toBe(true);
}, 300_000);
