export { edit, type Edit, type Edited, type NewItem, type Place, type Refused } from "./edit.ts";
export { applyPatch, type Patch, type Splice } from "./splice.ts";
