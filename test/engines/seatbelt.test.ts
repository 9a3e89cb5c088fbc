import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enginePlace } from "./place.ts";

// What the pinned library makes of a plan on macOS: there is no Mac here, so its text is what can be looked at.
const PLAN = {
  command: "true",
  needsNetworkRestriction: true,
  httpProxyPort: 3128,
  socksProxyPort: 1080,
  readConfig: { denyOnly: ["/Users/u/.ssh", "/**/*.pem", "/Users/u/.local/state/assent/runs"], allowWithinDeny: [] },
  writeConfig: { allowOnly: ["/Users/u/p"], denyWithinAllow: ["/Users/u/p/.git/hooks", "/Users/u/p/.cursor/hooks.json"] },
  allowGitConfig: false,
};

let [wrapped, why] = ["", ""];
beforeAll(() => {
  const place = enginePlace();
  if (typeof place === "string") why = place;
  else {
    const module = pathToFileURL(join(place.library, "dist/sandbox/macos-sandbox-utils.js")).href;
    const program = `const { wrapCommandWithSandboxMacOS } = await import(${JSON.stringify(module)});
      process.stdout.write(wrapCommandWithSandboxMacOS(${JSON.stringify(PLAN)}));`;
    const { stdout, stderr } = spawnSync(place.node, ["--input-type=module", "-e", program], { encoding: "utf8" });
    wrapped = stdout;
    place.remove();
    if (wrapped === "") throw new Error(stderr);
  }
}, 600_000);

describe("the Seatbelt profile", () => {
  beforeEach(({ skip }) => {
    if (why !== "") skip(why);
  });

  test.each([
    ["denies what is not said", "(deny default"],
    ["closes a secret", "/Users/u/.ssh"],
    ["closes secrets by a pattern", "pem"],
    ["opens the project for writing", "/Users/u/p"],
    ["closes hooks in it", "/Users/u/p/.git/hooks"],
    ["closes what steers an agent in it, though nothing is there yet", "/Users/u/p/.cursor/hooks.json"],
    ["closes what undo keeps", "/Users/u/.local/state/assent/runs"],
    ["reaches the proxies", "localhost:3128"],
    ["reaches the proxies", "localhost:1080"],
  ])("%s: %s", (_, text) => {
    expect(wrapped).toContain(text);
  });

  test.each(["(allow default)", "(allow network*)\n", "(allow file-write*)\n", "(allow network-outbound)\n"])("has no %j", (text) => {
    expect(wrapped).not.toContain(text);
  });
});
