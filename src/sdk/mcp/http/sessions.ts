import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayOptions } from "../gateway.ts";
import { startServer, type ServerProcess } from "../server-process.ts";
import { refuse } from "./entrance.ts";
import { takesStream, type Behind, type Posted } from "./listen.ts";
import { ServerSession } from "./server-session.ts";

const MOST_SESSIONS = 64;
/** A session nobody uses. */
const IDLE_MS = 60 * 60 * 1000;
const LOOK_EVERY_MS = 60_000;

export const newSessionId = (): string => randomBytes(24).toString("hex");

/** Servers on standard input and output for clients that come by HTTP: each session has a server of its own. */
export function sessionsOf(argv: readonly [string, ...string[]], options: GatewayOptions): Behind {
  const sessions = new Map<string, ServerSession>();
  const servers = new Set<ServerProcess>();
  const timer = setInterval(() => {
    for (const session of sessions.values()) if (session.idleFor() > IDLE_MS) session.end();
  }, LOOK_EVERY_MS);
  timer.unref();

  const open = (): ServerSession => {
    const server = startServer(argv);
    const id = newSessionId();
    const session = new ServerSession(id, server, options);
    servers.add(server);
    sessions.set(id, session);
    void server.ended.then(({ why, status }) => {
      servers.delete(server);
      sessions.delete(id);
      session.ended(why);
      if (status !== 0) options.onNotice(why);
    });
    return session;
  };
  const find = (request: IncomingMessage, response: ServerResponse): ServerSession | undefined => {
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? sessions.get(id) : undefined;
    // A client that is told 404 opens another session.
    if (session === undefined)
      refuse(response, id === undefined ? 400 : 404, id === undefined ? "the session id is missing" : "there is no such session");
    return session;
  };

  return {
    post: (posted, request, response) => {
      if (!takesStream(request)) {
        refuse(response, 406, "the client must accept text/event-stream");
        return;
      }
      if (!opens(posted)) {
        find(request, response)?.post(posted, response);
        return;
      }
      if (sessions.size >= MOST_SESSIONS) refuse(response, 503, `there are ${MOST_SESSIONS} sessions already`);
      else open().post(posted, response);
    },
    get: (request, response) => {
      if (takesStream(request)) find(request, response)?.listen(response);
      else refuse(response, 406, "the client must accept text/event-stream");
    },
    delete: (request, response) => {
      const session = find(request, response);
      if (session === undefined) return;
      session.end();
      response.writeHead(200).end();
    },
    close: async () => {
      clearInterval(timer);
      const all = [...servers];
      for (const server of all) server.end();
      await Promise.all(all.map(async ({ ended }) => await ended));
    },
  };
}

export const opens = ({ said }: Posted): boolean => said.some(({ message }) => message["method"] === "initialize");
