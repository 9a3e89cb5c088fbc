export { Door } from "./door.ts";
export { netHandlers } from "./net/index.ts";
export type { Inner, Outside } from "./options.ts";
export { describe as describeProcess, killTree, living } from "./processes.ts";
export { AllowedTally } from "./record.ts";
