// `npm run night [-- --only REGEX] [--seed NUMBER] [--list]`: what no landing has time for, one part after the other, each for so long at
// most. evidence/night.tsv gets a line for each part that was played, and is committed by hand; `--list` says when each was played last.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const TABLE = process.env.NIGHT_TABLE ?? join(root, "evidence/night.tsv");
const COLUMNS = ["part", "played", "commit", "seed", "minutes", "result"];

/** [part, its words, minutes at most]. What draws takes its seed from FUZZ_SEED. */
export const PARTS = [
  ["sampled", "npm run test:sampled", 60],
  ["git-whole", "npm run git-whole", 240],
  ["git-lines", "npm run git-lines", 90],
  ["fuzz", "npm run fuzz", 90],
  ["sequences", "npm run sequences", 60],
  ["implementations", "npm run implementations", 120],
  ["hostile-settings", "npm run hostile-settings", 120],
  ["long", "npm run test:long", 120],
  ["races", "npm run races", 90],
  ["races-library", "npm run races:library", 30],
  ["daemon", "npm run daemon:equal", 60],
  ["daemon-adversities", "npm run daemon:adversities", 60],
  ["verify", "npm run verify", 60],
  ["deadline", "npm run deadline", 30],
  ["equivalence", "npm run equivalence", 120],
  ["page", "npm run test:page", 30],
  ["clients", "npm run test:agents", 120],
  ["clients-sandboxed", "npm run test:confined -- --tenth", 60],
  ["team-faults", "npm run team:faults", 60],
  ["browser", "npm run test:browser", 15],
  ["declarations", "npm run test:declarations", 30],
  ["adapters", "npm run test:adapters", 30],
  ["packaging", "npm run packaging", 30],
  ["machines", "npm run machines -- trixie --escapes", 90],
  ["containers", "npm run containers", 60],
  ["nodes", "npm run nodes -- 22 24 --more", 240],
];

/** @returns {Map<string, string[]>} each part's last line */
export function readPlayed(text) {
  const lines = text.split("\n").slice(1);
  return new Map(lines.filter((line) => line !== "").map((line) => [line.split("\t")[0], line.split("\t")]));
}

/** Plays a part in a group of its own, which ends with it. @returns {Promise<string>} what came of it */
export function play(command, minutes, env, log) {
  return new Promise((resolve) => {
    const output = openSync(log, "w");
    const child = spawn("bash", ["-c", command], { cwd: root, env, detached: true, stdio: ["ignore", output, output] });
    closeSync(output);
    let isLate = false;
    const end = (signal) => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal);
      } catch {
        // All of it has ended.
      }
    };
    const late = setTimeout(() => {
      isLate = true;
      end("SIGTERM");
      setTimeout(() => end("SIGKILL"), 10_000).unref();
    }, minutes * 60_000);
    child.once("exit", (status, signal) => {
      clearTimeout(late);
      end("SIGKILL");
      resolve(isLate ? `ended after ${minutes} min` : status === 0 ? "passed" : `failed (${status ?? signal})`);
    });
  });
}

async function main(words) {
  const valueOf = (name) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
  const unknown = words.filter(
    (word, at) => !["--only", "--seed", "--list"].includes(word) && !/^--(?:only|seed)$/.test(words[at - 1] ?? ""),
  );
  const seed = Number(valueOf("--seed") ?? Math.floor(Date.now() / 1000));
  if (unknown.length > 0 || !Number.isSafeInteger(seed) || seed < 1) {
    process.stderr.write("usage: npm run night [-- --only REGEX] [--seed NUMBER] [--list]\n");
    return 2;
  }
  const chosen = PARTS.filter(([part]) => new RegExp(valueOf("--only") ?? "").test(part));
  if (words.includes("--list")) {
    const played = readPlayed(existsSync(TABLE) ? readFileSync(TABLE, "utf8") : "");
    for (const [part] of chosen) process.stdout.write(`${(played.get(part) ?? [part, "never"]).join("\t")}\n`);
    return 0;
  }
  mkdirSync(dirname(TABLE), { recursive: true });
  if (!existsSync(TABLE)) writeFileSync(TABLE, `${COLUMNS.join("\t")}\n`);
  const logs = join(root, "node_modules/.cache/assent/night");
  mkdirSync(logs, { recursive: true });
  const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).stdout?.trim() || "-";
  let isRed = false;
  for (const [part, command, minutes] of chosen) {
    process.stdout.write(`${part}: ${command}, at most ${minutes} min, seed ${seed}\n`);
    const begun = Date.now();
    const log = join(logs, `${part}.log`);
    const result = await play(command, minutes, { ...process.env, FUZZ_SEED: String(seed) }, log);
    // What draws until its time is over has found nothing by then.
    if (result.startsWith("failed")) isRed = true;
    const line = [part, new Date(begun).toISOString().slice(0, 16), commit, seed, ((Date.now() - begun) / 60_000).toFixed(1), result];
    appendFileSync(TABLE, `${line.join("\t")}\n`);
    process.stdout.write(`  ${result}${result === "passed" ? "" : `: ${log}`}\n`);
  }
  return isRed ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
