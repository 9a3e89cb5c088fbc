import { resolve } from "node:path";
import type { GuardPlace } from "../../supervise/outer/index.ts";
import { openGuard, type GuardDecision, type GuardRequest } from "./open-guard.ts";

/** What a guard inside a supervised run is answered, outside of it. Everything in the question is the program's word. */
export function answerGuard({ cwd, rooted, agent, point, audit }: GuardPlace, request: object): GuardDecision {
  if (!cwd.startsWith("/")) throw new Error("the folder is not an absolute path");
  const word = (value: unknown): value is string => typeof value === "string" && value.length <= 200;
  const options = {
    ...(rooted ? { cwd } : {}),
    ...(word(agent) ? { agent } : {}),
    ...(word(point) ? { point } : {}),
    audit: audit !== false,
  };
  const place = { cwd: "cwd" in request && typeof request.cwd === "string" ? resolve(cwd, request.cwd) : cwd };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is none is not understood, and so is asked about
  return openGuard(options).decide({ ...request, ...place } as GuardRequest);
}
