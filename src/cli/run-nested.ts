import { spawn } from "node:child_process";
import { constants } from "node:os";
import { visible } from "../action/index.ts";
import type { OuterAnswer } from "../supervise/outer/index.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import type { RunFlags } from "./run-flags.ts";
import { withSignals } from "./run-signals.ts";
import { STATUS } from "./run-status.ts";
import { writeStderr } from "./stdio.ts";
import { hasTerminal } from "./terminal.ts";

interface Nested {
  readonly outer: OuterAnswer;
  readonly argv: readonly string[];
  readonly word: string;
  readonly profile: string | undefined;
  readonly flags: RunFlags;
  readonly cwd: string;
}

/**
 * `assent run` inside a run. Linux allows one supervisor, and the outer one supervises this program already: so the inner
 * run joins it, if it asks for nothing that the outer one does not do; else it would only seem to be kept, and is refused.
 */
export async function joinOuter({ outer, argv, word, profile, flags, cwd }: Nested): Promise<number> {
  const wish = outer.is === "run" ? beyond(flags, profile, cwd, outer) : undefined;
  if (outer.is !== "run" || wish !== undefined) {
    const why =
      outer.is === "run"
        ? `this is inside the supervised run ${outer.run}, which does not do ${wish ?? ""}`
        : "the supervisor around this did not answer";
    complain("run", visible(why), "leave the option out, so that the outer run goes on with this program, or start it outside");
    return STATUS.cannotSupervise;
  }
  if (flags.quiet !== true) writeStderr(`assent: already supervised by run ${visible(outer.run)}, which goes on with this program\n`);
  const [program = "", ...args] = argv;
  const child = spawn(program, args, { stdio: "inherit", argv0: word });
  return await withSignals(
    hasTerminal(),
    (signal) => void child.kill(signal),
    () =>
      new Promise((resolve) => {
        child.on("error", (error) => {
          complain("run", visible(`${word}: ${error.message}`));
          resolve(STATUS.cannotExecute);
        });
        child.on("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
      }),
  );
}

/** What the outer run does not do. Nobody is asked where the inner one asks nobody: the supervisor was told when it was asked. */
function beyond(flags: RunFlags, profile: string | undefined, cwd: string, outer: Extract<OuterAnswer, { is: "run" }>): string | undefined {
  if (profile !== undefined && profile !== outer.profile) return `\`--profile ${profile}\``;
  const wishes: readonly (readonly [boolean, string])[] = [
    [flags.logOnly === true, "--log-only"],
    [flags.strace !== undefined, "--strace"],
    [flags.learn === true, "--learn"],
    [flags.backgroundDir !== undefined, "--background-dir"],
    [flags.policy.some((file) => !outer.policyFiles.includes(absolute(file, cwd))), "--policy"],
    [flags.json === true, "--json"],
  ];
  const wish = wishes.find(([wanted]) => wanted)?.[1];
  return wish === undefined ? undefined : `\`${wish}\``;
}
