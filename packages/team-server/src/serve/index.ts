export { CannotServe } from "./open.ts";
export { operateTeam } from "./operate.ts";
export { type RunningTeam, startTeam } from "./serve.ts";
