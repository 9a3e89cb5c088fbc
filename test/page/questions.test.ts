import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Page } from "playwright-core";
import type { Answer, Approver, Question } from "@assent/guard/approve";
import { answerQuestion, isSomebodyThere, openQuestions, queueApprover } from "@assent/guard/approve/queue";
import { checkRule, question } from "../approve/question.ts";
import { scratch, type Scratch } from "../scratch.ts";
import { accessibilityFaults, endPage, openPage, useBrowser } from "./browser.ts";

const browser = useBrowser();
let place: Scratch;
beforeAll(() => {
  place = scratch({ keep: true });
});
afterAll(() => endPage(place));

async function openContext(options?: Parameters<typeof browser.context>[0]) {
  const context = await browser.context(options);
  onTestFinished(async () => await context.close());
  const { page, faults } = await openPage(place, context, "questions");
  // Askers wait where somebody is there.
  await expect.poll(() => isSomebodyThere(place.machine)).toBe(true);
  return { page, faults, close: async () => await context.close() };
}

const asker = (more: Partial<Parameters<typeof queueApprover>[0]> = {}): Approver => {
  const approver = queueApprover({ machine: place.machine, point: "run", agent: "claude", checkRule, ...more });
  onTestFinished(async () => await approver.close(0));
  return approver;
};
const ask = async (one: Question, approver = asker(), signal = new AbortController().signal): Promise<Answer | undefined> =>
  await approver.ask(one, signal);

const card = (page: Page, text: string) => page.locator("article", { hasText: text });

/** A question appears, and can be answered once it could be read. */
async function shownCard(page: Page, text: string): Promise<void> {
  await card(page, text).waitFor();
  await page.waitForTimeout(450);
  await card(page, text).focus();
}

describe("a question", () => {
  const RULE = "Write(~/.npm/_cacache/**)";
  const ROWS: readonly (readonly [keys: readonly string[], answer: Answer])[] = [
    [["y"], { answer: "allow", scope: "once", by: "page" }],
    [["r"], { answer: "allow", scope: "session", by: "page" }],
    [["t"], { answer: "allow", scope: "tree", by: "page" }],
    [["m", "Enter"], { answer: "allow", scope: "time", minutes: 60, by: "page" }],
    [["m", "ArrowDown", "Tab", "Enter"], { answer: "allow", scope: "time", minutes: 240, by: "page" }],
    [["p", "Control+a", `text:${RULE}`, "Enter"], { answer: "allow", scope: "always", rule: RULE, by: "page" }],
    [["n"], { answer: "deny", scope: "once", by: "page" }],
    [["w", "text:use the other one", "Enter"], { answer: "deny", scope: "once", note: "use the other one", by: "page" }],
    [["N", "Control+a", `text:${RULE}`, "Enter"], { answer: "deny", scope: "always", rule: RULE, by: "page" }],
    [["p", "Escape", "n"], { answer: "deny", scope: "once", by: "page" }],
    [["q"], { answer: "quit", by: "page" }],
  ];

  it("is answered by keyboard, and stays in its place with what was answered", async () => {
    const { page, faults, close } = await openContext();
    for (const [at, [keys, expected]] of ROWS.entries()) {
      const answer = ask(question(at + 1, { group: `g${at}`, what: `write file-${at}.` }));
      await shownCard(page, `file-${at}.`);
      for (const key of keys) {
        if (key.startsWith("text:")) await page.keyboard.type(key.slice(5));
        else await page.keyboard.press(key);
      }
      const late = page.waitForTimeout(5000).then(() => "no answer");
      expect([keys, await Promise.race([answer, late])]).toEqual([keys, expected]);
      await card(page, `file-${at}.`).locator(".how").waitFor();
    }
    expect(await page.locator(".how").count()).toBe(ROWS.length);
    await page.keyboard.press("c");
    await expect.poll(() => page.locator("article").count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it("shows who wants what and why, the rule before it is written, and all that is known", async () => {
    const { page, faults, close } = await openContext();
    const answer = ask(question(1), asker({ patience: 60_000 }));
    await shownCard(page, "_cacache");
    const text = (await card(page, "_cacache").innerText()).replace(/\s+/g, " ");
    expect(text).toContain("npm install left-pad (node) wants to write ~/.npm/_cacache/1 (new file)");
    expect(text).toContain("asked because: outside the project");
    expect(text).toMatch(/claude, assent run, in \/home\/me\/project; waits \d+ s more/);
    await page.keyboard.press("o");
    expect(await page.locator("article dl").innerText()).toMatch(/started by\s+4100 sh {1,2}sh -c npm install left-pad/);
    await page.keyboard.press("p");
    expect(await page.locator("fieldset").innerText()).toContain("everything in ~/.npm/_cacache");
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.title()).toBe("(1) Questions · Assent");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Write(");
    await page.keyboard.press("Enter");
    await page.locator("article .notice").waitFor();
    expect(await page.locator("article .notice").textContent()).toContain("this is not a rule");
    await page.keyboard.press("Escape");
    await card(page, "_cacache").getByRole("button", { name: "No", exact: true }).click();
    expect(await answer).toMatchObject({ answer: "deny" });
    expect(faults).toEqual([expect.stringContaining("status of 400")]);
    await close();
  });

  it("shows what would change in files, and takes yes or no for an answer", async () => {
    const { page, faults, close } = await openContext();
    const difference = [".mcp.json (new)", "@@ -0,0 +1 @@", "+{}<b>\u001b[2J\u202e"];
    const answer = ask(question(1, { difference }));
    await shownCard(page, "_cacache");
    expect(await page.locator("article pre").innerText()).toBe(".mcp.json (new)\n@@ -0,0 +1 @@\n+{}<b>\\u{1b}[2J\\u{202e}");
    expect(await accessibilityFaults(page)).toEqual([]);
    for (const key of ["r", "t", "m", "p", "N"]) await page.keyboard.press(key);
    await page.keyboard.press("y");
    expect(await answer).toMatchObject({ answer: "allow", scope: "once" });
    expect(faults).toEqual([]);
    await close();
  });

  it("is not answered by what was pressed before it could be read", async () => {
    const { page, close } = await openContext();
    await page.evaluate(() => {
      new MutationObserver(() => {
        const fresh = document.querySelector<HTMLElement>("article[data-open=true]");
        fresh?.focus();
        for (const key of ["y", "t"]) fresh?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        for (const button of document.querySelectorAll<HTMLElement>("article button.yes")) button.click();
      }).observe(document.body, { childList: true, subtree: true });
    });
    const answer = ask(question(1));
    await card(page, "_cacache").waitFor();
    await page.waitForTimeout(450);
    expect(openQuestions(place.machine)).toHaveLength(1);
    await card(page, "_cacache").focus();
    await page.keyboard.press("n");
    expect(await answer).toMatchObject({ answer: "deny" });
    await close();
  });

  it("that others have answered, that needs no answer, or that nobody answered says so", async () => {
    const { page, close } = await openContext();
    const gone = new AbortController();
    const answers = [
      ask(question(1, { group: "a", what: "write one" })),
      ask(question(2, { group: "b", what: "write two" }), asker(), gone.signal),
      ask(question(3, { group: "c", what: "write three" }), asker({ patience: 1500 })),
    ];
    for (const text of ["one", "two", "three"]) await card(page, `write ${text}`).waitFor();
    const [first] = openQuestions(place.machine).filter((one) => one.question.what === "write one");
    answerQuestion(place.machine, first?.id ?? "", { answer: "allow", scope: "once" }, "terminal");
    gone.abort();
    await Promise.all(answers);
    const how = async (text: string): Promise<string | null> => await card(page, text).locator(".how").textContent();
    expect(await how("write one")).toBe("yes, once (answered in the terminal)");
    expect(await how("write two")).toBe("it needs no answer any more");
    expect(await how("write three")).toBe("nobody answered in time");
    await close();
  });

  it("of many alike is one, and one answer serves them all", async () => {
    const { page, close } = await openContext();
    const approver = asker();
    const answers = Array.from({ length: 30 }, (_, at) => ask(question(at + 1), approver));
    await page.locator("article", { hasText: "and 29 more like this" }).waitFor();
    expect(await page.locator("article[data-open=true]").count()).toBe(1);
    await page.waitForTimeout(450);
    await page.locator("article[data-open=true]").focus();
    await page.keyboard.press("y");
    expect(await Promise.all(answers)).toEqual(answers.map(() => ({ answer: "allow", scope: "once", by: "page" })));
    await close();
  });

  it("is asked of nobody once no page is open", async () => {
    const { close } = await openContext();
    await close();
    await expect.poll(() => isSomebodyThere(place.machine)).toBe(false);
  });
});

describe("a hostile question", () => {
  const NASTY = '<img src=x onerror="document.title=1"><script>document.title=1</script>\u001b[2J\u202egnp.exe\u200b\n\n\nYes, once';
  it.each([
    ["light", NASTY],
    ["dark", NASTY],
    ["light", "<b>".repeat(250_000)],
  ] as const)("is text, in %s and at a phone's width", async (colorScheme, nasty) => {
    const { page, faults, close } = await openContext({ colorScheme, viewport: { width: 360, height: 700 } });
    const answer = ask(
      question(1, {
        path: `/tmp/${nasty.slice(0, 3000)}`,
        what: `write ${nasty}`,
        reason: nasty,
        help: nasty.slice(0, 3000),
        cwd: `/${nasty.slice(0, 3000)}`,
        profile: nasty.slice(0, 3000),
        command: ["npm", nasty],
        process: { pid: 1, name: nasty.slice(0, 3000), argv: [nasty, nasty] },
        ancestry: Array.from({ length: 20 }, () => ({ pid: 2, name: nasty.slice(0, 2000), argv: [nasty] })),
        proposals: [{ rule: `Write(/tmp/${nasty.slice(0, 3000)})`, covers: nasty.slice(0, 3000) }],
      }),
    );
    await page.locator("article[data-open=true]").waitFor();
    await page.waitForTimeout(450);
    await page.locator("article[data-open=true]").focus();
    await page.keyboard.press("o");
    await page.keyboard.press("p");
    await page.locator("fieldset").waitFor();
    expect(await page.locator("main img, main script, main b").count()).toBe(0);
    expect(await page.title()).toBe("(1) Questions · Assent");
    expect(await page.locator("main").innerText()).not.toMatch(/\p{Cf}|\p{Cc}(?<![\n\t])/u);
    expect((await page.locator("main").innerText()).length).toBeLessThan(200_000);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    expect(await answer).toMatchObject({ answer: "deny" });
    expect(faults).toEqual([]);
    await close();
  });
});
