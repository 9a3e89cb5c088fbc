import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Question } from "@assent/guard/approve";
import { queueApprover } from "@assent/guard/approve/queue";
import type { Machine } from "@assent/guard/state";
import { launchBrowser } from "./chromium.ts";
import { pagePids } from "./page-pids.ts";

export interface PagePicture {
  readonly file: string;
  readonly png: Uint8Array;
}

const POLICY = `{
  // What agents may do, in every project of mine.
  "permissions": {
    "allow": [
      "Bash(npm test:*)", // runs no code that I have not read
      "Edit(src/**)"
    ],
    "ask": ["Shell(git push ...)"],
    "deny": [{ "rule": "Read(**/*.pem)", "reason": "certificates are none of your business" }]
  }
}
`;

const QUESTION: Omit<Question, "cwd"> = {
  seq: 1,
  run: "r",
  profile: "confined",
  process: { pid: 4121, name: "node", argv: ["node", "/usr/bin/npm", "install", "left-pad"] },
  ancestry: [{ pid: 4100, name: "sh", argv: ["sh", "-c", "npm install left-pad"] }],
  command: ["npm", "install", "left-pad"],
  call: { name: "connect", args: ["registry.npmjs.org:443"] },
  action: { kind: "net", operation: "connect", host: "registry.npmjs.org", port: 443, origin: { by: "tool" } },
  what: "connect to registry.npmjs.org:443",
  reason: "no rule allows it",
  proposals: [
    { rule: "Net(registry.npmjs.org:443)", covers: "this host and port" },
    { rule: "Net(*.npmjs.org)", covers: "every host below npmjs.org" },
  ],
  group: "net registry.npmjs.org",
};

/** The page as it really is, with what it would show on an ordinary day. `npm run pictures` writes them. */
export async function pagePictures(root: string): Promise<readonly PagePicture[]> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "assent-picture-")));
  const project = join(home, "shop");
  mkdirSync(join(project, ".git"), { recursive: true });
  writeFileSync(join(home, ".agent-permissions.jsonc"), POLICY);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home };
  const assent = (args: readonly string[], input = ""): string =>
    spawnSync(process.execPath, [join(root, "dist/bin.cjs"), ...args], { cwd: project, env, input, encoding: "utf8" }).stdout;
  const request = (command: string): string =>
    assent(
      ["check", "--agent", "claude"],
      JSON.stringify({
        hook_event_name: "PreToolUse",
        session_id: "s",
        permission_mode: "default",
        tool_name: "Bash",
        tool_input: { command },
        cwd: project,
      }),
    );
  for (const command of [
    "git status",
    "npm test",
    "npm run build",
    "npm run build",
    "grep -rn TODO src",
    "rm -rf ~",
    "cat .env",
    "git push",
  ])
    request(command);
  // Claude Code is there, and asks.
  mkdirSync(join(home, ".claude"));
  assent(["install", "--agent", "claude", "--yes"]);
  const machine: Machine = {
    home,
    account: home,
    env,
    platform: "linux",
    uid: process.getuid?.(),
    temp: ["/tmp"],
    managedPolicy: join(home, "none.jsonc"),
  };
  const queue = queueApprover({ machine, point: "confined", agent: "claude", session: "s", patience: 110_000, checkRule: () => undefined });
  const gone = new AbortController();
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1000, height: 640 }, colorScheme: "light" });
    await page.goto(`file://${assent(["open", "--print"]).trim()}`);
    await page.locator(".protection").waitFor();
    void queue.ask({ ...QUESTION, cwd: project }, gone.signal);
    await page.locator(".waiting[data-open=true]").waitFor();
    const pictures: PagePicture[] = [];
    const take = async (name: string): Promise<void> => {
      pictures.push({ file: `docs/pictures/${name}.png`, png: await page.screenshot({ animations: "disabled", caret: "hide" }) });
    };
    await take("page-overview");
    await page.evaluate("location.hash = '#/questions'");
    await page.locator("article[data-open=true]").focus();
    await page.getByRole("button", { name: "More answers" }).click();
    await page.mouse.move(0, 0);
    await page.locator("article[data-open=true]").focus();
    await take("page-questions");
    await page.evaluate("location.hash = '#/timeline'");
    await page.getByText("rm -rf ~").first().waitFor();
    await take("page-timeline");
    await page.evaluate("location.hash = '#/policy'");
    await page.locator("#remarks:not([aria-busy=true])").waitFor();
    await page.locator("#rule-text").fill("Bash(npm run build)");
    await page.locator("button:not([disabled])", { hasText: "Add the rule" }).click();
    await page.locator(".rules code", { hasText: "npm run build" }).waitFor();
    await page.locator("button:not([disabled])", { hasText: "Save…" }).click();
    await page.locator("dialog .replay table").waitFor();
    await take("page-policy");
    return pictures;
  } finally {
    gone.abort();
    await queue.close(0);
    await browser.close();
    for (const pid of pagePids(home)) process.kill(pid, "SIGTERM");
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
