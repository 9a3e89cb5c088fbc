import { userInfo } from "node:os";
import * as v from "valibot";
import { visible } from "@assent/core/action";
import { isGroupName } from "@assent/guard/signature";
import type { Machine } from "@assent/guard/state";
import { askServer, chooseProxy } from "@assent/team/team";
import { CI_LIMITS } from "@assent/team/team/protocol";
import { JSON_VERSION, writeJson } from "./json.ts";
import { complain, refuseUse } from "./policy-target.ts";
import { readLength } from "./since.ts";
import { writeStdout } from "./stdio.ts";
import type { DatabaseFlags } from "./team-package.ts";
import { withOperator } from "./team-records.ts";

export interface CiRuleFlags extends DatabaseFlags {
  readonly issuer: string;
  readonly audience: string;
  readonly claim: readonly string[];
  readonly group: string;
  readonly name?: string;
  readonly for: string;
  readonly json?: boolean;
}

const who = (): string => `the server, ${userInfo().username}`;

/** `assent team ci add`: 0 made, 1 not, 2 wrong usage. */
export async function ciAdd(flags: CiRuleFlags): Promise<number> {
  const COMMAND = "team ci add";
  const { issuer, audience, group, json } = flags;
  if (!isGroupName(group)) return refuseUse(COMMAND, "a group's name has a-z, 0-9 and -");
  if (!isSafeAddress(issuer)) return refuseUse(COMMAND, `${visible(issuer)} is not an issuer: https://token.actions.githubusercontent.com`);
  const claims: Record<string, string> = {};
  for (const text of flags.claim) {
    const at = text.indexOf("=");
    if (at < 1) return refuseUse(COMMAND, `${visible(text)} is not a claim: --claim repository=org/repo`);
    const name = text.slice(0, at);
    if (Object.hasOwn(claims, name)) return refuseUse(COMMAND, `the claim ${visible(name)} is there twice`);
    claims[name] = text.slice(at + 1);
  }
  const lasts = readLength(flags.for);
  if (typeof lasts === "object") return refuseUse(COMMAND, lasts.wrong);
  const minutes = Math.ceil(lasts / 60_000);
  if (minutes < 1 || minutes > CI_LIMITS.minutes) return refuseUse(COMMAND, "a job is let in for at most 24h");
  const name = flags.name ?? claims["repository"] ?? claims["project_path"] ?? group;
  return withOperator(COMMAND, flags, async (team) => {
    const id = await team.makeCiRule({ name, issuer, audience, claims, group, minutes }, who());
    writeStdout(
      json === true
        ? `${JSON.stringify({ v: JSON_VERSION, id, name, issuer, audience, claims, group, minutes })}\n`
        : `Jobs of ${visible(issuer)} with ${visible(JSON.stringify(claims))} join ${group}, each for ${minutes} minutes, by:\n` +
            `assent team join --ci ${visible(audience)}${group === "default" ? "" : ` --group ${group}`}\n`,
    );
    return 0;
  });
}

/** `assent team ci list`: 0. */
export async function ciList(flags: DatabaseFlags & { readonly json?: boolean }): Promise<number> {
  return withOperator("team ci list", flags, async (team) => {
    const rules = await team.ciRules();
    if (flags.json === true) writeJson({ rules });
    else if (rules.length === 0) writeStdout("No rule was made yet (assent team ci add --issuer https://… --claim repository=org/repo).\n");
    for (const { id, name, issuer, claims, group, minutes, machines, let: all } of flags.json === true ? [] : rules)
      writeStdout(
        `${id}  ${visible(name)}  ${visible(issuer)}  ${visible(JSON.stringify(claims))}  ${group}, ${minutes} minutes; ` +
          `${all} jobs let in, ${machines} there\n`,
      );
    return 0;
  });
}

/** `assent team ci remove ID`: 0 done, 1 not. */
export async function ciRemove(id: string, flags: DatabaseFlags): Promise<number> {
  return withOperator("team ci remove", flags, async (team) => {
    const gone = await team.removeCiRule(id, who());
    if (gone === undefined) {
      complain("team ci remove", `no rule has the id ${visible(id)}`, "assent team ci list");
      return 1;
    }
    writeStdout(`The rule lets nobody in any more; ${gone} machine${gone === 1 ? "" : "s"} sent away.\n`);
    return 0;
  });
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Where a secret may be sent, or keys come from. */
function isSafeAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname));
}

/** A variable that has the token, where the job's file names one (GitLab: `id_tokens`). */
const TOKEN_VARIABLE = "ASSENT_ID_TOKEN";
const GivenToken = v.object({ value: v.string() });

/** The token by which this job says which one it is, made for this audience alone. */
export async function jobToken(
  { env }: Machine,
  audience: string,
): Promise<{ readonly token: string } | { readonly problem: string; readonly help: string }> {
  const given = env[TOKEN_VARIABLE];
  if (given !== undefined && given !== "") return { token: given };
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret } = env;
  if (address === undefined || secret === undefined || address === "" || secret === "")
    return {
      problem: "this job has no token that says which one it is",
      help: `on GitHub give the job \`permissions: id-token: write\`; on GitLab \`id_tokens: ${TOKEN_VARIABLE}: aud: ${audience}\` (docs/team.md)`,
    };
  if (!isSafeAddress(address)) return { problem: "ACTIONS_ID_TOKEN_REQUEST_URL is not https://…", help: "run this in the job itself" };
  const url = new URL(address);
  url.searchParams.set("audience", audience);
  const way = chooseProxy(url.origin, env, undefined);
  if ("problem" in way) return { problem: way.problem, help: "HTTPS_PROXY and NO_PROXY say which way" };
  const asked = await askServer({ url: url.origin, token: secret, proxy: way.proxy }, "GET", `${url.pathname}${url.search}`, GivenToken);
  if (asked.is === "answered" && asked.status === 200) return { token: asked.message.value };
  return {
    problem: `the CI gave this job no token: ${asked.is === "away" ? asked.why : `HTTP ${asked.status}`}`,
    help: "give the job `permissions: id-token: write`; jobs of pull requests from forks have none",
  };
}

/** What a job is called, as its CI says. */
export function jobName({ env }: Machine): string | undefined {
  const named = (project: string | undefined, run: string | undefined): string | undefined =>
    project === undefined || project === "" || run === undefined ? undefined : `${project} ${run}`;
  return named(env["GITHUB_REPOSITORY"], env["GITHUB_RUN_ID"]) ?? named(env["CI_PROJECT_PATH"], env["CI_JOB_ID"]);
}
