export { CannotServe } from "./hold.ts";
export { operateTeam } from "./operate.ts";
export { type RunningTeam, startTeam } from "./serve.ts";
