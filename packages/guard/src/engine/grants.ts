import { type Grant, type Policy, type Rule, usesOf } from "@assent/core/policy";
import { grantsFolder, type Machine, readGrants, type RuleGrant, useGrant } from "../state/index.ts";
import { compiledPolicy, type PolicyReader } from "./compiled-policy.ts";
import { granteeOf, identityOf, type Request } from "@assent/core/request";
import type { Outcome } from "./decide.ts";

/** What tells whether a grant holds here. */
interface Here {
  readonly session: string | undefined;
  /** Names that a grant may mean: the sub-agent's, else the agent's. */
  readonly agent: string | undefined;
  /** Whose they are, where a program keeps them for several. */
  readonly holder?: string;
}

/** A grant with how it is kept. */
export interface HeldGrant extends Grant {
  readonly stored: RuleGrant;
}

/** The grants that hold for whoever is here, now. One look at the state folder where there have never been any. */
export function grantsHere(
  machine: Machine,
  { session, agent, holder }: Here,
  reader: () => PolicyReader,
  now = Date.now(),
): readonly HeldGrant[] {
  const { all, uses } = readGrants(machine, now, holder);
  if (all.length === 0) return NONE;
  const mine = all.filter(
    (grant): grant is RuleGrant =>
      grant.kind === "rule" &&
      (grant.session === undefined || grant.session === session) &&
      (grant.agent === undefined || grant.agent === agent) &&
      (grant.count === undefined || (uses.get(grant.id) ?? 0) < grant.count),
  );
  const rules = rulesOf(mine, machine, reader);
  return mine.flatMap((stored): HeldGrant[] => {
    const rule = rules.get(stored.rule);
    if (rule === undefined) return [];
    const { id, answered, program, count, project, confined } = stored;
    const left = count === undefined ? undefined : count - (uses.get(id) ?? 0);
    return [
      {
        id,
        rule: inside(rule, project),
        answered,
        program,
        left,
        said: said(stored),
        ...(confined === false ? { bare: true } : {}),
        stored,
      },
    ];
  });
}

const NONE: readonly HeldGrant[] = [];

/** As the rules of a trusted project hold in it. */
const inside = (rule: Rule, root: string | undefined): Rule => (root === undefined ? rule : { ...rule, layer: "project", root });

/** The rules' meaning comes from the compiled policies, as that of a policy file. One that is none makes none of them hold. */
function rulesOf(grants: readonly RuleGrant[], machine: Machine, reader: () => PolicyReader): ReadonlyMap<string, Rule> {
  if (grants.length === 0) return new Map();
  const allow = [...new Set(grants.map(({ rule }) => rule))].toSorted();
  const file = grantsFolder(machine);
  const content = { is: "text", text: JSON.stringify({ permissions: { allow } }) } as const;
  const policy: Policy = compiledPolicy(machine, [{ layer: "explicit", file, mayGrant: true, content }], reader);
  return policy.broken === undefined ? new Map(policy.rules.map((rule) => [rule.source.text, rule])) : new Map();
}

function said({ by, until, why }: RuleGrant): string {
  const time = new Date(until).toISOString().slice(0, 16).replace("T", " ");
  return `granted by ${by} until ${time} UTC${why === undefined ? "" : ` (${why})`}`;
}

export const hereOf = (request: Request): Here => {
  const { agent, subagent } = identityOf(request);
  return { session: request.session ?? request.memory, agent: subagent ?? agent, holder: granteeOf(request) };
};

/**
 * Judges with the grants there are. What a request needs more often than a grant has left, or what another process used up
 * in the meantime, is judged again without that grant. `uses`: false where it is only looked.
 */
export function withGrants(
  grants: readonly HeldGrant[],
  machine: Machine,
  uses: boolean,
  conclude: (grants: readonly Grant[] | undefined) => Outcome,
): Outcome {
  for (let left = grants; ;) {
    const outcome = conclude(left.length === 0 ? undefined : left);
    if (left.length === 0) return outcome;
    const used = usesOf(outcome.verdict, left);
    const goes = uses && outcome.answer.decision === "allow";
    const failed = left.filter(({ id, left: most, stored }) => {
      const times = used.get(id);
      if (times === undefined || most === undefined) return false;
      return times > most || (goes && useGrant(machine, stored, times) !== undefined);
    });
    if (failed.length === 0) return outcome;
    left = left.filter((grant) => !failed.includes(grant));
  }
}

/** A relative pattern means the project it is read in: a grant of one holds in the project where it was made. */
export function limitedTo({ matcher }: Pick<Rule, "matcher">): boolean {
  const pattern =
    matcher.kind === "path" ? matcher.pattern : matcher.kind === "tool" && matcher.where?.by === "path" ? matcher.where.pattern : undefined;
  return pattern !== undefined && !/^(?:\/|~|\*\*)/.test(pattern);
}
