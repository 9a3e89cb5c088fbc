/** A project with settings of agents, their servers and a policy, which differ from branch to branch. Laid in the working folder as `p`. */
export const LAID = `
set -e
git init -q -b main p; cd p
mkdir .claude .gemini d; echo '{"permissions":{}}' > .claude/settings.json; echo '{}' > .mcp.json; echo a > a; echo d > d/f
printf '{ "version": 1, "permissions": { "deny": ["Read(x)"] } }\\n' > .agent-permissions.jsonc; printf '1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n' > .gemini/settings.json
git add -A; git commit -qm first; git tag v1
git switch -qc settings; echo '{"permissions":{"allow":["Bash"]}}' > .claude/settings.json; echo '{"mcpServers":{"x":{"command":"x","env":{"K":"ghp_0123456789abcdefghij0123456789abcdef"}}}}' > .mcp.json; git commit -qam settings
git switch -qc policy main; printf '{ "version": 1 }\\n' > .agent-permissions.jsonc; git commit -qam policy
git switch -qc none main; git rm -rq .claude; git commit -qm none
git switch -qc new main; mkdir -p .cursor sub/.claude; echo '{}' > .cursor/mcp.json; echo '{}' > sub/.claude/settings.json; git add -A; git commit -qm new
git switch -qc plain main; echo plain > a; echo e > e; git add -A; git commit -qm plain
git switch -q main; echo two > d/f; git commit -qam two
git clone -q --bare . ../origin.git; git remote add origin ../origin.git; git fetch -q; git branch -q -D new; git branch -q -u origin/settings
find . -name .git -prune -o -type f -exec touch -d '1 hour ago' {} +; git update-index -q --refresh`;

/** A line, what it changes in which settings, and what was there before. */
export type SettingsRow = readonly [line: string, shows: readonly string[], first?: string];
export const CHANGING: readonly SettingsRow[] = [
  ["git switch -q settings", [".claude/settings.json", '+{"permissions":{"allow":["Bash"]}}', ".mcp.json", "[redacted]"]],
  ["git checkout -q settings", [".mcp.json"]],
  ["git checkout -q --detach settings~0", [".mcp.json"]],
  ["git -C d checkout -q settings", [".mcp.json"]],
  ["git switch -q -", [".mcp.json"], "git switch -q settings; git switch -q main"],
  ["git switch -q -c mine settings", [".mcp.json"]],
  ["git switch -q new", [".cursor/mcp.json (new)", "sub/.claude/settings.json (new)"]],
  ["git switch -q none", [".claude/settings.json (deleted)"]],
  ["git switch -q policy", [".agent-permissions.jsonc", '-{ "version": 1, "permissions": { "deny": ["Read(x)"] } }']],
  ["git switch -q -f settings", [".mcp.json"], "echo dirty > .mcp.json"],
  ["git checkout -q -- .claude/settings.json", ['+{"permissions":{}}'], "echo mine > .claude/settings.json"],
  ["git checkout -q .", [".mcp.json"], "echo mine > .mcp.json"],
  ["git checkout -q settings -- .claude", [".claude/settings.json"]],
  ["git checkout -q settings '*.json'", [".mcp.json"]],
  ["git restore .mcp.json", [".mcp.json"], "echo mine > .mcp.json"],
  ["git restore -s settings -SW :/", [".mcp.json"]],
  ["git merge -q --no-edit settings", [".mcp.json"]],
  ["git merge -q --ff-only settings", [".mcp.json"], "git reset -q --hard v1"],
  [
    "git merge -q --no-edit rules",
    ["+nine"],
    "git switch -qc rules v1; sed -i s/9/nine/ .gemini/settings.json; git commit -qam rules; git switch -q main; sed -i s/1/one/ .gemini/settings.json; git commit -qam mine",
  ],
  ["git pull -q --no-rebase --no-edit", [".mcp.json", "git pull -q --no-rebase --no-edit"]],
  ["git pull -q --rebase origin settings", [".mcp.json"]],
  ["git rebase -q settings", [".mcp.json"]],
  ["git cherry-pick settings", [".mcp.json"]],
  ["git revert --no-edit HEAD", [".mcp.json"], "git cherry-pick settings"],
  ["git reset -q --hard settings", [".mcp.json"]],
  ["git reset -q --hard", [".mcp.json"], "echo mine > .mcp.json"],
  ["git stash -q", [".mcp.json"], "echo mine > .mcp.json"],
  ["git stash pop -q", ["+mine"], "echo mine > .mcp.json; git stash -q"],
  ["git stash apply -q 0", ["+mine"], "echo mine > .mcp.json; git stash -q"],
];

/** Nothing of that kind changes. */
export const HARMLESS: readonly SettingsRow[] = [
  ["git switch -q plain", []],
  ["git switch -q plain", [], "echo '{ }' > .mcp.json"],
  ["git switch -q -c other", [], "echo '{ }' > .mcp.json"],
  ["git checkout -q -- a", [], "echo x > a; echo '{ }' > .mcp.json"],
  ["git checkout -q plain -- .", []],
  ["git restore --staged .mcp.json", [], "echo '{ }' > .mcp.json; git add .mcp.json"],
  ["git merge -q --no-edit plain", []],
  ["git merge -q --no-edit v1", [], "git cherry-pick settings"],
  ["git merge -q --no-edit plain", [], "git cherry-pick settings"],
  ["git rebase -q plain", []],
  ["git cherry-pick plain", []],
  ["git reset -q settings~1", []],
  ["git reset -q --hard plain", []],
  ["git stash -q && git stash pop -q", [], "echo x > a"],
  ["git pull -q --no-rebase --no-edit origin plain", []],
];
