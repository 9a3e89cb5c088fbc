export { askClientCode, askClientProgram } from "./ask-client.ts";
export { askingWay, bashHere } from "./asking.ts";
export { confine } from "./confiner.ts";
export { carryOut, type Done } from "./carry-out.ts";
export { confineCode, confineProgram, ensureConfineLauncher } from "./confine-launcher.ts";
export { commandPrograms, ensureShellPrefix, shellPrefixCode, shellPrefixProgram } from "./shell-prefix.ts";
export { serversOf, settingsIn, shellSteering, steeringOf } from "./look.ts";
export { type OtherGuard, otherGuards, planTakingOut } from "./guards.ts";
export { architectureOf, HANDED_ON, handedOn, launcherCode, launcherName, launcherProgram, type LauncherArchitecture } from "./launcher.ts";
export { readInstalled } from "./manifest.ts";
export { isOwnStatusLine, isOwnText } from "./own.ts";
export { type Change, type Planned, planInstall, planUninstall } from "./plan.ts";
export { frontCode, frontProgram } from "./front.ts";
export { spareClientCode, spareClientProgram } from "./spare-client.ts";
export { whenCode, whenProgram } from "./when-launcher.ts";
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
