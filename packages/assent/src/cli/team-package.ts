import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { attempt, isObject } from "@assent/core/data";
import { parentOf } from "@assent/core/path";
import { ensureFolder, errorCode, type Machine, messageOf, stateFolder } from "@assent/guard/state";
import { ERRNO, LOCK, sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import type { HeldLock, TeamOperateOptions, TeamOperator, TeamServeOptions } from "@assent/team/team/protocol";
import { absolute } from "./place.ts";
import { VERSION } from "./program-frame.ts";

const PACKAGE = "assent-team";

export interface RunningServer {
  readonly stop: () => Promise<void>;
}

export interface TeamPackage {
  readonly start: (options: TeamServeOptions) => Promise<RunningServer>;
  readonly operate: (options: TeamOperateOptions) => Promise<TeamOperator>;
}

/** Found from where Assent itself lies, never from the folder one is in: a repository could bring its own. */
export async function loadTeamPackage(): Promise<TeamPackage | { readonly problem: string; readonly help: string }> {
  const help = `npm install -g ${PACKAGE}@${VERSION}, or where assent is installed; in a clone it is there after npm install`;
  let loaded: unknown;
  try {
    loaded = await import(PACKAGE);
  } catch (error) {
    return errorCode(error) === "ERR_MODULE_NOT_FOUND" && messageOf(error).includes(`'${PACKAGE}'`)
      ? { problem: `the package ${PACKAGE} is not installed`, help }
      : { problem: `the package ${PACKAGE} cannot be loaded: ${messageOf(error)}`, help };
  }
  if (!isPackage(loaded)) return { problem: `${PACKAGE} is not the team server of Assent`, help };
  if (loaded.VERSION !== VERSION) return { problem: `${PACKAGE} has another version than assent (${VERSION})`, help };
  return { start: loaded.startTeam, operate: loaded.operateTeam };
}

/** That of our own version has what its types say: `VERSION` is compared behind it. */
function isPackage(
  loaded: unknown,
): loaded is { readonly VERSION: unknown; readonly startTeam: TeamPackage["start"]; readonly operateTeam: TeamPackage["operate"] } {
  return isObject(loaded) && typeof loaded["startTeam"] === "function" && typeof loaded["operateTeam"] === "function";
}

export interface DatabaseFlags {
  readonly database?: string;
  readonly folder?: string;
}

/** Where the team's database is, as an option or a variable says; else why not. */
export function databaseOf(machine: Machine, { database, folder }: DatabaseFlags): TeamOperateOptions | { readonly problem: string } {
  const named = database ?? machine.env["ASSENT_TEAM_DATABASE"];
  if (named !== undefined && folder !== undefined) return { problem: "--folder is of the embedded database: leave it out, or --database" };
  return {
    database: named === "" ? undefined : named,
    folder: folder === undefined ? `${stateFolder(machine)}/team-server` : absolute(folder),
    holdLock,
  };
}

/** open(2) of macOS: takes the lock as it opens. */
const O_EXLOCK = 0x20;

/** flock(2): whoever has it is alive, and says in the file who it is. */
function holdLock(file: string, who: string): HeldLock {
  try {
    ensureFolder(parentOf(file));
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const descriptor = openSync(file, process.platform === "darwin" ? flags | O_EXLOCK : flags, 0o600);
    if (process.platform !== "darwin") {
      const result = sys(SYSCALLS.flock, descriptor, LOCK.EX | LOCK.NB);
      if (result !== 0) {
        closeSync(descriptor);
        return result === -ERRNO.EAGAIN ? { is: "taken", by: holderOf(file) } : { is: "impossible", why: `flock(2) fails (${result})` };
      }
    }
    ftruncateSync(descriptor);
    writeSync(descriptor, `${who}\n`, 0);
    return { is: "held", release: () => closeSync(descriptor) };
  } catch (error) {
    return errorCode(error) === "EAGAIN" ? { is: "taken", by: holderOf(file) } : { is: "impossible", why: messageOf(error) };
  }
}

const holderOf = (file: string): string =>
  attempt(() => readFileSync(file, "utf8").trim().slice(0, 200) || "it does not say which", "it does not say which");
