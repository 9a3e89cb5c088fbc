import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIST, scratch, type Scratch } from "../scratch.ts";
import { accessibilityFaults, endPage, openPage, useBrowser } from "./browser.ts";

const browser = useBrowser();
let place: Scratch;
beforeAll(() => {
  place = scratch({ keep: true });
  place.write("draft.txt", "old\n");
  place.write("notes.txt", "one\ntwo\nthree\n");
  run("printf 'one\\nTWO\\nthree\\n' > notes.txt; rm draft.txt; echo done > report.md; cat ~/.ssh/id_rsa; exit 0");
  run("echo x > '<img src=x onerror=alert(1)>'; echo y > \"$(printf 'a\\033[31m\\342\\200\\256b')\"; exit 0");
});
afterAll(() => endPage(place));

/** A script that nobody has read, in a supervised run that asks nobody. */
function run(script: string): void {
  const file = place.write("s.sh", `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  place.write("~/.ssh/id_rsa", "key\n");
  const { status, stderr } = spawnSync("setsid", ["-w", process.execPath, join(DIST, "bin.cjs"), "run", "-P", "--", "./s.sh"], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, expect.stringContaining("assent receipt")]);
}

async function open(
  options?: Parameters<typeof browser.context>[0],
): Promise<{ readonly page: Page; readonly faults: readonly string[]; readonly context: BrowserContext }> {
  const context = await browser.context(options);
  const opened = await openPage(place, context, "runs");
  await opened.page.locator(".run-list a").first().waitFor();
  return { ...opened, context };
}

const text = (name: string): string => readFileSync(join(place.project, name), "utf8");

describe("the page's runs", () => {
  it("shows what a run did and was refused, the lines of a file, and takes back a part of it, then the rest, by keyboard", async () => {
    const { page, faults, context } = await open();
    await page.locator(".run-list a").nth(1).click();
    const receipt = page.locator("aside");
    await receipt.getByText("report.md").waitFor();
    for (const says of ["notes.txt", "draft.txt", "exit code 0", "Refused", ".ssh/id_rsa"])
      expect(await receipt.innerText()).toContain(says);
    await receipt.locator("summary", { hasText: "notes.txt" }).press("Enter");
    await receipt.locator(".diff").waitFor();
    expect(await receipt.locator(".diff-added").innerText()).toContain("TWO");
    expect(await receipt.locator(".diff-removed").innerText()).toContain("two");
    expect(await accessibilityFaults(page)).toEqual([]);

    await receipt.getByLabel(/take back .*notes\.txt/).press("Space");
    await receipt.getByRole("button", { name: "Take back 1 of them…" }).waitFor();
    await page.keyboard.press("u");
    await receipt.getByText("write the old bytes to").waitFor();
    expect(await receipt.getByLabel("What would be done").innerText()).not.toContain("report.md");
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(text("notes.txt")).toBe("one\nTWO\nthree\n");
    await page.keyboard.press("Enter");
    await receipt.getByText("It is taken back").waitFor();
    expect(text("notes.txt")).toBe("one\ntwo\nthree\n");
    expect(existsSync(join(place.project, "draft.txt"))).toBe(false);

    await page.keyboard.press("Escape");
    await receipt.waitFor({ state: "detached" });
    await page.locator(".run-list a", { hasText: "undo of" }).waitFor();
    await page.locator(".run-list a").nth(2).click();
    await receipt.getByRole("button", { name: "Take it back…" }).click();
    await receipt.getByRole("button", { name: "Do this" }).click();
    await receipt.getByText("It is taken back").waitFor();
    expect(text("draft.txt")).toBe("old\n");
    expect(existsSync(join(place.project, "report.md"))).toBe(false);
    await page.locator(".run-list a", { hasText: "undone" }).waitFor();
    await receipt.getByRole("button", { name: "Show it, to have it back" }).click();
    await receipt.getByText("undo of").first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("does only what was shown: what changes in between is looked at again", async () => {
    writeFileSync(join(place.project, "more.txt"), "before\n");
    run("echo after > more.txt; exit 0");
    const { page, context } = await open();
    await page.locator(".run-list a").first().click();
    const receipt = page.locator("aside");
    await receipt.getByRole("button", { name: "Take it back…" }).click();
    await receipt.getByRole("button", { name: "Do this" }).waitFor();
    writeFileSync(join(place.project, "more.txt"), "a person wrote this\n");
    await receipt.getByRole("button", { name: "Do this" }).click();
    await receipt.getByText("something has changed since this was shown").waitFor();
    expect(text("more.txt")).toBe("a person wrote this\n");
    await receipt.getByRole("button", { name: "Take it back…" }).click();
    await receipt.getByText("left alone:").waitFor();
    await context.close();
  });

  it("shows hostile names as text, at a phone's width", async () => {
    const { page, faults, context } = await open({ viewport: { width: 360, height: 700 }, colorScheme: "dark" });
    await page.locator(".run-list li").last().locator("a").click();
    await page.keyboard.press("Escape");
    const links = page.locator(".run-list a");
    for (let at = 0; at < (await links.count()); at += 1) {
      await links.nth(at).click();
      await page.locator("aside dl").waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      expect(await page.evaluate(() => document.images.length)).toBe(0);
      // oxlint-disable-next-line no-control-regex -- what must not be there
      expect(/[\u001b\u202e]/.test(await page.locator("main").innerText())).toBe(false);
    }
    await page.locator("aside").getByText("onerror").count();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.evaluate(() => void (location.hash = "#/runs?run=20200101-000000-000000"));
    await page.getByText("this run does not exist, or is no longer kept").waitFor();
    expect(faults.filter((fault) => !fault.includes("404"))).toEqual([]);
    await context.close();
  });
});
