import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { POLICY_NAME } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { RunJudge } from "../../packages/supervisor/src/supervise/judge/run-judge.ts";
import { findHidden } from "../../packages/supervisor/src/supervise/try/view.ts";

const RULES = { permissions: { deny: ["Read(**/.env)", "Read(**/*.key.json)", "Read(node_modules/*/closed/**)"] } };

const scratches: string[] = [];
let home = "";

const put = (...names: readonly (string | Buffer)[]): void => {
  for (const name of names) {
    const path = Buffer.concat([Buffer.from(`${home}/`), Buffer.from(name)]);
    mkdirSync(dirname(path.toString()), { recursive: true });
    writeFileSync(path, "KEY=1\n");
  }
};

/** What is hidden in home, without it; `exact`: every name is judged by itself. */
function hidden(exact = false): readonly string[] {
  const policy = join(home, "../policy.jsonc");
  writeFileSync(policy, JSON.stringify(RULES));
  const judge = new RunJudge({
    machine: {
      home,
      env: { HOME: home, PATH: "/usr/bin:/bin" },
      platform: "linux",
      uid: 1000,
      temp: [],
      managedPolicy: `${home}/none.jsonc`,
    },
    cwd: join(home, "proj"),
    env: {},
    policyFiles: [policy],
    profileFile: join(home, "none-either.jsonc"),
    reader: () => ({ read }),
    own: [],
    exact,
  });
  const { files, folders } = findHidden(judge, home, join(home, ".local/state/assent"));
  return [...files, ...folders.map((path) => `${path}/`)]
    .filter((path) => path.startsWith(`${home}/`))
    .map((path) => path.slice(home.length + 1));
}

beforeEach(() => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "assent-hidden-")));
  scratches.push(scratch);
  home = join(scratch, "home");
  put("proj/.git/HEAD", ".local/state/assent/log");
});
afterAll(() => {
  for (const scratch of scratches) rmSync(scratch, { recursive: true, force: true });
});

const STATE = ".local/state/assent/";

describe("what a tried command may not read is found", () => {
  it("at any depth, whatever packages without secrets were looked through before", () => {
    for (let at = 0; at < 40; at++)
      put(...["index.js", ".eslintrc", "package.json", "lib/x.js", "lib/.npmignore"].map((name) => `proj/node_modules/p${at}/${name}`));
    put("proj/node_modules/p39/lib/.env", "proj/node_modules/p38/lib/a.key.json", "proj/node_modules/p37/closed/x.js");
    put(
      "proj/node_modules/p0/.env",
      "proj/node_modules/@s/p/dist/esm/.env",
      "docs/plain.txt",
      "docs/server.pem",
      ".ssh/id_rsa",
      "w/.envrc",
    );
    put(".docker/mcp.json", ".some/mcp-servers.json", "some/mcp-servers.json", ".Env.local", "docs/.a/mcp.json");
    const found = [...hidden()].sort();
    expect(found).toEqual([...hidden(true)].sort());
    for (const name of ["p39/lib/.env", "p38/lib/a.key.json", "p37/closed/", "p0/.env", "@s/p/dist/esm/.env"])
      expect(found).toContain(`proj/node_modules/${name}`);
    expect(found).toEqual(expect.arrayContaining([".ssh/", "docs/server.pem", ".some/mcp-servers.json", ".Env.local"]));
    expect(found.filter((name) => /x\.js|eslintrc|plain|^some\//.test(name))).toEqual([]);
  });

  it("by names with newlines and bytes that are no text", () => {
    put(
      "docs/a\nb.pem",
      "docs/ä.pem",
      "docs/\ufffd.pem",
      Buffer.from("docs/\xff\xfe.pem", "latin1"),
      Buffer.from("docs/\xff.txt", "latin1"),
    );
    expect([...hidden()].sort()).toEqual([STATE, "docs/a\nb.pem", "docs/ä.pem", "docs/\ufffd.pem", "docs/\udcff\udcfe.pem"].sort());
  });

  it("where it came to be between two runs and the folder's times were set back", () => {
    put("docs/a/b/plain.txt");
    const folder = join(home, "docs/a/b");
    const long = new Date(2020, 1, 1);
    utimesSync(folder, long, long);
    expect(hidden()).toEqual([STATE]);
    put("docs/a/b/.env");
    utimesSync(folder, long, long);
    expect(hidden()).toEqual(["docs/a/b/.env", STATE]);
  });

  it("by a policy file that lies between what it closes and home", () => {
    put("docs/a/plain.txt", "docs/b/plain.txt");
    writeFileSync(join(home, "docs/b", POLICY_NAME), '{ "version": 1, "permissions": { "deny": ["Read(~/docs/b/plain.txt)"] } }');
    const found = hidden();
    expect([...found].sort()).toEqual([...hidden(true)].sort());
    expect(found).toContain("docs/b/plain.txt");
    expect(found).not.toContain("docs/a/plain.txt");
  });

  it("by its own name only where a link leads to it, and nothing starts where it has a second name", () => {
    put("docs/.env");
    symlinkSync(join(home, "docs/.env"), join(home, "proj/notes"));
    expect(hidden()).toEqual(["docs/.env", STATE]);
    linkSync(join(home, "docs/.env"), join(home, "proj/plain"));
    expect(() => hidden()).toThrow("has other names");
  });
});
