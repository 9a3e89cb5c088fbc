import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CLIENTS } from "../clients/clients.ts";
import type { Client } from "../clients/client.ts";
import { installClient, installNode } from "../clients/install.ts";
import { buildAssent, buildHarness, runInside } from "../clients/machine.ts";
import { PROJECT } from "../clients/place.ts";
import { HELD_TOOL, SECRET } from "./project.ts";
import { LEFT } from "./served.ts";
import type { ConfinedJob, ConfinedReport, Tree } from "./report.ts";

/**
 * `npm run test:confined -- [CLIENT…] [--tenth] [--only commands|leaving|rules|questions|sessions] [--row N]… [--bare]`: real clients, each with a scripted model, in a
 * project whose effects no judge can know. What stays inside the policy goes ahead without a prompt and does what it does without
 * Assent; every way to leave it is stopped, and the model is told; what a rule of the client's own denies does not run. `--tenth` takes every tenth row, `--bare` compares bare with bare: what differs by itself. What each session said lies in
 * node_modules/.cache/clients/confined.
 */

const CACHE = resolve("node_modules/.cache/clients");
const PACKAGES =
  process.env["XDG_CACHE_HOME"] === undefined ? join(CACHE, "packages") : join(process.env["XDG_CACHE_HOME"], "assent-clients");
const HARNESS = join(CACHE, "confined.mjs");
const POLICY = '{ "version": 1, "unknown": "confine" }\n';
const DEFAULTS = ["claude", "codex"];
const SECONDS = 1500;

interface Row {
  readonly number: number;
  readonly command: string;
}

function rowsOf(file: string): readonly Row[] {
  return readFileSync(join("test/confined", file), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line, at) => ({ number: at + 1, command: line.replaceAll("⏎", "\n").replaceAll("⇥", "\t") }));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      tenth: { type: "boolean", default: false },
      only: { type: "string" },
      bare: { type: "boolean", default: false },
      row: { type: "string", multiple: true },
    },
  });
  const clients = CLIENTS.filter(({ id }) => (positionals.length === 0 ? DEFAULTS : positionals).includes(id));
  const assent = dirname(buildAssent(CACHE));
  await buildHarness("test/confined/inside.ts", HARNESS);
  const node = installNode(PACKAGES);
  if ("missing" in node) throw new Error(`the clients' Node.js cannot be installed: ${node.missing}`);
  const chosen = (rows: readonly Row[]): readonly Row[] =>
    values.row === undefined
      ? values.tenth
        ? rows.filter(({ number }) => number % 10 === 1)
        : rows
      : rows.filter(({ number }) => values.row?.includes(String(number)));
  for (const client of clients) {
    const installed = installClient(PACKAGES, client);
    if ("missing" in installed) {
      say(`skip  ${client.name}: cannot be installed: ${installed.missing}`);
      continue;
    }
    const drive = (name: string, job: Omit<ConfinedJob, "client" | "seconds" | "policy">): Promise<ConfinedReport> =>
      session({ client: installed.folder, node: node.folder, assent }, `${client.id}-${name}`, {
        ...job,
        client: client.id,
        policy: POLICY,
        seconds: SECONDS,
      });
    const { only } = values;
    if (only === undefined || only === "commands") await same(client, chosen(rowsOf("commands.txt")), drive, !values.bare);
    if (only === undefined || only === "leaving") await stopped(client, chosen(rowsOf("leaving.txt")), drive);
    if (only === undefined || only === "rules") await held(client, drive);
    if (only === undefined || only === "questions") await asked(client, drive);
    if (client.serves !== undefined && (only === undefined || only === "sessions")) await ended(client, drive);
  }
}

type Drive = (name: string, job: Omit<ConfinedJob, "client" | "seconds" | "policy">) => Promise<ConfinedReport>;

/** What the same commands do bare and confined. */
async function same(client: Client, rows: readonly Row[], drive: Drive, hooked: boolean): Promise<void> {
  const commands = rows.map(({ command }) => command);
  const bare = await drive("bare", { commands, files: {}, hooked: false, mode: "free" });
  const confined = await drive("confined", { commands, files: {}, hooked, mode: "usual" });
  let different = faultsOf(client, "commands", rows, confined);
  // What goes ahead bare is no different either.
  if (hooked && confinedOf(confined) < rows.length / 2) {
    different += 1;
    say("  most of it does not go ahead sandboxed");
  }
  // Judged anew when it starts, it belongs to no session.
  const alone = confined.audit.filter(({ point }) => point === "confined").length;
  if (alone > 0) {
    different += 1;
    say(`  ${alone} commands came without the ticket that the hook had left for them`);
  }
  const prompts = confined.told.filter((text) => PROMPTED.test(text)).length + confined.questions.length;
  for (const question of confined.questions) say(`  asked: ${question.slice(0, 120)}`);
  for (const [at, { number, command }] of rows.entries()) {
    const [was, is] = [plain(bare.told[at]), plain(confined.told[at]?.replace(client.notes ?? "", ""))];
    if (was === is) continue;
    if (client.twoPipes === true && sorted(was) === sorted(is)) {
      say(`  other order ${number}: ${command.slice(0, 120)}: the client reads standard output and error by a pipe each`);
      continue;
    }
    if (client.ownShell === true && unplaced(was) === unplaced(is)) {
      say(
        `  other name ${number}: ${command.slice(0, 120)}: the client starts its shell in a way of its own, which that names in what it complains of`,
      );
      continue;
    }
    different += 1;
    say(`  differs ${number}: ${command.slice(0, 120)}\n    bare      ${shown(was)}\n    confined  ${shown(is)}`);
  }
  for (const line of treeDifferences(bare.tree, confined.tree)) {
    different += 1;
    say(`  tree: ${line}`);
  }
  say(
    `${different + prompts === 0 ? "ok   " : "FAIL "} ${client.name}: ${rows.length} commands bare and confined: ${different} differences, ${prompts} prompts, ${confinedOf(confined)} confined (${bare.seconds.toFixed(0)} s, ${confined.seconds.toFixed(0)} s)`,
  );
  if (different + prompts > 0) process.exitCode = 1;
}

/** How many of the commands the hook let go ahead sandboxed. */
const confinedOf = ({ audit }: ConfinedReport): number =>
  audit.filter(({ point, confined }) => point === "hook" && confined === true).length;

/** Nobody can answer in these sessions: the client says that it would have had to ask. */
const PROMPTED = /requires? (?:your )?approval|approval required|permission to use|haven't granted|user rejected/i;

/** Every way out is stopped, and the model is told. */
async function stopped(client: Client, rows: readonly Row[], drive: Drive): Promise<void> {
  const files = Object.fromEntries(
    rows.map(({ number, command }) => [`leave/${number}.sh`, `${command.replaceAll(/(?<=[-/'"> ])N\b|\bN(?=\.|$)/g, String(number))}\n`]),
  );
  const report = await drive("leaving", {
    commands: rows.map(({ number }) => `bash leave/${number}.sh`),
    files,
    hooked: true,
    mode: "usual",
  });
  let faults = faultsOf(client, "leaving", rows, report);
  let toldByUs = 0;
  const fault = (text: string): void => {
    faults += 1;
    say(`  ${text}`);
  };
  for (const line of treeDifferences(report.before, report.after)) fault(`somebody else's: ${line}`);
  for (const line of report.witness) fault(`noticed outside: ${line}`);
  for (const [at, { number, command }] of rows.entries()) {
    const text = report.told[at] ?? "";
    if (SECRET.test(text)) fault(`a secret is in the output of ${number}: ${command}`);
    if (/assent/i.test(text)) toldByUs += 1;
    else if (!BY_ITSELF.test(text)) fault(`nothing was told of ${number}: ${command}: ${shown(text)}`);
  }
  say(
    `${faults === 0 ? "ok   " : "FAIL "} ${client.name}: ${rows.length} ways to leave the policy: ${faults} faults, ${toldByUs} told with the way out (${report.seconds.toFixed(0)} s)`,
  );
  if (faults > 0) process.exitCode = 1;
}

/** A rule of the client's own holds for a command that goes ahead sandboxed where there is no such rule. */
async function held(client: Client, drive: Drive): Promise<void> {
  const { ownRule } = client;
  if (typeof ownRule !== "function") return say(`none  ${client.name}: a rule of its own: ${ownRule?.none ?? "not driven"}`);
  const command = "sh scripts/tell.sh";
  const job = { commands: [command], files: { "scripts/tell.sh": "#!/bin/sh\necho told > told.txt\n" }, mode: "usual" } as const;
  const ran = ({ tree }: ConfinedReport): boolean => `${PROJECT}/told.txt` in tree;
  const bare = await drive("rule-bare", {
    ...job,
    hooked: false,
    mode: ownRule(command, "http://127.0.0.1:1").mode ?? "free",
    ownRule: command,
  });
  const without = await drive("rule-without", { ...job, hooked: true });
  const under = await drive("rule", { ...job, hooked: true, ownRule: command });
  // Nobody is there to answer it.
  const asked = client.ownQuestion === undefined ? [] : [await drive("question", { ...job, hooked: true, ownQuestion: command })];
  const faults = [
    ...[bare, without, under, ...asked].flatMap(({ problems, timedOut }) => [...problems, ...(timedOut ? ["no end in time"] : [])]),
    ...(ran(bare) ? ["the rule holds not even without Assent"] : []),
    ...(ran(without) && without.audit.some(({ verdict, confined }) => verdict === "allow" && confined === true)
      ? []
      : ["without the rule it does not go ahead sandboxed, so this shows nothing"]),
    ...(ran(under) ? ["what the rule denies has run"] : []),
    ...(asked.some(ran) ? ["what a rule asks about has run"] : []),
  ];
  say(
    `${faults.length === 0 ? "ok   " : "FAIL "} ${client.name}: a deny rule of its own${client.ownQuestion === undefined ? "" : ", and one that asks,"} holds for what would be confined${faults.map((fault) => `; ${fault}`).join("")}`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

/** A question in a confined command is held while somebody answers it elsewhere. */
async function asked(client: Client, drive: Drive): Promise<void> {
  const commands = ["./tool"];
  const files = { tool: HELD_TOOL };
  const job = { commands: ["chmod +x tool", ...commands], files, mode: "usual" } as const;
  const bare = await drive("asked-bare", { ...job, hooked: false, mode: "free", answersAfter: HELD_MS });
  const nobody = await drive("asked-nobody", { ...job, hooked: true });
  const there = await drive("asked", { ...job, hooked: true, answersAfter: HELD_MS });
  const outcome = ({ told }: ConfinedReport): string => plain(told[1]?.replace(client.notes ?? "", ""));
  const { held } = there;
  const faults = [
    ...[bare, nobody, there].flatMap(({ problems, timedOut }) => [...problems, ...(timedOut ? ["no end in time"] : [])]),
    ...(bare.held.length === 0 && outcome(bare).includes("hello") ? [] : [`bare it did not work: ${shown(outcome(bare))}`]),
    ...(outcome(nobody).includes("hello") ? ["nobody was there, and it was let through"] : []),
    ...(held.length === 1 && held.every(({ answered }) => answered === "taken") ? [] : [`the queue had ${JSON.stringify(held)}`]),
    ...held.flatMap(({ after }) => (after <= 200 ? [] : [`the question came after ${after} ms`])),
    ...(outcome(there) === outcome(bare) ? [] : [`the output differs: ${shown(outcome(bare))}, ${shown(outcome(there))}`]),
  ];
  const times = held.map(({ after, what }) => `${what} after ${after} ms, held for ${HELD_MS} ms`).join(", ");
  say(
    `${faults.length === 0 ? "ok   " : "FAIL "} ${client.name}: a question in a confined command is answered elsewhere: ${times}; output as bare${faults.map((fault) => `; ${fault}`).join("")}`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

/** So long a person takes. */
const HELD_MS = 3000;

/** What a session left running ends with it, and with no other. */
async function ended(client: Client, drive: Drive): Promise<void> {
  const stays = (seconds: string): string => `#!/bin/sh\nsleep ${seconds} > /dev/null 2>&1 &\n`;
  const { problems, questions, audit } = await drive("sessions", {
    commands: ["sh scripts/main.sh"],
    other: ["sh scripts/other.sh"],
    files: { "scripts/main.sh": stays(LEFT.main), "scripts/other.sh": stays(LEFT.other) },
    hooked: true,
    mode: "usual",
  });
  const confined = audit.filter((line) => line.point === "hook" && line.confined === true).length;
  const faults = [...problems, ...questions, ...(confined === 2 ? [] : [`${confined} of 2 commands went ahead confined`])];
  say(
    `${faults.length === 0 ? "ok   " : "FAIL "} ${client.name}: what a session left running ends when it is deleted or put away${faults.map((fault) => `; ${fault}`).join("")}`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

/** Where the sandbox refuses by itself, or there is nothing to be reached, the program's own words say so. */
const BY_ITSELF =
  /not permitted|permission denied|must be root|not in a git directory|command not found|connect to bus|Destination address required|Is the docker daemon running/i;

function faultsOf(client: Client, what: string, rows: readonly Row[], report: ConfinedReport): number {
  const faults = [
    ...report.problems,
    ...(report.timedOut ? ["no end in time"] : []),
    ...(report.told.length === rows.length ? [] : [`${report.told.length} outcomes of ${rows.length} commands`]),
  ];
  for (const fault of faults) say(`  ${client.name}: ${what}: ${fault}`);
  return faults.length;
}

const shown = (text: string): string => JSON.stringify(text.length > 400 ? `${text.slice(0, 200)} … ${text.slice(-200)}` : text);

/** Outcomes without what differs from run to run. */
const plain = (text = ""): string =>
  text
    // Some clients tell what they started.
    .replaceAll(/\/home\/you\/\.local\/share\/assent\/confine [0-9a-f]{16} '((?:[^']|'\\{1,2}'')*)'/g, (_all, inner: string) =>
      inner.replaceAll(/'\\{1,2}''/g, "'"),
    )
    .replaceAll(/\nProcess Group PGID: [^\n]*/g, "")
    .replaceAll(/\b(?:Chunk ID|Wall time|Process running|Original token count)[^\n]*\n?/g, "")
    .replaceAll(/^Output:\n/gm, "")
    .replaceAll(/\(node:\d+\)/g, "(node)")
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s|seconds)\b/g, "T")
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, "H");

/** Without the path by which a shell was started and the line it is at, which its complaints begin with. */
const unplaced = (text: string): string => text.replaceAll(/(?:(?:\/usr)?\/bin\/)?bash: line \d+: /g, "bash: ");

const sorted = (text: string): string => text.split("\n").sort().join("\n");

function treeDifferences(was: Tree, is: Tree): readonly string[] {
  const paths = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((path) => !VARIES.test(path));
  return paths.flatMap((path) => (was[path] === is[path] ? [] : [`${path}: ${was[path] ?? "absent"} → ${is[path] ?? "absent"}`]));
}

/** What holds times, ids or hashes of these. */
const VARIES =
  /\/\.git\/|\/node_modules\/\.package-lock|\.(?:pyc|o|a|db)$|\/build\/|\/src\.(?:tgz|zip)$|\/\.(?:claude|codex)\.json|witness\./;

async function session(
  machine: { readonly client: string; readonly node: string; readonly assent: string },
  name: string,
  job: ConfinedJob,
): Promise<ConfinedReport> {
  const out = join(CACHE, "confined", name);
  const output = await runInside({ ...machine, harness: HARNESS }, job, out, job.seconds + 150);
  const report = join(out, "report.json");
  if (!existsSync(report)) throw new Error(`${name}: the harness ended without a report: ${output.slice(-2000)}`);
  return JSON.parse(readFileSync(report, "utf8")) as ConfinedReport;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
