import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prompt } from "../clients/model/script.ts";
import { MOUNTED, PROJECT } from "../clients/place.ts";

/** The two sessions, by what their command leaves running: a `sleep` for so many seconds. */
export const LEFT = { main: "9871", other: "9872" } as const;

type Session = keyof typeof LEFT;

const PORT = 4999;
const AT = `http://127.0.0.1:${PORT}`;

/**
 * A client that serves its sessions to others (OpenCode, Kilo): in each of two a command leaves something running; then one session is
 * deleted, then the other put away. What of that was not as it should be.
 */
export async function endSessions(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  seconds: number,
): Promise<readonly string[]> {
  const child = spawn(program, [...args, "--port", String(PORT), "--hostname", "127.0.0.1"], {
    cwd: PROJECT,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => (output += part));
  const problems: string[] = [];
  const soon = async (wanted: () => boolean | Promise<boolean>, what: string, within = 30): Promise<boolean> => {
    for (const end = Date.now() + within * 1000; Date.now() < end;) {
      if (await wanted()) return true;
      await pause(200);
    }
    problems.push(what);
    return false;
  };
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const answer = await fetch(`${AT}${path}`, { method, ...init, signal: AbortSignal.timeout(seconds * 1000) });
    const text = await answer.text();
    if (!answer.ok) problems.push(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  };
  const begin = async (script: Session): Promise<string> => {
    const { id = "" } = (await ask("POST", "/session", {})) as { readonly id?: string };
    await ask("POST", `/session/${id}/message`, { parts: [{ type: "text", text: prompt(script) }] });
    if (!isRunning(script)) problems.push(`${script}: nothing was left running, so this shows nothing`);
    return id;
  };
  try {
    const serves = (): Promise<boolean> =>
      fetch(`${AT}/session`).then(
        ({ ok }) => ok,
        () => false,
      );
    // With the first request it sets up what its plugins want.
    if (!(await soon(serves, "it does not serve", seconds))) return problems;
    const main = await begin("main");
    const other = await begin("other");
    await ask("DELETE", `/session/${main}`);
    await soon(() => !isRunning("main"), "what a deleted session left goes on");
    if (!isRunning("other")) problems.push("what another session left has ended with it");
    await ask("PATCH", `/session/${other}`, { time: { archived: Date.now() } });
    await soon(() => !isRunning("other"), "what a session that was put away left goes on");
    return problems;
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    writeFileSync(join(MOUNTED.out, "client.stdout"), output);
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

const isRunning = (session: Session): boolean =>
  readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && wordsOf(pid) === `sleep\0${LEFT[session]}\0`);

function wordsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
