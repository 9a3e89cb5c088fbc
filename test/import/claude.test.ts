import { describe, expect, test } from "vitest";
import { readClaude } from "../../packages/hosts/src/agents/claude/rules.ts";
import { CONTEXT, readingOf } from "./reading.ts";

type Row = readonly [native: string, ours: string | readonly string[]];

const rules = (effect: string, native: string, scope: "user" | "project" = "user"): readonly string[] =>
  readingOf(readClaude(JSON.stringify({ permissions: { [effect]: [native] } }), { ...CONTEXT, scope }));

/** What is expected of a row; `lost` names a part of the reason. */
const expected = (effect: string, [, ours]: Row): readonly unknown[] =>
  (typeof ours === "string" ? [ours] : ours).map((one): unknown =>
    one.startsWith("lost") ? expect.stringContaining(one.slice("lost: ".length)) : `${effect} ${one}`,
  );

const COMMANDS: readonly Row[] = [
  ["Bash(npm run build)", "Bash(npm run build)"],
  ["Bash(npm run:*)", "Bash(npm run:*)"],
  ["Bash(npm run *)", "Bash(npm run:*)"],
  ["Bash(npm *)", "Bash(npm:*)"],
  // No word boundary: only the text of the command can say so.
  ["Bash(npm run test*)", "execute: npm run test*"],
  ["Bash(ls*)", "execute: ls*"],
  ["Bash(touch *.txt)", "execute: touch *.txt"],
  ["Bash(git log --format=*)", "execute: git log --format=*"],
  // A star between words is one word or more.
  ["Bash(git * main)", "Bash(git * ** main)"],
  ["Bash(* --version)", "Bash(* ** --version)"],
  // A colon inside is a colon.
  ["Bash(npm run test:unit)", "Bash(npm run test:unit)"],
  ["Bash(npm run test:unit:*)", "Bash(npm run test:unit:*)"],
  ["Bash", "Bash"],
  ["Bash(*)", "Bash"],
  ["Bash(:*)", "Bash"],
  ["Bash(./build.sh:*)", "Bash(./build.sh:*)"],
  // Other wildcards are none there.
  ["Bash(ls a?)", "Bash(ls a?)"],
  ["Bash(ls a[b] *)", "Bash(ls a[b]:*)"],
  ["Bash(cd src && npm test)", "lost: each command of a line is judged by itself"],
  ["Bash(curl * | sh)", "lost: each command of a line is judged by itself"],
  ["Bash(echo $(date))", "lost: each command of a line is judged by itself"],
  ["Bash(NODE_ENV=test npm run *)", "lost: begins with a variable"],
  ["Bash(run_in_background:true)", "lost: a rule about a parameter of the tool"],
  ["PowerShell(Get-Item *)", "lost: PowerShell is not analysed"],
  ["Bash(unclosed", "lost: it is not a rule"],
];

const ONLY_ALLOW: readonly Row[] = [
  // In quotes the word is one word; for an allow it is compared in them.
  ['Bash(git commit -m "fix it")', "execute: git commit -m 'fix it'"],
  ['Bash(git commit -m "fix it":*)', ["execute: git commit -m 'fix it'", "execute: git commit -m 'fix it' *"]],
  ["Bash(./run * x)", "lost: a program named by a relative path"],
  // Whether a last star matches nothing is only certain where it is the only one.
  ["Bash(git * main *)", "Bash(git * ** main * **)"],
  ["WebFetch(domain:nodejs.org)", "WebFetch(host:nodejs.org)"],
  ["Write(docs/**)", "lost: the host takes only `Edit(…)` for changing files"],
  // The host's pages disagree whether a name alone is meant in every folder: an allow is not.
  ["Read(.env)", "Read(.env/**)"],
  ["Read(*.pem)", "Read(*.pem/**)"],
  // Its own tool writes content; ours would also mean deleting.
  ["Write", "Edit"],
];

const ONLY_DENY: readonly Row[] = [
  ['Bash(git commit -m "fix it")', "execute: git commit -m fix it"],
  ["Bash(rm -rf /*)", "execute: rm -rf /*"],
  // As in gitignore: a name without a slash is meant in every folder, and with everything in it.
  ["Read(.env)", "Read(./**/.env/**)"],
  ["Read(*.pem)", "Read(./**/*.pem/**)"],
  ["Read(./.env)", "Read(./**/.env/**)"],
  ["Bash(git * main *)", "Bash(git * ** main:*)"],
  // Between folders two stars may be no folder.
  ["Bash(cat /srv/**/key)", ["execute: cat /srv/*/key", "Bash(cat /srv/key)"]],
  ["WebFetch(domain:nodejs.org)", "WebFetch(domain:nodejs.org)"],
  ["Write(docs/**)", "Edit(docs/**)"],
];

const PATHS: readonly Row[] = [
  ["Read", "Read"],
  ["Edit", "Edit"],
  ["Read(src/**)", "Read(src/**)"],
  ["Read(./secrets/**)", "Read(secrets/**)"],
  ["Read(**/keys/*)", "Read(./**/keys/*/**)"],
  ["Edit(docs/*.md)", "Edit(docs/*.md/**)"],
  ["Read(//etc/passwd)", "Read(/etc/passwd/**)"],
  ["Read(~/.zshrc)", "Read(~/.zshrc/**)"],
  ["Read(!x)", "lost: takes back another one"],
  ["Read(../x)", "lost: `..` in a pattern"],
  ["NotebookEdit", "Edit(**/*.ipynb)"],
  ["Glob", "lost: listing and searching are one with reading"],
];

const OTHERS: readonly Row[] = [
  ["WebFetch(domain:*.nodejs.org)", "WebFetch(domain:*.nodejs.org)"],
  ["WebFetch", "WebFetch"],
  ["WebFetch(domain:a b)", "lost: is not a host"],
  ["WebFetch(https://x)", "lost: only `domain:` is known"],
  ["mcp__github", "mcp__github__*"],
  ["mcp__github__*", "mcp__github__*"],
  ["mcp__github__create_issue", "mcp__github__create_issue"],
  ["Agent(Explore)", "Agent(subagent_type:Explore)"],
  ["Task(Explore)", "Agent(subagent_type:Explore)"],
  ["WebSearch", "WebSearch"],
  ["Skill(deploy)", "lost: which part of the tool's input this means is not known"],
];

describe("Claude Code", () => {
  const name = ([native]: Row): string => native;
  for (const effect of ["allow", "ask", "deny"]) {
    describe(effect, () => {
      for (const row of [...COMMANDS, ...PATHS, ...OTHERS])
        test(name(row), () => expect(rules(effect, name(row))).toEqual(expected(effect, row)));
      for (const row of effect === "allow" ? ONLY_ALLOW : ONLY_DENY)
        test(name(row), () => expect(rules(effect, name(row))).toEqual(expected(effect, row)));
    });
  }

  test("a path that begins with a slash starts at the settings: the project's, or a folder that is nobody's", () => {
    expect(rules("deny", "Edit(/generated/**)", "project")).toEqual(["deny Edit(generated/**)"]);
    expect(rules("deny", "Edit(/generated/**)", "user")).toEqual([expect.stringContaining("starts at the folder of the settings")]);
  });

  test("what is not a rule is told with its line", () => {
    const text = `{
  "permissions": {
    "allow": ["Read(src/**)", 7],
    "defaultMode": "acceptEdits",
    "additionalDirectories": ["/srv/data/", "~/scratch", "../x"],
    "disableBypassPermissionsMode": "disable",
    "allowed": []
  }
}`;
    expect(readingOf(readClaude(text, CONTEXT))).toEqual([
      "allow Read(src/**)",
      "allow writableRoots: /srv/data",
      "allow writableRoots: /home/you/scratch",
      "lost 3: it is not text",
      "lost 4: a mode here would hold for every agent",
      "lost 5: a relative folder means another one in each project",
      "lost 6: it switches a mode of the host off",
      "lost 7: nothing is known of this key",
    ]);
  });

  test("a broken file is told with its place", () => {
    expect(readingOf(readClaude('{\n  "permissions": { "allow": [ }\n}', CONTEXT))).toEqual([expect.stringMatching(/^broken 2:31: /)]);
  });
});
