export { Door } from "./door.ts";
export { netHandlers } from "./net/index.ts";
export type { Inner, Outside } from "./outside.ts";
export { killTree } from "./tree.ts";
export { describe as describeProcess, living } from "./processes.ts";
export { Tally } from "./tally.ts";
