export {
  type BlockDefault,
  type FileLine,
  inspect,
  type Inspection,
  type InspectOptions,
  inspectRule,
  type RuleListing,
  listRules,
  type RuleLine,
  type SettingLine,
} from "./rules.ts";
export { repeats, type Shadow } from "./without-effect.ts";
