import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { scratch, type Scratch } from "../scratch.ts";
import { accessibilityFaults, endPage, openPage, useBrowser } from "./browser.ts";
import { HOSTILE, log } from "./log.ts";

const browser = useBrowser();
const NOW = Date.now();
const MANY = 900;
let place: Scratch;
beforeAll(() => {
  place = scratch({ keep: true });
  place.write("~/.agent-permissions.jsonc", '{\n  "permissions": { "deny": ["Bash(docker:*)"] }\n}\n');
  const rule = { text: "Bash(docker:*)", file: `${place.home}/.agent-permissions.jsonc`, line: 2 };
  log(place, [
    ...Array.from({ length: MANY }, (_, at) => ({ time: NOW - (MANY - at) * 60_000, command: `git show ${at}` })),
    { time: NOW - 5000, command: "docker ps", verdict: "deny", rule, reason: "a rule of yours" },
    { time: NOW - 4000, command: "make all", verdict: "ask", answer: "deny", agent: "codex", session: "s2" },
    { time: NOW - 3000, command: "./tool", confined: true },
    { time: NOW - 2000, command: "echo PASSWORD=hunter22hunter22", agent: "gemini" },
    { time: NOW - 1000, command: "npx cowsay", verdict: "ask" },
  ]);
});
afterAll(() => endPage(place));

const rows = (page: Page) => page.locator(".virtual-row");
const first = async (page: Page): Promise<string> => await rows(page).first().innerText();
const counted = async (page: Page, count: number): Promise<void> => {
  await page.locator(`.timeline-count[data-count="${count}"]`).waitFor();
};

async function open(
  view: string,
  options?: Parameters<typeof browser.context>[0],
): Promise<{ readonly page: Page; readonly faults: readonly string[]; readonly context: BrowserContext }> {
  const context = await browser.context(options);
  return { ...(await openPage(place, context, view)), context };
}

describe("the timeline", () => {
  it("shows all decisions, the newest first, and comes to the oldest by one key", async () => {
    const { page, faults, context } = await open("timeline");
    await counted(page, MANY + 5);
    await expect.poll(() => first(page)).toContain("npx cowsay");
    expect(await rows(page).count()).toBeLessThan(60);
    await page.keyboard.press("g");
    await page.keyboard.press("End");
    await page.getByText("git show 0", { exact: true }).waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator('[aria-selected="true"]').innerText()).toContain("PASSWORD");
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("shows all of a decision: its parts, the rule with its place, what would change it; Escape and Back close it", async () => {
    const { page, faults, context } = await open("timeline?text=docker");
    await counted(page, 1);
    await page.keyboard.press("g");
    await page.keyboard.press("Enter");
    const record = page.locator(".timeline-record");
    await record.getByText("docker ps").first().waitFor();
    const text = await record.innerText();
    for (const says of [
      "a rule of yours",
      "by the rule Bash(docker:*)",
      ".agent-permissions.jsonc:2",
      "no allow rule changes this",
      "judged by",
      "hook",
    ])
      expect(text).toContain(says);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await record.waitFor({ state: "detached" });
    await page.goBack();
    await record.waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("says which rule would let a question go ahead, and why what is not whole is not judged again", async () => {
    const { page, context } = await open("timeline?text=cowsay");
    await rows(page).first().click();
    const record = page.locator(".timeline-record");
    await record
      .getByText(/Bash\(npx cowsay/)
      .first()
      .waitFor();
    await page.evaluate(() => void (location.hash = "#/timeline?text=PASSWORD"));
    await rows(page).first().click();
    await record.getByText("a secret was taken out").waitFor();
    expect(await page.locator("main").innerText()).not.toContain("hunter22");
    await context.close();
  });

  it.each([
    ["verdict=deny", 2, "make all"],
    ["verdict=ask", 2, "npx cowsay"],
    ["verdict=confined", 1, "./tool"],
    ["agent=gemini", 1, "PASSWORD"],
    ["session=s2", 1, "make all"],
    ["text=GIT SHOW 7", 111, "git show 799"],
    [`until=${NOW - 4500}&since=${NOW - 5500}`, 1, "docker ps"],
    ["verdict=ask&agent=codex", 1, "make all"],
  ])("looks for %s", async (query, count, newest) => {
    const { page, context } = await open(`timeline?${query}`);
    await counted(page, count);
    expect(await first(page)).toContain(newest);
    await context.close();
  });

  it("is filtered by keyboard alone, and cleared", async () => {
    const { page, context } = await open("timeline");
    await counted(page, MANY + 5);
    await page.keyboard.press("/");
    await page.keyboard.type("cowsay\n");
    await counted(page, 1);
    expect(new URL(page.url()).hash).toBe("#/timeline?text=cowsay");
    await page.locator("h1").focus();
    await page.keyboard.press("c");
    await counted(page, MANY + 5);
    await page.evaluate(() => void (location.hash = "#/timeline?text=nowhere"));
    await page.getByText("No decision is like that.").waitFor();
    await page.evaluate(() => void (location.hash = "#/timeline?verdict=nonsense"));
    await page.getByText("what to look for is not clear").waitFor();
    await page.evaluate(() => void (location.hash = "#/timeline?record=77:1"));
    await page.getByText("this record does not exist, or is no longer kept").waitFor();
    await context.close();
  });

  it("shows what comes while it is open, and leaves who has scrolled where he is; what is hostile is only text", async () => {
    const { page, faults, context } = await open("timeline", { viewport: { width: 360, height: 700 } });
    await counted(page, MANY + 5);
    await page.keyboard.press("g");
    for (let down = 0; down < 40; down += 1) await page.keyboard.press("ArrowDown");
    const before = await page.locator('[aria-selected="true"]').innerText();
    log(
      place,
      HOSTILE.map((text) => ({ command: text, reason: text, agent: text, session: text })),
    );
    await counted(page, MANY + 5 + HOSTILE.length);
    await expect.poll(() => page.locator('[aria-selected="true"]').innerText()).toBe(before);
    await expect.poll(() => page.locator('[aria-selected="true"]').isVisible()).toBe(true);
    await page.keyboard.press("Home");
    await page.locator(".virtual-row", { hasText: "onerror" }).first().waitFor();
    for (let at = 0; at < HOSTILE.length; at += 1) {
      await rows(page).nth(at).click();
      await page.locator(".timeline-record dl").waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    }
    const shown = await page.evaluate(() => ({
      text: document.body.innerText,
      images: document.images.length,
      html: document.body.innerHTML,
    }));
    expect(shown.images).toBe(0);
    expect(shown.html).not.toContain("<script>alert");
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(/[\u001b\u0007\u202e\u2066\u200b]/.test(shown.text)).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("shows what comes that is looked for, and nothing else", async () => {
    const { page, context } = await open("timeline?agent=cursor");
    await counted(page, 0);
    log(place, [{ command: "git push", agent: "cursor" }, { command: "git pull" }]);
    await counted(page, 1);
    log(place, [
      { command: "git fetch", agent: "cursor" },
      { command: "git gc", agent: "cursor" },
    ]);
    await counted(page, 3);
    expect(await rows(page).allInnerTexts()).toEqual([
      expect.stringContaining("git gc"),
      expect.stringContaining("git fetch"),
      expect.stringContaining("git push"),
    ]);
    // More than one answer holds.
    log(
      place,
      Array.from({ length: 350 }, (_, at) => ({ command: `git tag ${at}`, agent: "cursor" })),
    );
    await expect.poll(() => first(page)).toContain("git tag 349");
    await page.keyboard.press("g");
    await page.keyboard.press("End");
    await counted(page, 353);
    await context.close();
  });
});
