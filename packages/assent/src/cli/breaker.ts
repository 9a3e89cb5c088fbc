import { visible } from "@assent/core/action";
import { inspect } from "@assent/guard/inspect";
import type { Automation } from "@assent/core/policy";
import { breakers, resetBreakers, thisMachine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { absolute } from "./place.ts";
import { hasTerminal } from "./terminal.ts";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";

/** So many refusals in a row, and lately, that everything is asked. */
export const isTripped = (row: ReturnType<typeof breakers>[number], { denials, minutes }: Automation["breaker"], now: number): boolean =>
  row.denials >= denials && (minutes === 0 || now - row.last <= minutes * 60_000);

/** `assent breaker status`: refusals in a row, by session and agent. */
export function breakerStatus(options: { readonly json?: boolean }): number {
  const machine = thisMachine();
  const settings = inspect({ machine, cwd: absolute("."), own: engine.own }).policy.settings.automation.breaker;
  const { denials, minutes } = settings;
  const rows = breakers(machine).map((row) => ({
    ...row,
    tripped: isTripped(row, settings, Date.now()),
  }));
  if (options.json === true) {
    const shown = rows.map(({ last, ...row }) => ({ ...row, last: new Date(last).toISOString() }));
    return writeJson({ denials, minutes, sessions: shown });
  }
  const tripped = rows.filter((row) => row.tripped).length;
  writeStdout(
    tripped === 0
      ? `the circuit breaker has stopped no session (it does after ${denials} refusals in a row)\n`
      : `the circuit breaker has stopped ${tripped} session(s)\n`,
  );
  for (const row of rows)
    writeStdout(
      `  ${row.tripped ? "tripped" : "       "}  ${String(row.denials).padStart(5)} refused  ` +
        `${new Date(row.last).toISOString().slice(0, 16).replace("T", " ")}  ${visible(row.key)}\n`,
    );
  return 0;
}

/** `assent breaker reset`: by a person, at a terminal. */
export function breakerReset(): number {
  if (!hasTerminal()) {
    complain("breaker", "only a person resets the circuit breaker, and this is not a terminal", "say it at a terminal of your own");
    return 1;
  }
  resetBreakers(thisMachine());
  writeStdout("the circuit breaker is reset\n");
  return 0;
}
