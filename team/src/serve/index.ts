export { CannotServe, type RunningTeam, startTeam } from "./serve.ts";
