import { visible } from "@assent/core/action";
import { isAlive } from "@assent/guard/approve";
import { consentId, limitedTo, sayConsent } from "@assent/guard/engine";
import { listConsents, minute, removeConsent } from "@assent/guard/policy-edit";
import { agentName } from "@assent/core/policy";
import { inspectRule } from "@assent/guard/inspect";
import { lint } from "@assent/guard/lint";
import {
  addGrant,
  LONGEST_GRANT_MS,
  type Machine,
  MOST_USES,
  readGrants,
  revokeGrant,
  type RuleGrant,
  type StoredGrant,
  thisMachine,
} from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { JSON_VERSION } from "./json.ts";
import { noteCommand } from "./note-command.ts";
import { absolute, shorten } from "./place.ts";
import { complain, failing, refuseUse } from "./policy-target.ts";
import { readLength } from "./since.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";
import { whyNotAgreed } from "./terminal.ts";

const COMMAND = "grants";
const fail = failing(COMMAND);
const HOUR_MS = 3_600_000;

export interface GrantOptions {
  readonly for?: string;
  readonly count?: string;
  readonly unconfined?: boolean;
  readonly session?: string;
  readonly agent?: string;
  readonly program?: string;
  readonly project?: boolean;
  readonly why?: string;
}

/** `assent grants add`: a person answers in advance, for a while. Asked at the terminal. Exit 0 made, 1 not, 2 wrong usage. */
export async function addedGrant(rule: string, options: GrantOptions): Promise<number> {
  const machine = thisMachine();
  const now = Date.now();
  const wanted = wantedGrant(rule, options, machine, now);
  if ("wrong" in wanted) {
    complain(COMMAND, visible(wanted.wrong), wanted.help);
    return 2;
  }
  const { grant, warnings } = wanted;
  const style = styleFor({ isTTY: true }, process.env);
  const page = [
    style.bold("Answer yes in advance?"),
    `  ${style.verdict("allow")}  ${visible(grant.rule)}`,
    `  ${scopeOf(grant, machine)}, until ${minute(new Date(grant.until))}${grant.count === undefined ? "" : `, ${times(grant.count)}`}`,
    ...(grant.confined === false
      ? ["  Without the sandbox: what an agent wrote runs with all of your rights, and nothing of it is kept for undo."]
      : []),
    ...warnings.map((warning) => `  ${style.verdict("ask", "careful:")} ${warning}`),
    "  It answers questions. What a rule denies stays denied; `assent grants revoke` ends it.",
    "",
  ].join("\n");
  const refused = await whyNotAgreed(page, "Grant?");
  if (refused !== undefined) return fail(refused, "nothing was granted");
  const made = addGrant(machine, grant, now);
  if ("problem" in made) return fail(visible(made.problem));
  noteCommand(machine, "assent grants add", `the user granted ${made.grant.id}: ${grant.rule}`);
  writeStdout(`${made.grant.id}  ${visible(grant.rule)}, until ${minute(new Date(grant.until))}\n`);
  return 0;
}

type NewGrant = Omit<RuleGrant, "id" | "made">;
type WantedGrant = { readonly grant: NewGrant; readonly warnings: readonly string[] } | { readonly wrong: string; readonly help?: string };

function wantedGrant(rule: string, options: GrantOptions, machine: Machine, now: number): WantedGrant {
  const length = options.for === undefined ? HOUR_MS : readLength(options.for);
  if (typeof length !== "number") return { wrong: length.wrong, help: "--for 30m, 2h, 3d" };
  if (length > LONGEST_GRANT_MS) return { wrong: "a grant lasts 7 days at most", help: "for longer, write a rule: `assent rule add`" };
  const count = options.count === undefined ? undefined : Number(options.count);
  if (count !== undefined && (!Number.isInteger(count) || count < 1 || count > MOST_USES))
    return { wrong: `\`${options.count ?? ""}\` is not a number of times`, help: `--count 1 to ${MOST_USES}` };
  const agent = options.agent === undefined ? undefined : agentName(options.agent);
  if (agent === "") return { wrong: "an agent needs a name", help: "`assent log --stats` shows those that have asked" };
  const inspection = inspectRule(rule, { machine, cwd: absolute("."), own: engine.own });
  const findings = lint(inspection);
  const broken = findings.find(({ code }) => code === "AL000" || code === "AL010");
  const [read] = inspection.policy.rules;
  if (broken !== undefined || read === undefined)
    return { wrong: broken?.message ?? "that is not a rule", help: broken?.help ?? 'write it as in a policy: "Bash(npm install:*)"' };
  const project = options.project === true || limitedTo(read) ? inspection.world.canonical(inspection.world.projectRoot) : undefined;
  const grant: NewGrant = {
    kind: "rule",
    rule,
    by: "you",
    until: now + length,
    ...(count === undefined ? {} : { count }),
    ...(options.unconfined === true ? { confined: false } : {}),
    ...(options.session === undefined ? {} : { session: options.session }),
    ...(agent === undefined ? {} : { agent }),
    ...(options.program === undefined ? {} : { program: options.program }),
    ...(project === undefined ? {} : { project }),
    ...(options.why === undefined ? {} : { why: options.why }),
  };
  const warnings = findings
    .filter(({ severity }) => severity !== "info")
    .map(({ message, help }) => visible(help === undefined ? message : `${message}; ${help}`));
  return { grant, warnings };
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

function scopeOf(grant: NewGrant | StoredGrant, machine: Machine): string {
  if (grant.kind === "run")
    return `in the run ${visible(grant.run)}${grant.program === undefined ? "" : `, for ${visible(grant.program)}`}`;
  const { session, agent, program, project } = grant;
  const parts = [
    ...(project === undefined ? [] : [`in ${visible(shorten(project, "/", machine.home))}`]),
    ...(session === undefined ? [] : [`in the session ${visible(session)}`]),
    ...(agent === undefined ? [] : [`for the agent ${visible(agent)}`]),
    ...(program === undefined ? [] : [`for what ${visible(program)} does`]),
  ];
  return parts.length === 0 ? "everywhere, for every agent" : parts.join(", ");
}

/** Whether an answer still answers anything. `used`: how often it has. */
export const doesHold = (grant: StoredGrant, used: number): boolean =>
  grant.kind === "run" ? isAlive(grant.holder) : grant.count === undefined || used < grant.count;

/** `assent grants list`: the remembered answers that hold now; `all`: and those that are over and not cleared away yet. */
export function listGrants(options: { readonly json?: boolean; readonly all?: boolean }): number {
  const machine = thisMachine();
  const { all, uses, void: over } = readGrants(machine, Date.now());
  const used = (grant: StoredGrant): number => uses.get(grant.id) ?? 0;
  const holds = (grant: StoredGrant): boolean => doesHold(grant, used(grant));
  const shown = all.filter((grant) => options.all === true || holds(grant));
  const consents = listConsents(machine).map((entry) => ({ id: consentId(entry), sentence: sayConsent(entry), ...entry }));
  if (options.json === true) {
    const grants = shown.map((grant) => ({
      ...grant,
      made: new Date(grant.made).toISOString(),
      until: new Date(grant.until).toISOString(),
      used: used(grant),
      holds: holds(grant),
    }));
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, grants, consents, ...(options.all === true ? { over } : {}) })}\n`);
    return 0;
  }
  for (const grant of shown) {
    const left = grant.kind === "rule" && grant.count !== undefined ? `, ${grant.count - used(grant)} of ${grant.count} uses left` : "";
    const bare = grant.kind === "rule" && grant.confined === false ? "; unconfined" : "";
    const state = holds(grant) ? `until ${minute(new Date(grant.until))}${left}${bare}` : "over";
    writeStdout(`${grant.id}  ${visible(grant.kind === "rule" ? grant.rule : grant.what)}\n`);
    writeStdout(`          ${scopeOf(grant, machine)}; ${state}\n`);
    const said = `by ${grant.by} on ${minute(new Date(grant.made))}`;
    const answered = grant.answered === undefined ? "" : `, when ${grant.answered} asked`;
    writeStdout(`          ${visible(`${said}${answered}${grant.why === undefined ? "" : `: ${grant.why}`}`)}\n`);
  }
  if (options.all === true) for (const { name, why } of over) writeStdout(`${visible(name)}: ${why}, it grants nothing\n`);
  for (const { id, sentence, root, given, by = "you" } of consents) {
    writeStdout(`${id}  ${sentence}\n`);
    writeStdout(`          in ${visible(shorten(root, "/", machine.home))}, until you end it\n`);
    writeStdout(
      `          by ${visible(by)}${given === undefined ? "" : ` on ${visible(given).slice(0, 16).replace("T", " ")} UTC`}, in your own policy\n`,
    );
  }
  if (shown.length + consents.length === 0) writeStdout("nothing is granted\n");
  return 0;
}

/** Of all that can be taken back. */
export const grantIds = (machine: Machine): readonly string[] => [
  ...readGrants(machine, Date.now()).all.map((grant) => grant.id),
  ...listConsents(machine).map(consentId),
];

/** `assent grants revoke`: takes back one grant, or all of them. */
export function revokedGrants(id: string | undefined, options: { readonly all?: boolean }): number {
  const machine = thisMachine();
  if ((id === undefined) !== (options.all === true)) {
    complain(COMMAND, "name a grant, or say --all", "`assent grants list` shows them");
    return 2;
  }
  const ids = id === undefined ? grantIds(machine) : [id];
  const gone = ids.filter((one) => /^[a-z0-9]+$/.test(one) && (revokeGrant(machine, one) || removeConsent(machine, one)));
  if (id !== undefined && gone.length === 0) return refuseUse(COMMAND, `unknown grant ${visible(id)}`, "`assent grants list` shows them");
  for (const one of gone) noteCommand(machine, "assent grants revoke", `the user took back the grant ${one}`);
  writeStdout(gone.length === 1 ? "1 grant taken back\n" : `${gone.length} grants taken back\n`);
  return 0;
}
