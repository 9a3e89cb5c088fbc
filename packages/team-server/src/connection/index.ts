export { makeEventsRoute } from "./routes.ts";
export { TeamConnections } from "./connections.ts";
