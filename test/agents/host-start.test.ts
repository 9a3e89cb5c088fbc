import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { HOST_READERS } from "../../packages/hosts/src/agents/native/host-rules.ts";
import { startObjection } from "../../packages/hosts/src/agents/rules/host-start.ts";
import { scratch } from "../scratch.ts";

/** What a host's command line says, read from a process that was started so. */
const ROWS: readonly { readonly agent: string; readonly words: string; readonly script?: string; readonly objects: RegExp | undefined }[] =
  [
    { agent: "copilot", words: "", objects: undefined },
    { agent: "copilot", words: "-p prompt --allow-all-tools --model=gpt-4.1 --allow-tool shell(git:*)", objects: undefined },
    { agent: "copilot", words: "-p prompt --deny-tool shell(git:push)", objects: /--deny-tool/ },
    { agent: "copilot", words: "--deny-tool=shell(git:push)", objects: /--deny-tool=shell/ },
    { agent: "copilot", words: "--acp", objects: /--acp/ },
    { agent: "copilot", words: "--plan", objects: /--plan/ },
    { agent: "copilot", words: "--some-new-option", objects: /--some-new-option/ },
    // A title of the process's own takes the place of its words.
    { agent: "copilot", words: "--deny-tool shell", script: "process.title = 'copilot';", objects: /not known/ },
    { agent: "gemini", words: "--approval-mode yolo -p prompt", objects: undefined },
    { agent: "gemini", words: "--approval-mode=yolo", objects: undefined },
    { agent: "gemini", words: "-y", objects: undefined },
    { agent: "gemini", words: "", objects: /asks by itself/ },
    { agent: "gemini", words: "--approval-mode default -p yolo", objects: /asks by itself/ },
    { agent: "gemini", words: "--yolo --policy ./own.toml", objects: /--policy/ },
  ];

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

it.each(ROWS)("$agent $words $script", async ({ agent, words, script = "", objects }) => {
  const place = scratch();
  const file = place.write(`../${agent}`, `${script} process.stdout.write("up"); setTimeout(() => {}, 60_000);`);
  const child = spawn(process.execPath, [file, ...words.split(" ").filter((word) => word !== "")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  await once(child.stdout, "data");
  const start = HOST_READERS[agent]?.start;
  if (start === undefined || child.pid === undefined) throw new Error("no such host");
  const said = startObjection(start, child.pid);
  if (objects === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(objects);
});

it("a hook that no such host started cannot tell", () => {
  const start = HOST_READERS["copilot"]?.start;
  expect(start && startObjection(start)).toMatch(/not known/);
});
