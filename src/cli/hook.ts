import type { PolicyReader } from "../guard/index.ts";
import { check } from "./check.ts";

// Entry of dist/hook.cjs: `assent check` and nothing else. The reader of policy files lies beside it in a bundle of its own.
declare const require: (id: string) => PolicyReader;

process.exitCode = check(process.argv.slice(process.argv[2] === "check" ? 3 : 2), () => require("./reader.cjs"));
