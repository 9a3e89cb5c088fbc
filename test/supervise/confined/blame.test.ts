import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { confined } from "./world.ts";

/** What a command that failed is put down to: the next time the same is asked about beforehand. */
interface BlameCase {
  readonly name: string;
  readonly needs: string;
  readonly before?: string;
  readonly command: string;
  /** What is remembered of it; absent: nothing. */
  readonly blamed?: RegExp;
}

const scripts = (test: string, more = ""): string =>
  `printf '%s' '{ "name": "x", "version": "1.0.0", "scripts": { "test": "${test}" } }' > package.json; ${more}`;
const LOCAL = "echo 'registry=http://1.0.0.2/' > .npmrc; echo 'fetch-retries=0' >> .npmrc";
const RETRIES = "printf 'fetch-retries=3\\nfetch-retry-mintimeout=300\\nfetch-retry-maxtimeout=300\\n' >> .npmrc";

const CASES: readonly BlameCase[] = [
  { name: "a red test, beside npm's own look for updates", needs: "npm", before: scripts("sleep 1; exit 1", LOCAL), command: "npm test" },
  // It tries again while the test runs.
  {
    name: "a red test, beside npm that tries again",
    needs: "npm",
    before: scripts("sleep 2; exit 1", `${LOCAL}; ${RETRIES}`),
    command: "npm test",
  },
  {
    name: "a red test, beside a registry by name",
    needs: "npm",
    before: scripts("sleep 2; exit 1", `${LOCAL.replace("1.0.0.2", "evil.example")}; ${RETRIES}`),
    command: "npm test",
  },
  {
    name: "a red test, beside a registry on this machine",
    needs: "npm",
    before: scripts(
      "sleep 2; exit 1",
      `${LOCAL.replace("1.0.0.2", "127.0.0.1:4873")}; ${RETRIES}; python3 -m http.server 4873 > /dev/null 2>&1 & sleep 1`,
    ),
    command: "npm test",
  },
  {
    name: "a red test that wanted a host itself",
    needs: "npm",
    before: scripts("node dial.js", `${LOCAL}; echo 'require("net").connect(80, "1.0.0.1")' > dial.js`),
    command: "npm test",
    blamed: /1\.0\.0\.1/,
  },
  {
    name: "packages that did not come",
    needs: "npm",
    before: scripts("true", LOCAL),
    command: "npm install left-pad --no-audit --no-update-notifier",
    blamed: /1\.0\.0\.2/,
  },
];

describe("a failed command is put down to what it was refused", { concurrent: true }, () => {
  for (const { name, needs, before = "true", command, blamed } of CASES)
    it.skipIf(spawnSync("which", [needs]).status !== 0)(name, async () => {
      const { status, said, after } = await confined({ command, before, after: "cat /srv/state/assent/confined-failures/* 2>/dev/null" });
      expect(status).not.toBe("0");
      expect(said.join("\n")).toContain("refused: ");
      if (blamed === undefined) expect(after).toBe("");
      else expect(after).toMatch(blamed);
    });
});
