import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isConfinedCommand } from "@assent/core/action";
import { speakOf } from "../../packages/hosts/src/agents/codex/execpolicy.ts";
import { takeTicket } from "@assent/guard/state";
import { assent, scratch, type Scratch } from "../scratch.ts";

const POLICY = `{ "unknown": "confine", "permissions": { "deny": ["Bash(touch denied.txt)"], "ask": ["Bash(touch asked.txt)"] } }`;
const TURN = "01a20a59-e965-73f0-8d59-5cc62241728e";
const FULL = { permission_profile: { type: "disabled" }, sandbox_policy: { type: "danger-full-access" } };
const SESSION = "~/.codex/sessions/2026/11/23/rollout.jsonl";

const context = (payload: object, turn = TURN): string =>
  `${JSON.stringify({ timestamp: "2026-11-23T21:39:54.000Z", type: "turn_context", payload: { turn_id: turn, ...payload } })}\n`;

function placed(record = context(FULL), policy = POLICY): Scratch {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", policy);
  place.write(SESSION, record);
  return place;
}

/** The envelope that Codex 0.169.0 sends. */
const envelope = (place: Scratch, command: string, more: object = {}): object => ({
  session_id: "01a20a59-e944-7731-af51-a4d75d4f6289",
  turn_id: TURN,
  transcript_path: SESSION.replace("~", place.home),
  cwd: place.project,
  hook_event_name: "PreToolUse",
  model: "gpt-5.5",
  permission_mode: "bypassPermissions",
  tool_name: "Bash",
  tool_input: { command },
  tool_use_id: "call_1",
  ...more,
});

interface Said {
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: { readonly command: string };
  };
}

function hook(place: Scratch, command: string, more: object = {}): Said {
  const { stdout, status } = assent(place, ["check", "--agent", "codex"], JSON.stringify(envelope(place, command, more)));
  expect(status).toBe(0);
  return JSON.parse(stdout) as Said;
}

const insteadOf = (said: Said): string => said.hookSpecificOutput?.updatedInput?.command ?? "";
const reasonOf = (place: Scratch): string => {
  const lines = readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8").trim().split("\n");
  return (JSON.parse(lines.at(-1) ?? "") as { readonly reason: string }).reason;
};

it("golden/codex-confined.md: in and out, word for word", async () => {
  const place = placed();
  place.write("~/.codex/rules/own.rules", 'prefix_rule(pattern = ["./deploy.sh"], decision = "forbidden")\n');
  const shown = (value: unknown): string =>
    JSON.stringify(value)
      .replaceAll(place.project, "/p")
      .replaceAll(place.home, "~")
      .replaceAll(/(?<=confine )[0-9a-f]{16}/g, "0123456789abcdef");
  const lines = [
    '# Codex, with `"unknown": "confine"` and no sandbox of its own',
    "",
    "What the host sends, and what it is told. Written by codex-confined.test.ts, read by people.",
    "",
  ];
  for (const [what, command] of [
    ["A command that nobody knows", "./tidy.sh 'a b' \"$HOME\"; echo $?"],
    ["A harmless command", "ls -la"],
    ["A rule denies", "touch denied.txt"],
    ["A rule asks", "touch asked.txt"],
    ["A rule of Codex's own forbids, and Codex hears it", "./deploy.sh now"],
    ["A rule of Codex's own forbids, and Codex would not hear it", "./deploy.sh now > log.txt"],
    ["What was put in the place of a command comes back", `${place.home}/.local/share/assent/confine 0123456789abcdef './tidy.sh'`],
  ] as const)
    lines.push(`${what}:`, "", "```", `> ${shown(envelope(place, command))}`, `< ${shown(hook(place, command))}`, "```", "");
  await expect(lines.join("\n")).toMatchFileSnapshot("golden/codex-confined.md");
});

it("the ticket holds the command that was asked about, for the session and the folder", () => {
  const place = placed();
  const instead = insteadOf(hook(place, "./tidy.sh 'a b'"));
  expect(isConfinedCommand(place.home, instead)).toBe(true);
  expect(takeTicket(place.machine, instead.split(" ")[1] ?? "")).toMatchObject({
    agent: "codex",
    session: "01a20a59-e944-7731-af51-a4d75d4f6289",
    command: "./tidy.sh 'a b'",
    cwd: place.project,
  });
});

describe("which sandbox is in force, by Codex's own record of the turn", () => {
  const WORKSPACE = { permission_profile: { type: "managed" }, sandbox_policy: { type: "workspace-write" } };
  const quoted = `${JSON.stringify({ type: "response_item", payload: { text: context(FULL) } })}\n`;
  const long = `${JSON.stringify({ type: "response_item", payload: { text: "x".repeat(3 << 20) } })}\n`;

  /** [what, the record, more of the envelope, why nothing is confined; undefined: it is] */
  const ROWS: readonly (readonly [string, string, object, RegExp | undefined])[] = [
    ["none", context(FULL), {}, undefined],
    ["none, said long ago", context(FULL) + long, {}, undefined],
    ["none, and a line is being written", `${context(FULL)}{"type":"turn_cont`, {}, undefined],
    ["none any more", context(WORKSPACE, "other") + context(FULL), {}, undefined],
    ["workspace-write", context(WORKSPACE), {}, /sandbox of its own/],
    ["workspace-write by now", context(FULL) + context(WORKSPACE), {}, /sandbox of its own/],
    ["read-only", context({ ...WORKSPACE, sandbox_policy: { type: "read-only" } }), {}, /sandbox of its own/],
    ["one that this does not know", context({ ...FULL, permission_profile: { type: "named" } }), {}, /sandbox of its own/],
    ["an older Codex, which tells half", context({ sandbox_policy: FULL.sandbox_policy }), {}, /sandbox of its own/],
    ["only another turn's", context(FULL, "other"), {}, /does not say/],
    ["a command printed such a line", quoted, {}, /does not say/],
    ["nothing is written down", "", {}, /does not say/],
    ["the session keeps no record", context(FULL), { transcript_path: null }, /keeps no record/],
    ["no turn is named", context(FULL), { turn_id: undefined }, /keeps no record/],
    ["the record is somewhere else", context(FULL), { transcript_path: "/etc/hostname" }, /another folder/],
  ];
  it.each(ROWS)("%s", (_, record, more, why) => {
    const place = placed(record);
    const said = hook(place, "./tidy.sh", more);
    if (why === undefined) expect(isConfinedCommand(place.home, insteadOf(said))).toBe(true);
    else {
      expect(said).toEqual({});
      expect(reasonOf(place)).toMatch(why);
    }
  });

  it("a link in the place of the record leads nowhere", () => {
    const place = placed();
    place.write("lure.jsonl", context(FULL));
    symlinkSync(join(place.project, "lure.jsonl"), join(place.home, ".codex/sessions/link.jsonl"));
    expect(hook(place, "./tidy.sh", { transcript_path: join(place.home, ".codex/sessions/link.jsonl") })).toEqual({});
  });

  it.each(["~/.codex/sessions/2026/11/23/rollout.jsonl", "~/.codex/environments.toml", "~/.codex/cloud-config-bundle-cache.json"])(
    "an agent does not write %s",
    (path) => {
      const { hookSpecificOutput } = hook(placed(), `echo x >> ${path}`);
      expect(hookSpecificOutput?.permissionDecision).toBe("deny");
    },
  );
});

it("before Codex's own question nothing is put in the place of a command", () => {
  expect(hook(placed(), "./tidy.sh", { hook_event_name: "PermissionRequest" })).toEqual({});
});

describe("rules of Codex's own", () => {
  const rule = (words: string, decision: string): string => `prefix_rule(pattern = [${words}], decision = "${decision}")\n`;
  const FORBIDDEN = { "~/.codex/rules/own.rules": rule('"deploy"', "forbidden") };
  const PROMPT = { "~/.codex/rules/own.rules": rule('"deploy", ["now", "soon"]', "prompt") };

  /** [files, command, what becomes of it] */
  const ROWS: readonly (readonly [Readonly<Record<string, string>>, string, "confined" | "left to Codex" | "refused"])[] = [
    [FORBIDDEN, "./tidy.sh", "confined"],
    [FORBIDDEN, "deploy now", "left to Codex"],
    [FORBIDDEN, "./tidy.sh && deploy", "left to Codex"],
    [FORBIDDEN, "./tidy.sh && /opt/bin/deploy", "refused"],
    [FORBIDDEN, "./tidy.sh # deploy", "refused"],
    [FORBIDDEN, "'deploy' now", "refused"],
    [FORBIDDEN, "./deploy.sh", "confined"],
    [PROMPT, "deploy soon", "left to Codex"],
    [PROMPT, "deploy later", "confined"],
    [PROMPT, "deploy soon >log.txt", "refused"],
    [{ "~/.codex/rules/own.rules": rule('"deploy"', "allow") }, "deploy now", "confined"],
    [{ "~/.codex/rules/own.rules": rule('"bash"', "prompt") }, "./tidy.sh", "confined"],
    [{ "~/.codex/rules/own.rules": rule('"bash"', "prompt") }, "bash tidy.sh", "left to Codex"],
    [{ "~/.codex/rules/own.rules": rule('"bash"', "prompt") }, "./tidy.sh $X", "refused"],
    // Codex reads what lies in the folder of a project only where its user trusts it, and nothing says that here.
    [{ ".codex/rules/theirs.rules": rule('"./tidy.sh"', "prompt") }, "./tidy.sh", "refused"],
    [{ ".codex/rules/theirs.rules": "frobnicate(" }, "./tidy.sh", "refused"],
    [{ ".codex/rules/theirs.rules": rule('"deploy"', "prompt") }, "./tidy.sh", "confined"],
    [{ "~/.codex/rules/own.rules": "frobnicate(" }, "./tidy.sh", "left to Codex"],
    [{ "~/.codex/cloud-config-bundle-cache.json": '{"x":"[[rules.prefix_rules]]"}' }, "./tidy.sh", "left to Codex"],
    [{ "~/.codex/cloud-config-bundle-cache.json": '{"x":"y"}' }, "./tidy.sh", "confined"],
    [{ "~/.codex/environments.toml": "" }, "./tidy.sh", "left to Codex"],
  ];
  it.each(ROWS)("%j: %s: %s", (files, command, becomes) => {
    const place = placed();
    for (const [path, text] of Object.entries(files)) place.write(path, text);
    const said = hook(place, command);
    const refused = said.hookSpecificOutput?.permissionDecision === "deny";
    const found = isConfinedCommand(place.home, insteadOf(said)) ? "confined" : refused ? "refused" : "left to Codex";
    expect(found).toBe(becomes);
    if (refused) expect(said.hookSpecificOutput?.permissionDecisionReason).toMatch(/rule.* of the host's.*in plain words/s);
  });

  it("of a folder between the repository and the session's", () => {
    const place = placed();
    place.write("sub/.codex/rules/a.rules", rule('"./tidy.sh"', "prompt"));
    place.write("sub/deep/tidy.sh", "");
    const said = hook(place, "./tidy.sh", { cwd: join(place.project, "sub/deep") });
    expect(said.hookSpecificOutput?.permissionDecision).toBe("deny");
  });
});

/**
 * Driven with Codex 0.169.0 and three forbidden prefixes: what is said here is what it did, but for `perhaps`, where it may do either.
 * Commands, one a line, `⏎` for a new line.
 */
const SPEECH: Readonly<Record<"surely" | "perhaps" | "no", string>> = {
  surely: String.raw`
forbid
forbid x
forbid  x
 forbid x
forbid⇥x
forbid x 
forbid x⏎
forbid 'a b' "c d"
forbid "a"'b'c
forbid -x --y=z
forbid 'a;b'
forbid @x %1
forbid +x
forbid ''
forbid a,b
forbid a:b
forbid x && echo a
echo a||forbid
echo a|forbid b
forbid x;echo b
forbid x⏎echo b
forbid ;echo
cd /tmp && forbid
two words
two 'words' x
two wor"ds"
cd /tmp; two words
true && forbid x || two words
alt a
alt b`,
  perhaps: String.raw`
/usr/bin/forbid a
./forbid a
forbid/ a
forbid x;
echo a⏎⏎forbid x
forbid é
forbid x\⏎ y
forbid;echo;
forbid 1>x
forbid 'x'>y
if true; then forbid; fi
while forbid; do :; done
forbid() { :; }; forbid
eval forbid x
exec forbid
time forbid
f'orbid' x
forbid a &&
|| forbid
echo $X; forbid
echo "$X"; forbid
forbid <<'E'⏎x⏎E
forbid < /dev/null
(two words)
{ forbid x; }
! forbid
forbid $(id)
forbid [x]
forbid ~/x
X=1; forbid
[[ forbid ]]
forbid x # y
echo # forbid
forb\id
forbid {a,b}
forbid *
forbid &
echo $(forbid)
$'forbid' x`,
  no: String.raw`
env forbid x
sudo forbid
two other
two⏎words
alt c
FORBID x
forbidden x
bash
echo hi > q
zsh -c forbid
echo words two
echo 'forbid'
xforbid
forbid.sh`,
};

const LINES = Object.entries(SPEECH).flatMap(([said, text]) =>
  text
    .split("\n")
    .slice(1)
    .map((line) => [line.replaceAll("⏎", "\n").replaceAll("⇥", "\t"), said] as const),
);

it.each(LINES)("%j: %s", (command, said) => {
  const found = ["Bash(forbid:*)", "Bash(two words:*)", "Bash(alt a:*)", "Bash(alt b:*)"].map((rule) => speakOf(rule, command));
  expect(found.includes("surely") ? "surely" : found.includes("perhaps") ? "perhaps" : "no").toBe(said);
});
