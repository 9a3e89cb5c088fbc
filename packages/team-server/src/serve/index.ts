declare const ASSENT_VERSION: string | undefined;
/** `assent` takes the server of its own version only. */
export const VERSION = typeof ASSENT_VERSION === "string" ? ASSENT_VERSION : "0.0.0-source";
export { CannotServe } from "./open.ts";
export { operateTeam } from "./operate.ts";
export { type RunningTeam, startTeam } from "./serve.ts";
