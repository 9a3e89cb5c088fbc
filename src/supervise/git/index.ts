export { CheckedIn } from "./checked-in.ts";
export { type RefsBefore, refsBefore, topOf } from "./refs.ts";
