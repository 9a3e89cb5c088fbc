import type { Hono } from "hono";
import { CiEnrol } from "@assent/team/team/protocol";
import type { Database } from "../database/index.ts";
import { ciRulesOf, enrolByCi } from "../enrol/index.ts";
import { addressOf, limitedBody, RateLimit, readJson, refused, type WebVariables } from "../web/index.ts";
import { JobTokens } from "./job-tokens.ts";
import { issuerIn } from "./provider.ts";
import { ProviderAway } from "./away.ts";

export interface JobRoutes {
  readonly db: Database;
  readonly now: () => Date;
  readonly tell: (event: string, facts: Readonly<Record<string, string | number>>) => void;
}

const LARGEST = 1 << 14;

/** Jobs of a CI let themselves in: many at once, from behind few addresses. Why one is not let in is told to nobody but the log. */
export function addJobRoutes(app: Hono<WebVariables>, { db, now, tell }: JobRoutes): void {
  const attempts = new RateLimit(300, 200, () => now().getTime());
  const tokens = new JobTokens();
  app.post("/v1/enrol/ci", limitedBody(LARGEST), async (context) => {
    if (!attempts.take(addressOf(context))) return refused(context, 429, "asked too often", 10);
    const read = await readJson(context, CiEnrol);
    if ("problem" in read) return refused(context, 400, read.problem);
    const { token, ...asked } = read.message;
    const issuer = issuerIn(token);
    const rules = issuer === undefined ? [] : await ciRulesOf(db, issuer);
    try {
      const audiences = [...new Set(rules.map(({ audience }) => audience))];
      const job = issuer === undefined || audiences.length === 0 ? undefined : await tokens.verify(token, issuer, audiences, now());
      const state = job === undefined ? undefined : await enrolByCi(db, asked, job, now());
      if (state?.is === "joined") {
        tell("let in a job", { machine: state.machine });
        return context.json(state);
      }
      tell("job not let in", {
        address: addressOf(context),
        why: job === undefined ? "its token is none of an issuer's" : "no rule lets it in",
      });
      return refused(
        context,
        403,
        "no rule lets this job in, or its token is over, was used, or is for somebody else (assent team ci list)",
      );
    } catch (error) {
      if (!(error instanceof ProviderAway)) throw error;
      tell("provider away", { why: error.message, cause: error.cause instanceof Error ? error.cause.message.slice(0, 200) : "" });
      return refused(context, 503, "the CI that signed this token cannot be asked for its keys now: try again", 10);
    }
  });
}
