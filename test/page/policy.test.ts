import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { assent, scratch, type Scratch } from "../scratch.ts";
import { accessibilityFaults, endPage, openPage, useBrowser } from "./browser.ts";

const browser = useBrowser();
let place: Scratch;

const OWN = `{
  // What I let agents do.
  "permissions": {
    "allow": [
      "Bash(npm test:*)", // the tests
      "Bash(python3:*)"
    ],
    "deny": ["Bash(git push *)"]
  }
}
`;

beforeAll(() => {
  place = scratch({ keep: true });
  place.write("~/.agent-permissions.jsonc", OWN);
  for (const command of ["npm test", "npm run build", "npm run build", "make all", "rm -rf ~"])
    assent(
      place,
      ["check", "--agent", "claude"],
      JSON.stringify({
        hook_event_name: "PreToolUse",
        session_id: "s",
        permission_mode: "default",
        tool_name: "Bash",
        tool_input: { command },
        cwd: place.project,
      }),
    );
});
afterAll(() => endPage(place));

const own = (): string => readFileSync(join(place.home, ".agent-permissions.jsonc"), "utf8");

async function policy(context: Awaited<ReturnType<typeof browser.context>>): Promise<{ page: Page; faults: readonly string[] }> {
  const opened = await openPage(place, context, "policy");
  await opened.page.locator("#policy-text").waitFor();
  await opened.page.locator("#remarks:not([aria-busy=true])").waitFor();
  return opened;
}

describe("the policy", () => {
  it("lists the files at the folder, and what is wrong with one, with its place", async () => {
    const context = await browser.context();
    const { page, faults } = await policy(context);
    expect(await page.locator(".file .mono").allTextContents()).toEqual([
      "~/.agent-permissions.jsonc",
      "~/project/.agent-permissions.jsonc",
    ]);
    expect(await page.locator("#policy-text").inputValue()).toBe(OWN);
    const remarks = await page.locator(".remarks li").allTextContents();
    expect(remarks.join("\n")).toMatch(/line 6 warning AL001/);
    await page.keyboard.press("F8");
    const line = await page.evaluate(() => {
      const area = document.activeElement as HTMLTextAreaElement;
      return area.value.slice(0, area.selectionStart).split("\n").length;
    });
    expect(remarks[0]).toMatch(new RegExp(`^line ${line} `));
    expect(await page.locator(".hint summary").textContent()).toContain("permissions.");
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("says what is wrong while a text is typed, and saves none with mistakes", async () => {
    const context = await browser.context();
    const { page } = await policy(context);
    await page.locator("#policy-text").fill('{ "preset": "defualt" }');
    await page.locator(".remarks li", { hasText: "mistake" }).waitFor();
    expect(await page.locator(".remarks").textContent()).toContain("defualt");
    expect(await page.getByRole("button", { name: "Save…" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Take back all changes" }).click();
    expect(await page.locator("#policy-text").inputValue()).toBe(OWN);
    await context.close();
  });

  it("adds a rule and keeps comments, shows what that would have changed, and saves, all by keyboard", async () => {
    const context = await browser.context();
    const { page, faults } = await policy(context);
    await page.locator("#rule-text").focus();
    await page.keyboard.type("Bash(npm run build)");
    await page.keyboard.press("Enter");
    await page.locator(".rules code", { hasText: "npm run build" }).waitFor();
    expect(await page.locator("#policy-text").inputValue()).toContain("// the tests");
    await page.getByRole("button", { name: "Save…" }).isEnabled();
    await page.locator("button:not([disabled])", { hasText: "Save…" }).waitFor();
    await page.keyboard.press("Control+s");
    await page.locator("dialog[open] .replay").waitFor();
    expect(await page.locator(".replay").textContent()).toContain("1 request would be told something else.");
    expect(await page.locator(".changes").textContent()).toMatch(/(?:none|ask) → allow 2 × npm run build/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.locator("dialog[open] button.main").focus();
    await page.keyboard.press("Enter");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    await expect.poll(own).toContain("Bash(npm run build)");
    expect(own()).toContain("// What I let agents do.");
    expect(existsSync(join(place.home, ".agent-permissions.jsonc.lock"))).toBe(false);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("saves nothing over what somebody else has written meanwhile", async () => {
    const context = await browser.context();
    const { page } = await policy(context);
    const theirs = '{ "permissions": { "deny": ["Bash(curl:*)"] } }\n';
    await page.locator("#policy-text").fill('{ "preset": "strict" }');
    await page.locator("button:not([disabled])", { hasText: "Save…" }).click();
    writeFileSync(join(place.home, ".agent-permissions.jsonc"), theirs);
    await page.locator("dialog[open] button.main").click();
    await page.locator("dialog[open] .notice").waitFor();
    expect(await page.locator("dialog[open] .notice").textContent()).toContain("has changed since you opened it");
    expect(own()).toBe(theirs);
    await page.keyboard.press("Escape");
    await page.locator("#policy-text").press("End");
    await page.locator("#policy-text").pressSequentially(" ");
    await page.getByRole("button", { name: /^Read it again/ }).click();
    await expect.poll(() => page.locator("#policy-text").inputValue()).toBe(theirs);
    await context.close();
  });

  it("makes a project's file, and trusts it only where that is asked for", async () => {
    const context = await browser.context();
    const { page } = await policy(context);
    await page.locator(".file", { hasText: "project/.agent-permissions.jsonc" }).click();
    await page.getByLabel("Text of ~/project/.agent-permissions.jsonc").waitFor();
    await page.locator("button", { hasText: "Save…" }).waitFor();
    await page.locator("#rule-text").fill("Bash(make:*)");
    await page.locator("button:not([disabled])", { hasText: "Add the rule" }).click();
    await page.locator("button:not([disabled])", { hasText: "Save…" }).click();
    await page.getByRole("checkbox", { name: /Trust this text/ }).check();
    await page.locator("dialog[open] button.main").click();
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    expect(JSON.parse(assent(place, ["explain", "--json", "make all"]).stdout)).toMatchObject({ verdict: "allow" });
    // Kept, so that it holds where another branch has another text.
    const hash = createHash("sha256")
      .update(readFileSync(join(place.project, ".agent-permissions.jsonc")))
      .digest("hex");
    expect(readdirSync(place.home, { recursive: true }).some((name) => String(name).endsWith(`/agreed/${hash}`))).toBe(true);
    await context.close();
  });

  it("answers for no other file", async () => {
    const context = await browser.context();
    const { page } = await policy(context);
    const secret = place.write("~/.ssh/id_rsa", "key");
    const told = await page.evaluate(
      async ({ file, folder }) => {
        const { token } = JSON.parse(sessionStorage.getItem("assent") ?? "{}") as { token: string };
        const headers = { "x-assent-token": token, "content-type": "application/json" };
        const read = await fetch(`/api/policy/text?folder=${encodeURIComponent(folder)}&file=${encodeURIComponent(file)}`, { headers });
        const body = JSON.stringify({ folder, file, text: "{}", was: "key" });
        const wrote = await fetch("/api/policy/save", { method: "POST", headers, body });
        return [read.status, wrote.status];
      },
      { file: secret, folder: place.project },
    );
    expect(told).toEqual([404, 404]);
    expect(readFileSync(secret, "utf8")).toBe("key");
    await context.close();
  });
});

describe("a hostile policy", () => {
  const NASTY = [
    '<img src=x onerror="document.title=1">',
    "</script><script>document.title=1</script>",
    "\u001b[2J\u001b]0;x\u0007",
    "\u202egnp.exe",
    "a\u200bb",
  ];
  it.each([
    [
      "is shown, not run, and what cannot be seen is named",
      JSON.stringify({ permissions: { deny: NASTY.map((reason, at) => ({ rule: `Bash(x${at})`, reason })) } }).replaceAll(
        "\\u202e",
        "\u202e",
      ),
    ],
    ["of half a megabyte", JSON.stringify({ permissions: { deny: [{ rule: "Bash(x)", reason: "<b>".repeat(160_000) }] } })],
    ["of nothing but brackets", "[".repeat(200_000)],
  ])("%s", async (_, text) => {
    const context = await browser.context({ viewport: { width: 360, height: 700 } });
    place.write("~/.agent-permissions.jsonc", text);
    const { page, faults } = await policy(context);
    expect(await page.locator("main img, main script, main b").count()).toBe(0);
    expect(await page.title()).toBe("Policy · Assent");
    // The editor alone has the text as it is.
    for (const part of [".files", "#remarks", ".rules"])
      expect(await page.locator(part).innerText()).not.toMatch(/\p{Cf}|\p{Cc}(?<![\n\t])/u);
    if (text.includes("\u202e")) expect(await page.locator(".remarks").textContent()).toContain("U+202E");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });
});
