import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Provider } from "oidc-provider";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { launchBrowser } from "../page/chromium.ts";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";
import { end, freePort, serve, type Serving } from "./harness/processes.ts";
import { CLIENT, listening, SECRET } from "./harness/odd-provider.ts";

/**
 * A team from nothing, as its people make it: `assent team serve` and `join` typed in a shell, a browser in front of each of them, and the
 * sign-in of a company between.
 */

const soon = { timeout: 60_000, interval: 100 };
const GROUPS: Readonly<Record<string, readonly string[]>> = { ada: ["ops"], eve: ["sales"] };

/** A provider with people, of whom some are in a group. Returns its address. */
async function startProvider(redirect: string): Promise<string> {
  const issuing = createServer();
  const issuer = await listening(issuing);
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT, client_secret: SECRET, redirect_uris: [redirect] }],
    claims: { openid: ["sub", "groups"], profile: ["preferred_username"], email: ["email", "email_verified"] },
    pkce: { required: () => true },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, groups: [...(GROUPS[sub] ?? [])], email: `${sub}@example.com`, email_verified: true }),
    }),
  });
  issuing.on("request", (request, response) => void provider.callback()(request, response));
  return issuer;
}

describe("a team from nothing", () => {
  let browser: Browser;
  let office: Scratch;
  let laptop: Scratch;
  let server: Serving;
  let site: string;
  let faults: string[];
  const started: ChildProcess[] = [];

  beforeEach(async () => {
    faults = [];
    const port = await freePort();
    site = `http://127.0.0.1:${port}`;
    const issuer = await startProvider(`${site}/sign-in/callback`);
    [office, laptop] = [scratch(), scratch()];
    const secret = office.write("~/oidc-secret", `${SECRET}\n`);
    browser = await launchBrowser();
    server = await serve(
      office,
      port,
      `--url=${site}`,
      `--oidc-issuer=${issuer}`,
      `--oidc-client-id=${CLIENT}`,
      `--oidc-secret-file=${secret}`,
    );
  }, 120_000);
  afterEach(async () => {
    for (const child of started.splice(0)) {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    await browser.close();
    await end(server, "SIGTERM");
  });

  /** What is typed on the laptop, and what it has said so far. */
  function type(words: readonly string[], input = ""): { readonly child: ChildProcess; readonly said: () => string } {
    const child = spawn(process.execPath, [join(DIST, "bin.cjs"), ...words], {
      cwd: laptop.project,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: laptop.home, NO_COLOR: "1" },
    });
    started.push(child);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
    child.stdin.end(input);
    return { child, said: () => said };
  }
  const shows = (said: () => string, pattern: RegExp): Promise<RegExpExecArray> =>
    vi.waitFor(() => {
      const found = pattern.exec(said());
      if (found === null) throw new Error(`not yet ${String(pattern)}: ${said()}`);
      return found;
    }, soon);
  const status = (): string => assent(laptop, ["team", "status"]).stdout;

  async function open(context: BrowserContext, address: string): Promise<Page> {
    const page = await context.newPage();
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(address);
    return page;
  }
  const administrator = async (): Promise<Page> => {
    const [, link = ""] = await shows(server.said, /signs in here, once, within an hour: (\S+)/);
    const page = await open(await browser.newContext(), link);
    await page.getByRole("button").click();
    await page.getByText("Signed in as administrator.").waitFor();
    return page;
  };
  /** By the company's account, from the address of the team on. */
  async function signIn(context: BrowserContext, name: string): Promise<Page> {
    const page = await open(context, site);
    await page.getByRole("link", { name: "Sign in with your company's account" }).click();
    await page.getByPlaceholder("Enter any login").fill(name);
    await page.getByPlaceholder("and password").fill("x");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL((url) => url.origin === site && !url.pathname.startsWith("/sign-in"));
    return page;
  }

  it("serve, join, a company's sign-in, a question that is answered, status, leave", { timeout: 180_000 }, async () => {
    const admin = await administrator();
    await admin.getByRole("link", { name: "People" }).click();
    const roles = admin.locator('form[action="/people/provider"]').last();
    await roles.getByLabel("Group there").fill("ops");
    await roles.getByRole("button", { name: "Add" }).click();
    await admin.getByRole("cell", { name: "ops", exact: true }).waitFor();

    const joins = type(["team", "join", site]);
    const [, code = ""] = await shows(joins.said, /The code of this machine is {2}(\S+)\n/);
    await admin.getByRole("link", { name: "Machines" }).click();
    await admin.getByLabel("Code").fill(code);
    await admin.getByRole("button", { name: "Confirm" }).click();
    await shows(joins.said, /This machine joined/);
    expect(status()).toContain(site);

    laptop.write(
      "~/.agent-permissions.jsonc",
      JSON.stringify({ permissions: { ask: ["Bash(npm publish:*)"] }, team: { answers: ["Bash(npm publish:*)"] } }),
    );
    const sends = type(["team", "send", "--follow"]);
    const hook = type(
      ["check", "--agent", "claude", "--event", "auto", "--wait", "2m"],
      JSON.stringify({
        session_id: "s",
        hook_event_name: "PreToolUse",
        cwd: laptop.project,
        tool_name: "Bash",
        tool_input: { command: "npm publish" },
      }),
    );

    const ada = await signIn(await browser.newContext(), "ada");
    await ada.getByText("Signed in as ada@example.com.").waitFor();
    await ada.getByRole("link", { name: "Questions" }).click();
    await vi.waitFor(async () => {
      await ada.reload();
      expect([await ada.locator("body").innerText(), hook.said()]).toEqual([expect.stringContaining("npm publish"), ""]);
    }, soon);
    expect((await ada.goto(`${site}/people`))?.status()).toBe(403);
    await ada.goto(`${site}/questions`);
    await ada.getByRole("button", { name: "Yes, once" }).click();
    const [told] = await shows(hook.said, /\{.*\}/s);
    expect(JSON.parse(told)).toMatchObject({ hookSpecificOutput: { permissionDecision: "allow" } });
    await admin.getByRole("link", { name: "Questions" }).click();
    expect(await admin.locator("body").innerText()).toMatch(/ada@example\.com/);

    await ada.getByRole("link", { name: "Questions" }).click();
    await ada.getByRole("button", { name: "Sign out" }).click();
    await ada.getByRole("link", { name: "Sign in with your company's account" }).waitFor();
    await ada.goBack();
    expect(await ada.getByText("npm publish").count()).toBe(0);
    expect(await ada.getByText("You are not signed in").count()).toBe(1);

    sends.child.kill("SIGTERM");
    await once(sends.child, "exit");
    expect(assent(laptop, ["team", "leave"]).status).toBe(0);
    expect(status()).toContain("belongs to no team");
    expect(faults).toEqual([]);
  });

  it("a policy: signed, handed in and looked at on the page, released there, and held by the machine", { timeout: 180_000 }, async () => {
    const admin = await administrator();
    const joins = type(["team", "join", site]);
    const [, code = ""] = await shows(joins.said, /The code of this machine is {2}(\S+)\n/);
    await admin.getByLabel("Code").fill(code);
    await admin.getByRole("button", { name: "Confirm" }).click();
    await shows(joins.said, /This machine joined/);
    const hook = (): string =>
      assent(
        laptop,
        ["check", "--agent", "claude", "--event", "auto"],
        JSON.stringify({
          session_id: "s",
          hook_event_name: "PreToolUse",
          cwd: laptop.project,
          tool_name: "Bash",
          tool_input: { command: "ls -l" },
        }),
      ).stdout;
    expect(hook()).toContain('"allow"');
    expect(assent(laptop, ["team", "send"]).status).toBe(0);

    const key = join(office.root, "team-policy-key.json");
    const [, publicKey = ""] = /public key {2}(\S+)/.exec(assent(office, ["team", "policy", "key", "--out", key]).stdout) ?? [];
    await admin.getByRole("link", { name: "Policies" }).click();
    await admin.getByLabel("Public key").fill(publicKey);
    await admin.getByRole("button", { name: "This is the team's key" }).click();
    office.write("policy.jsonc", JSON.stringify({ permissions: { deny: ["Bash(ls:*)"] } }));
    const signed = assent(office, ["team", "policy", "sign", "policy.jsonc", "--key", key, "--server", site, "--out", "1.json"]);
    expect(signed).toMatchObject({ status: 0, stderr: "" });
    await admin.getByLabel("What assent team policy sign wrote").fill(readFileSync(join(office.project, "1.json"), "utf8"));
    await admin.getByRole("button", { name: "Hand in" }).click();
    await admin.getByRole("link", { name: "1", exact: true }).click();
    await admin.getByText("1 stricter, 0 looser, 0 the same").waitFor();
    expect(await admin.getByRole("row", { name: "1 stricter allow deny ls -l" }).count()).toBe(1);
    expect(hook()).toContain('"allow"');

    await admin.locator('input[name="percent"]').fill("100");
    await admin.getByRole("button", { name: "Release" }).click();
    await admin.getByText("Version 1 is out to all.").waitFor();
    expect(await admin.getByText("What it would change").count()).toBe(0);
    // It joined before the team had a key, and gets the policy as one that joins now.
    expect(status()).toContain("version 1 of the policy for default waits for this machine: assent team send");
    expect(assent(laptop, ["team", "send"])).toMatchObject({
      status: 0,
      stderr: "assent team send: version 1 of the team's policy holds now\n1 record sent\n",
    });
    expect(status()).toContain("version 1 of the policy for default holds");
    expect(hook()).toContain('"deny"');
    expect(faults).toEqual([]);
  });

  it(
    "who is in no group, gives up at the provider, or comes by an address of before, is told so, and sees nothing",
    { timeout: 180_000 },
    async () => {
      const admin = await administrator();
      await admin.close();
      const context = await browser.newContext();
      let callback = "";
      context.on("request", (request) => {
        if (request.url().startsWith(`${site}/sign-in/callback`)) callback = request.url();
      });
      const eve = await signIn(context, "eve");
      await eve.getByText("You are signed in as eve@example.com, and have no role here yet.").waitFor();
      expect((await eve.goto(`${site}/questions`))?.status()).toBe(403);

      const others: readonly (readonly [name: string, context: BrowserContext])[] = [
        ["the same browser", context],
        ["another one", await browser.newContext()],
      ];
      for (const [name, where] of others) {
        const again = await open(where, callback);
        expect([name, await again.getByRole("heading", { name: "Not signed in" }).count()]).toEqual([name, 1]);
      }

      const gives = await open(await browser.newContext(), `${site}/sign-in`);
      await gives.getByRole("link", { name: "Cancel" }).click();
      await gives.getByRole("heading", { name: "Not signed in" }).waitFor();
      await gives.getByRole("link", { name: "Try again" }).click();
      await gives.getByPlaceholder("Enter any login").waitFor();
      expect((await gives.goto(`${site}/questions`))?.status()).toBe(401);
      expect(faults).toEqual([]);
    },
  );
});
