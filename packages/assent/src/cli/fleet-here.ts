import { lstatSync } from "node:fs";
import { attempt } from "@assent/core/data";

/**
 * Root says by which key this machine joins a team (`fleetFile` of packages/team/src/team/fleet): one system call for each hook, and nothing else. Where
 * this user may not look nothing is there for them: it never throws, for the answer of a hook is written already.
 */
export const isFleetHere = (): boolean => attempt(() => lstatSync("/etc/assent/team.json", { throwIfNoEntry: false }) !== undefined, false);
