import { visible } from "@assent/core/action";
import { minute } from "@assent/guard/policy-edit";
import { bypassHere, changeBypass, LONGEST_BYPASS_MS, type Machine, paneOf, readBypass, thisMachine, timeLeft } from "@assent/guard/state";
import { writeJson } from "./json.ts";
import { noteCommand } from "./note-command.ts";
import { complain } from "./policy-target.ts";
import { readLength } from "./since.ts";
import { writeStdout } from "./stdio.ts";

interface BypassOptions {
  readonly for?: string;
  readonly pane?: boolean;
  readonly json?: boolean;
}

/**
 * `assent bypass on|off|status`: skips questions for a while, in this terminal pane or everywhere. Denials, the floor and
 * what cannot be understood stay as they are. Exit 0 done, 1 failed, 2 wrong usage.
 */
export function bypass(what: "on" | "off" | "status", options: BypassOptions): number {
  const machine = thisMachine();
  const now = Date.now();
  if (what !== "on" && options.for !== undefined) {
    complain("bypass", `--for ${visible(options.for)} goes with on`, "assent bypass on --for 10m");
    return 2;
  }
  if (what === "status") return status(machine, now, options.json === true);
  const pane = options.pane === true ? paneOf(machine.env) : undefined;
  if (options.pane === true && pane === undefined) {
    complain(
      "bypass",
      "this terminal does not say which pane it is",
      "zellij, tmux, WezTerm and kitty do; without --pane it holds everywhere",
    );
    return 2;
  }
  let until: number | undefined;
  if (what === "on") {
    const length = options.for === undefined ? { wrong: "say for how long: --for 10m" } : readLength(options.for);
    if (typeof length !== "number" || length > LONGEST_BYPASS_MS) {
      complain("bypass", typeof length === "number" ? "the longest is 24h" : length.wrong, "--for 10m, 2h");
      return 2;
    }
    until = now + length;
  }
  const problem = changeBypass(machine, pane, until, now);
  if (problem !== undefined) {
    complain("bypass", visible(problem));
    return 1;
  }
  const reason = until === undefined ? "the user ended the bypass" : `the user skips questions until ${minute(new Date(until))}`;
  noteCommand(machine, `assent bypass ${what}`, reason, { pane: pane ?? "everywhere" });
  const where = pane === undefined ? "everywhere" : "in this pane";
  writeStdout(
    until === undefined
      ? `questions are asked again ${where}\n`
      : `questions are skipped ${where} until ${minute(new Date(until))}; denials are not. \`assent bypass off\` ends it\n`,
  );
  return 0;
}

function status(machine: Machine, now: number, json: boolean): number {
  const held = Object.entries(readBypass(machine))
    .map(([pane, span]) => ({ pane, left: timeLeft(span, now) }))
    .filter(({ left }) => left > 0);
  const here = bypassHere(machine, now);
  if (json) {
    const waived = held.map(({ pane, left }) => ({ where: pane === "*" ? "everywhere" : pane, until: new Date(now + left).toISOString() }));
    return writeJson({ here: here !== undefined, ...(here === undefined ? {} : { by: here.by }), waived });
  }
  for (const { pane, left } of held)
    writeStdout(`${pane === "*" ? "everywhere" : `pane ${visible(pane)}`}: until ${minute(new Date(now + left))}\n`);
  writeStdout(here === undefined ? "questions are asked here\n" : `questions are skipped here: ${here.by}\n`);
  return 0;
}
