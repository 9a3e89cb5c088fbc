export { addConnectionRoute } from "./routes.ts";
export { TeamConnections } from "./connections.ts";
