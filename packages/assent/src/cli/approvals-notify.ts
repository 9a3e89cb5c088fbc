import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { visible } from "@assent/core/action";
import { type NotifySettings, readNotify, writeNotify } from "@assent/guard/approve/queue";
import { type Machine, thisMachine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { complain } from "./policy-target.ts";
import { findProgram } from "./run-program.ts";
import { writeStdout } from "./stdio.ts";

const COMMAND = "approvals";
const TOLD = ["desktop", "tmux", "terminal"] as const;
const WAYS = [...TOLD, "off"] as const;
type Way = (typeof WAYS)[number];

/** `assent approvals notify`: switches on how a person is told of questions, or says what is on. Exit 0, 1 it cannot be, 2 wrong usage. */
export function notifyApprovals(words: readonly string[], { json }: { readonly json?: boolean }): number {
  const machine = thisMachine();
  const ways = words.map((word): Way | undefined => WAYS.find((one) => one === word));
  const unknown = words[ways.indexOf(undefined)];
  if (unknown !== undefined || (ways.includes("off") && ways.length > 1)) {
    complain(
      COMMAND,
      unknown === undefined ? "`off` stands alone" : `\`${visible(unknown)}\` is not a way to be told`,
      `ways: ${WAYS.join(", ")}`,
    );
    return 2;
  }
  if (ways.length > 0) {
    const settings = settingsFor(ways, machine);
    const problem = "problem" in settings ? settings : { problem: writeNotify(machine, settings) };
    if (problem.problem !== undefined) {
      complain(COMMAND, visible(problem.problem), "help" in problem ? problem.help : undefined);
      return 1;
    }
  }
  const now = readNotify(machine) ?? {};
  const on = TOLD.filter((way) => now[way] !== undefined);
  if (json === true) writeJson({ notify: on });
  else if (on.length === 0) writeStdout("you are told of questions in `assent approvals` and on the page alone\n");
  else for (const way of on) writeStdout(`${way}: ${SAID[way]}\n`);
  return 0;
}

const SAID: Readonly<Record<(typeof TOLD)[number], string>> = {
  desktop: "a notification says how many questions wait; agents wait for you even when no terminal or page is open",
  tmux: "a popup opens with the questions; agents wait for you even when no terminal or page is open",
  terminal: "`assent approvals` rings, and the terminal tells the desktop",
};

type Settings = NotifySettings | { readonly problem: string; readonly help?: string };

function settingsFor(ways: readonly (Way | undefined)[], machine: Machine): Settings {
  let settings: NotifySettings = {};
  if (ways.includes("desktop")) {
    const name = machine.platform === "darwin" ? "osascript" : "notify-send";
    const program = programOf(name, machine);
    if (program === undefined) return { problem: `${name} was not found`, help: "on Debian and Ubuntu it is in libnotify-bin" };
    settings = { ...settings, desktop: { program } };
  }
  if (ways.includes("tmux")) {
    const tmux = tmuxSettings(machine);
    if ("problem" in tmux) return tmux;
    settings = { ...settings, tmux };
  }
  return ways.includes("terminal") ? { ...settings, terminal: true } : settings;
}

function programOf(name: string, { env }: Machine): string | undefined {
  const found = findProgram(name, env["PATH"], "/");
  return found.is === "program" ? found.path : undefined;
}

/** display-popup came with tmux 3.2. */
function tmuxSettings(machine: Machine): NonNullable<NotifySettings["tmux"]> | { readonly problem: string; readonly help?: string } {
  const program = programOf("tmux", machine);
  if (program === undefined) return { problem: "tmux was not found" };
  const version = spawnSync(program, ["-V"], { encoding: "utf8", timeout: 5000 }).stdout ?? "";
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) * 100 + Number(minor) < 302) return { problem: `popups need tmux 3.2; this is ${version.trim()}` };
  const [socket = ""] = (machine.env["TMUX"] ?? "").split(",");
  if (!socket.startsWith("/"))
    return { problem: "this terminal is not in tmux", help: "switch it on in a pane of the tmux that shows the popup" };
  const [own = ""] = engine.own;
  const state = machine.env["XDG_STATE_HOME"];
  const env = [
    "env",
    "-i",
    `HOME=${machine.home}`,
    "PATH=/usr/local/bin:/usr/bin:/bin",
    "TERM=screen-256color",
    ...(state === undefined ? [] : [`XDG_STATE_HOME=${state}`]),
  ];
  return { program, socket, command: [...env, process.execPath, join(own, "bin.cjs"), "approvals", "--popup"] };
}
