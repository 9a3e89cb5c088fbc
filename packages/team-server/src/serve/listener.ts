import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { LogBatch, MESSAGE_LIMITS, readMessage } from "@assent/team/team/protocol";
import { makeEventsRoute } from "../connection/index.ts";
import {
  type DirectRoute,
  makeGates,
  refuseDirectly,
  aboutOf,
  answerDirectly,
  readBody,
  sizeOf,
  UNKNOWN_MACHINE,
  type WebGates,
  type TellEvent,
} from "../web/index.ts";
import type { SeenMachines } from "../enrol/index.ts";
import { type LogIntake, Overloaded } from "../log/index.ts";
import { type AppOptions, makeApp, noteRequest } from "./app.ts";
import type { Metrics } from "./metrics.ts";

/** What is answered directly, by method and path: what 10,000 machines ask all the time. */
function directRoutes(options: AppOptions): ReadonlyMap<string, DirectRoute> {
  const { metrics, intake, connections, isDraining, now, tell, seen } = options;
  const gates = makeGates(options);
  return new Map([
    ["POST /v1/log", makeLogRoute({ intake, metrics, gates, tell, seen, now })],
    ["GET /v1/events", makeEventsRoute({ connections, gates, isDraining, now, seen, delay: options.delay })],
  ]);
}

/** Answers everything that comes to the server: some routes directly, all others by the app. */
export function makeListener(options: AppOptions): {
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** `METHOD /path` of all that there are. */
  readonly routes: readonly string[];
} {
  const app = makeApp(options);
  const byApp = getRequestListener(app.fetch);
  const direct = directRoutes(options);
  return {
    listener: (request, response) => {
      const path = (request.url ?? "").split("?", 1)[0] ?? "";
      const route = direct.get(`${request.method} ${path}`);
      if (route === undefined) void byApp(request, response);
      else void answerBy(route, path, request, response);
    },
    routes: [...app.routes.filter(({ path }) => path !== "/*").map(({ method, path }) => `${method} ${path}`), ...direct.keys()],
  };

  async function answerBy(route: DirectRoute, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await route(request, response);
    } catch (error) {
      // Who asked is gone: nobody is answered.
      if (response.destroyed) return;
      options.tell("failed", { route: path, why: error instanceof Error ? error.message : String(error) });
      if (response.headersSent) response.destroy();
      else refuseDirectly(response, 503, "the server cannot do that now: try again", 5);
    }
    noteRequest(options.metrics, path, response.statusCode);
  }
}

interface LogRoute {
  readonly intake: LogIntake;
  readonly metrics: Metrics;
  readonly gates: WebGates;
  readonly seen?: SeenMachines | undefined;
  readonly now: () => Date;
  readonly tell: TellEvent;
}

/** Bytes of all bodies that are read or answered at a time: what waits for the database is limited by the intake. */
const MOST_READING = 64 << 20;
/** So long a machine that has sent too much waits before it tries again. */
const OVER_SECONDS = 300;
const MOST = MESSAGE_LIMITS.messageBytes;
const STATUS = { taken: 200, damaged: 400, gap: 409, fork: 409 } as const;

/** `POST /v1/log`: a batch of records. */
function makeLogRoute({ intake, metrics, gates, tell, seen, now }: LogRoute): DirectRoute {
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
