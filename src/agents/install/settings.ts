import { readJson5, toValue } from "../../edit/json5/index.ts";
import { readToml } from "../../edit/toml/index.ts";
import { readRegular } from "../../state/index.ts";
import type { Value } from "../agent.ts";

const MAX_BYTES = 4 << 20;

/** What a host's settings file says; undefined where there is none, or none that can be read. */
export function settingsIn(file: string): Value | undefined {
  const found = readRegular(file, MAX_BYTES);
  if (found.is !== "text") return undefined;
  const { root } = file.endsWith(".toml") ? readToml(found.text) : readJson5(found.text);
  return root === undefined ? undefined : toValue(root);
}
