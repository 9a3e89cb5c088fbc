import type { Page } from "playwright-core";
import { accessibilityFaults } from "./browser.ts";

/** A phone, a tablet, a laptop. */
export const WIDTHS = [390, 768, 1280] as const;
export const SCHEMES = ["light", "dark"] as const;
export const LOOKS = WIDTHS.flatMap((width) => SCHEMES.map((colorScheme) => ({ width, colorScheme })));

/**
 * Words that are broken in the middle, though they are no longer than a line of a phone: a column is then too narrow for what
 * stands in it. Code may break anywhere.
 */
async function brokenWords(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || parent.closest("code, pre, .mono, script, style, textarea, option") !== null) continue;
      const text = node.textContent ?? "";
      for (const { 0: word, index } of text.matchAll(/(?<!\S)\S{2,24}(?!\S)/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
        if (tops.size > 1) found.push(word);
      }
    }
    return found;
  });
}

/** What is wrong with how it looks: it is wider than the screen, words are broken, or axe-core finds something. */
export async function lookFaults(page: Page, width: number): Promise<readonly string[]> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  return [
    ...(wide > width ? [`the page is ${wide} px wide`] : []),
    ...(await brokenWords(page)).map((word) => `a broken word: ${word}`),
    ...(await accessibilityFaults(page)),
  ];
}

/** For who wants to see them: a folder in `LOOKS` gets a picture of each. */
export async function keepLook(page: Page, name: string): Promise<void> {
  const folder = process.env["LOOKS"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
