import { describe, expect, test } from "vitest";
import type { Action, Unknown } from "@assent/core/action";
import { usesOf } from "../../packages/core/src/policy/grants.ts";
import type { JudgeContext } from "../../packages/core/src/policy/judge.ts";
import { argument, exec, execOf, file, net, tool } from "./language.ts";
import { command, grant, judged, line, machine, redirect, script, shortly, unknownCommand, type Written } from "./machine.ts";

const GLOB = { target: { kind: "glob", pattern: "/home/me/repo/build/*" } } as const;
const AUTO_EDIT: Written = { settings: { mode: "auto-edit" } };
const FULL_AUTO: Written = { settings: { mode: "full-auto" } };
const FIND_ALL = machine([
  "/home/me/repo/src/a.ts",
  "/home/me/repo/src/b.ts",
  "/home/me/repo/.env",
  "/home/me/repo/docs/x.md",
  "/home/me/repo/.git/config",
]);

/** One row: what happens, what is written, what it must be. */
type Row = readonly [
  name: string,
  actions: readonly Action[] | Action,
  expected: string,
  written?: Written,
  context?: Partial<JudgeContext> & { readonly unknowns?: readonly Unknown[] },
];

function rows(title: string, table: readonly Row[]): void {
  describe(`judging: ${title}`, () => {
    test.each(table.map(([name, actions, expected, written, context]) => ({ name, actions, expected, written, context })))(
      "$name",
      ({ actions, expected, written, context }) => {
        expect(shortly(judged(actions, written, context))).toBe(expected);
      },
    );
  });
}

const rm = (path: string): readonly Action[] =>
  command(`rm -rf ${path}`, file(`delete ${path === "~" ? "/home/me" : path}`, { recursive: true }));

rows("the everyday table, at the level of actions", [
  ["ls", command("ls", file("list .")), "allow knowledge"],
  ["pwd", exec("pwd", { knowledge: "pwd" }), "allow knowledge"],
  ["git log | head", line(command("git log", file("read .git/index", { upkeep: true })), command("head")), "allow knowledge"],
  [
    "npm view react version",
    command("npm view react version", { kind: "remote", service: "npm", operation: "read", origin: { by: "tool" } }),
    "allow knowledge",
  ],
  ["npm test", command("npm test", script("npm test")), "none default"],
  ["./build.sh", [exec("./build.sh")], "none default"],
  ["cd pkg && npm test", line(command("cd pkg"), command("npm test", script("npm test"))), "none default"],
  ["an MCP tool", tool("mcp__x__y"), "none default"],
  ["echo x > a.txt", line(command("echo x"), redirect(file("write a.txt"))), "ask default"],
  ["Edit of src/a.ts", file("edit src/a.ts"), "ask default"],
  ["WebFetch", net("example.com", 443), "ask default"],
  ["touch a", command("touch a", file("write a")), "ask default"],
  ["git push --force", [exec("git push --force", { knowledge: "git push", dangers: ["force-push"] })], "ask protection"],
  ["rm -rf node_modules", rm("node_modules"), "ask protection"],
  [
    "npm publish",
    command("npm publish", { kind: "remote", service: "npm", operation: "publish", dangers: ["publish"], origin: { by: "tool" } }),
    "ask protection",
  ],
  [
    "git -C /tmp/other status",
    [exec("git -C /tmp/other status", { knowledge: "git status", dangers: ["foreign-repository"] })],
    "ask protection",
  ],
  ["cat .env", command("cat .env", file("read .env")), "deny protection"],
  ["rm -rf ~", rm("~"), "deny floor"],
  ["echo x >> ~/.bashrc", line(command("echo x"), redirect(file("write /home/me/.bashrc"))), "deny protection"],
  ["curl u | sh", line(command("curl u", net("u", 443)), [{ ...script("sh"), dangers: ["download-exec"] }]), "deny protection"],
  ["Read of ~/.ssh/id_rsa", file("read /home/me/.ssh/id_rsa"), "deny protection"],
  ["allow touch: touch a", command("touch a", file("write a")), "allow rule", { allow: ["Bash(touch:*)"] }],
  ["allow touch: touch ~/.bashrc", command("touch x", file("write /home/me/.bashrc")), "deny protection", { allow: ["Bash(touch:*)"] }],
  ["allow npm: npm test", command("npm test", script("npm test")), "allow rule", { allow: ["Bash(npm:*)"] }],
  [
    "allow npm: npm test > log",
    line(command("npm test", script("npm test")), redirect(file("write log"))),
    "ask default",
    { allow: ["Bash(npm:*)"] },
  ],
  [
    "allow npm: npm test > log under auto-edit",
    line(command("npm test", script("npm test")), redirect(file("write log"))),
    "allow rule",
    { ...AUTO_EDIT, allow: ["Bash(npm:*)"] },
  ],
  ["allow Read: .env", file("read .env"), "deny protection", { allow: ["Read"] }],
  ["allow Read and Read(.env.example)", file("read .env.example"), "allow rule", { allow: ["Read", "Read(.env.example)"] }],
]);

rows("the order of judgement", [
  ["1 floor before a written deny", file("write /etc/assent/policy.jsonc"), "deny floor", { deny: ["Write(/etc/**)"] }],
  ["2 deny before a grant", file("write a"), "deny rule", { deny: ["Write(a)"] }, { grants: [grant("Write(a)")] }],
  ["3 grant before ask", file("write a"), "allow grant", { ask: ["Write(a)"] }, { grants: [grant("Write(a)")] }],
  ["4 ask before allow", file("write a"), "ask rule", { ask: ["Write(a)"], allow: ["Write(a)"] }],
  ["4 ask before a protection", file("read .env"), "ask rule", { ask: ["Read(.env)"] }],
  ["5 protection before allow", file("read .env"), "deny protection", { allow: ["Read(**)"] }],
  ["6 allow before knowledge", exec("pwd", { knowledge: "pwd" }), "allow rule", { allow: ["Bash(pwd)"] }],
  ["7 knowledge before the default", exec("pwd", { knowledge: "pwd" }), "allow knowledge"],
  ["8 mode before the default", file("write a"), "allow mode", AUTO_EDIT],
  ["9 default", file("write a"), "ask default"],
  ["10 none", exec("weird"), "none default"],
]);

rows("what a grant answers", [
  ["a question of the preset", file("write a"), "allow grant", {}, { grants: [grant("Write(a)")] }],
  ["not of another thing", file("write b"), "ask default", {}, { grants: [grant("Write(a)")] }],
  ["what nobody has an opinion on", exec("weird x"), "allow grant", {}, { grants: [grant("Bash(weird:*)")] }],
  ["a command with what it does", command("touch a", file("write a")), "allow grant", {}, { grants: [grant("Bash(touch:*)")] }],
  ["never what a rule denies", exec("weird x"), "deny rule", { deny: ["Bash(weird:*)"] }, { grants: [grant("Bash(weird x)")] }],
  [
    "nor what a rule may deny",
    file("write build/*", GLOB),
    "ask rule",
    { deny: ["Write(build/x)"] },
    { grants: [grant("Write(build/**)")] },
  ],
  [
    "a written question it lies inside of",
    exec("git push x"),
    "allow grant",
    { ask: ["Bash(git push:*)"] },
    { grants: [grant("Bash(git push x)")] },
  ],
  ["the same question", exec("git push x"), "allow grant", { ask: ["Bash(git push:*)"] }, { grants: [grant("Bash(git push:*)")] }],
  [
    "not a question about a part of it",
    exec("git push x"),
    "ask rule",
    { ask: ["Bash(git push x)"] },
    { grants: [grant("Bash(git push:*)")] },
  ],
  [
    "not a second question, about a part of it",
    exec("git push x"),
    "ask rule",
    { ask: ["Bash(git push:*)", "Bash(git push x)"] },
    { grants: [grant("Bash(git push:*)")] },
  ],
  [
    "nor a question about what a command does",
    command("touch a", file("write a")),
    "ask rule",
    { ask: ["Write(a)"] },
    { grants: [grant("Bash(touch:*)")] },
  ],
  ["no protection it does not name", file("read .env"), "deny protection", {}, { grants: [grant("Read(**)")] }],
  ["one that it names", file("read .env"), "allow grant", {}, { grants: [grant("Read(.env)")] }],
  [
    "not a force push",
    [exec("git push --force", { dangers: ["force-push"] })],
    "ask protection",
    {},
    { grants: [grant("Bash(git push:*)")] },
  ],
  [
    "not the rest of the line",
    line(command("touch a", file("write a")), [exec("weird")]),
    "none default",
    {},
    { grants: [grant("Bash(touch:*)")] },
  ],
  ["not what hides in the words", script("x", { foreign: true }), "none default", {}, { grants: [grant("Bash(npm:*)")] }],
  ["nothing while a policy file is broken", file("write a"), "ask protection", { broken: "line 1" }, { grants: [grant("Write(a)")] }],
  ["only its own question", file("write a"), "ask default", {}, { grants: [grant("Write(a)", { answered: "danger.publish" })] }],
  ["its own question", file("write a"), "allow grant", {}, { grants: [grant("Write(a)", { answered: "preset.default.write" })] }],
  ["only for its program", command("touch a", file("write a")), "ask default", {}, { grants: [grant("Write(a)", { program: "cp" })] }],
  ["for its program", command("touch a", file("write a")), "allow grant", {}, { grants: [grant("Write(a)", { program: "touch" })] }],
  ["three of something, one by one", file("delete build/x"), "allow grant", {}, { grants: [grant("Delete(build/**)", { left: 3 })] }],
  ["not what nobody has counted", file("delete build/*", GLOB), "ask default", {}, { grants: [grant("Delete(build/**)", { left: 3 })] }],
  [
    "nor a folder with all that is in it",
    file("delete build/x", { recursive: true }),
    "ask protection",
    {},
    { grants: [grant("Delete(build/**)", { left: 3 })] },
  ],
]);

test("what a request uses of its grants", () => {
  const grants = [grant("Delete(build/**)", { id: "files" }), grant("Bash(npm install:*)", { id: "command" })];
  const actions = line(
    [exec("rm build/a build/b", { knowledge: "rm" }), ...["a", "b"].map((name) => file(`delete build/${name}`))],
    command("npm install x", file("write node_modules/x"), script("install")),
  );
  expect([...usesOf(judged(actions, {}, { grants }), grants)]).toEqual([
    ["files", 2],
    ["command", 1],
  ]);
});

rows("what beats a protection", [
  ["a pattern that names secrets", file("read .env.local"), "allow rule", { allow: ["Read(.env*)"] }],
  ["anywhere, by its name", file("read pkg/.env.example"), "allow rule", { allow: ["Read(**/.env.example)"] }],
  ["a secret folder by name", file("read /home/me/.ssh/config"), "allow rule", { allow: ["Read(~/.ssh/**)"] }],
  ["not a folder that happens to hold it", file("read conf/.env"), "deny protection", { allow: ["Read(conf/**)"] }],
  ["not home", file("read /home/me/.netrc"), "deny protection", { allow: ["Read(~/**)"] }],
  ["not the other half of a brace", file("read conf/secrets.yaml"), "deny protection", { allow: ["Read({.env.example,conf/**})"] }],
  ["not another operation", file("write .env.local"), "deny protection", { allow: ["Read(.env.local)"] }],
  ["not a command", command("cat .env", file("read .env")), "deny protection", { allow: ["Bash(cat:*)"] }],
  ["a command that spells the file", command("cat .env", file("read .env")), "allow rule", { allow: ["Bash(cat .env)"] }],
  [
    "but only that file",
    command("cat .env x", file("read .env"), file("read /home/me/.netrc")),
    "deny protection",
    { allow: ["Bash(cat .env:*)"] },
  ],
  ["a system file by name", file("write /etc/hosts"), "allow rule", { allow: ["Write(/etc/hosts)"] }],
  ["a danger by name", [exec("git push --force", { dangers: ["force-push"] })], "allow rule", { allow: ["Shell(git push --force ...)"] }],
  ["not a broad command", [exec("git push --force", { dangers: ["force-push"] })], "ask protection", { allow: ["Bash(git:*)"] }],
  ["rm -rf answers for the project", rm("build"), "allow rule", { allow: ["Bash(rm -rf:*)"] }],
  ["rm -rf does not answer for a folder elsewhere", rm("/srv/data"), "deny protection", { allow: ["Bash(rm -rf:*)"] }],
  ["rm does not answer for rm -rf", rm("build"), "ask protection", { allow: ["Bash(rm:*)"] }],
  ["written out it does", rm("/srv/data"), "allow rule", { allow: ["Bash(rm -rf /srv/data)"] }],
  ["home is never answered for: the policy goes with it", rm("~"), "deny floor", { allow: ["Bash(rm -rf ~)"] }],
  ["a folder by name", file("delete build/**"), "allow rule", { allow: ["Delete(build/**)"] }],
  ["not every folder", file("delete build/**"), "ask protection", { allow: ["Delete(**)"] }],
  [
    "not the whole project",
    file("delete ./**", { target: { kind: "tree", path: "/home/me/repo" } }),
    "deny protection",
    { allow: ["Delete(./**)"] },
  ],
  ["a startup file by name", file("edit /home/me/.bashrc"), "allow rule", { allow: ["Edit(~/.bashrc)"] }],
  ["not by a star", file("edit /home/me/.bashrc"), "deny protection", { allow: ["Edit(~/.*)"] }],
  ["a danger's allow leaves the other protections", file("write .git/hooks/x"), "deny protection", { allow: ["Edit(.git/**)"] }],
]);

rows("a command and its effects", [
  [
    "an exec allow never reaches a redirect",
    line(command("echo x"), redirect(file("write a"))),
    "ask default",
    { allow: ["Bash(echo:*)"] },
  ],
  ["nor code for another program", command("git x", script("alias", { foreign: true })), "none default", { allow: ["Bash(git:*)"] }],
  [
    "nor an inner command",
    line(command("timeout 5 weird"), [{ ...exec("weird"), origin: { by: "command", exec: 0 } }]),
    "none default",
    { allow: ["Bash(timeout:*)"] },
  ],
  [
    "nor a written deny on the effect",
    command("cat a.sql", file("read a.sql")),
    "deny rule",
    { allow: ["Bash(cat:*)"], deny: ["Read(**/*.sql)"] },
  ],
  ["nor a written ask", command("cat a.sql", file("read a.sql")), "ask rule", { allow: ["Bash(cat:*)"], ask: ["Read(**/*.sql)"] }],
  ["an unlisted option", exec("tool --odd"), "ask protection", {}, { unknowns: [{ reason: "option --odd is not listed", exec: 0 }] }],
  [
    "an unlisted option of an allowed program",
    exec("tool --odd"),
    "allow rule",
    { allow: ["Bash(tool:*)"] },
    { unknowns: [{ reason: "x", exec: 0 }] },
  ],
  ["anything else unknown", exec("tool"), "ask protection", { allow: ["Bash(tool:*)", "*"] }, { unknowns: [{ reason: "parse error" }] }],
  ["an untrusted program has no knowledge", execOf([argument("./ls")], { knowledge: "ls", trusted: false }), "none default"],
  ["a path rule on the effect alone", command("touch a", file("write a")), "allow knowledge", { allow: ["Edit(a)"] }],
  ["upkeep", command("git status", file("write .git/index", { upkeep: true })), "allow knowledge"],
  [
    "upkeep with its own credentials",
    command("gh pr list", file("read /home/me/.config/gh/hosts.yml", { upkeep: true })),
    "allow knowledge",
  ],
  [
    "upkeep that a rule denies",
    command("git status", file("write .git/index", { upkeep: true })),
    "deny rule",
    { deny: ["Write(.git/**)"] },
  ],
  ["git's own configuration, by git", command("git remote add x y", file("write .git/config")), "ask default"],
  ["git's own configuration, by hand", file("write .git/config"), "ask protection"],
  ["a harmless device", command("tee /dev/null", file("write /dev/null")), "allow knowledge"],
  ["a harmless device that a rule denies", command("tee /dev/null", file("write /dev/null")), "deny rule", { deny: ["Write(/dev/null)"] }],
  ["a raw device", command("dd", file("write /dev/sda")), "deny protection"],
  ["parts without opinion beside allowed ones", line(command("pwd"), unknownCommand("weird")), "none default"],
  ["the same, nobody else deciding", line(command("pwd"), unknownCommand("weird")), "ask default", {}, { host: false }],
  ["all without opinion", unknownCommand("weird", file("list .")), "none default", {}, { host: false }],
  ["nothing at all", [], "allow knowledge"],
  ["nothing at all under strict", [], "ask default", { settings: { preset: "strict" } }],
]);

rows("trees, globs and paths only known at run time", [
  ["grep -r x src: nothing protected there", command("grep -r x src", file("read src/**")), "allow knowledge", {}, { world: FIND_ALL }],
  ["grep -r x .: a secret is in reach", command("grep -r x .", file("read /home/me/repo/**")), "ask protection", {}, { world: FIND_ALL }],
  [
    "the same, opened by name",
    command("grep -r x .", file("read /home/me/repo/**")),
    "allow knowledge",
    { allow: ["Read(.env)"] },
    { world: FIND_ALL },
  ],
  ["grep -r x ~ is too much to look through", command("grep -r x ~", file("read /home/me/**")), "ask protection", {}, { world: FIND_ALL }],
  ["grep -r x ~/.ssh", command("grep -r x ~/.ssh", file("read /home/me/.ssh/**")), "deny protection", {}, { world: FIND_ALL }],
  ["cat *: no shell pattern means a hidden file", command("cat *", file("read *")), "allow knowledge", {}, { world: FIND_ALL }],
  ["cat .e*: it could", command("cat .e*", file("read .e*")), "ask protection", {}, { world: FIND_ALL }],
  ["cat .env*: it must", command("cat .env*", file("read .env*")), "deny protection", {}, { world: machine([]) }],
  ["cat src/*.ts", command("cat src/*.ts", file("read src/*.ts")), "allow knowledge", {}, { world: FIND_ALL }],
  [
    "cat *: a link to a secret",
    command("cat *", file("read *")),
    "ask protection",
    {},
    { world: machine(["/home/me/repo/x"], { links: { "/home/me/repo/x": "/home/me/.ssh/id_rsa" } }) },
  ],
  ["cat $f", command("cat $f", file("read ?")), "ask protection"],
  ["cat src/$f", command("cat src/$f", file("read src/?")), "allow knowledge", {}, { world: FIND_ALL }],
  [
    "cat ./$f",
    command("cat ./$f", file("read ./?", { target: { kind: "unknown", why: "$f", within: "/home/me/repo" } })),
    "ask protection",
    {},
    { world: FIND_ALL },
  ],
  ["listing is free", command("ls -R", file("list /home/me/repo/**")), "allow knowledge", {}, { world: FIND_ALL }],
  ["a written deny in reach", command("grep -r x src", file("read src/**")), "ask rule", { deny: ["Read(src/b.ts)"] }, { world: FIND_ALL }],
  [
    "a written deny not in reach",
    command("grep -r x docs", file("read docs/**")),
    "allow knowledge",
    { deny: ["Read(**/*.sql)"] },
    { world: FIND_ALL },
  ],
  [
    "a folder that a rule denies whole",
    command("grep -r x src", file("read src/**")),
    "deny rule",
    { deny: ["Read(src/**)"] },
    { world: FIND_ALL },
  ],
  ["writing to $f", redirect(file("write ?")), "ask protection"],
  ["touch $f, with touch allowed", command("touch $f", file("write ?")), "ask protection", { allow: ["Bash(touch:*)"] }],
  [
    "unpacking here could overwrite what is protected",
    command("tar x", file("write /home/me/repo/**")),
    // The project's policy lies there.
    "ask floor",
    { allow: ["Bash(tar:*)"] },
    { world: FIND_ALL },
  ],
  [
    "unpacking into a folder",
    command("tar x -C docs", file("write docs/**")),
    "allow rule",
    { allow: ["Bash(tar:*)"] },
    { world: FIND_ALL },
  ],
  ["rm -rf $DIR", command("rm -rf $DIR", file("delete ?", { recursive: true })), "ask protection"],
]);

rows("three-valued matching", [
  ["a deny that may match asks", execOf([argument("rm"), argument("$X")]), "ask rule", { deny: ["Bash(rm -rf:*)"], allow: ["Bash(rm:*)"] }],
  [
    "an ask that may match asks",
    execOf([argument("git"), argument("$X")]),
    "ask rule",
    { ask: ["Bash(git push:*)"], allow: ["Bash(git:*)"] },
  ],
  ["an allow that may match is none", execOf([argument("weird"), argument("$X")]), "none default", { allow: ["Bash(weird x)"] }],
  [
    "what protections deny stays denied",
    file("delete /home/me/?", { target: { kind: "unknown", why: "$X", within: "/srv/data" }, recursive: true }),
    "deny protection",
    { deny: ["Delete(/srv/data/x)"] },
  ],
]);

rows("modes", [
  ["auto-edit: write", file("write src/a.ts"), "allow mode", AUTO_EDIT],
  ["auto-edit: edit, mkdir, rename", [file("edit a"), file("mkdir b"), file("rename c")], "allow mode", AUTO_EDIT],
  ["auto-edit: never delete", file("delete a"), "ask default", AUTO_EDIT],
  ["auto-edit: never metadata", file("metadata a"), "ask default", AUTO_EDIT],
  ["auto-edit: never outside", file("write /srv/a"), "ask default", AUTO_EDIT],
  ["auto-edit: strictly inside", file("write /home/me/repo"), "ask default", AUTO_EDIT],
  ["auto-edit: never .git", file("write .git/HEAD"), "ask default", AUTO_EDIT],
  ["auto-edit: never an agent's settings", file("write .claude/settings.json"), "ask floor", AUTO_EDIT],
  ["auto-edit: never the policy", file("write .agent-permissions.jsonc"), "ask floor", AUTO_EDIT],
  ["auto-edit: never a secret", file("write .env"), "deny protection", AUTO_EDIT],
  [
    "auto-edit: no link out",
    file("write link/a"),
    "ask default",
    AUTO_EDIT,
    { world: machine([], { links: { "/home/me/repo/link": "/srv" } }) },
  ],
  ["auto-edit: a glob", file("edit src/*.ts"), "allow mode", AUTO_EDIT, { world: FIND_ALL }],
  [
    "auto-edit: a glob with a link out",
    file("edit src/*.ts"),
    "ask default",
    AUTO_EDIT,
    { world: machine(["/home/me/repo/src/a.ts"], { links: { "/home/me/repo/src/a.ts": "/srv/a.ts" } }) },
  ],
  ["auto-edit: other roots", file("write /srv/a"), "allow mode", { settings: { mode: "auto-edit", writableRoots: ["docs", "/srv"] } }],
  ["auto-edit: only those roots", file("write src/a"), "ask default", { settings: { mode: "auto-edit", writableRoots: ["docs", "/srv"] } }],
  ["auto-edit: commands stay", unknownCommand("weird"), "none default", AUTO_EDIT],
  ["full-auto, supervised", unknownCommand("weird", file("delete a"), script("x")), "allow mode", FULL_AUTO, { supervised: true }],
  ["full-auto, not supervised, is auto-edit", unknownCommand("weird"), "none default", FULL_AUTO],
  ["full-auto, not supervised: write", file("write a"), "allow mode", FULL_AUTO],
  ["full-auto: protections hold", rm("build"), "ask protection", FULL_AUTO, { supervised: true }],
  ["full-auto: a tool runs elsewhere", tool("mcp__x__y"), "none default", FULL_AUTO, { supervised: true }],
  ["full-auto: not analysable", exec("x"), "ask protection", FULL_AUTO, { supervised: true, unknowns: [{ reason: "parse error" }] }],
]);

rows("unknown: deny and confine", [
  ["deny: no opinion", unknownCommand("weird"), "deny default", { settings: { unknown: "deny" } }],
  [
    "deny: not analysable",
    exec("pwd", { knowledge: "pwd" }),
    "deny protection",
    { settings: { unknown: "deny" } },
    { unknowns: [{ reason: "parse error" }] },
  ],
  ["deny: a tool is no program", tool("mcp__x__y"), "none default", { settings: { unknown: "deny" } }],
  // It lifts questions, and makes none.
  ["confine leaves to the host what is its own", unknownCommand("weird"), "none default", { settings: { unknown: "confine" } }],
]);

rows("AW13: while a policy file is broken", [
  ["what would be allowed is asked", exec("pwd", { knowledge: "pwd" }), "ask protection", { broken: "x.jsonc:1:1: unknown key" }],
  ["by a rule, too", exec("weird"), "ask protection", { allow: ["Bash(weird)"], broken: "x" }],
  ["denies hold", file("read a.sql"), "deny rule", { deny: ["Read(**/*.sql)"], broken: "x" }],
  ["no opinion stays none", exec("weird"), "none default", { broken: "x" }],
]);

test("what an ask says", () => {
  const tree = judged(command("grep -r x .", file("read /home/me/repo/**")), {}, { world: FIND_ALL });
  expect(tree.reason).toContain("/home/me/repo/.env");
  expect(tree.help).toBe("leave it out: grep --exclude=.env");
  expect(judged(command("cat $f", file("read ?"))).reason).toBe("it is not clear which file it reads: a variable");
  const maybe = judged(execOf([argument("rm"), argument("$X")]), { deny: ["Bash(rm -rf:*)"] });
  expect(maybe.reason).toBe("the deny rule 'Bash(rm -rf:*)' may match: a variable");
  expect(judged(exec("pwd", { knowledge: "pwd" }), { broken: "u.jsonc:3:1: unknown key `denny`" }).reason).toBe(
    "a policy file has a mistake: u.jsonc:3:1: unknown key `denny`",
  );
});

test("every part keeps its own verdict", () => {
  const { actions } = judged(line(command("cat a", file("read a")), redirect(file("write b"))));
  expect(actions.map(({ verdict }) => verdict.decision)).toEqual(["allow", "allow", "ask"]);
});

test("control characters never reach a reason", () => {
  const { reason, help } = judged(file("read a", { operation: "write", target: { kind: "path", path: "/home/me/repo/a\u001b[2J\u202e" } }));
  // oxlint-disable-next-line no-control-regex -- that is the point
  expect(`${reason}${JSON.stringify(help)}`).not.toMatch(/[\u0000-\u001f\u202e]/);
});
