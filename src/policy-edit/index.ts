export { type EditOutcome, editPolicy, type PolicyPlace, policyPlace, type PolicyText, readPlace, startPolicy } from "./policy-file.ts";
export { addRule, ruleEntries, type RuleEntry } from "./rule-entries.ts";
export { starterPolicy } from "./starter.ts";
export { addToProfile, minute, profilePlace, type ProfileRule, rememberInProfile, type Remembered, starterProfile } from "./profile.ts";
export { type ImportedProfiles, type LostPattern, readForeignProfiles } from "./profile-import.ts";
