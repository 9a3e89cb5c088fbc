import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { place } from "./place.ts";

/**
 * What deletes, renames or replaces a link acts on the link, wherever the words lead: a protected link is held where its folder is named
 * by another link, and `ln -n` puts the new link in the place of one that leads to a folder.
 */
const here = place({ "real/x": "", "kept/y": "", "src/z": "" });
const at = (path: string): string => join(here.project, path);
mkdirSync(at(".claude/hooks"), { recursive: true });
writeFileSync(at("plain"), "");
for (const [path, to] of [
  [".claude/settings.json", at("plain")],
  [".claude/agents", at("real")],
  ["kept/link", at("plain")],
  ["kept/folder", at("real")],
  ["dl", ".claude"],
  ["deep", "dl"],
  ["k", "kept"],
  ["free", "src"],
] as const)
  symlinkSync(to, at(path));
here.user({
  permissions: {
    deny: ["Delete(kept/**)", "Edit(kept/**)", "Write(kept/**)", "Move(kept/**)"],
    allow: ["Bash(*)", "Write", "Edit", "Delete"],
  },
});

it.each([
  "rm dl/settings.json",
  "rm deep/settings.json",
  "rm -f ./dl/settings.json",
  "unlink dl/settings.json",
  "mv dl/settings.json x",
  "ln -sfn x dl/settings.json",
  "ln -sfT x dl/settings.json",
  "cd dl && rm settings.json",
  "rm dl/agents",
  "ln -sfn x dl/agents",
  "ln -snf x .claude/agents",
  "ln -s -f --no-dereference x .claude/agents",
  "python3 -c 'import os; os.remove(\"dl/settings.json\")'",
])("settings of an agent: %s asks", (line) => expect(here.verdict(line).builtin).toBe("floor.settings"));

it.each([
  "rm kept/link",
  "rm k/link",
  "rm k/folder",
  "unlink k/link",
  "mv k/link x",
  "ln -sfn src kept/folder",
  "ln -sfn src k/folder",
  "ln -nsf src k/folder",
  "find k/ -name link -delete",
])("a written deny: %s", (line) => expect(here.verdict(line).decision).toBe("deny"));

it.each(["rm free/z", "rm free", "ln -sfn real free", "ln -sf x free", "ln -sfn x src", "cat k/link dl/settings.json", "ls k/folder"])(
  "%s goes ahead",
  (line) => expect(here.verdict(line).decision).toBe("allow"),
);
