import { visible } from "@assent/core/action";
import { addToProfile, minute } from "@assent/guard/policy-edit";
import type { Machine } from "@assent/guard/state";
import { generalise, learnPlaces, type Aside, type Learnt, type Observations } from "@assent/supervisor/supervise/learn";
import { shorten } from "./place.ts";
import type { RunFlags } from "./run-options.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { confirmed } from "./terminal.ts";

interface LearnContext {
  readonly machine: Machine;
  readonly cwd: string;
  readonly profile: string;
  readonly flags: RunFlags;
}

/** Shows what a run taught and writes it to the profile once a person has seen it. */
export async function proposeProfile(seen: Observations, about: LearnContext): Promise<void> {
  const { machine, cwd, profile, flags } = about;
  const learnt = generalise(seen, learnPlaces(machine, cwd));
  if (flags.dryRun === true) {
    writeStdout(
      `${JSON.stringify({ permissions: { allow: learnt.rules.map(({ rule, reason }) => ({ rule, reason })) } }, undefined, 2)}\n`,
    );
    writeStderr(asides(learnt));
    return;
  }
  if (learnt.rules.length === 0) {
    writeStderr(`assent: nothing was needed that the policy does not allow\n${asides(learnt)}`);
    return;
  }
  const page = `${rulesOf(learnt)}${asides(learnt)}`;
  const name = visible(shorten(profile, "/", machine.home));
  if (flags.yes === true) writeStderr(page);
  else {
    const yes = await confirmed(
      page,
      `Add ${learnt.rules.length === 1 ? "this rule" : `these ${learnt.rules.length} rules`} to the profile ${name}?`,
    );
    if (yes !== true) {
      writeStderr(
        yes === undefined
          ? `${page}assent: this is not a terminal, so nobody can be asked: nothing is written (--yes writes it, --dry-run prints it)\n`
          : "assent: nothing is written\n",
      );
      return;
    }
  }
  const problem = write(learnt, about);
  writeStderr(problem === undefined ? `assent: written to the profile ${name}\n` : `assent: the profile ${name} ${visible(problem)}\n`);
}

function rulesOf({ rules }: Learnt): string {
  return `What it needed, as rules:\n${rules.map(({ rule, reason }) => `  allow  ${visible(rule)}   ${reason}\n`).join("")}`;
}

/** More lines than this hide the rules above them. */
const MOST_LINES = 20;

function asides({ refused, aside, incomplete }: Learnt): string {
  const list = (title: string, all: readonly Aside[]): string => {
    if (all.length === 0) return "";
    const lines = all
      .slice(0, MOST_LINES)
      .map(({ what, why, count }) => `  ${what}${count > 1 ? ` (${count} times)` : ""}: ${visible(why)}\n`);
    return `${title}\n${lines.join("")}${all.length > MOST_LINES ? `  and ${all.length - MOST_LINES} more\n` : ""}`;
  };
  return (
    list("Refused, so no rule is proposed:", refused) +
    list("Needed, and no rule is proposed:", aside) +
    (incomplete ? "More happened than could be kept: the rules do not cover all of it.\n" : "")
  );
}

/** Adds the rules that are not there yet. Says what went wrong. */
function write({ rules }: Learnt, { machine, profile }: LearnContext): string | undefined {
  const when = minute(new Date());
  const outcome = addToProfile(
    machine,
    profile,
    rules.map(({ rule, reason }) => ({ effect: "allow", rule, reason: `${reason}, ${when}` })),
  );
  if (outcome.is === "done") return undefined;
  const [problem] = outcome.problems;
  return `${outcome.why}${problem === undefined ? "" : `: line ${problem.line}: ${problem.message}`}`;
}
