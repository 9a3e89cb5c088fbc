import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { join } from "node:path";
import { clientNamed } from "../clients/clients.ts";
import { argsOf } from "../clients/client.ts";
import { FakeModel } from "../clients/model/server.ts";
import { prompt, type Script, stepsOf } from "../clients/model/script.ts";
import { HOME, MOUNTED, PROJECT } from "../clients/place.ts";
import { environmentOf, programOf, start, write } from "../clients/start.ts";
import { announceApprover, answerQuestion, watchQuestions } from "@assent/guard/approve/queue";
import { thisMachine } from "@assent/guard/state";
import { editAround } from "./editor.ts";
import { endSessions } from "./served.ts";
import { HELD_PORT, OTHERS, PROJECT_FILES, SECRETS } from "./project.ts";
import type { ConfinedJob, ConfinedReport, Tree } from "./report.ts";

/** One session of a real client inside its own machine: one command after the other in a project, and what became of everything. */
async function main(): Promise<void> {
  const job = JSON.parse(readFileSync(join(MOUNTED.out, "job.json"), "utf8")) as ConfinedJob;
  const client = clientNamed(job.client);
  if (client === undefined) throw new Error(`no such client: ${job.client}`);
  const steps = job.commands.map((command) => client.shell(command));
  const scripts = { main: steps, ...(job.other === undefined ? {} : { other: job.other.map((command) => client.shell(command)) }) };
  const model = new FakeModel(scripts);
  const origin = `http://127.0.0.1:${await model.listen()}` as const;
  const env = environmentOf(client, origin);
  mkdirSync(PROJECT, { recursive: true });
  for (const [path, text] of Object.entries({ ...PROJECT_FILES, ...SECRETS, ...OTHERS, ...job.files })) place(path, text);
  const denying = job.ownRule === undefined || typeof client.ownRule !== "function" ? undefined : client.ownRule(job.ownRule, origin);
  const rule = job.ownQuestion === undefined ? denying : client.ownQuestion?.(job.ownQuestion, origin);
  for (const [path, text] of Object.entries({ ...client.files(origin), ...rule?.files })) write(path, text);
  for (const script of readdirSync(join(PROJECT, "scripts")))
    if (script.endsWith(".sh")) await start(["chmod", "+x", `scripts/${script}`], env, 20, "chmod");
  await start(["git", "init", "-q", "-b", "main", PROJECT], env, 20, "git");
  for (const [index, command] of (client.before?.(origin) ?? []).entries()) await start(command, env, 60, `before-${index}`);
  if (job.hooked) {
    write(join(HOME, ".agent-permissions.jsonc"), job.policy);
    const install = [MOUNTED.ownNode, `${MOUNTED.assent}/dist/bin.cjs`, "install", "--agent", client.id, "--yes"];
    const { status } = await start(install, env, 60, "install");
    if (status !== 0) throw new Error(`assent install --agent ${client.id} ended with ${status}`);
  }
  const witness = await witnesses(env);
  const held = job.answersAfter === undefined ? [] : somebodyThere(env, job.answersAfter);
  const before = treeOf(HOME, isOthers);
  const { edited } = client;
  const headless = [...programOf(client), ...argsOf(client, prompt("main"), job.mode, rule?.args)];
  const served =
    job.other === undefined
      ? undefined
      : await endSessions([...programOf(client), ...(client.serves ?? "").split(" ")], env, job.seconds / 3);
  const { questions, ...ended } =
    served !== undefined
      ? { status: 0, timedOut: false, seconds: 0, questions: served }
      : edited === undefined
        ? { ...(await start(headless, env, job.seconds, "client")), questions: [] }
        : await editAround([...programOf(client), ...edited[job.mode].split(" ")], env, prompt("main"), job.seconds);
  const file = join(HOME, ".local/state/assent/audit.jsonl");
  const audit = existsSync(file) ? readFileSync(file, "utf8") : "";
  const told = toldIn(model, steps);
  const report: ConfinedReport = {
    ...ended,
    audit: audit
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as ConfinedReport["audit"][number]),
    told,
    questions,
    held,
    // When everything has had its outcome, some ask a model with other tools what is to be remembered.
    problems: told.length === job.commands.length ? [] : model.exchanges.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    tree: treeOf(PROJECT, () => true),
    before,
    after: treeOf(HOME, isOthers),
    witness: witness(),
  };
  model.close();
  writeFileSync(join(MOUNTED.out, "audit.jsonl"), audit);
  writeFileSync(join(MOUNTED.out, "report.json"), JSON.stringify(report));
  process.exit(0);
}

/** Somebody with the questions open in a terminal of their own, and a server that commands would reach. */
function somebodyThere(env: Readonly<Record<string, string>>, after: number): ConfinedReport["held"] {
  const held: ConfinedReport["held"][number][] = [];
  const machine = thisMachine({ ...env });
  createServer((socket) => void socket.end("hello\n")).listen(HELD_PORT, "127.0.0.1");
  announceApprover(machine, "terminal");
  const known = new Set<string>();
  watchQuestions(machine, ({ open }) => {
    for (const { id, question } of open) {
      if (known.has(id)) continue;
      known.add(id);
      const stamp = join(PROJECT, "stamp.txt");
      const began = existsSync(stamp) ? Number(readFileSync(stamp, "utf8")) : Number.NaN;
      const waited = Math.round(Date.now() - began);
      setTimeout(() => {
        const { is } = answerQuestion(machine, id, { answer: "allow", scope: "once" }, "terminal");
        held.push({ what: question.what, after: waited, answered: is });
      }, after);
    }
  });
  return held;
}

/** The longest conversation: titles and summaries are asked for after it. */
function toldIn({ exchanges }: FakeModel, steps: Script): readonly string[] {
  const conversations = exchanges.map(({ heard }) => (heard?.turns ?? []).flatMap((turn) => (turn.by === "tool" ? [turn.text] : [])));
  const told = conversations.reduce((longest, one) => (one.length >= longest.length ? one : longest), []);
  const of = stepsOf(steps, told);
  // A command that went on was asked about again: what it printed comes in parts.
  return [...new Set(of)].map((step) => told.filter((_, at) => of[at] === step).join(""));
}

function place(path: string, text: string): void {
  write(path.startsWith("~/") ? join(HOME, path.slice(2)) : join(PROJECT, path), text);
}

/** What is somebody else's: not the project's files, the client's own folders, caches and Assent's records. */
function isOthers(path: string): boolean {
  const own = [
    ".claude",
    ".claude.json",
    ".codex",
    ".cache",
    ".npm",
    ".local",
    "go",
    ".copilot",
    ".gemini",
    ".qwen",
    ".factory",
    ".cline",
    ".pi",
    ".bun",
    ".config/opencode",
    ".config/kilo",
  ];
  if (own.some((name) => path === join(HOME, name) || path.startsWith(`${join(HOME, name)}.`) || path.startsWith(`${join(HOME, name)}/`)))
    return OWN_SETTINGS.test(path);
  if (!path.startsWith(`${PROJECT}/`)) return true;
  return /\/(?:\.git\/(?:hooks|config)|\.claude|\.codex|\.mcp\.json|\.agent-permissions|\.env)/.test(path);
}

/** In a client's own folders: what nobody but its user writes. Qwen rewrites its settings by itself. */
const OWN_SETTINGS =
  /\/\.(?:claude|codex|factory|gemini)\/(?:settings|hooks)|\/\.local\/bin|\/\.config\/(?:opencode|kilo)\/(?:(?:opencode|kilo)\.jsonc?|plugins?)$/;

/** Each path with what it is: type, mode, and a hash of its bytes. */
function treeOf(root: string, wanted: (path: string) => boolean): Tree {
  const found: Record<string, string> = {};
  const walk = (path: string): void => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const mode = (stat.mode & 0o7777).toString(8);
    if (path !== root && wanted(path)) {
      const what = stat.isDirectory()
        ? "folder"
        : stat.isSymbolicLink()
          ? `link to ${readlinkSync(path)}`
          : stat.isFile()
            ? createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16)
            : "other";
      // An empty folder decides nothing.
      if (!(stat.isDirectory() && path.endsWith("/.claude")))
        found[path] = stat.isDirectory() || stat.isSymbolicLink() ? what : `${mode} ${what}`;
    }
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) walk(join(path, name));
  };
  walk(root);
  return found;
}

/** Those outside who notice when somebody comes: listeners, and a process that lives. */
async function witnesses(env: Readonly<Record<string, string>>): Promise<() => readonly string[]> {
  const log = join(MOUNTED.out, "witness.log");
  writeFileSync(log, "");
  const came = (what: string) => (text: Buffer | string) => appendFileSync(log, `${what}: ${String(text).slice(0, 60)}\n`);
  for (const [what, at] of [
    ["tcp", { port: 7701, host: "127.0.0.1" }],
    ["unix", { path: join(HOME, "witness.sock") }],
    ["abstract", { path: "\0assent-witness" }],
  ] as const)
    await new Promise<void>((done) =>
      createServer((socket) => {
        came(what)("connected");
        socket
          .on("data", came(what))
          .on("error", () => undefined)
          .end();
      }).listen(at, done),
    );
  createSocket("udp4").on("message", came("udp")).bind(7702, "127.0.0.1");
  const sleeper = spawn("sleep", ["3000"], { env: { ...env, MARK: "xq-secret-process-99" }, detached: true, stdio: "ignore" });
  sleeper.on("exit", () => came("process")("ended"));
  write(join(HOME, "witness.pid"), String(sleeper.pid));
  return () => {
    const lines = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    const state = /^State:\s+(\w)/m.exec(readFileSync(`/proc/${sleeper.pid ?? 0}/status`, "utf8"))?.[1];
    return state === "T" ? [...lines, "process: stopped"] : lines;
  };
}

await main();
