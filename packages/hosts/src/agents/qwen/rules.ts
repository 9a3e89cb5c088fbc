import { Collector, type NativeContext, type NativeRead } from "@assent/import/import";
import { denyList, readPermissions } from "../claude/rules.ts";
import { readToolSettings } from "../gemini/rules.ts";
import { readJson } from "../rules/json.ts";
import { inProject, type NativeRules, ofUser } from "../rules/contract.ts";

/** Qwen Code (0.24.4): Claude Code's `permissions`, and the older `tools` of Gemini CLI. */
export function readQwen(text: string, context: NativeContext): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  readPermissions(file, context, into);
  readToolSettings(file, into);
  return into.result();
}

export const rules: NativeRules = {
  reader: {
    places: (around) => [ofUser(`${around.home}/.qwen/settings.json`, readQwen), ...inProject(around, readQwen, ".qwen/settings.json")],
    readerFor: () => readQwen,
    asksAnyway: true,
  },
  refusals: denyList(({ home, project }) => `${project ?? home}/.qwen/settings.json`),
};
