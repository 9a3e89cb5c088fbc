export { Door } from "./door.ts";
export { eventDescriptor } from "./listener.ts";
export type { FromDoor, ToDoor } from "./messages.ts";
export { killTree } from "./tree.ts";
