export { confine } from "./confiner.ts";
export { carryOut, type Done } from "./carry-out.ts";
export { confineProgram, ensureConfineLauncher } from "./confine-launcher.ts";
export { commandPrograms, ensureShellPrefix, shellPrefixProgram } from "./shell-prefix.ts";
export { serversOf, settingsIn, shellControl, controlOf } from "./look.ts";
export { type OtherGuard, otherGuards, planTakingOut } from "./guards.ts";
export { architectureOf, HANDED_ON, handedOn, launcherName, launcherTable, type LauncherArchitecture, withTable } from "./launcher.ts";
export { readInstalled } from "./manifest.ts";
export { isOwnStatusLine, isOwnText } from "./own.ts";
export { type Change, type Planned, planInstall, planUninstall } from "./plan.ts";
export {
  endedProgram,
  hookCommand,
  installPlace,
  managedRegistrations,
  onPath,
  rulesyncFile,
  rulesyncRegistration,
  signOf,
  statusLineCommand,
} from "./place.ts";
export { copiedVersion, copyFolder, installedProgram, NODE_FINDER, removeCopy, runProgram, writeCopy } from "./own-copy.ts";
export type { Program } from "./program.ts";
