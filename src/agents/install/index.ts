export { carryOut, type Done } from "./carry-out.ts";
export { settingsIn } from "./settings.ts";
export { readInstalled } from "./manifest.ts";
export { isOwnText } from "./own.ts";
export { type Change, type Planned, planInstall, planUninstall } from "./plan.ts";
export { hookCommand, installPlace, onPath, type Program, rulesyncFile, rulesyncRegistration, signOf } from "./place.ts";
