import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scratch, type Scratch } from "../scratch.ts";
import { accessibilityFaults, endPage, openPage, useBrowser } from "./browser.ts";

const browser = useBrowser();
let place: Scratch;
beforeAll(() => {
  place = scratch({ keep: true });
});
afterAll(() => endPage(place));

describe("the page", () => {
  it("opens by the file that assent open prints, once", async () => {
    const context = await browser.context();
    const { page, faults } = await openPage(place, context);
    expect(await page.locator("main h1").textContent()).toBe("Overview");
    expect(new URL(page.url()).hash).toBe("");
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  it.each(["light", "dark"] as const)("can be read in %s, and at a phone's width", async (colorScheme) => {
    const context = await browser.context({ colorScheme, viewport: { width: 360, height: 640 } });
    const { page, faults } = await openPage(place, context);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("shows its keys by ?, and Escape takes them away", async () => {
    const context = await browser.context();
    const { page } = await openPage(place, context);
    await page.keyboard.press("?");
    expect(await page.locator("dialog[open] h2").textContent()).toBe("Keys");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    await context.close();
  });
});
