import type { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { RateLimit, refused, type WebGates, type WebVariables } from "../web/index.ts";
import type { TeamConnection, TeamConnections } from "./connections.ts";

export interface ConnectionRoute {
  readonly connections: TeamConnections;
  readonly gates: WebGates;
  readonly isDraining: () => boolean;
  readonly now: () => Date;
}

/** That of one process. */
const MOST = 15_000;
const BEAT_MS = 15_000;
/** So many may come at once, and then one in every so many milliseconds: each costs a look into the database. */
const AT_ONCE = 500;
const EACH_MS = 2;

/** `GET /v1/events`: what a machine is told as it happens (server-sent events). */
export function addConnectionRoute(app: Hono<WebVariables>, { connections, gates, isDraining, now }: ConnectionRoute): void {
  const coming = new RateLimit(AT_ONCE, EACH_MS, () => now().getTime());
  const ofOne = new RateLimit(20, 3000, () => now().getTime());
  app.get(
    "/v1/events",
    async (context, next) => {
      // Before anything is looked up.
      if (isDraining() || connections.count >= MOST || !coming.take("all"))
        return refused(context, 503, "too many connect at once: try again", 1 + Math.floor(Math.random() * 10));
      await next();
      return undefined;
    },
    gates.machine,
    (context) => {
      const { machine } = context.var;
      if (!ofOne.take(machine.id)) return refused(context, 429, "this machine connects too often", 10);
      context.header("x-accel-buffering", "no");
      return streamSSE(context, async (stream) => {
        let sent = 0;
        let end = (): void => undefined;
        const ended = new Promise<void>((resolve) => (end = resolve));
        const write = (event: string, data: string): void => void stream.writeSSE({ event, data, id: String(++sent) }).catch(() => end());
        const connection: TeamConnection = { machine: machine.id, group: machine.group, send: write, end };
        stream.onAbort(end);
        // Not all at the same moment.
        const beat = setInterval(() => write("beat", ""), BEAT_MS * (0.8 + 0.4 * Math.random()));
        try {
          await connections.add(connection);
          await ended;
        } finally {
          clearInterval(beat);
          connections.remove(connection);
        }
      });
    },
  );
}
