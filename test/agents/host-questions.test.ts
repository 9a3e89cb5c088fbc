import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { isOwnHandler } from "../../packages/hosts/src/agents/install/own.ts";
import { otherQuestion } from "../../packages/hosts/src/agents/native/host-questions.ts";
import { HOST_READERS } from "../../packages/hosts/src/agents/native/host-rules.ts";
import { scratch } from "../scratch.ts";

/** Claude Code asks and offers no rule: was it for itself, or might it be somebody's question? */

const ARGS = "HOME=/home/you /usr/bin/node /opt/assent/dist/bin.cjs check --agent claude --event PreToolUse".split(" ");
const OURS = { type: "command", command: "/opt/assent/dist/launch-x64", args: ARGS };
const OTHERS = { type: "command", command: "guard --ask" };
const hooks = (matcher: string | undefined, ...handlers: readonly object[]): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ ...(matcher === undefined ? {} : { matcher }), hooks: handlers }] } });

interface Row {
  readonly what: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly words?: string;
  readonly objects?: RegExp;
}

const USER = "~/.claude/settings.json";
const ROWS: readonly Row[] = [
  { what: "nothing there" },
  { what: "our own hooks", files: { [USER]: hooks("*", OURS, OURS) } },
  { what: "a hook of somebody else's", files: { [USER]: hooks("Bash", OTHERS) }, objects: /a hook in .*settings\.json/ },
  { what: "one beside ours", files: { [USER]: hooks("*", OURS, OTHERS) }, objects: /a hook in/ },
  {
    what: "one that starts us as well",
    files: { [USER]: hooks("*", { type: "command", command: "guard --ask; assent check --agent claude" }) },
    objects: /a hook in/,
  },
  { what: "one that is given our words", files: { [USER]: hooks("*", { ...OURS, command: "/opt/guard" }) }, objects: /a hook in/ },
  { what: "one for every tool", files: { [USER]: hooks(undefined, OTHERS) }, objects: /a hook in/ },
  { what: "one whose pattern may mean the shell", files: { [USER]: hooks("B.*", OTHERS) }, objects: /a hook in/ },
  { what: "one for other tools", files: { [USER]: hooks("Edit|Write", OTHERS) } },
  { what: "one of the project's", files: { ".claude/settings.local.json": hooks("Edit|Bash", OTHERS) }, objects: /a hook in/ },
  { what: "hooks of another form", files: { [USER]: '{"hooks":{"PreToolUse":{"Bash":"guard"}}}' }, objects: /a hook in/ },
  { what: "settings that are broken", files: { [USER]: '{"hooks":' }, objects: /cannot be understood/ },
  { what: "a plugin", files: { [USER]: '{"enabledPlugins":{"guard@shop":true}}' }, objects: /a plugin/ },
  { what: "a plugin that is off", files: { [USER]: '{"enabledPlugins":{"guard@shop":false}}' } },
  { what: "an agent with hooks", files: { "~/.claude/agents/a/b.md": "---\nname: b\nhooks:\n  PreToolUse: []\n---\n" }, objects: /b\.md/ },
  { what: "a skill with hooks", files: { ".claude/skills/s/SKILL.md": '---\n"hooks": {}\n---\n' }, objects: /SKILL\.md/ },
  { what: "a skill with hooks in one line", files: { ".claude/skills/s/SKILL.md": "---\n{name: s, hooks: {}}\n---\n" }, objects: /SKILL/ },
  {
    what: "a skill whose key is written in another way",
    files: { "~/.claude/skills/s/SKILL.md": '---\n"h\\u006fo\\u006bs": {}\n---\n' },
    objects: /SKILL/,
  },
  { what: "a skill that tells of hooks", files: { ".claude/skills/s/SKILL.md": "---\nname: s\n---\n# How\nhooks: none\n" } },
  { what: "a skill without", files: { ".claude/skills/s/SKILL.md": "---\nname: s\n---\n# Text about hooks: none\n" } },
  { what: "options that say nothing of it", words: "-p prompt --model=opus --permission-mode default" },
  { what: "settings on the command line", words: "--settings /tmp/s.json", objects: /--settings/ },
  { what: "a folder whose skills are taken", words: "--add-dir /srv/other", objects: /--add-dir/ },
  { what: "a plugin on the command line", words: "--plugin-dir=/tmp/p", objects: /--plugin-dir/ },
  { what: "an option that nobody knows", words: "--some-new-option", objects: /--some-new-option/ },
];

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

it.each(ROWS)("$what", async ({ files = {}, words = "", objects }) => {
  const place = scratch();
  for (const [path, text] of Object.entries(files)) place.write(path.replace("~", place.home), text);
  const file = place.write("../claude", 'process.stdout.write("up"); setTimeout(() => {}, 60_000);');
  const child = spawn(process.execPath, [file, ...words.split(" ").filter((word) => word !== "")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  await once(child.stdout, "data");
  const reader = HOST_READERS["claude"];
  if (reader === undefined || child.pid === undefined) throw new Error("no such host");
  const said = otherQuestion(reader, { home: place.home, project: place.project, env: {} }, isOwnHandler, child.pid);
  if (objects === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(objects);
});

it("a host whose questions nobody knows cannot tell", () => {
  const reader = HOST_READERS["qwen"];
  expect(reader && otherQuestion(reader, { home: "/nowhere", project: undefined, env: {} }, isOwnHandler)).toMatch(/not known/);
});
