export { inspect, inspectRule, type Inspection, type InspectOptions } from "./load.ts";
export { listRules, type BlockDefault, type FileLine, type Listing, type RuleLine } from "./rules.ts";
export type { SettingLine } from "./settings.ts";
export { repeats, type Shadow } from "./shadow.ts";
