import type { Decision } from "@assent/core/policy";
import { describe, expect, it } from "vitest";
import { place, type PolicyText } from "./place.ts";

/**
 * Words of any program are held against secrets and written rules, whatever rule allows the program: a secret that is
 * named is refused as for `cat` (J16). Beside each way to name one stand words that name none.
 */
const here = place({ ".env": "KEY=1", "private/x": "", "server.pem": "", "conf/app.yml": "" });

function wrong(policy: PolicyText, expected: Decision | readonly Decision[], lines: readonly string[]): readonly string[] {
  here.user(policy);
  return lines.flatMap((line) => {
    const { decision, reason } = here.verdict(line);
    return (typeof expected === "string" ? decision === expected : expected.includes(decision)) ? [] : [`${decision}: ${line}: ${reason}`];
  });
}

const MYTOOL = { permissions: { allow: ["Bash(mytool:*)"] } };
const ANYTHING = { permissions: { allow: ["Bash(*)"] } };

describe("a secret named to a program nobody knows", () => {
  it("is refused however it is written", () => {
    const lines = [
      "mytool ~/.ssh/id_rsa",
      "mytool --opt=~/.ssh/id_rsa",
      "mytool --opt $HOME/.ssh/id_rsa",
      "mytool ${HOME}/.ssh",
      "mytool ${HOME}/.ssh/*",
      "mytool @.env",
      "mytool @$HOME/.ssh/id_rsa",
      "mytool file:.env",
      "mytool file:///etc/shadow",
      "mytool file:///etc/sh%61dow",
      "mytool -f.env",
      "mytool -f=.env",
      "mytool -xf/etc/shadow",
      "mytool NAME=.env",
      "mytool --set a.b=.env",
      "mytool .env:12",
      "mytool a:.env:b",
      "mytool README.md,.env",
      "mytool {.env}",
      "mytool '{\".env\"}'",
      "mytool '[\"/etc/shadow\"]'",
      "mytool <(cat .env)",
      "mytool \"open('.env')\"",
      "mytool src/../.env",
      "mytool ./src/../.env",
      "mytool ~/.ssh/$X",
      "mytool $X/.env",
      "mytool --key=$X/id_rsa",
      "mytool src/{a,../../.env}",
      "cd ~/.ssh && mytool id_rsa",
      "cd $X && mytool .env",
      "mytool <<< ~/.ssh/id_rsa",
      "printf '%s\\n' a.txt .env | mytool",
      "echo ~/.ssh/id_rsa | xargs mytool",
      "FILE=.env mytool",
      "x=.env; mytool $x",
      "mytool server.pem",
      "timeout 5 mytool .env",
    ];
    expect(
      wrong(
        MYTOOL,
        "deny",
        lines.filter((line) => !/^(?:FILE|timeout|printf|echo|x=)/.test(line)),
      ),
    ).toEqual([]);
    expect(wrong(ANYTHING, "deny", lines)).toEqual([]);
  });

  it("asks where a pattern reaches one", () =>
    expect(wrong(MYTOOL, ["ask", "deny"], ["mytool .en*", "mytool *.pem", "mytool --in=.en*"])).toEqual([]));

  it("is no question where nothing is named", () =>
    expect(
      wrong(MYTOOL, "allow", [
        "mytool README.md",
        "mytool .",
        "mytool src",
        "mytool -v --config conf/app.yml",
        "mytool user@host:~/.ssh/id_rsa",
        "mytool https://x.dev/.env",
        "mytool process.env",
        "mytool -k secret",
        "mytool credentials list",
        "mytool get kubeconfig",
        "mytool '.data.Environment'",
        "mytool --exclude=.env .",
        "mytool --ignore .env .",
        "mytool id_rsa.pub",
        "mytool @scope/name a=b x:y",
        "mytool 'a sentence that mentions password and secret'",
      ]),
    ).toEqual([]));
});

describe("a secret named to a program whose option nobody listed, or that hands its words to code", () => {
  it("is refused", () =>
    expect(
      wrong(ANYTHING, "deny", [
        "wget -i .env",
        "file -f .env",
        "nmap -iL .env",
        "ssh -F .env host",
        "curl -K .env",
        "sort --files0-from=.env",
        "python3 x.py .env",
        "node x.js ~/.ssh/id_rsa",
        "./run.sh .env",
        "make deploy ENV=.env",
        "pytest --env-file .env",
        "npm run x -- .env",
        "docker build --secret id=x,src=.env .",
        "python3 - <<'E'\nimport foo\nfoo.load('.env')\nE",
        "ruby -e 'Foo.load(\".env\")'",
        "php -r 'readfile(\"/etc/shadow\");'",
        "lua -e 'print(io.open(\"/etc/shadow\"):read())'",
      ]),
    ).toEqual([]));

  it("is no question where the word is known to be text", () =>
    expect(
      wrong(ANYTHING, "allow", [
        "echo .env",
        "printf '%s' .env",
        "grep .env README.md",
        "grep -rn 'process.env' src",
        "git commit -m 'add .env'",
        "git commit -m 'fix: load .env and ~/.ssh/id_rsa'",
        "git check-ignore -v .env",
        "git rm --cached .env",
        "find . -name .env",
        "ls -la .env",
        "test -f .env && echo yes",
        "jq .env package.json",
        "pytest -k password",
        "pytest tests/test_credentials.py",
        "npm test -- secrets",
        "kubectl get secrets",
        "vault kv get secret/app",
        "ssh host cat .env",
        "gh pr create --title 'x .env' --body 'see .env'",
        "node -e 'console.log(process.env.HOME)'",
      ]),
    ).toEqual([]));
});

describe("a path that a rule is written about", () => {
  const deny = (...rules: readonly string[]): PolicyText => ({ permissions: { allow: ["Bash(*)"], deny: rules } });

  it("is refused where reading is denied", () =>
    expect(
      wrong(deny("Read(private/**)"), "deny", [
        "mytool private/x",
        "mytool ./private/x",
        "mytool src/../private/x",
        "mytool --x=private/x",
        "mytool @private/x",
        "mytool private",
        "mytool private/new",
        "cd private && mytool x",
        "python3 x.py private/x",
        "mytool <<< private/x",
      ]),
    ).toEqual([]));

  it("is refused where changing it is denied by its name, and asked where by a pattern", () => {
    const policy = deny("Write(README.md)", "Delete(a.txt)", "Edit(src/**)");
    expect(wrong(policy, "deny", ["mytool README.md", "mytool --out=README.md", "mytool a.txt"])).toEqual([]);
    expect(wrong(policy, "ask", ["mytool src/a.ts", "mytool src"])).toEqual([]);
    expect(wrong(policy, "allow", ["mytool b.txt", "cat README.md", "cat src/a.ts", "grep x src/a.ts"])).toEqual([]);
  });

  it("asks where reading is asked", () => {
    const policy = { permissions: { allow: ["Bash(mytool:*)"], ask: ["Read(private/**)"] } };
    expect(wrong(policy, "ask", ["mytool private/x", "mytool -fprivate/x"])).toEqual([]);
    expect(wrong(policy, "allow", ["mytool src/a.ts"])).toEqual([]);
  });

  it("is no question of a folder that it only lies in, nor of words beside it", () =>
    expect(
      wrong(deny("Read(private/**)", "Write(README.md)"), "allow", ["mytool .", "mytool src", "mytool private.txt", "mytool -v"]),
    ).toEqual([]));

  it("is open where a rule names it", () =>
    expect(wrong({ permissions: { allow: ["Bash(mytool:*)", "Read(.env)"] } }, "allow", ["mytool .env", "mytool --env=.env"])).toEqual([]));
});

describe("an option that says where something is written is judged as writing, under every preset and rule", () => {
  const LINES = [
    "mytool -o /etc/passwd",
    "mytool -o/etc/passwd",
    "mytool --output=/boot/x",
    "mytool --output /boot/x",
    "mytool --out-file=/etc/cron.d/x a.txt",
    "mytool --outdir /usr/bin",
    "mytool of=/etc/passwd",
    "mytool -O ../../../../../../../etc/passwd",
    "mytool --dest=/etc/sudoers.d/x",
    "mytool --save-to ~/.bashrc",
    "mytool --log-file=~/.zshrc",
    "env mytool -o /etc/passwd",
    "x=/etc/passwd; mytool -o $x",
    "mytool -o '/etc/passwd'",
    "ls; mytool sub --output='/etc/hosts' --verbose",
  ];
  for (const [title, policy] of [
    ["permissive", { preset: "permissive" }],
    ["default, with a rule for the program", MYTOOL],
  ] as const)
    it.each(LINES)(`${title}: %s`, (line) => {
      here.user(policy);
      expect(here.verdict(line).decision).toBe("deny");
    });

  it.each([
    "mytool -o out.txt",
    "mytool --output=dist/x",
    "mytool -o /tmp/x",
    "mytool -o /dev/null",
    "mytool --output=/dev/stdout",
    "mytool -o json",
    "mytool --output json /etc/hosts",
    "mytool --config /etc/hosts",
    "mytool /etc/hosts",
    "mytool --prefix=/usr",
    "mytool --sysroot /usr/lib",
    "mytool 'copies to -o /etc/passwd'",
  ])("goes ahead: %s", (line) => {
    here.user({ preset: "permissive" });
    expect(here.verdict(line).decision).toBe("allow");
  });
});
