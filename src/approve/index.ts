export { respond, wait, type BackgroundEvent } from "./background.ts";
export { directoryApprover, type DirectoryOptions } from "./directory.ts";
export { ACTIONS, actionWord, isAlive, ownLife, safeJson } from "./exchange.ts";
export { noBlockApprover } from "./no-block.ts";
export { printable } from "./printable.ts";
export { skillText } from "./skill.ts";
export { terminalApprover, type TerminalOptions } from "./terminal.ts";
export { controlForeground, type Kernel, type ForegroundControl } from "./tty.ts";
export type * from "./types.ts";
