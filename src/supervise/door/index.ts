export { Door } from "./door.ts";
export { netHandlers } from "./net/index.ts";
export type { Inner, Lack, Outside } from "./options.ts";
export { describeProcess, isGroupOfTree, killTree, listLiving } from "./processes.ts";
export { AllowedTally } from "./record.ts";
