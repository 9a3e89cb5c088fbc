import { Collector, type NativeContext, type NativeRead } from "../../import/index.ts";
import { readPermissions } from "./claude.ts";
import { readToolSettings } from "./gemini.ts";
import { readJson } from "./json.ts";

/** Qwen Code (0.24.4): Claude Code's `permissions`, and the older `tools` of Gemini CLI. */
export function readQwen(text: string, context: NativeContext): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  readPermissions(file, context, into);
  readToolSettings(file, into);
  return into.result();
}
