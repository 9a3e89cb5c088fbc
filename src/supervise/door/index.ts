export { Door } from "./door.ts";
export { netHandlers } from "./net/index.ts";
export type { Outside } from "./outside.ts";
export { killTree } from "./tree.ts";
export { Tally } from "./tally.ts";
