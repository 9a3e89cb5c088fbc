import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { editAround } from "../confined/editor.ts";
import { claude } from "./hosts/claude.ts";
import { prompt } from "./model/script.ts";
import { FakeModel } from "./model/server.ts";
import { HOME, MOUNTED, PROJECT } from "./place.ts";
import { POLICY } from "./scenarios.ts";
import { environmentOf, programOf, start, write } from "./start.ts";

/** One session in the machine of a run: an editor around Claude Code's side of ACP, one asked command, refused by the person. */
const adapter = { ...claude, program: "@agentclientprotocol/claude-agent-acp/dist/index.js", script: true };
const model = new FakeModel({ main: [adapter.shell("touch asked.txt")] });
const origin = `http://127.0.0.1:${await model.listen()}` as const;
const env = environmentOf(adapter, origin);
mkdirSync(PROJECT, { recursive: true });
await start(["git", "init", "-q", PROJECT], env, 20, "git");
for (const [path, text] of Object.entries(adapter.files(origin))) write(path, text);
// A rule of Claude's own that would let it run.
write(join(HOME, ".claude/settings.json"), JSON.stringify({ permissions: { allow: ["Bash(touch:*)"] } }));
write(join(HOME, ".agent-permissions.jsonc"), POLICY);
await start([MOUNTED.ownNode, `${MOUNTED.assent}/dist/bin.cjs`, "install", "--agent", "claude", "--yes"], env, 60, "install");
const { questions, shown, timedOut } = await editAround(programOf(adapter), env, prompt("main"), 120);
model.close();
const told = model.exchanges.flatMap(({ heard }) => heard?.turns.flatMap((turn) => (turn.by === "tool" ? [turn.text] : [])) ?? []);
writeFileSync(
  join(MOUNTED.out, "report.json"),
  JSON.stringify({ questions, shown, timedOut, told, made: existsSync(`${PROJECT}/asked.txt`) }),
);
