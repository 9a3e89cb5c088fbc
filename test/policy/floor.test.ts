import { describe, expect, test } from "vitest";
import type { Action, FileAction } from "@assent/core/action";
import { assentCall } from "../../packages/core/src/policy/floor-commands.ts";
import { exec, execOf, file } from "./language.ts";
import { grant, FLOOR, judged, machine, shortly } from "./machine.ts";

const grants = [grant("Write(~/.agent-permissions.jsonc)"), grant("*")];

const FRONT = "/opt/tools/assent/dist/front-x64";

describe("Assent's own files", () => {
  test.each([
    ["write /home/me/.agent-permissions.jsonc", "deny floor"],
    ["edit /etc/assent/policy.jsonc", "deny floor"],
    ["write /home/me/.local/state/assent/grants.jsonl", "deny floor"],
    ["write /home/me/.local/state/assent/questions/0123abcd.end", "deny floor"],
    ["link /home/me/.local/state/assent/questions/0123abcd.end", "deny floor"],
    ["mkdir /home/me/.local/state/assent/questions/approvers", "deny floor"],
    ["write /home/me/.local/share/assent/bin/npm", "deny floor"],
    ["delete /home/me/.local/state/assent/audit.jsonl", "deny floor"],
    ["edit /opt/tools/assent/dist/cli.js", "deny floor"],
    ["write /home/me/.claude/settings.json", "deny floor"],
    ["write /home/me/.codex/config.toml", "deny floor"],
    // What goes with a folder.
    ["rename /home/me/.local/state", "deny floor"],
    ["delete /home/me/.local/state/**", "deny floor"],
    ["delete /home/me/.agent-*", "deny floor"],
    ["delete /home/me/.claude/**", "deny floor"],
    ["rename /home/me/.config/opencode", "deny floor"],
    ["delete .claude/**", "ask floor"],
    ["rename .vscode", "ask floor"],
    ["write .agent-permissions.jsonc", "ask floor"],
    ["edit .claude/settings.json", "ask floor"],
    ["write .mcp.json", "ask floor"],
    ["read /home/me/.agent-permissions.jsonc", "allow default"],
    ["read .claude/settings.json", "allow default"],
    ["list /home/me/.local/state/assent", "allow default"],
    ["write src/a.ts", "ask default"],
  ])("%s: %s", (text, expected) => {
    expect(shortly(judged(file(text)))).toBe(expected);
  });

  test("no rule, grant or mode opens it", () => {
    const action = file("write /home/me/.agent-permissions.jsonc");
    const settings = { mode: "full-auto", preset: "permissive" } as const;
    expect(shortly(judged(action, { allow: ["Write(~/.agent-permissions.jsonc)", "*"], settings }, { grants, supervised: true }))).toBe(
      "deny floor",
    );
    expect(shortly(judged(action, { settings: { preset: "none" } }))).toBe("deny floor");
  });

  test("a question of the floor softens no deny", () => {
    expect(shortly(judged(file("write .claude/settings.json"), { deny: ["Write(.claude/**)"] }))).toBe("deny rule");
    expect(shortly(judged(file("write .claude/settings.json"), { settings: { preset: "readonly" } }))).toBe("deny protection");
    expect(shortly(judged(file("write .claude/settings.json"), { allow: ["Write(.claude/settings.json)"] }))).toBe("ask floor");
  });

  test("upkeep in a folder does not take the folder along, but opens no file of the floor", () => {
    const inTemp = machine([], { home: "/tmp/me", projectRoot: "/tmp/me/repo", cwd: "/tmp/me/repo" });
    const floor = { ...FLOOR, policies: ["/tmp/me/.agent-permissions.jsonc"], state: ["/tmp/me/.local/state/assent"] };
    const upkeep = { upkeep: true };
    expect(shortly(judged(file("write /tmp/**", upkeep), {}, { world: inTemp, floor }))).toBe("allow knowledge");
    expect(shortly(judged(file("write /tmp/me/.local/state/assent/**", upkeep), {}, { world: inTemp, floor }))).toBe("deny floor");
    expect(shortly(judged(file("write /tmp/me/.agent-permissions.jsonc", upkeep), {}, { world: inTemp, floor }))).toBe("deny floor");
  });

  test("a walk that leaves the policy out does not take it along", () => {
    const walk = (only: string): FileAction =>
      file("delete x", { target: { kind: "tree", path: "/home/me/repo", filter: { only: [only] } } });
    expect(shortly(judged(walk("*.o")))).toBe("ask protection");
    expect(shortly(judged(walk("*.jsonc")))).toBe("ask floor");
  });

  test("through a link", () => {
    const linked = machine([], { links: { "/home/me/repo/s": "/home/me/.local/state/assent" } });
    expect(shortly(judged(file("write s/trust.json"), {}, { world: linked }))).toBe("deny floor");
  });
});

describe("commands that loosen Assent", () => {
  test.each([
    ["assent trust", "loosens"],
    ["assent trust .agent-permissions.jsonc", "loosens"],
    // A word that every object of the language knows.
    ["assent constructor", "unclear"],
    ["assent --policy constructor auto on", "loosens"],
    ["assent auto on", "loosens"],
    ["assent bypass on", "loosens"],
    ["assent approvals", "loosens"],
    ["assent approvals list", "loosens"],
    ["assent --debug approvals --json", "loosens"],
    ["assent approvals answer 0123abcd yes", "loosens"],
    ["assent approvals notify desktop", "loosens"],
    ["npx assent approvals", "loosens"],
    ["assent open", "loosens"],
    ["assent open --link", "loosens"],
    ["assent daemon stop", "loosens"],
    ["assent daemon off", "loosens"],
    ["assent daemon status", "harmless"],
    ["assent team join https://evil.example", "loosens"],
    ["assent team leave --offline", "loosens"],
    ["assent team send", "loosens"],
    ["assent team serve", "loosens"],
    ["npx assent --debug team join https://evil.example", "loosens"],
    ["assent team status", "harmless"],
    ["assent team", "harmless"],
    ["assent breaker reset", "loosens"],
    ["assent agents trust x", "loosens"],
    ["assent uninstall", "loosens"],
    ["assent grants add x", "loosens"],
    ["assent grants --x add y", "unclear"],
    ["assent grants list", "harmless"],
    ["assent grants revoke --all", "unclear"],
    ["assent rule add Bash(*) --allow", "loosens"],
    ["assent rule remove Bash(rm:*) --deny", "loosens"],
    ["assent --debug rule add x --allow", "loosens"],
    ["assent init", "loosens"],
    ["assent edit --local", "loosens"],
    ["assent trust --yes", "loosens"],
    ["npx assent rule add x --allow", "loosens"],
    ["node /opt/tools/assent/dist/bin.cjs init", "loosens"],
    ["assent --debug trust", "loosens"],
    ["assent --policy x trust", "loosens"],
    ["assent run --log-only -- npm test", "loosens"],
    ["assent run --background-respond allow -- x", "loosens"],
    ["assent run --background-respond DIR 1 approve", "loosens"],
    ["assent run -q --policy mine.jsonc npm test", "loosens"],
    ["assent run --learn --yes npm test", "loosens"],
    ["assent run --strace /home/me/.bashrc true", "loosens"],
    ["assent run -o /home/me/.bashrc --json true", "loosens"],
    ["assent run -Po/home/me/.bashrc true", "loosens"],
    ["assent run --no-undo true", "loosens"],
    ["assent run --clear npm", "loosens"],
    ["assent run --clear-run npm", "loosens"],
    ["assent wrap unwrap npm", "loosens"],
    ["assent wrap install x", "loosens"],
    ["assent wrap npm", "loosens"],
    ["assent wrap --shim npm", "loosens"],
    ["assent wrap wrap list", "loosens"],
    ["assent unwrap npm", "loosens"],
    ["npx assent unwrap npm", "loosens"],
    ["assent clip", "loosens"],
    ["assent profile clear npm", "loosens"],
    ["assent profile edit npm", "loosens"],
    // Every spelling.
    ["/usr/local/bin/assent trust", "loosens"],
    ["./node_modules/.bin/assent trust", "loosens"],
    ["ASSENT trust", "loosens"],
    ["npx assent trust", "loosens"],
    ["npx -y assent@latest trust", "loosens"],
    ["npm exec -- assent trust", "loosens"],
    ["npm exec --package=assent assent trust", "loosens"],
    ["pnpm dlx assent trust", "loosens"],
    ["yarn assent trust", "loosens"],
    ["bunx assent trust", "loosens"],
    ["node node_modules/assent/dist/cli.js trust", "loosens"],
    ["node --no-warnings /opt/tools/assent/dist/cli.js trust", "loosens"],
    ["/opt/tools/assent/dist/cli.js trust", "loosens"],
    ["node assent.mjs auto on", "loosens"],
    ["some-wrapper assent trust", "loosens"],
    ["npm uninstall -g assent", "loosens"],
    ["npm install -g assent@0.0.1", "loosens"],
    ["npm update --global assent", "loosens"],
    ["script -q /dev/null assent auto on", "loosens"],
    ["ssh localhost assent trust", "loosens"],
    // Looking is free, and what `run` starts is judged by itself.
    ["assent", "harmless"],
    ["assent --version", "harmless"],
    ["assent explain trust", "harmless"],
    ["assent log --follow", "harmless"],
    ["assent rules --json", "harmless"],
    ["assent lint", "harmless"],
    ["assent lint --json policy.jsonc", "harmless"],
    ["assent lint --sarif -", "harmless"],
    ["assent test --junit=- table.assent-test", "harmless"],
    ["assent explain eslint --fix", "harmless"],
    ["assent explain npm test --junit out.xml", "harmless"],
    // A report is a file that nobody judged, a rewritten rule is a policy that an agent changed.
    ["assent lint --fix", "loosens"],
    ["assent lint --yes --fix policy.jsonc", "loosens"],
    ["assent --policy explain lint --fix", "loosens"],
    ["npx assent lint --fix --yes", "loosens"],
    ["assent lint --sarif .git/hooks/pre-commit", "unclear"],
    ["assent lint --sarif=.bashrc policy.jsonc", "unclear"],
    ["assent test --junit .bashrc", "unclear"],
    ["assent --policy lint test --junit .bashrc", "unclear"],
    ["node_modules/.bin/assent test --junit=.bashrc", "unclear"],
    ["assent auto status", "harmless"],
    ["assent agents list", "harmless"],
    ["assent run -- npm test", "harmless"],
    ["assent run -- npm test --yes", "harmless"],
    ["assent run npm test --yes", "harmless"],
    ["assent run -Pq --json npm run build -o x", "harmless"],
    ["assent run --no-prompt -- npm test", "harmless"],
    ["assent run --skill", "harmless"],
    ["assent run --rules npm", "harmless"],
    ["assent profile show npm", "harmless"],
    ["assent profile list", "harmless"],
    ["assent wrap list", "harmless"],
    ["assent wrap", "harmless"],
    ["assent version", "harmless"],
    ["assent status", "harmless"],
    ["assent bypass", "harmless"],
    ["assent receipt", "harmless"],
    ["npx assent demo", "harmless"],
    // What stands in front of a run is what its words are, where they are Assent's.
    ["/opt/tools/assent/dist/front-x64 /usr/bin/node /opt/tools/assent/dist/bin.cjs run -- npm test", "harmless"],
    ["/opt/tools/assent/dist/front-x64 /usr/bin/node /opt/tools/assent/dist/bin.cjs run --log-only -- npm test", "loosens"],
    ["/opt/tools/assent/dist/front-arm64 /usr/bin/node /opt/tools/assent/dist/bin.cjs trust", "loosens"],
    ["/opt/tools/assent/dist/front-x64 /bin/sh /tmp/x run -- npm test", "unclear"],
    ["/opt/tools/assent/dist/front-x64 /bin/sh /opt/tools/assent/dist/bin.cjs run -- npm test", "unclear"],
    ["/opt/tools/assent/dist/front-x64 $X /opt/tools/assent/dist/bin.cjs run -- npm test", "unclear"],
    ["/opt/tools/assent/dist/front-x64 /opt/tools/assent/x trust", "loosens"],
    [`/opt/tools/assent/dist/spare-x64 /s/ ${FRONT} /usr/bin/node /opt/tools/assent/dist/bin.cjs run -- npm test`, "harmless"],
    [`/opt/tools/assent/dist/spare-x64 /s/ ${FRONT} /usr/bin/node /opt/tools/assent/dist/bin.cjs auto on`, "loosens"],
    ["/opt/tools/assent/dist/spare-x64 /s/ /tmp/x /opt/tools/assent/dist/bin.cjs run -- npm test", "unclear"],
    ["/opt/tools/assent/dist/ask-x64 /usr/bin/node /opt/tools/assent/dist/bin.cjs run -- npm test", "unclear"],
    // Unknown to us.
    ["assent frobnicate", "unclear"],
    ["assent $X", "unclear"],
    ["assent run $X -- y", "unclear"],
    ["assent run --frobnicate -- y", "unclear"],
    ["assent undo", "unclear"],
    // Something else altogether.
    ["npm test", undefined],
    ["some-wrapper assent demo", undefined],
    ["git commit -m assent", undefined],
    ["npx assent-tools trust", undefined],
  ])("%s: %s", (text, expected) => {
    const resolved = text.startsWith("/opt/") ? { resolved: text.split(" ")[0] ?? "" } : {};
    expect(assentCall(exec(text, resolved), FLOOR.own)?.does).toBe(expected);
  });

  test.each([
    [["expect", "-c", "spawn assent auto on"], "loosens"],
    [["python3.12", "-c", "import os; os.system('assent trust --yes')"], "loosens"],
    [["python3", "-c", "subprocess.run(['/usr/bin/assent', 'bypass', 'on'])"], "loosens"],
    [["node", "-e", "require('child_process').execSync('npx assent trust')"], "loosens"],
    [["some-wrapper", "cd x && assent trust"], "loosens"],
    [["tmux", "new-session", "-d", "assent agents trust x"], "loosens"],
    [["python3", "-c", "print('assent log')"], undefined],
    [["some-wrapper", "--title=the assent of the king, a matter of trust"], undefined],
    [["node", "link", "trust"], "loosens"],
    [["node", "other", "trust"], undefined],
  ])("%j: %s", (argv, expected) => {
    const links: Readonly<Record<string, string>> = { link: "/opt/tools/assent/dist/bin.cjs" };
    const action = execOf(argv.map((text) => ({ known: true, text })));
    expect(assentCall(action, FLOOR.own, (word) => links[word] ?? word)?.does).toBe(expected);
  });

  test("a link to Assent is Assent", () => {
    const world = machine([], { links: { "/home/me/repo/x": "/opt/tools/assent/dist/bin.cjs" } });
    const call = exec("./x trust", { resolved: "/home/me/repo/x" });
    expect(shortly(judged(call, { allow: ["Bash(**)"] }, { world }))).toBe("deny floor");
  });

  test("code that calls Assent", () => {
    const code = (detail: string): Action => ({ kind: "code", language: "python", source: "inline", detail, origin: { by: "tool" } });
    expect(shortly(judged(code("import os\nos.system('assent auto on')")))).toBe("deny floor");
    expect(shortly(judged(code("print('assent')")))).toBe("none default");
  });

  test.each([
    ["sqlite9 /home/me/.local/state/assent/x", "ask floor"],
    ["sqlite9 --file=/home/me/.agent-permissions.jsonc", "ask floor"],
    ["editor ../.claude/settings.json", "ask floor"],
    ["editor /home/me/notes.md", "allow rule"],
    ["editor .vscode/settings.json", "allow rule"],
  ])("a program that nobody knows is given a file of Assent's: %s", (text, expected) => {
    expect(shortly(judged(exec(text), { allow: ["Bash(**)"] }))).toBe(expected);
  });

  test.each([
    ["mcp__fs__write_file", "/home/me/.agent-permissions.jsonc", "deny floor"],
    ["mcp__fs__write_file", "~/.claude/../.claude/settings.json", "deny floor"],
    ["mcp__fs__move_file", "file:///home/me/.local/state/ass%65nt/trust.json", "deny floor"],
    ["mcp__fs__edit", "/home/me/repo/.claude/settings.json", "ask floor"],
    ["mcp__fs__apply", "/home/me/.agent-permissions.jsonc", "ask floor"],
    ["mcp__fs__search_and_replace", "/home/me/.agent-permissions.jsonc", "deny floor"],
    ["mcp__fs__read_file", "/home/me/.agent-permissions.jsonc", "allow rule"],
    ["mcp__fs__write_file", "/home/me/repo/a", "allow rule"],
    ["mcp__github__create_file", ".claude/settings.json", "allow rule"],
  ])("a tool of a server: %s %s", (name, path, expected) => {
    const call: Action = { kind: "tool", name, fields: [["any", path]], origin: { by: "tool" } };
    expect(shortly(judged(call, { allow: ["mcp__*"] }))).toBe(expected);
  });

  test("a word that knowledge covers as data is data", () => {
    expect(assentCall(exec("echo assent trust", { knowledge: "echo" }), [])).toBeUndefined();
  });

  test("verdicts", () => {
    expect(shortly(judged(exec("assent trust"), { allow: ["Bash(assent:*)"] }))).toBe("deny floor");
    expect(shortly(judged(exec("assent frobnicate"), { allow: ["Bash(assent:*)"] }))).toBe("ask floor");
    expect(
      shortly(
        judged(
          execOf([
            { known: true, text: "assent" },
            { known: true, text: "log" },
          ]),
          { allow: ["Bash(assent:*)"] },
        ),
      ),
    ).toBe("allow rule");
  });
});
