export { addTomlTable, removeTomlKey, removeTomlTable, setTomlKey, type TomlChange } from "./change.ts";
export { readToml, type TomlRead } from "./read.ts";
