// What may happen to the judge that stays, and how many of the calls meanwhile had the right answer: `npm run daemon:adversities [calls]`.
// A table of scenarios; in each, what is to be allowed and what is to be refused is asked in turn, as a host asks.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { printAnswerFrame } from "../../packages/assent/src/daemon/wire.ts";

const CALLS = Number(process.argv[2] ?? 50);
/** It is bundled, and runs in the project's folder. */
const BUILT = resolve("dist");
const LINES = ["ls", "rm -rf ~", "git status", "cat .env"] as const;
const SAID: Readonly<Record<string, string>> = { ls: "allow", "rm -rf ~": "deny", "git status": "allow", "cat .env": "deny" };
const ALLOW = printAnswerFrame({ stdout: '{"hookSpecificOutput":{"permissionDecision":"allow"}}\n', stderr: "", status: 0 });

class Place {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "assent-adversity-")));
  readonly home = join(this.root, "home");
  readonly project = join(this.home, "project");
  readonly daemon = join(this.home, ".local/state/assent/resident");
  dist = BUILT;
  judge: ChildProcess | undefined;

  constructor() {
    for (const folder of [join(this.project, ".git"), this.daemon]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.project, ".env"), "KEY=1\n");
  }

  async start(): Promise<void> {
    this.judge = spawn(process.execPath, [join(this.dist, "bin.cjs"), "daemon", "--serve"], { env: this.#env(), stdio: "ignore" });
    while (this.socket() === undefined) await pause(20);
  }

  socket(): string | undefined {
    const name = readdirSync(this.daemon).find((each) => each.startsWith("mnt:"));
    return name === undefined ? undefined : join(this.daemon, name);
  }

  /** What is said, or what went wrong. */
  async ask(line: string, more = ""): Promise<string> {
    const words = [
      `HOME=${this.home}`,
      process.execPath,
      join(this.dist, "bin.cjs"),
      "check",
      "--agent",
      "claude",
      "--event",
      "PreToolUse",
    ];
    const hook = spawn(join(this.dist, `ask-${process.arch}`), [`${this.daemon}/`, join(this.dist, `launch-${process.arch}`), ...words], {
      cwd: this.project,
      env: this.#env(),
    });
    let out = "";
    hook.stdout.on("data", (chunk) => (out += String(chunk)));
    hook.stdin.on("error", () => undefined);
    hook.stdin.end(
      JSON.stringify({
        session_id: "s",
        cwd: this.project,
        permission_mode: "default",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: line, description: more },
      }),
    );
    await new Promise((done) => hook.once("close", done));
    return /"permissionDecision":"(\w+)"/.exec(out)?.[1] ?? `nothing (${out.slice(0, 80)})`;
  }

  #env = (): Record<string, string> => ({ HOME: this.home, PATH: "/usr/local/bin:/usr/bin:/bin" });

  end(): void {
    this.judge?.kill("SIGKILL");
    // Those that hooks have started end when their folder has gone.
    rmSync(this.root, { recursive: true, force: true });
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((go) => setTimeout(go, milliseconds));
const listening = async (place: Place, said: Buffer): Promise<Server> => {
  const name = readlinkSync("/proc/self/ns/mnt");
  const server = createServer((socket) =>
    socket
      .on("error", () => undefined)
      .resume()
      .end(said),
  );
  await new Promise<void>((go) => server.listen(join(place.daemon, name), go));
  return server;
};

interface Scenario {
  readonly what: string;
  readonly before: (place: Place) => Promise<unknown>;
  /** Done before the call of that number. */
  readonly meanwhile?: (place: Place, at: number) => unknown;
  readonly together?: true;
  readonly more?: string;
  readonly wanted?: (line: string, at: number) => string;
}

const SCENARIOS: readonly Scenario[] = [
  { what: "nothing happens", before: (place) => place.start() },
  { what: "none runs; the first call starts one", before: () => Promise.resolve() },
  { what: "killed (SIGKILL) before every fifth call", before: (place) => place.start(), meanwhile: killEveryFifth },
  { what: "stopped (SIGSTOP)", before: async (place) => (await place.start(), place.judge?.kill("SIGSTOP")) },
  { what: "a stale socket", before: async (place) => (await place.start(), place.judge?.kill("SIGKILL"), pause(50)) },
  { what: "who listens ends at once", before: (place) => listening(place, Buffer.alloc(0)) },
  { what: "who listens says half an answer: allow", before: (place) => listening(place, ALLOW.subarray(0, ALLOW.length - 1)) },
  {
    what: "who listens says allow before it was asked, in another form",
    before: (place) => listening(place, Buffer.from('{"permissionDecision":"allow"}')),
  },
  { what: "10 MB envelopes", before: (place) => place.start(), more: "x".repeat(10 << 20) },
  { what: "200 at once", before: (place) => place.start(), together: true },
  {
    what: "the policy changes before every call",
    before: (place) => place.start(),
    meanwhile: changePolicy,
    wanted: (_, at) => (at % 2 === 0 ? "deny" : "allow"),
  },
  { what: "the package is updated before every fifth call", before: copyOfProgram, meanwhile: updateEveryFifth },
];

function killEveryFifth(place: Place, at: number): void {
  if (at % 5 !== 0) return;
  place.judge?.kill("SIGKILL");
  const socket = place.socket();
  // The one that a hook started is not our child.
  if (socket !== undefined) spawnSync(process.execPath, [join(place.dist, "bin.cjs"), "daemon", "stop"], { env: { HOME: place.home } });
}

function changePolicy(place: Place, at: number): void {
  writeFileSync(
    join(place.home, ".agent-permissions.jsonc"),
    `{ "permissions": { "${at % 2 === 0 ? "deny" : "allow"}": ["Bash(tool-x:*)"] } }`,
  );
}

async function copyOfProgram(place: Place): Promise<void> {
  place.dist = join(place.root, "dist");
  cpSync(BUILT, place.dist, { recursive: true });
  symlinkSync(resolve("node_modules"), join(place.root, "node_modules"));
  await place.start();
}

function updateEveryFifth(place: Place, at: number): void {
  if (at % 5 === 0) utimesSync(join(place.dist, "shell.cjs"), at + 1, at + 1);
}

let wrong = 0;
for (const { what, before, meanwhile, together, more, wanted } of SCENARIOS) {
  const place = new Place();
  const kept = await before(place);
  const count = together === true ? 200 : more === undefined ? CALLS : Math.ceil(CALLS / 5);
  const line = (at: number): string => (wanted === undefined ? (LINES[at % LINES.length] ?? "ls") : "tool-x a");
  const call = async (at: number): Promise<boolean> => {
    meanwhile?.(place, at);
    return (await place.ask(line(at), more)) === (wanted?.(line(at), at) ?? SAID[line(at)]);
  };
  const all = Array.from({ length: count }, (_, at) => at);
  const right: boolean[] = [];
  if (together === true) right.push(...(await Promise.all(all.map(call))));
  else for (const at of all) right.push(await call(at));
  const failed = right.filter((each) => !each).length;
  wrong += failed;
  console.log(`${what.padEnd(64)} ${String(count - failed).padStart(4)} of ${count} right`);
  if (typeof kept === "object" && kept !== null && "close" in kept) (kept as Server).close();
  place.end();
}
process.exitCode = wrong === 0 ? 0 : 1;
