import { LogBatch, MESSAGE_LIMITS, readMessage } from "@assent/team/team/protocol";
import type { SeenMachines } from "../enrol/index.ts";
import { type LogIntake, Overloaded } from "../log/index.ts";
import {
  aboutOf,
  answerDirectly,
  type DirectRoute,
  readBody,
  refuseDirectly,
  sizeOf,
  UNKNOWN_MACHINE,
  type WebGates,
} from "../web/index.ts";
import type { Metrics } from "./metrics.ts";

export interface LogRoute {
  readonly intake: LogIntake;
  readonly metrics: Metrics;
  readonly gates: WebGates;
  readonly seen?: SeenMachines | undefined;
  readonly now: () => Date;
  readonly tell: (event: string, facts: Readonly<Record<string, string | number>>) => void;
}

/** Bytes of all bodies that are read or answered at a time: what waits for the database is limited by the intake. */
const MOST_READING = 64 << 20;
/** So long a machine that has sent too much waits before it tries again. */
const OVER_SECONDS = 300;
const MOST = MESSAGE_LIMITS.messageBytes;
const STATUS = { taken: 200, damaged: 400, gap: 409, fork: 409 } as const;

/** `POST /v1/log`: a batch of records. */
export function makeLogRoute({ intake, metrics, gates, tell, seen, now }: LogRoute): DirectRoute {
  let reading = 0;
  return async (request, response) => {
    const { authorization } = request.headers;
    const known = gates.lastKnown(authorization);
    // What only goes on where its chain ends is taken with the token in one statement; for all else it is looked up.
    const guess = known !== undefined && !intake.isOver(known.id) ? known : undefined;
    const machine = guess ?? (await gates.machineOf(authorization));
    if (machine === undefined) return refuseDirectly(response, 401, UNKNOWN_MACHINE);
    const said = sizeOf(request, MOST);
    const size = Math.min(said, MOST);
    if (reading + size > MOST_READING) return refuseDirectly(response, 503, "too much comes at once: try again", 5);
    if (said > MOST) return refuseDirectly(response, 413, "the request is too large");
    if (intake.isOver(machine.id)) {
      metrics.count("assent_team_over_quota_total", "Batches refused, as their machine has sent what it may on this day.");
      return refuseDirectly(
        response,
        429,
        "this machine has sent what it may on this day: its log keeps the rest until tomorrow",
        OVER_SECONDS,
      );
    }
    reading += size;
    try {
      const body = await readBody(request, MOST);
      if (body === undefined) return refuseDirectly(response, 413, "the request is too large");
      const read = readMessage(LogBatch, body.toString("utf8"));
      let answer =
        "problem" in read || guess === undefined ? undefined : await intake.extend(guess.id, read.message, body.length, guess.tokenHash);
      if (answer === undefined) {
        const sure = guess === undefined ? machine : await gates.machineOf(authorization);
        if (sure === undefined) return refuseDirectly(response, 401, UNKNOWN_MACHINE);
        if ("problem" in read) return refuseDirectly(response, 400, read.problem);
        answer = await intake.take(sure.id, read.message, body.length);
      }
      seen?.note(machine.id, now(), aboutOf(request));
      metrics.count("assent_team_batches_total", "Batches of records answered.", { answer: answer.is });
      if (answer.is === "fork") tell("fork", { machine: machine.id, epoch: answer.head.epoch, seq: answer.seq });
      return answerDirectly(response, STATUS[answer.is], answer);
    } catch (error) {
      if (error instanceof Overloaded) return refuseDirectly(response, 503, "too much waits already: try again", 5);
      throw error;
    } finally {
      reading -= size;
    }
  };
}
