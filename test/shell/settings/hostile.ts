import { allEntries, entriesBelow, type KnowledgeEntry } from "@assent/core/shell/knowledge";

/** Texts of settings that start a program, load a file, print one, or write elsewhere, as far as a judge lets them. */

const rowsOf = (entry: KnowledgeEntry): readonly string[] => [
  ...(entry.obeys?.split("\n") ?? []),
  ...entriesBelow(entry).flatMap((below) => rowsOf(below.entry)),
];

/** What the rows of any program look for, and what several programs call such settings. */
const KEYS = [
  ...new Set([
    ...[...new Set(allEntries().flatMap(rowsOf))].flatMap((row) => / if \/(.*)\//.exec(row)?.[1]?.match(/[A-Za-z][\w-]{3,}/g) ?? []),
    ..."plugins plugin extends loader require import imports load-plugins init-hook config presets transform command cmd exec pager editor".split(
      " ",
    ),
    ..."output output-file cache-dir cacheDirectory report reportFile source-path rulesDir rulePaths parser processors include files-from".split(
      " ",
    ),
  ]),
];

const VALUES = ["./evil.js", "./evil.sh", "!./evil.sh", "../other/.env"];

const script = (canaries: string): string => `process.getBuiltinModule("fs").writeFileSync("${canaries}/js", "");\n`;

/** Programs that leave a canary, beside the settings that name them. */
export const HELPERS = (canaries: string): Readonly<Record<string, string>> => ({
  "evil.js": script(canaries),
  "evil.sh": `#!/bin/sh\n: > ${canaries}/sh\n`,
  "evil.py": `open("${canaries}/py", "w")\n`,
});

const isCode = (name: string): boolean => /\.[cm]?[jt]s$/.test(name);

function line(name: string, key: string, value: string): string {
  if (/\.(?:json[c5]?)$|^\.\w*rc$|\.prettierrc$/.test(name) && !/^\.(?:npmrc|mlrc|valgrindrc|codespellrc|yarnrc|ackrc)$/.test(name))
    return `  "${key}": "${value}",`;
  if (/\.ya?ml$/.test(name)) return `${key}: ${value.startsWith("!") ? `"${value}"` : value}`;
  if (/valgrindrc$|ackrc$/.test(name)) return `--${key}=${value}`;
  if (/justfile$/i.test(name)) return `${key} "${value}"`;
  if (name.endsWith(".toml")) return `${key} = "${value}"`;
  return `${key} = ${value}`;
}

const whole = (name: string, lines: readonly string[]): string =>
  /\.json[c5]?$|prettierrc$/.test(name) ? `{\n${lines.join("\n").replace(/,$/, "")}\n}\n` : `${lines.join("\n")}\n`;

/** All that is hostile at once. */
export function hostileText(name: string, canaries: string): string {
  if (isCode(name)) return script(canaries);
  return whole(
    name,
    KEYS.flatMap((key) => [...VALUES, `${canaries}/written`].map((value) => line(name, key, value))),
  );
}

/** As hostile as `says` keeps silent about; nothing where the name alone speaks. */
export function mostHostile(name: string, says: ((text: string) => boolean) | undefined, canaries: string): readonly string[] {
  if (says === undefined) return [hostileText(name, canaries)];
  return [...VALUES, `${canaries}/written`].flatMap((value) => {
    const lines: string[] = [];
    const alone: string[] = [];
    for (const key of KEYS) {
      const one = line(name, key, value);
      if (says(whole(name, [one]))) continue;
      alone.push(whole(name, [one]));
      lines.push(one);
      if (says(whole(name, lines))) lines.pop();
    }
    return [...new Set([whole(name, lines), ...alone.slice(0, 2)])];
  });
}

/** A folder as environments and plugins have it. */
export function hostileFolder(path: string, canaries: string): Readonly<Record<string, string>> {
  const evil = `#!/bin/sh\n: > ${canaries}/folder\n`;
  return { [`${path}/bin/python`]: evil, [`${path}/bin/python3`]: evil, [`${path}/evil.py`]: HELPERS(canaries)["evil.py"] ?? "" };
}
