// The lines of a session with each consent given at its first question: what was given, and what that cost.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { offerConsent, type Outcome } from "@assent/guard/engine";
import type { ConsentEntry } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";
import { groupBy } from "./friction-table.ts";

export interface SessionLine {
  readonly session: string;
  readonly command: string;
}

interface Around {
  readonly machine: Machine;
  readonly project: string;
  readonly policy: string;
  readonly judge: (command: string) => Outcome;
  /** Verdicts of the lines without any consent: `ask…`, `deny…`. */
  readonly plain: (command: string) => string;
}

/** The repository that a session is about, as its lines name it; where none does, one of its own. */
function repositoryOf(lines: readonly SessionLine[]): string {
  const named = lines.flatMap(({ command }) =>
    [...command.matchAll(/(?:--repo[= ]|\brepos\/)(acme\/[\w.-]+)/g)].map(([, name = ""]) => name),
  );
  return named[0] ?? "acme/app";
}

function git(project: string, ...words: readonly string[]): void {
  execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@example.org", ...words], { stdio: "ignore" });
}

/** Branches that a line pushes are there; the one that is checked out has its place on the remote. */
function prepare(project: string, command: string): void {
  for (const [, branch = ""] of command.matchAll(/git (?:-C \S+ )?push (?:-u |--set-upstream )?origin ([\w./-]+)/g))
    if (branch !== "HEAD") git(project, "branch", "--force", branch, "refs/heads/base");
  if (command.includes(".worktrees/2") && !existsSync(join(project, ".worktrees/2")))
    git(project, "worktree", "add", "-q", ".worktrees/2", "-b", "second");
}

/** Says it in a table. */
export function frictionWithConsents(lines: readonly SessionLine[], { project, policy, machine, judge, plain }: Around): string {
  git(project, "config", "push.default", "current");
  git(project, "add", "-A");
  git(project, "commit", "-qm", "first");
  git(project, "branch", "base");
  git(project, "checkout", "-qb", "topic");
  git(project, "config", "branch.topic.remote", "origin");
  git(project, "config", "branch.topic.merge", "refs/heads/topic");
  git(project, "remote", "add", "origin", "git@github.com:acme/app.git");
  git(project, "update-ref", "refs/remotes/origin/main", "HEAD");
  const sessions = groupBy(lines, ({ session }) => session);
  const given = new Map<string, number>();
  const whys = new Map<string, number>();
  let [asked, stopped, first, met] = [0, 0, 0, 0];
  for (const own of sessions.values()) {
    git(project, "remote", "set-url", "origin", `git@github.com:${repositoryOf(own)}.git`);
    const consents: ConsentEntry[] = [];
    const write = (): void => writeFileSync(policy, JSON.stringify({ unknown: "confine", consents }));
    write();
    let [others, once] = [false, false];
    for (const { session, command } of own) {
      const before = plain(command);
      if (!/^(?:ask(?! sandboxed)|deny)/.test(before)) continue;
      let [asks, why] = [true, ""];
      if (before.startsWith("ask\tpreset.default.")) {
        prepare(project, command);
        const outcome = judge(command);
        asks = outcome.verdict.decision !== "allow";
        const found = asks ? offerConsent(outcome, machine) : {};
        if (found.offer !== undefined) {
          const { entry } = found.offer;
          given.set(entry.consent, (given.get(entry.consent) ?? 0) + 1);
          consents.push(entry);
          write();
          first += 1;
          once = true;
          continue;
        }
        why = found.why ?? "of another kind";
        if (asks) whys.set(why, (whys.get(why) ?? 0) + 1);
      }
      if (asks) asked += 1;
      if (asks && process.env["FRICTION_WHY"] !== undefined) process.stderr.write(`${JSON.stringify({ session, before, why, command })}\n`);
      others ||= asks;
    }
    if (others) stopped += 1;
    if (others || once) met += 1;
  }
  const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(2)} % (${part} of ${of})`;
  return [
    "Sandboxed, with each consent given at its first question:",
    "",
    `| lines that interrupt, beside the questions at which a consent was given | ${percent(asked, lines.length)} |`,
    "| --- | --- |",
    `| with these | ${percent(asked + first, lines.length)} |`,
    `| sessions in which anything else interrupts | ${percent(stopped, sessions.size)} |`,
    `| sessions in which anything at all is asked | ${percent(met, sessions.size)} |`,
    ...[...given].map(([name, count]) => `| given: \`${name}\` | ${count} |`),
    ...[...whys].toSorted((a, b) => b[1] - a[1]).map(([why, count]) => `| still asked: ${why} | ${count} |`),
    "",
  ].join("\n");
}
