export type { Kept } from "./kept.ts";
export { DEFAULT_CAPS, UndoStore, type Caps, type Place } from "./store.ts";
export { kindOf, statAt, statFd, type Kind, type ObjectStat } from "./stat.ts";
