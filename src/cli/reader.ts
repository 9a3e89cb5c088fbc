// Entry of dist/reader.cjs.
export { read } from "../guard/reader/index.ts";
