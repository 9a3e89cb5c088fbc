// What a guard in code costs: `npm run build && node bench/guard.mjs`. Medians, in one process, with what is loaded at first loaded.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGuard, probeSandbox } from "../dist/library.mjs";

const ROLES = ["writer", "dev", "ops", "reader", "guest"];
const guard = createGuard({
  policy: {
    permissions: {
      allow: [{ rule: "Edit(docs/**)", when: { role: ["writer"] } }, "Bash(npm test:*)"],
      deny: [{ rule: "Bash(make:*)", when: { tenant: "trial" } }],
    },
  },
});
const principal = (at) => ({ user: `u${at % 1000}`, tenant: "t1", role: [ROLES[at % ROLES.length]] });
const stricter = { permissions: { deny: ["Read(secrets/**)"] } };

/** Microseconds. */
async function median(times, work) {
  for (let at = 0; at < 2000; at += 1) await work(at);
  const taken = [];
  for (let at = 0; at < times; at += 1) {
    const start = process.hrtime.bigint();
    await work(at);
    taken.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  return taken.sort((a, b) => a - b)[times >> 1].toFixed(1);
}

console.log(`with({ principal }): ${await median(20_000, (at) => guard.with({ principal: principal(at) }))} µs`);
console.log(`with({ principal, policy }): ${await median(20_000, (at) => guard.with({ principal: principal(at), policy: stricter }))} µs`);
const own = guard.with({ principal: principal(0) });
for (const call of [{ shell: "npm test" }, { shell: "ls -la" }, { read: "README.md" }, { edit: "docs/run.md" }])
  console.log(`check(${JSON.stringify(call)}): ${await median(3000, () => own.check(call))} µs`);

/** Of the processor time of this process, for other work may share the machine. */
async function throughput(what, check) {
  for (let at = 0; at < 1000; at += 1) await check(at);
  const before = process.cpuUsage();
  for (let at = 0; at < 10_000; at += 1) await check(at);
  const { user, system } = process.cpuUsage(before);
  console.log(`${((10_000 / (user + system)) * 1e6).toFixed(0)} checks a second of processor time, ${what}`);
}
await throughput("1,000 principals in turn", (at) => guard.with({ principal: principal(at) }).check({ edit: "docs/run.md" }));

// Guards that confine leave what starts a command in a home of their own.
const home = mkdtempSync(join(tmpdir(), "assent-bench-"));
writeFileSync(join(home, "x.sh"), "true");
const confining = createGuard({ cwd: home, home, confine: true });
const EDIT = { edit: "docs/run.md" };
const callAt = (at, tenth) => (at % tenth === 0 ? { shell: "sh x.sh" } : EDIT);
if (await probeSandbox(home)) {
  await throughput("1,000 principals in turn, of which 200 confine every tenth command", async (at) => {
    if (at % 5 !== 0) return await guard.with({ principal: principal(at) }).check(EDIT);
    return await confining.with({ principal: principal(at) }).check(callAt(at, 50));
  });
  // An odd number in the place of ten: else the same hundred would confine each time.
  for (const count of [200, 1000])
    await throughput(
      `${count.toLocaleString("en")} principals in turn, all of which confine every eleventh command`,
      async (at) => await confining.with({ principal: principal(at % count) }).check(callAt(at, 11)),
    );
}
rmSync(home, { recursive: true, force: true });
