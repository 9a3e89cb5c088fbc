import { accessSync, chmodSync, constants, lstatSync, statSync } from "node:fs";
import { joinPath, parentOf } from "@assent/core/path";
import { ensureFolder, errorCode } from "./files.ts";
import type { Machine } from "./machine.ts";

/** `$XDG_STATE_HOME/assent`, else `~/.local/state/assent`: what outlives a process. */
export function stateFolder(machine: Pick<Machine, "home" | "env">): string {
  const base = machine.env["XDG_STATE_HOME"];
  return base !== undefined && base.startsWith("/") ? `${base.replace(/\/+$/, "")}/assent` : joinPath(machine.home, ".local/state/assent");
}

/** Where the judge that stays is found. Where the folder is, somebody wants one: `assent daemon on`. */
export const daemonFolder = (machine: Pick<Machine, "home" | "env">): string => `${stateFolder(machine)}/resident`;

/** The folder's path, made private and made where missing; a reason where that cannot be. */
export function openState(machine: Machine): { readonly folder: string } | { readonly problem: string } {
  const folder = stateFolder(machine);
  try {
    let stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) {
      ensureFolder(folder);
      stats = statSync(folder);
    }
    if (!stats.isDirectory()) return { problem: `${folder} is not a directory` };
    if (machine.uid !== undefined && stats.uid !== machine.uid) return { problem: `${folder} belongs to another user` };
    if ((stats.mode & 0o077) !== 0) {
      // What a link leads to may be anybody's folder, `/etc` for one: it is not ours to close.
      if (lstatSync(folder).isSymbolicLink())
        return { problem: `${folder} is a link to a folder that others may read: chmod 700 that folder` };
      chmodSync(folder, 0o700);
    }
    return { folder };
  } catch (error) {
    return { problem: `${folder} cannot be used: ${errorCode(error)}` };
  }
}

/** Why the state could not be opened by this process; nothing is made or changed to find out. */
export function stateProblem(machine: Machine): string | undefined {
  const folder = stateFolder(machine);
  try {
    let there = folder;
    while (statSync(there, { throwIfNoEntry: false }) === undefined && there !== "/") there = parentOf(there);
    const stats = statSync(there);
    if (!stats.isDirectory()) return `${there} is not a directory`;
    if (there === folder && machine.uid !== undefined && stats.uid !== machine.uid) return `${folder} belongs to another user`;
    accessSync(there, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `${folder} cannot be used: ${errorCode(error)}`;
  }
}
