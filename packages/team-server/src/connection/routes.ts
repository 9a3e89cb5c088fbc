import type { SeenMachines } from "../enrol/index.ts";
import { aboutOf, beginAnswer, type DirectRoute, RateLimit, refuseDirectly, UNKNOWN_MACHINE, type WebGates } from "../web/index.ts";
import type { TeamConnection, TeamConnections } from "./connections.ts";

export interface EventsRoute {
  readonly connections: TeamConnections;
  readonly gates: WebGates;
  readonly isDraining: () => boolean;
  readonly now: () => Date;
  readonly seen?: SeenMachines | undefined;
  /** How far this process is behind. Milliseconds. */
  readonly delay: (() => number) | undefined;
}

/** That of one process. */
const MOST = 15_000;
/** So many may come at once, and then one in every so many milliseconds, however busy the process is. */
const AT_ONCE = 500;
const EACH_MS = 2;
/** Below it more may come: who is sent away has cost a handshake of TLS already, and comes back for another one. */
const BEARABLE_MS = 2000;
/** What is not read by then is lost with its connection: a machine that comes again is told all. */
const MOST_UNREAD = 4 << 20;

/** `GET /v1/events`: what a machine is told as it happens (server-sent events). */
export function makeEventsRoute({ connections, gates, isDraining, now, delay, seen }: EventsRoute): DirectRoute {
  const coming = new RateLimit(AT_ONCE, EACH_MS, () => now().getTime());
  const ofOne = new RateLimit(20, 3000, () => now().getTime());
  const isTooMuch = (): boolean => !coming.take("all") && (delay?.() ?? Infinity) > BEARABLE_MS;
  return async (request, response) => {
    // Before anything is looked up.
    if (isDraining() || connections.count >= MOST || isTooMuch())
      return refuseDirectly(response, 503, "too many connect at once: try again", 1 + Math.floor(Math.random() * 10));
    const machine = await gates.machineOf(request.headers.authorization);
    if (machine === undefined) return refuseDirectly(response, 401, UNKNOWN_MACHINE);
    if (!ofOne.take(machine.id)) return refuseDirectly(response, 429, "this machine connects too often", 10);
    if (response.destroyed) return undefined;
    seen?.note(machine.id, now(), aboutOf(request));
    beginAnswer(response, 200, ["content-type", "text/event-stream", "x-accel-buffering", "no"]);
    response.flushHeaders();
    const connection: TeamConnection = {
      machine: machine.id,
      group: machine.group,
      send: (event, data) => {
        if (response.writableEnded || response.destroyed) return;
        if (response.writableLength > MOST_UNREAD) response.destroy();
        else response.write(`event: ${event}\ndata: ${data}\n\n`);
      },
      end: () => void response.end(),
    };
    response.on("close", () => connections.remove(connection));
    await connections.add(connection);
  };
}
