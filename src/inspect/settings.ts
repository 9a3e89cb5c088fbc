import { DEFAULT_SETTINGS, joinLayers, LAYERS, type Settings } from "../policy/index.ts";
import { keyPlace } from "../policy/read/index.ts";
import { layerOf, type SourceRead } from "../engine/reader/index.ts";

/** A setting that is no rule, with the file it comes from; none: nobody set it. */
export interface SettingLine {
  readonly key: keyof Settings;
  readonly value: unknown;
  readonly layer: string;
  readonly file?: string;
  readonly line?: number;
}

const KEYS: readonly (keyof Settings)[] = ["preset", "mode", "writableRoots", "unknown", "bypass", "automation", "audit"];
const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Which file each setting comes from: the one after which, joining file by file, it no longer changes;
 * where it has its default value all along, a file that says so in as many words.
 */
export function settingLines(files: readonly SourceRead[]): readonly SettingLine[] {
  const ordered = LAYERS.flatMap((layer) => files.filter(({ source }) => source.layer === layer));
  const steps = ordered.map((_, at) => joinLayers(ordered.slice(0, at + 1).map(layerOf)).settings);
  const final = steps.at(-1) ?? DEFAULT_SETTINGS;
  return KEYS.map((key): SettingLine => {
    const value = final[key];
    const settled = steps.findLastIndex((settings) => !equal(settings[key], value)) + 1;
    const changed = !equal(settled === 0 ? DEFAULT_SETTINGS[key] : steps[settled - 1]?.[key], value);
    const from = changed ? ordered[settled] : ordered.find((file) => says(file, key, value));
    if (from === undefined) return { key, value, layer: "built in" };
    const { layer, file, content } = from.source;
    const line = content.is === "text" ? keyPlace(content.text, key)?.line : undefined;
    return { key, value, layer, file, ...(line === undefined ? {} : { line }) };
  });
}

function says({ result, trusted }: SourceRead, key: keyof Settings, value: unknown): boolean {
  return trusted && result.ok && equal(result.policy.settings[key], value);
}
