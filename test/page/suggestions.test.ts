import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";
import { accessibilityFaults, endPage, openPage, useBrowser } from "./browser.ts";

const browser = useBrowser();
let place: Scratch;

function request(command: string, times = 1): void {
  const envelope = {
    hook_event_name: "PreToolUse",
    session_id: "s",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command },
    cwd: place.project,
  };
  for (let at = 0; at < times; at++) assent(place, ["check", "--agent", "claude"], JSON.stringify(envelope));
}

beforeAll(() => {
  place = scratch({ keep: true });
  place.write("~/.agent-permissions.jsonc", '{\n  // mine\n  "permissions": { "allow": [], "deny": ["Bash(make deploy)"] }\n}\n');
  request("npm run build", 3);
  request("make deploy");
  request("terraform '<img src=x onerror=alert(1)>'");
});
afterAll(() => endPage(place));

describe("a suggestion", () => {
  it.each([
    ["light", 1000],
    ["dark", 360],
  ] as const)("is shown with its proof, in %s, %d pixels wide", async (colorScheme, width) => {
    const context = await browser.context({ colorScheme, viewport: { width, height: 700 } });
    const { page, faults } = await openPage(place, context, "suggestions");
    await page.locator("article.suggestion").first().waitFor();
    expect(await page.locator("article.suggestion", { hasText: "npm run build" }).innerText()).toMatch(
      /would have saved 3 questions[^]*3 × npm run build in ~\/project/,
    );
    expect(await page.locator(".notice").textContent()).toMatch(/held against 1 refused request of the log and \d+ commands/);
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("is taken by one key, with a comment that says where it is from, and needs no question any more", async () => {
    const context = await browser.context();
    const { page, faults } = await openPage(place, context, "suggestions");
    const card = page.locator("article.suggestion", { hasText: "npm run build" });
    await card.waitFor();
    await page.keyboard.press("j");
    await card.getByRole("button", { name: "Add to my policy" }).focus();
    await page.keyboard.press("Enter");
    await card.locator("a", { hasText: "Look at it" }).waitFor();
    const text = readFileSync(join(place.home, ".agent-permissions.jsonc"), "utf8");
    expect(text).toContain("// mine");
    expect(text).toMatch(/\/\/ suggested on \d{4}-\d\d-\d\d: 3 questions saved/);
    expect(JSON.parse(assent(place, ["explain", "--json", "npm run build"]).stdout)).toMatchObject({ verdict: "allow" });
    expect(faults).toEqual([]);
    await context.close();
  });
});
