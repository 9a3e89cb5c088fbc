// Entry of dist/reader.cjs.
export { read } from "../engine/reader/index.ts";
