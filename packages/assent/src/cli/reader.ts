// Entry of dist/reader.cjs.
export { read } from "@assent/guard/engine/reader";
