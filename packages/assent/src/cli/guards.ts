import { visible } from "@assent/core/action";
import { carryOut, type OtherGuard, planTakingOut } from "@assent/hosts/agents/install";
import type { Machine } from "@assent/guard/state";
import { absolute, shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { confirmed } from "./terminal.ts";

export interface GuardsOptions {
  /** Known guards are taken out without a question; `yes` alone takes none out. */
  readonly replaceGuards?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `dcg in ~/.claude/settings.json: `dcg``. */
export function guardLine({ name, file, says }: OtherGuard, machine: Machine): string {
  const where = visible(shorten(file, absolute("."), machine.home));
  return `${name ?? "another hook"} in ${where}: \`${visible(says.length > 100 ? `${says.slice(0, 100)}…` : says)}\``;
}

/** What a person does who wants it gone. */
export const guardWayOut = ({ byHand = "" }: OtherGuard, machine: Machine): string => visible(byHand.replace(`${machine.home}/`, "~/"));

/** After registering: who else is asked before commands, and the offer to take that out. Returns the exit code. */
export async function settleGuards(guards: readonly OtherGuard[], options: GuardsOptions, machine: Machine): Promise<number> {
  if (guards.length === 0) return 0;
  const list = (some: readonly OtherGuard[]): string =>
    some
      .map(
        (one) =>
          `  ${one.agent}: ${guardLine(one, machine)}\n${one.byHand === undefined ? "" : `    to take it out: ${guardWayOut(one, machine)}\n`}`,
      )
      .join("");
  const named = guards.filter(({ name }) => name !== undefined);
  const unnamed = guards.filter(({ name }) => name === undefined);
  if (named.length > 0) writeStdout(`asked before commands, too, so that both would ask you:\n${list(named)}`);
  if (unnamed.length > 0) writeStdout(`asked before commands, too; if it asks or refuses, so that both do:\n${list(unnamed)}`);
  // What is not ours to edit is told, and left.
  const known = named.filter(({ byHand }) => byHand === undefined);
  const others = unnamed.filter(({ byHand }) => byHand === undefined);
  const silent = options.dryRun === true || options.yes === true;
  if (options.replaceGuards !== true && silent) {
    if (known.length > 0) writeStdout("left as it is; `assent install --replace-guards` takes out what it knows, a copy is kept\n");
    return 0;
  }
  let status = 0;
  if (known.length > 0) {
    if (options.dryRun === true) writeStdout("would take it out\n");
    else if (options.replaceGuards === true || (await agreed(known, "Take it out? A copy is kept.")) === true)
      status = takeOut(known, machine);
  }
  if (
    others.length > 0 &&
    !silent &&
    options.replaceGuards !== true &&
    (await agreed(others, "Take this out, too? A copy is kept.")) === true
  )
    status = Math.max(status, takeOut(others, machine));
  return status;
}

const agreed = async (guards: readonly OtherGuard[], question: string): Promise<boolean | undefined> =>
  await confirmed("", guards.length === 1 ? question : question.replace(/\b(?:it|this)\b/, "them"));

function takeOut(guards: readonly OtherGuard[], machine: Machine): number {
  let status = 0;
  for (const file of new Set(guards.map((one) => one.file))) {
    const short = visible(shorten(file, absolute("."), machine.home));
    const planned = planTakingOut(guards.filter((one) => one.file === file));
    const done = planned.is === "change" ? carryOut(planned.change, machine) : undefined;
    const why = planned.is === "refused" ? planned.why : done?.is === "failed" ? done.why : undefined;
    if (why !== undefined) {
      complain("install", `${short}: ${visible(why)}`, "take it out by hand");
      status = 1;
    } else if (done?.is === "done") {
      const copy = done.backup === undefined ? "" : `  (copy: ${visible(shorten(done.backup, absolute("."), machine.home))})`;
      writeStdout(`took it out of ${short}${copy}\n`);
    }
  }
  return status;
}
