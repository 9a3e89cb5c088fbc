import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { assent, type Scratch } from "../scratch.ts";
import { launchBrowser } from "./chromium.ts";
import { pagePids } from "./page-pids.ts";

/** One browser for a file; each test has a context of its own. */
export function useBrowser(): { readonly context: (options?: Parameters<Browser["newContext"]>[0]) => Promise<BrowserContext> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    context: async (options) => {
      if (browser === undefined) throw new Error("the browser is not there yet");
      return await browser.newContext(options);
    },
  };
}

export interface OpenPage {
  readonly page: Page;
  /** What the page complained about: errors, refused by its own policy, failed requests. */
  readonly faults: readonly string[];
}

/** Opens the page as `assent open` does: by the redirect file. */
export async function openPage(place: Scratch, context: BrowserContext, view = "", env: Record<string, string> = {}): Promise<OpenPage> {
  const { stdout, stderr, status } = assent(place, ["open", "--print"], "", env);
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!/^(?:http:\/\/[\w.]+\.localhost:\d+\/|file:)/.test(request.url())) faults.push(`asked elsewhere: ${request.url()}`);
  });
  await page.goto(`file://${stdout.trim()}`);
  await page.waitForURL(/^http:\/\/[\w.]+\.localhost:\d+\/(?:#.*)?$/);
  await page.locator("main h1").waitFor();
  if (view !== "") {
    await page.evaluate((hash) => void (location.hash = hash), `#/${view}`);
  }
  return { page, faults };
}

/** Ends the page process of a scratch home, where there is one. */
export function endPage(place: Scratch): void {
  for (const pid of pagePids(place.home))
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      // It has ended.
    }
}

/** What axe-core finds wrong, in short. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    const page = globalThis as unknown as { readonly axe: typeof import("axe-core") };
    const { violations } = await page.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${String(target)}: ${failureSummary ?? ""}`),
    );
  });
}
