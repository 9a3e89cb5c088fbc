import { describe, expect, test } from "vitest";
// What the pinned library makes of a plan on macOS: there is no Mac here, so its text is what can be looked at.
import { wrapCommandWithSandboxMacOS } from "../../node_modules/@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js";

const wrapped = wrapCommandWithSandboxMacOS({
  command: "true",
  needsNetworkRestriction: true,
  httpProxyPort: 3128,
  socksProxyPort: 1080,
  readConfig: { denyOnly: ["/Users/u/.ssh", "/**/*.pem"], allowWithinDeny: [] },
  writeConfig: { allowOnly: ["/Users/u/p"], denyWithinAllow: ["/Users/u/p/.git/hooks"] },
  allowGitConfig: false,
});

describe("the Seatbelt profile", () => {
  test.each([
    ["denies what is not said", "(deny default"],
    ["closes a secret", "/Users/u/.ssh"],
    ["closes secrets by a pattern", "pem"],
    ["opens the project for writing", "/Users/u/p"],
    ["closes hooks in it", "/Users/u/p/.git/hooks"],
    ["reaches the proxies", "localhost:3128"],
    ["reaches the proxies", "localhost:1080"],
  ])("%s: %s", (_, text) => {
    expect(wrapped).toContain(text);
  });

  test.each(["(allow default)", "(allow network*)\n", "(allow file-write*)\n", "(allow network-outbound)\n"])("has no %j", (text) => {
    expect(wrapped).not.toContain(text);
  });
});
