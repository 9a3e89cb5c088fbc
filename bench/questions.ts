// `npm run bench:questions`: how long a question takes to the page in a real browser, and its answer back. Needs `npm run build`.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { queueApprover } from "@assent/guard/approve/queue";
import type { Machine } from "@assent/guard/state";
import { question } from "../test/approve/question.ts";
import { launchBrowser } from "../test/page/chromium.ts";
import { pagePids } from "../test/page/page-pids.ts";

const QUESTIONS = 40;
/** What was pressed before a question could be read answers nothing. */
const READ_MS = 500;

const home = realpathSync(mkdtempSync(join(tmpdir(), "assent-bench-")));
mkdirSync(join(home, "project/.git"), { recursive: true });
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home };
const machine: Machine = {
  home,
  account: home,
  env,
  platform: "linux",
  uid: process.getuid?.(),
  temp: ["/tmp"],
  managedPolicy: join(home, "none.jsonc"),
};
const row = (what: string, times: readonly number[]): void => {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => `${(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0)} ms`;
  process.stdout.write(`${what.padEnd(40)} median ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)}\n`);
};

const browser = await launchBrowser();
const queue = queueApprover({ machine, point: "confined", agent: "claude", session: "s", checkRule: () => undefined });
try {
  const began = performance.now();
  const { stdout } = spawnSync(process.execPath, ["dist/bin.cjs", "open", "--print", "--cwd", join(home, "project")], {
    env,
    encoding: "utf8",
  });
  const started = performance.now();
  const page = await browser.newPage();
  await page.goto(`file://${stdout.trim()}`);
  await page.locator("#waiting").waitFor();
  const opened = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 500));
  // By the clock of the machine, in both processes.
  await page.evaluate(`
    globalThis.appeared = {};
    new MutationObserver(() => {
      for (const one of document.querySelectorAll("article[data-open=true]")) globalThis.appeared[one.innerText.match(/file-\\d+/)?.[0]] ??= Date.now();
    }).observe(document.body, { childList: true, subtree: true });
  `);
  const there: number[] = [];
  const back: number[] = [];
  for (let at = 0; at < QUESTIONS; at++) {
    const name = `file-${at}`;
    const asked = Date.now();
    const answer = queue.ask(question(at + 1, { group: name, what: `write ${name}` }), new AbortController().signal);
    const card = page.locator("article[data-open=true]", { hasText: name });
    await card.waitFor();
    there.push(Number(await page.evaluate(`globalThis.appeared[${JSON.stringify(name)}]`)) - asked);
    await new Promise((resolve) => setTimeout(resolve, READ_MS));
    await card.focus();
    const pressed = performance.now();
    await page.keyboard.press("y");
    await answer;
    back.push(performance.now() - pressed);
  }
  row("assent open, no process yet", [started - began]);
  row("from the file to the page", [opened - started]);
  row("a question, until the page shows it", there);
  row("a key, until the asker has the answer", back);
} finally {
  await queue.close(0);
  await browser.close();
  for (const pid of pagePids(home)) process.kill(pid, "SIGTERM");
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
