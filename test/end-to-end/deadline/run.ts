// `npm run deadline [-- FILTER]`: hostile command lines, requests and repositories against the registered hook, with every
// processor busy. No hook may take longer than five seconds, and none may end in an allow or in silence.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { installPlace } from "@assent/hosts/agents/install";
import { LINES } from "./lines.ts";
import { REPOSITORIES } from "./repositories.ts";
import { REQUESTS } from "./requests.ts";

const DIST = join(import.meta.dirname, "../../../dist");
const LONGEST_MS = 5000;
/** What hosts wait for. */
const HOST_MS = 30_000;
const SECRET = "cat ~/.ssh/id_rsa";

interface Construction {
  readonly name: string;
  readonly make?: (project: string) => void;
  readonly tool: string;
  /** Only the time counts: it may go ahead. */
  readonly harmless?: true;
  /** Or the JSON of it. */
  readonly input: Readonly<Record<string, unknown>> | string;
}

const bash = (name: string, command: string, make?: (project: string) => void): Construction => ({
  name,
  tool: "Bash",
  input: { command },
  ...(make === undefined ? {} : { make }),
});

const EVERYDAY = "ls -la; cat src/app.ts .env; git status; grep -rn TODO .; rm -rf wide; npm test; source .env";
const ALL: readonly Construction[] = [
  ...LINES.map(([what, line]) => bash(`line: ${what}`, `${line}\n\n${SECRET}`)),
  ...REQUESTS.map(([what, tool, input, harmless]): Construction => ({
    name: `request: ${what}`,
    tool,
    input,
    ...(harmless === undefined ? {} : { harmless }),
  })),
  ...REPOSITORIES.map(({ what, make }) => bash(`repository: ${what}`, `${EVERYDAY}\n${SECRET}`, make)),
];

const [filter = ""] = process.argv.slice(2);
const chosen = ALL.filter(({ name }) => name.includes(filter));
const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-deadline-")));

function place(): { readonly home: string; readonly project: string } {
  const home = join(root, "home");
  const project = join(home, "project");
  for (const folder of ["src", ".git", "cycle", "links", "deep"]) mkdirSync(join(project, folder), { recursive: true });
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh/id_rsa"), "key");
  writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "permissions": { "allow": ["Bash(npm test:*)"], "deny": ["Read(**/*.pem)"] } }');
  writeFileSync(join(project, "src/app.ts"), "1");
  for (let at = 0; at < 200; at += 1) {
    mkdirSync(join(project, `wide/d${at}`), { recursive: true });
    writeFileSync(join(project, `wide/d${at}/f`), "");
    symlinkSync(at % 2 === 0 ? `../wide/d${at}` : "/usr/share", join(project, `links/l${at}`));
  }
  symlinkSync("..", join(project, "cycle/loop"));
  symlinkSync("loop", join(project, "cycle/cycle"));
  return { home, project };
}

const REFUSED = /"permissionDecision":"(?:ask|deny)"/;
const ALLOWED = /"permissionDecision":"allow"/;

function attempt({ make, tool, input, harmless }: Construction): {
  readonly ms: number;
  readonly said: string;
  readonly fine: boolean;
} {
  const { home, project } = place();
  try {
    make?.(project);
    const machine = { home, env: {}, platform: process.platform, uid: process.getuid?.(), temp: ["/tmp"], managedPolicy: "" };
    const here = installPlace("claude", { node: process.execPath, folder: DIST }, machine, undefined);
    // A patch is a tool of Codex, which has no launcher.
    const other = installPlace("codex", { node: process.execPath, folder: DIST }, machine, undefined).command("PreToolUse");
    const started = (tool === "apply_patch" ? undefined : here.program("PreToolUse")) ?? { command: "/bin/sh", args: ["-c", other] };
    const rest = JSON.stringify({
      session_id: "s",
      cwd: project,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
      tool_name: tool,
    });
    const text = typeof input === "string" ? input : JSON.stringify(input).replaceAll("~/.ssh", `${home}/.ssh`);
    const start = process.hrtime.bigint();
    const { stdout, stderr, status } = spawnSync(started.command, started.args, {
      cwd: project,
      input: `${rest.slice(0, -1)},"tool_input":${text.replaceAll('"~/', `"${home}/`)}}`,
      env: { PATH: "/usr/bin:/bin", HOME: home },
      encoding: "utf8",
      timeout: HOST_MS,
      killSignal: "SIGKILL",
      maxBuffer: 1 << 28,
    });
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    const answer = /"permissionDecision":"(\w+)","permissionDecisionReason":"([^"]{0,150})/.exec(stdout);
    const refused = (status === 0 && REFUSED.test(stdout)) || (status === 2 && stderr !== "");
    const fine = refused || (harmless === true && status === 0) || (tool.startsWith("mcp__") && status === 0 && !ALLOWED.test(stdout));
    return { ms, fine, said: answer === null ? `exit ${status}: ${(stdout + stderr).slice(0, 150)}` : `${answer[1]}: ${answer[2]}` };
  } finally {
    spawnSync("rm", ["-rf", home]);
  }
}

const busy = Array.from({ length: Number(process.env["DEADLINE_BUSY"] ?? availableParallelism()) }, () =>
  spawn(process.execPath, ["-e", "const { ppid } = process; while (process.ppid === ppid);"], { stdio: "ignore" }),
);
const failures: string[] = [];
const times: number[] = [];
try {
  for (const each of chosen) {
    const { ms, said, fine } = attempt(each);
    times.push(ms);
    const slow = ms > LONGEST_MS;
    const line = `${slow ? "SLOW " : ""}${fine ? "" : "NOT REFUSED "}${ms.toFixed(0).padStart(6)} ms  ${each.name}  ${said.replaceAll(root, "")}`;
    if (slow || !fine) failures.push(line);
    if (slow || !fine || filter !== "" || ms > 1500) console.log(line);
  }
} finally {
  for (const hog of busy) hog.kill("SIGKILL");
  chmodSync(root, 0o700);
  rmSync(root, { recursive: true, force: true });
}
const sorted = times.toSorted((a, b) => a - b);
const at = (share: number): string => `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)} ms`;
console.log(
  `${chosen.length} constructions, ${busy.length} busy processors: median ${at(0.5)}, 99 of 100 within ${at(0.99)}, longest ${at(1)}`,
);
console.log(failures.length === 0 ? "none too late, none went ahead" : `${failures.length} failed:\n${failures.join("\n")}`);
process.exitCode = failures.length === 0 ? 0 : 1;
