import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { makeEventsRoute } from "../connection/index.ts";
import { type DirectRoute, makeGates, refuseDirectly } from "../web/index.ts";
import { type AppOptions, makeApp, noteRequest } from "./app.ts";
import { makeLogRoute } from "./log-route.ts";

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
