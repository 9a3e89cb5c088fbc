/** Ten rules in the ways people write them, about things that are named after a number. */
const TEN: readonly ((n: number) => readonly [effect: "allow" | "ask" | "deny", rule: string])[] = [
  (n) => ["allow", `Bash(npm run task-${n}:*)`],
  (n) => ["allow", `Bash(tool-${n} --check:*)`],
  (n) => ["allow", `Edit(packages/part-${n}/**)`],
  (n) => ["allow", `WebFetch(domain:host-${n}.example.com)`],
  (n) => ["allow", `mcp__server-${n}__*`],
  (n) => ["ask", `Shell(git push origin branch-${n} ...)`],
  (n) => ["ask", `Edit(src/**/generated-${n}.ts)`],
  (n) => ["deny", `Read(~/private-${n}/**)`],
  (n) => ["deny", `Read(**/secret-${n}.json)`],
  (n) => ["deny", `Write(/srv/data-${n}/*.log)`],
];

/** A policy of so many rules, half of them deny and ask rules. */
export function policyOfRules(count: number): string {
  const lists: Record<string, string[]> = { allow: [], ask: [], deny: [] };
  for (let n = 0; n < count; n += 1) {
    const [effect, rule] = TEN[n % TEN.length]?.(Math.floor(n / TEN.length)) ?? ["ask", "Bash(x)"];
    lists[effect]?.push(rule);
  }
  return JSON.stringify({ permissions: lists }, undefined, 1);
}
