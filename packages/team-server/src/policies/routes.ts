import type { Hono } from "hono";
import { MESSAGE_LIMITS, PolicyAsk, PolicyCommandRequest, type PolicyHead } from "@assent/team/team/protocol";
import type { Database } from "../database/index.ts";
import { organisationOf } from "../enrol/index.ts";
import { addressOf, limitedBody, RateLimit, readJson, refused, smallBody, type WebGates, type WebVariables } from "../web/index.ts";
import { obeyKey } from "./commands.ts";
import { heartbeatKey, PolicyAnswers, policyKeys, PolicyRefused } from "./store.ts";

export interface PolicyRoutes {
  readonly db: Database;
  readonly now: () => Date;
  readonly gates: WebGates;
  readonly tell: (event: string, facts: Readonly<Record<string, string | number>>) => void;
}

/** How machines get their policy, and how the team's key sends one. */
export function addPolicyRoutes(app: Hono<WebVariables>, { db, now, gates, tell }: PolicyRoutes): void {
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
