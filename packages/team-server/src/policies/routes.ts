import type { Hono } from "hono";
import { MESSAGE_LIMITS, PolicyAsk, PolicyCommandRequest, type PolicyHead, type PolicyCommandAnswer } from "@assent/team/team/protocol";
import { hashStatement, isSignedBy, type PolicyCommand } from "@assent/guard/signature";
import type { Database, Queryable } from "../database/index.ts";
import { organisationOf, allPasskeys } from "../enrol/index.ts";
import { addressOf, limitedBody, RateLimit, readJson, refused, smallBody, type RouteOptions, type WebVariables } from "../web/index.ts";
import {
  heartbeatKey,
  PolicyAnswers,
  policyKeys,
  PolicyRefused,
  changeKey,
  policyGroups,
  policyVersion,
  pushPolicy,
  releasePolicy,
} from "./store.ts";
import { recordsToReplay } from "./replay.ts";

/** How machines get their policy, and how the team's key sends one. */
export function addPolicyRoutes(app: Hono<WebVariables>, { db, now, gates, tell }: RouteOptions): void {
  // Of those who show no token: what they send is signed, or answered with no.
  const keyed = new RateLimit(300, 100, () => now().getTime());
  const answers = new PolicyAnswers(db, now);
  app.post("/v1/policy", gates.machine, smallBody, async (context) => {
    const { machine } = context.var;
    const read = await readJson(context, PolicyAsk);
    if ("problem" in read) return refused(context, 400, read.problem);
    if (read.message.problem !== undefined) tell("policy not taken", { machine: machine.id, why: read.message.problem });
    return context.json(await answers.answer(machine.id, read.message, now()));
  });
  app.get("/v1/policy/head", async (context) => {
    if (!keyed.take(addressOf(context))) return refused(context, 429, "asked too often", 10);
    const key = (await policyKeys(db)).at(-1)?.public_key;
    const head: PolicyHead = {
      v: 1,
      organisation: await organisationOf(db),
      ...(key === undefined ? {} : { key }),
      heartbeat: await heartbeatKey(db),
    };
    return context.json(head);
  });
  app.post("/v1/policy/command", limitedBody(MESSAGE_LIMITS.messageBytes), async (context) => {
    if (!keyed.take(addressOf(context))) return refused(context, 429, "asked too often", 10);
    const read = await readJson(context, PolicyCommandRequest);
    if ("problem" in read) return refused(context, 400, read.problem);
    try {
      const answer = await obeyKey(db, read.message, now());
      const { what, group, version } = read.message.command.statement;
      tell("policy", {
        what,
        by: read.message.command.key,
        ...(group === null ? {} : { group }),
        ...(version === null ? {} : { version }),
      });
      return context.json(answer);
    } catch (error) {
      if (error instanceof PolicyRefused) return refused(context, 409, error.message);
      throw error;
    }
  });
}

/** A command is for now: the clock of who sends it may be off by so much. */
const NOW_MS = 300_000;
const DAY_MS = 86_400_000;

/** Does what the team's key says. Who has the key needs no other right; and of the key the server has the public half. */
async function obeyKey(db: Database, { command, signed, change }: PolicyCommandRequest, now: Date): Promise<PolicyCommandAnswer> {
  const { statement } = command;
  const key = (await policyKeys(db)).at(-1);
  if (key === undefined || !isSignedBy(command, key.public_key) || statement.organisation !== (await organisationOf(db)))
    throw new PolicyRefused("this is not signed by the key of this team");
  if (Math.abs(now.getTime() - Date.parse(statement.at)) > NOW_MS)
    throw new PolicyRefused("the clock of this machine and that of the server differ by more than five minutes");
  const { what, about, group, version, percent, days, at } = statement;
  if (what === "list") return await listed(db, statement);
  if (what === "records") return recordsToReplay(db, group ?? "", new Date(now.getTime() - (days ?? 7) * DAY_MS), about);
  if (what === "passkeys") {
    const passkeys = await allPasskeys(db);
    return { v: 1, is: "passkeys", passkeys: passkeys.map(({ made, ...one }) => ({ ...one, made: made.toISOString() })) };
  }
  // Each counts once, and none behind a later one.
  const fresh = await db.run(
    "update organisation set policy_command = $1::timestamptz where policy_command is null or policy_command < $1::timestamptz",
    [new Date(at)],
  );
  if (fresh === 0) throw new PolicyRefused("this was sent before: sign it again");
  if (what === "push") {
    if (signed === undefined || hashStatement(signed.statement) !== about) throw new PolicyRefused("what is pushed is not what was signed");
    await pushPolicy(db, signed, now);
  } else if (what === "rotate") {
    if (change === undefined || hashStatement(change.statement) !== about) throw new PolicyRefused("what is sent is not what was signed");
    await changeKey(db, change, now);
  } else {
    const there = group === null || version === null ? undefined : await policyVersion(db, group, version);
    if (group === null || version === null || percent === null || there === undefined || hashStatement(there.statement) !== about)
      throw new PolicyRefused("the server has no such version");
    await releasePolicy(db, { group, version, percent }, command.key, now);
  }
  return { v: 1, is: "done" };
}

async function listed(db: Queryable, { group, version }: PolicyCommand): Promise<PolicyCommandAnswer> {
  const groups = await policyGroups(db);
  const signed = group === null ? undefined : await policyVersion(db, group, version);
  return { v: 1, is: "list", groups: [...groups], ...(signed === undefined ? {} : { signed }) };
}
