export { edit, type Edit, type Edited, type NewItem, type ItemPlace, type RefusedEdit } from "./edit.ts";
export { applyPatch, type Patch, type Splice } from "./splice.ts";
