import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { GitForesight } from "../../packages/supervisor/src/supervise/trap/git-foreseen.ts";
import { scratch } from "../scratch.ts";

/** A repository with thousands of such files holds up nobody: what takes too long cannot be told, and is then refused to git. */
it.each([
  [undefined, 1],
  [-1, 0],
])("with a patience of %s ms it tells of %i file", (patience, count) => {
  const { root } = scratch();
  const laid = `set -e; git init -qb main r; cd r; git config user.email a@b; git config user.name a; mkdir .claude
echo 1 > .claude/settings.json; git add -A; git commit -qm 1; git switch -qc other; echo 2 > .claude/settings.json; git commit -qam 2; git switch -q main`;
  expect(spawnSync("bash", ["-c", laid], { cwd: root, env: { PATH: "/usr/bin:/bin", HOME: root } }).status).toBe(0);
  for (const words of [
    ["switch", "other"],
    ["checkout", "other", "--", "."],
  ])
    expect(new GitForesight(join(root, "sight"), patience).look(["git", ...words], join(root, "r"), () => true)).toHaveLength(count);
});
