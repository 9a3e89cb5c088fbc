import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { judgeOnly } from "@assent/page/preview";
import { decide } from "@assent/guard/engine";
import { SessionApprovals, canAutoApprove } from "../../packages/library/src/sdk/approve/can-auto-approve.ts";
import { openGuard, PermissionChecker, presets } from "@assent/library/sdk/compat";
import { Gateway } from "../../packages/library/src/sdk/mcp/gateway/gateway.ts";
import { addGrant, changeBypass, type Machine } from "@assent/guard/state";
import { NO_TOOL_SERVICE } from "../../packages/supervisor/src/supervise/services/services.ts";
import { GrantingJudge } from "../../packages/supervisor/src/supervise/judge/granting-judge.ts";
import { engine, scratch, type Scratch } from "../scratch.ts";

/**
 * One table for everything that judges: in each state each situation gives the answer of its row. Where situations differ
 * from each other the row says why. A row that becomes looser is a hole.
 *
 * What is asked everywhere is to change `notes.txt` in the project: by `touch`, by an MCP server's `write_file`, in a run by
 * a program that is started and then writes.
 */

const MINUTE = 60_000;
const argv = ["touch", "notes.txt"];
const command = argv.join(" ");

type Said = "allow" | "ask" | "deny" | "none" | "does not begin";

/** What each situation answers. */
const SITUATIONS = {
  hook: ({ machine, project }, mode = "default") => {
    const payload = { hook_event_name: "PreToolUse", cwd: project, permission_mode: mode, tool_name: "Bash", tool_input: { command } };
    const reading = claude.read({ payload, event: undefined, env: {}, folder: project });
    if (reading.is !== "request") throw new Error(reading.why);
    return decide(reading.request, { machine, ...engine, audit: false }).answer.decision;
  },
  explain: ({ machine, project }) => judgeOnly({ tool: "Bash", input: { command }, cwd: project }, machine, []).answer.decision,
  guard: ({ machine, project }) => openGuard({ machine, cwd: project, audit: false }).decide({ command }).decision,
  gateway: ({ machine, project }) => {
    const guard = openGuard({ machine, cwd: project, audit: false, point: "mcp", agent: "mcp" });
    const gateway = new Gateway({ guard, name: "files", onNotice: () => {} });
    let said: Said = "deny";
    const via = { toServer: () => void (said = "allow"), answer: () => {}, ask: () => void (said = "ask"), over: () => {} };
    const send = (method: string, params: object): void => {
      said = "deny";
      const message = { jsonrpc: "2.0", id: 1, method, params };
      gateway.fromClient({ message, line: Buffer.from(JSON.stringify(message)) }, via);
    };
    send("initialize", { capabilities: { elicitation: {} } });
    send("tools/call", { name: "write_file", arguments: { path: `${project}/notes.txt` } });
    return said;
  },
  ruleset: ({ machine, project }) =>
    new PermissionChecker(presets.default, { machine, cwd: project, audit: false }).checkSync("execute", command),
  approve: ({ machine, project }, approved = "") => {
    const approvals = new SessionApprovals();
    if (approved === "approved") approvals.add(argv, project);
    const { type } = canAutoApprove(argv, { policy: "suggest", workdir: project, machine, approvals });
    return ({ "auto-approve": "allow", "ask-user": "ask", reject: "deny" } as const)[type];
  },
  run: (place) => {
    let judge: GrantingJudge;
    try {
      judge = judgeOf(place);
    } catch {
      return "does not begin";
    }
    const path = "/usr/bin/touch";
    const exec = judge.exec([{ word: path, path, id: "", size: statSync("/bin/true").size, argv, file: "/bin/true" }], CALL, NOBODY);
    const target = { kind: "path", path: join(place.project, "notes.txt") } as const;
    const write = judge.call([{ kind: "file", operation: "write", target, origin: { by: "tool" } }], NOBODY);
    return exec.verdict.decision === "allow" ? write.decision : exec.verdict.decision;
  },
} satisfies Readonly<Record<string, (place: Place, how?: string) => Said>>;

type Place = Pick<Scratch, "machine" | "project" | "root">;
type Situation = keyof typeof SITUATIONS;

const NOBODY = {
  programs: () => [],
  logins: () => [],
  trail: () => undefined,
  toolService: () => NO_TOOL_SERVICE,
  builds: () => [],
  hosts: () => ({ service: [], named: [] }),
};
const CALL = { name: "exec", args: [] } as const;

const judgeOf = ({ machine, project, root }: Place): GrantingJudge =>
  new GrantingJudge({ machine, cwd: project, env: {}, policyFiles: [], profileFile: join(root, "no profile"), ...engine });

const user = (permissions: object) => (place: Scratch) => void place.write("~/.agent-permissions.jsonc", JSON.stringify({ permissions }));
const project = (permissions: object) => (place: Scratch) => void place.write(".agent-permissions.jsonc", JSON.stringify({ permissions }));

const TOUCH = ["Edit(notes.txt)", "Bash(touch:*)", "mcp__files__write_file"];
const asked = user({ ask: TOUCH });
const denied = user({ deny: TOUCH });
const broken = (place: Scratch): void => void place.write("~/.agent-permissions.jsonc", '{ "permissions": { "denny": [] } }');
const bypassed = (place: Scratch): void => void changeBypass(place.machine, undefined, Date.now() + 10 * MINUTE, Date.now());
const granted = (place: Scratch): void => {
  for (const rule of TOUCH) addGrant(place.machine, { kind: "rule", rule, until: Date.now() + 10 * MINUTE, by: "you" }, Date.now());
};
const fails = (place: Scratch): Machine => ({
  ...place.machine,
  get managedPolicy(): string {
    throw new Error("the disk is on fire");
  },
});

interface Row {
  readonly state: string;
  readonly is: readonly ((place: Scratch) => void)[];
  readonly fails?: true;
  /** Of the host's own bypass mode, and of what was approved for the session. */
  readonly how?: Readonly<Partial<Record<Situation, string>>>;
  readonly expect: Readonly<Record<Situation, Said>>;
}

const everywhere = (said: Said): Record<Situation, Said> => ({
  hook: said,
  explain: said,
  guard: said,
  gateway: said,
  ruleset: said,
  approve: said,
  run: said,
});

const ROWS: readonly Row[] = [
  // The host of a hook asks by itself, and `explain` says what such a host is told; a run allows changes in the project, because they can be undone.
  { state: "nothing", is: [], expect: { ...everywhere("ask"), hook: "none", explain: "none", run: "allow" } },
  { state: "denied", is: [denied], expect: everywhere("deny") },
  { state: "asked", is: [asked], expect: everywhere("ask") },
  // A ruleset is the program's own: what the user's files allow is not allowed to the program.
  { state: "allowed", is: [user({ allow: TOUCH })], expect: { ...everywhere("allow"), ruleset: "ask" } },
  { state: "allowed and denied", is: [user({ allow: TOUCH, deny: TOUCH })], expect: everywhere("deny") },

  // While a policy file is broken nothing goes ahead unasked, whatever would have allowed it.
  { state: "broken", is: [broken], expect: everywhere("ask") },
  { state: "broken, and a bypass", is: [broken, bypassed], expect: everywhere("ask") },
  // Where nobody is asked a question that nothing skips is a denial.
  {
    state: "broken, and the host's bypass",
    is: [broken],
    how: { hook: "bypassPermissions" },
    expect: { ...everywhere("ask"), hook: "deny" },
  },
  { state: "broken, and a grant", is: [broken, granted], expect: everywhere("ask") },
  { state: "broken, and a project that allows", is: [broken, project({ allow: TOUCH })], expect: everywhere("ask") },
  { state: "broken, and a project that denies", is: [broken, project({ deny: TOUCH })], expect: everywhere("deny") },
  // What a person has said yes to in these very words, in this session, was asked with the file as broken as it is.
  { state: "broken, and approved", is: [broken], how: { approve: "approved" }, expect: { ...everywhere("ask"), approve: "allow" } },

  // An error while judging is a question. A run whose judge cannot be made does not begin.
  { state: "fails", is: [], fails: true, expect: { ...everywhere("ask"), run: "does not begin" } },
  { state: "fails, and a bypass", is: [bypassed], fails: true, expect: { ...everywhere("ask"), run: "does not begin" } },
  {
    state: "fails, and the host's bypass",
    is: [],
    fails: true,
    how: { hook: "bypassPermissions" },
    expect: { ...everywhere("ask"), run: "does not begin" },
  },
  {
    state: "fails, and approved",
    is: [],
    fails: true,
    how: { approve: "approved" },
    expect: { ...everywhere("ask"), run: "does not begin" },
  },

  // A bypass is for the agents whose hooks ask: it is on because a person sits there.
  { state: "asked, and a bypass", is: [asked, bypassed], expect: { ...everywhere("ask"), hook: "allow" } },
  { state: "denied, and a bypass", is: [denied, bypassed], expect: everywhere("deny") },
  // Silence: the host's own bypass decides, as it does without Assent.
  {
    state: "asked, and the host's bypass",
    is: [asked],
    how: { hook: "bypassPermissions" },
    expect: { ...everywhere("ask"), hook: "none" },
  },
  { state: "denied, and the host's bypass", is: [denied], how: { hook: "bypassPermissions" }, expect: everywhere("deny") },

  // `explain` answers as if nothing had been granted; rulesets and `canAutoApprove` have no memory but their own.
  { state: "asked, and a grant", is: [asked, granted], expect: { ...everywhere("allow"), explain: "ask", ruleset: "ask", approve: "ask" } },
  { state: "denied, and a grant", is: [denied, granted], expect: everywhere("deny") },
  { state: "asked, and approved", is: [asked], how: { approve: "approved" }, expect: { ...everywhere("ask"), approve: "allow" } },
  { state: "denied, and approved", is: [denied], how: { approve: "approved" }, expect: everywhere("deny") },

  {
    state: "an untrusted project allows",
    is: [project({ allow: TOUCH })],
    expect: { ...everywhere("ask"), hook: "none", explain: "none", run: "allow" },
  },
  { state: "an untrusted project asks", is: [project({ ask: TOUCH })], expect: everywhere("ask") },
  { state: "an untrusted project denies", is: [project({ deny: TOUCH })], expect: everywhere("deny") },
  {
    state: "an untrusted project denies what the user allows",
    is: [user({ allow: TOUCH }), project({ deny: TOUCH })],
    expect: everywhere("deny"),
  },
];

describe("what each situation says", () => {
  it.each(ROWS)("$state", ({ is, how = {}, expect: expected, ...row }) => {
    const place = scratch();
    for (const set of is) set(place);
    const here = row.fails === true ? { ...place, machine: fails(place) } : place;
    const said = Object.fromEntries(Object.entries(SITUATIONS).map(([name, ask]) => [name, ask(here, how[name as Situation])]));
    expect(said).toEqual(expected);
  });
});
