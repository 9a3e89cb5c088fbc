/** Judging in the process of a host that loads JavaScript. */
export { protocol as claudeProtocol } from "../claude.ts";
