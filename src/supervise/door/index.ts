export { Door, type DoorOptions } from "./door.ts";
export { eventDescriptor } from "./listener.ts";
export type { FromDoor, ToDoor } from "./messages.ts";
