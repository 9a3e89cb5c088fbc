// What the page's timeline costs over a large log: `npm run bench:page [-- RECORDS]`, with Debian's Chromium. Opens the page as
// `assent open` does, over a log of a million records in a scratch home, jumps through it, scrolls and looks for things.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { writeLargeLog } from "../../bench/large-log.ts";

const records = Number(process.argv[2] ?? "1000000");
const home = mkdtempSync(join(tmpdir(), "assent-page-"));
const state = join(home, ".local/state/assent");
const DIST = join(process.cwd(), "dist");
const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
const told = (what: string, all: readonly number[]): void =>
  console.log(`${what.padEnd(64)} median ${median(all).toFixed(0)} ms, worst ${Math.max(...all).toFixed(0)} ms`);

/** Until the rows that are seen are there. */
const isThere = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll(".virtual-row")];
    return rows.length > 5 && rows.every((row) => row.textContent !== "…");
  });
};

try {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  writeLargeLog(state, records);
  const env = { PATH: process.env["PATH"], HOME: home };
  const { stdout } = spawnSync(process.execPath, [join(DIST, "bin.cjs"), "open", "--print"], { cwd: home, env, encoding: "utf8" });
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--disable-gpu", "--disable-dev-shm-usage"],
    chromiumSandbox: process.getuid?.() !== 0,
  });
  const page = await browser.newPage();
  await page.goto(`file://${stdout.trim()}`);
  await page.waitForURL(/^http:/);
  await page.locator("main h1").waitFor();
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const show = async (hash: string): Promise<void> => {
    await page.evaluate((next) => void (location.hash = next), hash);
  };

  const opens: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await show("#/questions");
    await page.locator("main h1", { hasText: "Questions" }).waitFor();
    opens.push(
      await timed(async () => {
        await show("#/timeline");
        await isThere(page);
      }),
    );
  }
  console.log(`the first time the timeline was opened: ${opens[0]?.toFixed(0)} ms`);
  told("opened again", opens.slice(1));
  console.log(await page.locator(".timeline-count").innerText());

  const jumps: number[] = [];
  for (let jump = 0; jump < 30; jump += 1) {
    const share = ((jump * 7919) % 1000) / 1000;
    await page.evaluate((to) => {
      const box = document.querySelector(".virtual");
      if (box !== null) box.scrollTop = to * (box.scrollHeight - box.clientHeight);
    }, share);
    jumps.push(await timed(() => isThere(page)));
  }
  told("the bar dragged anywhere, until its rows are there", jumps);

  const frames = await page.evaluate(async () => {
    const box = document.querySelector(".virtual");
    const took: number[] = [];
    let before = performance.now();
    for (let at = 0; at < 120; at += 1) {
      box?.scrollBy(0, 90);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      took.push(now - before);
      before = now;
    }
    return took;
  });
  told("a frame while it is scrolled", frames);
  for (const [what, query] of [
    ["refused", "verdict=deny"],
    ["a text that is in 10 records", "text=needle.example"],
    ["a text that is nowhere", "text=nowhere+at+all"],
  ])
    console.log(
      `${`looked for ${what}, all of it`.padEnd(64)} ${(
        await timed(async () => {
          await show(`#/timeline?${query}`);
          await page.locator(`.timeline-count[data-count]`).waitFor();
          if (query !== "verdict=deny")
            await page.waitForFunction(() => !(document.querySelector(".timeline-count")?.textContent ?? "+").includes("+"));
        })
      ).toFixed(0)} ms`,
    );
  const plots = async (): Promise<number> =>
    await timed(async () => {
      await show("#/plots");
      await page.locator("svg").nth(4).waitFor();
    });
  console.log(`plots, counted for the first time ${(await plots()).toFixed(0)} ms`);
  await show("#/questions");
  await page.locator("main h1", { hasText: "Questions" }).waitFor();
  console.log(`plots, counted already ${(await plots()).toFixed(0)} ms`);
  const pids = readdirSync(join(state, "page")).flatMap((name) => {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own file
      return [(JSON.parse(readFileSync(join(state, "page", name, "process.json"), "utf8")) as { pid: number }).pid];
    } catch {
      return [];
    }
  });
  for (const pid of pids) {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    console.log(`the page's process: ${/VmHWM:\s+(\d+) kB/.exec(status)?.[1]} kB at most`);
    process.kill(pid, "SIGTERM");
  }
  await browser.close();
} finally {
  rmSync(home, { recursive: true, force: true });
}
