import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAutonomousDev } from "../../packages/hosts/src/agents/native/autonomous-dev.ts";
import { readClaude } from "../../packages/hosts/src/agents/claude/rules.ts";
import { readCodexRules } from "../../packages/hosts/src/agents/codex/rules.ts";
import { readCursor } from "../../packages/hosts/src/agents/cursor/rules.ts";
import { readGeminiPolicy } from "../../packages/hosts/src/agents/gemini/rules.ts";
import { readOpenCode } from "../../packages/hosts/src/agents/opencode/rules.ts";
import { NOWHERE } from "@assent/core/request";
import { starterPolicy } from "@assent/guard/policy-edit";
import { lowerExample } from "@assent/core/request";
import { readPydantic } from "../../packages/hosts/src/agents/native/pydantic.ts";
import { type NativeRead, planImport, settle } from "@assent/import/import";
import { joinLayers, judge, type Policy } from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";
import { lowerShell } from "@assent/core/shell";
import { CONTEXT } from "./reading.ts";

/**
 * For random native rules and commands: what the host refuses or asks is refused or asked here, unless the rule was told
 * as lost, and what is allowed here the host allows. The hosts' matchers are small models of their pages.
 */

type Decision = "allow" | "ask" | "deny" | "none";

/** Everything that was kept of a native file, written into a new policy and read back, as `assent import` does. */
function imported(read: NativeRead, preset = "none"): { readonly policy: Policy; readonly lostLines: ReadonlySet<number> } {
  if ("problem" in read) throw new Error(read.problem);
  const lostLines = new Set(read.lost.map(({ line }) => line));
  const rules = read.rules.flatMap((one) => {
    const { rule, loss } = settle(one);
    if (loss !== undefined) lostLines.add(one.line);
    return rule === undefined ? [] : [{ rule, from: `native:${rule.line}` }];
  });
  const plan = planImport(starterPolicy("user", undefined).replace('// "preset": "default"', `"preset": "${preset}"`), rules);
  for (const { of } of plan.lost) lostLines.add(of.rule.line);
  const file = readPolicy(plan.text, { file: "policy", layer: "user", examples: lowerExample });
  if (!file.ok) throw new Error(`${plan.text}\n${file.problems[0]?.message ?? ""}`);
  expect(planImport(plan.text, rules).added).toEqual([]);
  return { policy: joinLayers([{ ok: true, policy: file.policy }]), lostLines };
}

const CONTEXT_OF_JUDGE = {
  world: NOWHERE,
  host: true,
  floor: { policies: [], state: [], registrations: [], own: [], projectPolicies: [] },
  dangersOf: () => new Set<never>(),
  supervised: false,
};

/** What written rules say about the command itself, the last of its line. `host: false`: defaults are no longer left to a host. */
function ours(policy: Policy, command: string, host = true): Decision {
  const verdict = judge(lowerShell(command, { world: NOWHERE, shell: "any" }), policy, { ...CONTEXT_OF_JUDGE, host });
  const exec = verdict.actions.findLast(({ action }) => action.kind === "exec");
  if (exec === undefined) return "none";
  const { decision, basis } = exec.verdict;
  return basis === "rule" || decision === "deny" || decision === "ask" ? decision : "none";
}

const STRICT: Record<Decision, number> = { none: 0, allow: 0, ask: 1, deny: 2 };

/** How a rule means more or less than it did; undefined when it does not. */
function wrong(
  native: { readonly decision: Decision; readonly line: number },
  here: Decision,
  lost: ReadonlySet<number>,
): string | undefined {
  if (here === "allow" && native.decision !== "allow") return `wider: ${native.decision} there, allowed here`;
  if (STRICT[here] < STRICT[native.decision] && !lost.has(native.line)) return `looser: ${native.decision} there, ${here} here`;
  return undefined;
}

const program = fc.constantFrom("zq", "xtool", "make7", "x.sh");
const word = fc.constantFrom("run", "runs", "test", "test:unit", "a.txt", "b", "--all", "-f", "--dir=x", "src/a", "x1");
const command = fc.tuple(program, fc.array(word, { maxLength: 4 })).map(([first, rest]) => [first, ...rest].join(" "));
const part = fc.oneof({ weight: 4, arbitrary: word }, fc.constantFrom("*", "ru*", "*.txt", "--dir=*", "t*t", "te?t", "*"));
const pattern = fc
  .tuple(fc.oneof({ weight: 5, arbitrary: program }, fc.constantFrom("*", "z*")), fc.array(part, { maxLength: 3 }))
  .map(([first, rest]) => [first, ...rest].join(" "));
const effect = fc.constantFrom<Decision[]>("allow", "ask", "deny");

const escaped = (text: string): string => text.replace(/[.+^${}()|[\]\\?]/g, "\\$&");
/** `*` any text; a ` *` at the end also nothing. `one`: `?` is one character. */
function glob(text: string, { bare, one }: { readonly bare: boolean; readonly one: boolean }): RegExp {
  const tail = bare && text.endsWith(" *");
  const body = escaped(tail ? text.slice(0, -2) : text).replaceAll("*", ".*");
  return new RegExp(`^${one ? body.replaceAll("\\?", ".") : body}${tail ? "(?: .*)?" : ""}$`, "s");
}

const DECISIONS_OF_CODEX: readonly (readonly [string, Decision])[] = [
  ["allow", "allow"],
  ["prompt", "ask"],
  ["forbidden", "deny"],
];
const DECISIONS_OF_GEMINI: readonly (readonly [string, Decision])[] = [
  ["allow", "allow"],
  ["ask_user", "ask"],
  ["deny", "deny"],
];
const ORDER = ["deny", "ask", "allow"] as const;
const RUNS = { numRuns: 300 };
const lines = (rules: readonly string[]): string => rules.join("\n");

describe("a rule means no more and no less than it did", { timeout: 60_000 }, () => {
  test("Claude Code: deny over ask over allow", () => {
    const rule = fc.tuple(effect, pattern, fc.constantFrom("", ":*"));
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 5 }), fc.array(command, { minLength: 5, maxLength: 5 }), (rules, commands) => {
        const written = rules.map(([kind, text, end]) => ({
          kind,
          text: end === "" ? text : `${text}:*`,
          glob: glob(end === "" ? text : `${text} *`, { bare: end !== "" || text.indexOf("*") === text.length - 1, one: false }),
        }));
        const lists = (kind: string): string =>
          written.map((one) => (one.kind === kind ? JSON.stringify(`Bash(${one.text})`) + "," : "")).join("\n");
        // One line for each list's rules, so that a line tells which rule was lost.
        const text = `{"permissions":{"allow":[${lists("allow")}],"ask":[\n${lists("ask")}],"deny":[\n${lists("deny")}]}}`;
        const { policy, lostLines } = imported(readClaude(text, CONTEXT));
        for (const line of commands) {
          const hit = ORDER.flatMap((kind) =>
            written.flatMap((one, i) => (one.kind === kind && one.glob.test(line) ? [{ kind, i }] : [])),
          )[0];
          const offset = { allow: 1, ask: 1 + rules.length, deny: 1 + 2 * rules.length }[hit?.kind ?? "allow"] ?? 1;
          const decision: Decision = hit?.kind ?? "none";
          expect(wrong({ decision, line: offset + (hit?.i ?? 0) }, ours(policy, line), lostLines), `${text} for ${line}`).toBeUndefined();
        }
      }),
      {
        ...RUNS,
        examples: [
          [
            [
              ["allow", "*", ""],
              ["deny", "z* *", ":*"],
            ],
            ["zq", "zq run", "zq", "zq", "zq"],
          ],
        ],
      },
    );
  });

  test("OpenCode: the last that matches", () => {
    const rule = fc.tuple(effect, pattern);
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 5 }), fc.array(command, { minLength: 5, maxLength: 5 }), (rules, commands) => {
        const unique = [...new Map(rules.map(([kind, text]) => [text, kind]))];
        const text = `{"permission":{"bash":{\n${lines(unique.map(([one, kind]) => `${JSON.stringify(one)}: "${kind}",`))}\n}}}`;
        const { policy, lostLines } = imported(readOpenCode(text));
        for (const line of commands) {
          const at = unique.findLastIndex(([one]) => glob(one, { bare: true, one: true }).test(line));
          expect(
            wrong({ decision: unique[at]?.[1] ?? "none", line: at + 2 }, ours(policy, line), lostLines),
            `${text} for ${line}`,
          ).toBeUndefined();
        }
      }),
      RUNS,
    );
  });

  test("Codex: words, the strictest of all", () => {
    const decision = fc.constantFrom(...DECISIONS_OF_CODEX);
    const rule = fc.tuple(
      decision,
      program,
      fc.array(fc.array(fc.oneof(word, fc.constantFrom("a b", "*", "x:*")), { minLength: 1, maxLength: 2 }), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), fc.array(command, { minLength: 5, maxLength: 5 }), (rules, commands) => {
        const text = lines(
          rules.map(([[name], first, rest]) => `prefix_rule(pattern=${JSON.stringify([first, ...rest])}, decision="${name}")`),
        );
        const { policy, lostLines } = imported(readCodexRules(text, CONTEXT));
        for (const line of commands) {
          const words = line.split(" ");
          const hits = rules.flatMap(([[, kind], first, rest], i) =>
            words[0] === first && rest.every((choices: readonly string[], at) => choices.includes(words[at + 1] ?? "\0"))
              ? [{ decision: kind, line: i + 1 }]
              : [],
          );
          const strictest = hits.toSorted((a, b) => STRICT[b.decision] - STRICT[a.decision])[0] ?? { decision: "none" as const, line: 0 };
          expect(wrong(strictest, ours(policy, line), lostLines), `${text} for ${line}`).toBeUndefined();
        }
      }),
      RUNS,
    );
  });

  test("Gemini CLI: the highest priority", () => {
    const decision = fc.constantFrom(...DECISIONS_OF_GEMINI);
    const prefix = fc.tuple(program, fc.array(word, { maxLength: 2 })).map(([first, rest]) => [first, ...rest].join(" "));
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(decision, prefix, fc.nat(999)), { selector: ([, , n]) => n, minLength: 1, maxLength: 5 }),
        fc.array(command, { minLength: 5, maxLength: 5 }),
        (rules, commands) => {
          const text = rules
            .map(
              ([[name], one, n]) =>
                `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ${JSON.stringify(one)}\ndecision = "${name}"\npriority = ${n}`,
            )
            .join("\n");
          const { policy, lostLines } = imported(readGeminiPolicy(text));
          const order = rules.map((rule, i) => ({ rule, line: i * 5 + 1 })).toSorted((a, b) => b.rule[2] - a.rule[2]);
          for (const line of commands) {
            const hit = order.find(({ rule: [, one] }) => line === one || line.startsWith(`${one} `));
            expect(
              wrong({ decision: hit?.rule[0][1] ?? "none", line: hit?.line ?? 0 }, ours(policy, line), lostLines),
              `${text} for ${line}`,
            ).toBeUndefined();
          }
        },
      ),
      RUNS,
    );
  });

  test("Cursor: the first word, deny over allow", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("allow", "deny"), program), { minLength: 1, maxLength: 4 }), command, (rules, line) => {
        const list = (kind: string): readonly string[] => rules.filter(([own]) => own === kind).map(([, one]) => `Shell(${one})`);
        const { policy, lostLines } = imported(readCursor(JSON.stringify({ permissions: { allow: list("allow"), deny: list("deny") } })));
        const first = line.split(" ")[0] ?? "";
        const decision = rules.some(([kind, one]) => kind === "deny" && one === first)
          ? "deny"
          : rules.some(([kind, one]) => kind === "allow" && one === first)
            ? "allow"
            : "none";
        expect(wrong({ decision, line: 0 }, ours(policy, line), lostLines), `${JSON.stringify(rules)} for ${line}`).toBeUndefined();
      }),
      RUNS,
    );
  });

  test("autonomous-dev: refusals, what is watched, the list, else a question", () => {
    const watched = fc.constantFrom("rm", "mv", "chmod");
    const behind = fc.tuple(command, watched, fc.constantFrom("; ", " && ")).map(([line, word, between]) => ({
      line: `${word} ${line.split(" ").slice(1).join(" ")}`.trim(),
      whole: `${line}${between}${word} x`,
    }));
    const asked = fc.oneof({ weight: 3, arbitrary: command.map((line) => ({ line, whole: line })) }, behind);
    const list = fc.array(fc.oneof({ weight: 4, arbitrary: pattern }, fc.constant("*")), { maxLength: 4 });
    fc.assert(
      fc.property(list, list, fc.array(asked, { minLength: 5, maxLength: 5 }), (whitelist, blacklist, commands) => {
        const each = (patterns: readonly string[]): string => patterns.map((one) => `\n${JSON.stringify(one)}`).join(",");
        const text = `{"version":"2.0","agents":{},"file_paths":{"whitelist":[],"blacklist":[]},"bash":{"whitelist":[${each(whitelist)}],"blacklist":[${each(blacklist)}]}}`;
        const { policy, lostLines } = imported(readAutonomousDev(text, CONTEXT), "permissive");
        const matches = (one: string, line: string): boolean => glob(one, { bare: false, one: true }).test(line);
        for (const { line, whole } of commands) {
          const denied = blacklist.findIndex((one) => matches(one, whole));
          const isWatched = line !== whole;
          const decision: Decision = denied !== -1 ? "deny" : !isWatched && whitelist.some((one) => matches(one, whole)) ? "allow" : "ask";
          // Of a line with two commands the second is judged: what refuses the text of both may be about the first.
          if (isWatched && denied !== -1) continue;
          expect(
            wrong({ decision, line: denied === -1 ? -1 : 2 + whitelist.length + denied }, ours(policy, line, false), lostLines),
            `${text} for ${whole}`,
          ).toBeUndefined();
        }
      }),
      RUNS,
    );
  });

  test("pydantic-ai-backend: the first that matches, and a star stops at a slash", () => {
    const part = fc.oneof({ weight: 4, arbitrary: word }, fc.constantFrom("*", "ru*", "src/*", "**", "t*t", "te?t", "src?a"));
    const own = fc
      .tuple(fc.oneof({ weight: 5, arbitrary: program }, fc.constantFrom("*", "z*", "**")), fc.array(part, { maxLength: 3 }))
      .map(([first, rest]) => [first, ...rest].join(" "));
    const matcher = (text: string): RegExp =>
      new RegExp(
        `^${escaped(text).replaceAll("**", "\0").replaceAll("*", "[^/]*").replaceAll("\0", ".*").replaceAll("\\?", "[^/]")}$`,
        "s",
      );
    fc.assert(
      fc.property(
        effect,
        fc.array(fc.tuple(effect, own), { maxLength: 5 }),
        fc.array(command, { minLength: 5, maxLength: 5 }),
        (fallback, rules, commands) => {
          const list = rules.map(([action, one]) => `\n${JSON.stringify({ pattern: one, action })}`).join(",");
          const { policy, lostLines } = imported(readPydantic(`{"execute":{"default":"${fallback}","rules":[${list}]}}`), "permissive");
          for (const line of commands) {
            const at = rules.findIndex(([, one]) => matcher(one).test(line));
            const decision = rules[at]?.[0] ?? fallback;
            expect(
              wrong({ decision, line: at + 2 }, ours(policy, line, false), lostLines),
              `${fallback}: ${list} for ${line}`,
            ).toBeUndefined();
          }
        },
      ),
      RUNS,
    );
  });
});
