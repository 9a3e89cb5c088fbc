import type { Decision, RequestVerdict } from "@assent/core/policy";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide, type Input, type Outcome } from "@assent/guard/engine";
import { changeConsent } from "@assent/guard/state";
import { engine, scratch, type Scratch } from "../scratch.ts";

/**
 * The place where the acceptance tests ask: a home with a project in it, both made for the test, and the real guard.
 * Commands are only judged, never run.
 */

/** A policy file's content, or the text of one. */
export type PolicyText = Readonly<Record<string, unknown>> | string;

export interface Call {
  readonly tool: string;
  readonly input: Input;
}

/** A shell command, or a call of another tool. */
export type Asked = string | Call;

export interface Circumstances {
  readonly cwd?: string;
  readonly platform?: NodeJS.Platform;
}

export interface Place extends Scratch {
  /** Replaces the user's policy file. */
  readonly user: (policy: PolicyText) => void;
  /** Replaces the project's policy file; `trusted` as `assent trust` would. */
  readonly own: (policy: PolicyText, trusted?: boolean) => void;
  readonly outcome: (asked: Asked, more?: Circumstances) => Outcome;
  readonly verdict: (asked: Asked, more?: Circumstances) => RequestVerdict;
  /** What Claude Code is told: `silence`, or the decision. */
  readonly told: (asked: Asked, mode?: string) => Told;
}

export type Told = "allow" | "ask" | "deny" | "silence";

const POLICY = ".agent-permissions.jsonc";
const HOST = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;

const FILES: Readonly<Record<string, string>> = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/hooks/pre-commit.sample": "",
  "package.json": "{}",
  "package-lock.json": "{}",
  "README.md": "",
  "a.txt": "a\n",
  "b.txt": "b\n",
  "src/a.ts": "",
  "src/index.ts": "",
  "src/a/b.ts": "",
  "packages/a/package.json": "{}",
  "node_modules/x/package.json": "{}",
  "~/.bashrc": "",
  "~/.ssh/id_rsa": "",
  "~/.aws/credentials": "",
};

/** One for a whole test file: removed when its tests have run. */
export function place(more: Readonly<Record<string, string>> = {}): Place {
  const made = scratch({ keep: true });
  afterAll(() => rmSync(made.root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries({ ...FILES, ...more })) made.write(path, text);
  // Its person has said `assent auto on`: the policy's mode counts.
  changeConsent(made.machine, (consent) => ({ ...consent, modes: "2026-01-02T03:04:05.678Z" }));

  const outcome: Place["outcome"] = (asked, { cwd = made.project, platform = "linux" } = {}) => {
    const { tool, input } = typeof asked === "string" ? { tool: "Bash", input: { command: asked } } : asked;
    const facts = Object.hasOwn(claude.tools, tool) ? claude.tools[tool] : undefined;
    return decide(
      { tool, facts, input, cwd, host: HOST, point: "test", agent: "claude" },
      { machine: { ...made.machine, platform }, ...engine, audit: false },
    );
  };

  return {
    ...made,
    user: (policy) => void made.write(`~/${POLICY}`, asText(policy)),
    own: (policy, trusted = false) => {
      const text = asText(policy);
      const file = made.write(POLICY, text);
      if (trusted) trust(made, file, text);
    },
    outcome,
    verdict: (asked, options) => outcome(asked, options).verdict,
    told: (asked, mode = "default") => {
      const { tool, input } = typeof asked === "string" ? { tool: "Bash", input: { command: asked } } : asked;
      const payload = {
        session_id: "s",
        hook_event_name: "PreToolUse",
        permission_mode: mode,
        cwd: made.project,
        tool_name: tool,
        tool_input: input,
      };
      const reading = claude.read({ payload, event: "PreToolUse", env: made.machine.env, folder: made.project });
      if (reading.is !== "request") throw new Error(`not a request: ${reading.why}`);
      return toldBy(claude.write(decide(reading.request, { machine: made.machine, ...engine, audit: false })).envelope ?? {});
    },
  };
}

function asText(policy: PolicyText): string {
  return typeof policy === "string" ? policy : JSON.stringify(policy);
}

function trust(made: Scratch, file: string, text: string): void {
  const pin = createHash("sha256").update(text).digest("hex");
  mkdirSync(join(made.home, ".local/state/assent"), { recursive: true, mode: 0o700 });
  chmodSync(made.write("~/.local/state/assent/trust.json", JSON.stringify({ version: 1, projects: { [file]: pin } })), 0o600);
}

function toldBy(envelope: Readonly<Record<string, unknown>>): Told {
  const output = envelope["hookSpecificOutput"];
  const decision = typeof output === "object" && output !== null && "permissionDecision" in output ? output.permissionDecision : "silence";
  if (decision === "allow" || decision === "ask" || decision === "deny" || decision === "silence") return decision;
  throw new Error(`no decision: ${JSON.stringify(envelope)}`);
}

/** What a row of the ledger expects; `or better` is written as the verdicts that satisfy it. */
export type Expected = Decision | readonly Decision[];

/** Anything but allow: the person is not passed by. */
export const NOT_ALLOWED: readonly Decision[] = ["ask", "deny", "none"];

export const verdicts = (expected: Expected): readonly Decision[] => (typeof expected === "string" ? [expected] : expected);

/** A request as the title of its row: the command, or the tool and what it is asked for. */
export function shown(asked: Asked): string {
  if (typeof asked === "string") return asked;
  const [first] = Object.values(asked.input);
  return `${asked.tool} ${typeof first === "string" ? first : JSON.stringify(asked.input).slice(0, 80)}`;
}
