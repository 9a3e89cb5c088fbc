import { spawn } from "node:child_process";
import { closeSync, lstatSync, openSync, utimesSync } from "node:fs";
import type { Machine } from "../../state/index.ts";
import { type NotifySettings, readNotify } from "./notify-settings.ts";
import { approversThere } from "./presence.ts";
import { questionsFolder } from "./folder.ts";
import { openQuestions } from "./store.ts";

/** A burst of questions is told once. Milliseconds. */
const SELDOM_MS = 3000;

/** Tells the person that there are questions, by the ways that are switched on. Never waits, never fails. */
export function notify(machine: Machine, atLeast: number): void {
  const settings = readNotify(machine);
  if (settings === undefined || !isFirst(machine)) return;
  try {
    for (const [program, ...args] of commandsFor(
      settings,
      Math.max(atLeast, openQuestions(machine).length),
      approversThere(machine).length > 0,
    ))
      start(program, args, machine);
  } catch {
    // The question waits all the same.
  }
}

type CommandWords = readonly [program: string, ...args: string[]];

/** What is started. Nothing of the question is in it: a desktop keeps what it has shown, and others may read argv. */
export function commandsFor({ desktop, tmux }: NotifySettings, count: number, isOpen: boolean): readonly CommandWords[] {
  const text = count === 1 ? "1 question waits for you" : `${count} questions wait for you`;
  const told: CommandWords[] = [];
  if (desktop?.program.endsWith("osascript") === true)
    told.push([desktop.program, "-e", `display notification "${text}: assent approvals" with title "Assent"`]);
  else if (desktop !== undefined)
    told.push([desktop.program, "--app-name=Assent", "--urgency=critical", "Assent", `${text}: assent approvals`]);
  // Where a terminal or a page is open the questions are seen there.
  if (tmux !== undefined && !isOpen)
    told.push([tmux.program, "-S", tmux.socket, "display-popup", "-E", "-w", "90%", "-h", "80%", "-T", " Assent ", ...tmux.command]);
  return told;
}

function start(program: string, args: readonly string[], { env }: Machine): void {
  // Neither what an agent put into the environment nor a lasting child.
  const kept = ["HOME", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"];
  const own = Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const child = spawn(program, args, { env: { ...own, PATH: "/usr/local/bin:/usr/bin:/bin" }, cwd: "/", stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

/** Of several askers at the same time one tells. */
function isFirst(machine: Machine): boolean {
  const file = `${questionsFolder(machine)}/notified`;
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    const now = Date.now();
    if (stats === undefined) closeSync(openSync(file, "wx", 0o600));
    else if (Math.abs(now - stats.mtimeMs) < SELDOM_MS) return false;
    else utimesSync(file, new Date(now), new Date(now));
    return true;
  } catch {
    return false;
  }
}
