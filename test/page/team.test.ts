import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { launchBrowser } from "./chromium.ts";
import { lookFaults, keepLook, LOOKS } from "./looks.ts";
import { openEmbedded } from "@assent/team-server/database";
import { newAdminLink, SeenMachines } from "@assent/team-server/enrol";

import { makeScene } from "../team/harness/routes.ts";
import { TestServer } from "../team/harness/server.ts";

/** The server's pages in a browser, as an administrator sees them. */

const VIEWS = ["questions", "", "records", "policy", "people", "keys", "passkeys", "webhooks"];

let browser: Awaited<ReturnType<typeof launchBrowser>>;
const servers: TestServer[] = [];
const seen = new SeenMachines();
beforeAll(async () => {
  browser = await launchBrowser();
  for (const more of [{}, { seen }]) servers.push(await TestServer.start(await openEmbedded(), [], more));
  await fill(servers[1]!);
}, 240_000);
afterAll(async () => {
  await browser.close();
  for (const server of servers) {
    await server.close();
    await server.db.close();
  }
});

async function signedIn(server: TestServer, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  onTestFinished(async () => await context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  onTestFinished(() => expect(faults).toEqual([]));
  server.pass(60_000);
  await page.goto(`${server.base}/enter#${await newAdminLink(server.db, "administrator", server.now)}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

describe.each(LOOKS)("at $width px, in $colorScheme,", ({ width, colorScheme }) => {
  it.each([
    ["on a server where nothing is", 0],
    ["with machines, questions and records", 1],
  ] as const)("every page fits, and can be read, %s", async (_, at) => {
    const server = servers[at]!;
    const page = await signedIn(server, { colorScheme, viewport: { width, height: 900 } });
    for (const view of VIEWS) {
      await page.goto(`${server.base}/${view}`);
      await keepLook(page, `team-${view === "" ? "machines" : view}${at === 0 ? "-bare" : ""}-${width}-${colorScheme}`);
      expect(await lookFaults(page, width)).toEqual([]);
    }
  });
});

describe("machines", () => {
  it("have an id, a user, when they were heard last, and the version that they have now", async () => {
    const page = await signedIn(servers[1]!);
    const row = page.locator("tr", { hasText: "ada lølevelace" });
    expect(await row.locator("code.id").textContent()).toMatch(/^[\w-]{20,}$/);
    expect((await row.innerText()).replace(/\s+/g, " ")).toMatch(/laptop .* ada lølevelace .*2026-11-20 10:\d\d UTC .*0\.2\.0/);
    // Two of one name are told apart.
    const ids = await page.locator("tr", { hasText: "laptop" }).locator("code.id").first().allTextContents();
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("are removed once somebody has said so to a question", async () => {
    const server = servers[1]!;
    await server.join("goes away");
    const page = await signedIn(server);
    const row = page.locator("tr", { hasText: "goes away" });
    expect(await row.getByRole("button", { name: "Remove it" }).count()).toBe(0);
    await row.getByText("Remove…").click();
    expect(await row.locator("details p").innerText()).toContain("may send and ask nothing any more");
    await row.getByRole("button", { name: "Remove it" }).click();
    await expect.poll(() => page.locator("tr", { hasText: "goes away" }).innerText()).toContain("left");
  });
});

async function fill(server: TestServer): Promise<void> {
  const { machine } = await makeScene(server);
  await server.ask("GET", "/v1/machine", undefined, {
    authorization: `Bearer ${machine.token}`,
    "x-assent-machine": "version=0.2.0; user=ada%20l%C3%B8levelace",
  });
  await seen.write(server.db);
  await server.join("laptop", "ops");
  await server.join(`build-${"x".repeat(90)}`, "ci");
  await server.post("/v1/enrol", { v: 1, name: "new one", platform: "linux x64", version: "0.1.0" });
  await server.form("/webhooks/add", { kind: "slack", url: "https://hooks.example.com/services/abc" }, await server.admin());
}
