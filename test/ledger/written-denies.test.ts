import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decision } from "@assent/core/policy";
import { entryFor, grammarOf, type Grammar } from "../../packages/core/src/shell/knowledge/entries.ts";
import { place, type PolicyText } from "./place.ts";

/**
 * A written deny (or ask) holds for the command however it is written: with options wherever its program takes them (J11), behind
 * whatever starts it (J12), and with a `*` that means any text (J13). Everything else is allowed here, so that a rule that is
 * passed shows.
 */
const here = place({ "a.yml": "" });

const policy = (...deny: readonly string[]): PolicyText => ({ permissions: { deny, allow: ["Bash(*)"] } });

function wrong(of: PolicyText, expected: Decision | readonly Decision[], lines: readonly string[]): readonly string[] {
  here.user(of);
  return lines.flatMap((line) => {
    const { decision, reason } = here.verdict(line);
    return [expected].flat().includes(decision) ? [] : [`${decision}: ${line}: ${reason}`];
  });
}

const denied = (rule: string, ...lines: readonly string[]) => ({ rule, lines });

describe("options in front of a subcommand and between its words (J11)", () => {
  it.each([
    denied(
      "Bash(docker compose down:*)",
      "docker compose -p x down",
      "docker compose -px down",
      "docker --context c compose -f a.yml down --volumes",
      "docker compose --project-name=x down",
      "docker compose --ansi never --profile p down",
      "docker compose --unheard down",
      "docker compose --unheard=x down",
      "docker 'compose' -p \"x\" do\\wn",
      "podman compose -p x down; docker compose -p x down",
      'docker compose -p "$X" down',
    ),
    denied("Bash(docker compose down)", "docker compose -p x down", "docker -D compose down"),
    denied("Shell(docker compose down)", "docker compose -p x down", "docker compose --other=y down -v"),
    denied("Bash(git push:*)", "git -C d -c k=v push", "git --unheard push", "git --git-dir=x --work-tree y push"),
    denied("Bash(git push --force:*)", "git -C d push origin x --force", "git --unheard=y push -q --force"),
    denied("Bash(kubectl delete:*)", "kubectl -n ns delete pod x", "kubectl --unheard=ns delete pod x"),
    denied("Bash(kubectl config delete-context:*)", "kubectl config --kubeconfig x delete-context y"),
    denied("Bash(npm publish:*)", "npm --prefix x publish", "npm -w pkg publish", "npm --unheard publish"),
    denied("Bash(terraform destroy)", "terraform -chdir=x destroy", "terraform -unheard destroy"),
    denied("Bash(aws s3 rm:*)", "aws --profile p s3 rm s3://x", "aws s3 --profile p rm s3://x", "aws s3 --profile=p rm s3://x"),
    denied("Bash(gh pr merge:*)", "gh -R x/y pr merge 1", "gh pr -R x/y merge 1", "gh pr --repo=x/y merge 1"),
    denied("Bash(helm uninstall:*)", "helm -n x uninstall y", "helm --kube-context c uninstall y"),
    denied("Bash(cargo publish:*)", "cargo +nightly publish", "cargo --offline +nightly -Z x publish", "cargo --config x publish"),
    denied("Bash(systemctl stop:*)", "systemctl --user stop x", "systemctl --unheard=host stop x"),
    denied("Bash(pip install:*)", "pip --proxy x install y", "pip -q install y"),
    denied("Bash(apt-get install:*)", "apt-get -y install x", "apt-get -o=A=b install x"),
    denied("Bash(go generate:*)", "go -C d generate ./..."),
    denied("Bash(gcloud compute instances delete:*)", "gcloud compute --project x instances --zone z delete y"),
    denied("Bash(frob drop:*)", "frob -x drop", "frob --long=v drop", "frob -q --l=v -- drop"),
    denied("Bash(frob a b drop:*)", "frob -q a --l=v b -q drop"),
  ])("deny $rule", ({ rule, lines }) => expect(wrong(policy(rule), "deny", lines)).toEqual([]));

  it.each([
    denied("Bash(docker compose down:*)", "docker compose --unheard x down", "docker --unheard x compose down"),
    denied("Shell(docker compose down)", "docker --unheard x compose --other=y down -v"),
    denied("Bash(git push:*)", "git --unheard y push"),
    denied("Bash(git push --force:*)", "git --unheard y push -q --force"),
    denied("Shell(git push {--force,-f})", "git --unheard y push origin -f"),
    denied("Bash(terraform destroy)", "terraform -unheard x destroy"),
    denied("Bash(systemctl stop:*)", "systemctl -H host stop x"),
    denied("Bash(frob drop:*)", "frob -x v drop", "frob --long v drop", "frob -q --l v drop", "frob -1 a -1 b -1 c -1 d -1 e -q -1 f drop"),
    denied("Bash(frob a b drop:*)", "frob a --l v b -q drop", "frob -1 x a -2 b -3 z drop"),
    denied("Shell(frob a drop)", "frob -q a --l v drop", "frob --l v -q a drop"),
  ])("deny $rule asks where a word may be the value of an option that nobody knows, and no bypass skips it", ({ rule, lines }) => {
    expect(wrong(policy(rule), "ask", lines)).toEqual([]);
    expect(lines.map((line) => here.told(line, "bypassPermissions"))).toEqual(lines.map(() => "deny"));
  });

  it("asks where the rule asks", () =>
    expect(
      wrong({ permissions: { ask: ["Bash(docker compose up:*)"], allow: ["Bash(*)"] } }, "ask", [
        "docker compose -p x up",
        "docker --context c compose --unheard x up -d",
      ]),
    ).toEqual([]));

  it("holds for a block of operations, too", () => {
    const execute = { default: "allow", rules: [{ pattern: "git push*", action: "deny" }] };
    expect(wrong({ operations: { execute } }, "deny", ["git push", "git -C d push", "git -c k=v push --force"])).toEqual([]);
    expect(wrong({ operations: { execute } }, "allow", ["git -C src log push"])).toEqual([]);
  });

  it("says why it is not sure", () => {
    here.user(policy("Bash(frob drop:*)"));
    const why = "it is not clear which program this is, or which words are values of its options";
    expect(here.verdict("frob --long v drop").reason).toBe(`the deny rule 'Bash(frob drop:*)' may match: ${why}`);
  });

  it("leaves the neighbours alone", () =>
    expect(
      wrong(policy("Bash(docker compose down:*)", "Bash(git push:*)", "Bash(frob drop:*)", "Bash(git status)"), "allow", [
        "docker compose -p x up",
        "docker compose logs down",
        "docker compose -f a.yml ps",
        "git -C src log push",
        "git -C src pull",
        "git commit -m push",
        "git status -s",
        "frob v drop",
        "frob --long=drop list",
      ]),
    ).toEqual([]));

  it("gives no allow rule more than it says", () => {
    const allows = ["Bash(docker compose ps:*)", "Bash(frob list:*)", "Shell(frob show)"];
    const lines = ["docker compose --unheard x ps", "frob --long v list", "frob -x v show"];
    expect(wrong({ permissions: { allow: allows } }, ["none", "ask"], lines)).toEqual([]);
  });
});

describe("options do not hide a danger", () => {
  it.each([
    ["docker compose down --volumes", "docker compose -f a.yml down --volumes"],
    ["docker compose down --volumes", "docker --context c compose --unheard x down --volumes"],
    ["docker rm -f web", "docker --unheard x rm -f web"],
    ["docker volume rm x", "docker volume --unheard v rm x"],
    ["gh repo delete y", "gh repo -R x delete y"],
    ["aws ec2 terminate-instances", "aws ec2 --region x terminate-instances"],
    ["gcloud compute instances delete y", "gcloud compute --project=x instances delete y"],
    ["terraform destroy", "terraform --unheard x destroy"],
    ["git push --force", "git --unheard x push --force"],
    ["git stash drop", "git stash -q drop"],
    ["cargo publish", "cargo --unheard x publish"],
  ])("%s and %s", (plain, line) => {
    here.user({});
    expect(here.verdict(line)).toMatchObject({ decision: "ask", basis: "protection", builtin: here.verdict(plain).builtin });
  });

  it("is no question where the plain command is none", () =>
    expect(
      wrong({}, "allow", [
        "docker compose -f a.yml ps",
        "docker compose -p x logs -f web",
        "gh pr -R x/y list",
        "aws ec2 --region us-east-1 describe-instances",
        "gcloud compute --project=x instances list",
        "git -C src stash list",
      ]),
    ).toEqual([]));

  it("a group that takes words of its own is read both ways", () =>
    // It was allowed as `git notes`, which lists.
    expect(wrong({}, "ask", ["git notes --ref x remove", "git remote -v remove origin"])).toEqual([]));
});

/** What starts a command that it is given. */
const STARTERS = [
  "nvm exec 20 CMD",
  "npx cross-env A=1 CMD",
  "npx -y cross-env@7 A=1 CMD",
  "npx cross-env A=1 cross-env B=2 CMD",
  "npx concurrently 'CMD'",
  "npx concurrently -n a,b 'npm test' 'CMD'",
  "npx cross-env-shell 'CMD'",
  "npx dotenv -- CMD",
  "npx env-cmd -f x CMD",
  "npx nodemon --exec 'CMD'",
  "npx chokidar src -c 'CMD'",
  "npx nyc CMD",
  "npx c8 -r text CMD",
  "npx pnpm exec CMD",
  "npx --package cross-env -- cross-env A=1 CMD",
  "npx -p cross-env -c 'cross-env A=1 CMD'",
  "npx -c 'CMD'",
  "npm exec -- cross-env A=1 CMD",
  "npm exec cross-env A=1 CMD",
  "npm x --package=cross-env -- cross-env A=1 CMD",
  "pnpm dlx cross-env A=1 CMD",
  "pnpm exec cross-env A=1 CMD",
  "pnpm exec CMD",
  "yarn dlx cross-env A=1 CMD",
  "yarn exec cross-env A=1 CMD",
  "yarn run cross-env A=1 CMD",
  "bunx cross-env A=1 CMD",
  "bun x cross-env A=1 CMD",
  "bun run cross-env A=1 CMD",
  "deno run -A npm:cross-env@7 A=1 CMD",
  "deno x npm:cross-env A=1 CMD",
  "pipx run dotenv run -- CMD",
  "uvx dotenv run CMD",
  "uvx --from python-dotenv dotenv run -- CMD",
  "uv run CMD",
  "uv tool run dotenv run CMD",
  "poetry run CMD",
  "bundle exec CMD",
  "corepack pnpm dlx cross-env A=1 CMD",
  "corepack yarn exec cross-env A=1 CMD",
  "rtk CMD",
  "rtk -v --ultra-compact CMD",
  "fnm exec CMD",
  "fnm exec --using=20 -- CMD",
  "pixi run -e dev CMD",
  "pixi exec -s x CMD",
  "bear -- CMD",
  "bear --output x -- CMD",
  "gum spin --title 'x y' --show-output -- CMD",
  "powershell.exe -NoProfile -c 'CMD'",
] as const;

/** What nobody knows, or what a known program hands to code. */
const STRANGERS = [
  "mywrap CMD",
  "mywrap -v CMD",
  "mywrap run --env x -- CMD",
  "mywrap env A=1 CMD",
  "./wrap.sh CMD",
  "npx mywrap CMD",
  "npx -y mywrap@2 --opt v CMD",
  "npx @scope/wrap CMD",
  "npx onchange 'src/**' -- CMD",
  "pnpm dlx mywrap CMD",
  "pipx run mywrap CMD",
  "bundle exec mywrap CMD",
  "rtk proxy CMD",
  "cmd.exe /c CMD",
] as const;
const LINES = ["mywrap 'CMD'", "mywrap --run='cd x && CMD'", "npx start-server-and-test 'CMD' 3000 test", "pixi run 'CMD'"] as const;
const HANDED = ["npx lerna exec -- CMD", "yarn workspace a exec CMD", "bun cross-env A=1 CMD", "ccache CMD", "npx nx exec -- CMD"] as const;

const through = (ways: readonly string[], command: string): readonly string[] => ways.map((way) => way.replace("CMD", command));

describe("behind whatever starts it (J12)", () => {
  const rule = policy("Bash(git push:*)");
  it("a deny holds", () => expect(wrong(rule, "deny", through([...STARTERS, ...STRANGERS], "git push origin x"))).toEqual([]));
  it("a deny of a program holds, or asks where nobody knows who gets its name", () => {
    expect(wrong(policy("Bash(curl:*)"), "deny", through(STARTERS, "curl https://x.dev"))).toEqual([]);
    expect(wrong(policy("Bash(curl:*)"), "ask", through([...STRANGERS, ...LINES], "curl https://x.dev"))).toEqual([]);
  });
  it("a deny of a program's file, and one of any program, hold likewise", () => {
    expect(wrong(policy("Bash(* push:*)"), "deny", ["mywrap git push", "npx cross-env A=1 git push"])).toEqual([]);
    expect(wrong(policy("Exec(/usr/bin/env)"), "ask", ["mywrap env"])).toEqual([]);
    expect(wrong(policy("Exec(/opt/**)"), "allow", ["./wrap.sh /opt/out.txt x", "./wrap.sh x ls"])).toEqual([]);
    const execute = { default: "allow", rules: [{ pattern: "git push*", action: "deny" }] };
    expect(wrong({ operations: { execute } }, "deny", ["mywrap git push", "mywrap git -C d push"])).toEqual([]);
  });
  it("a deny asks about what may be another command", () =>
    expect(wrong(rule, "ask", through([...LINES, ...HANDED], "git push origin x"))).toEqual([]));
  it("an ask asks", () =>
    expect(
      wrong(
        { permissions: { ask: ["Bash(git push:*)"], allow: ["Bash(*)"] } },
        "ask",
        through([...STARTERS, ...STRANGERS, ...LINES, ...HANDED], "git push origin x"),
      ),
    ).toEqual([]));
  it("says why", () => {
    here.user(rule);
    const why = "what `mywrap` does with its words is not known, so that they may be a command";
    expect(here.verdict("mywrap git push").reason).toBe(`the rule 'Bash(git push:*)' denies this: ${why}`);
    expect(here.verdict("mywrap 'git push'").reason).toBe(`the deny rule 'Bash(git push:*)' may match: ${why}`);
    expect(here.verdict("uv run git push").reason).toBe("the rule 'Bash(git push:*)' denies this");
  });
  it("is skipped by no bypass", () => {
    here.user(policy("Bash(curl:*)"));
    expect(here.told("mywrap curl https://x.dev", "bypassPermissions")).toBe("deny");
  });
  it("keeps a danger", () =>
    expect(wrong(policy(), "ask", ["npx cross-env A=1 git push --force", "rtk git push --force", "npx pnpm publish"])).toEqual([]));

  it("leaves everything else alone", () =>
    expect(
      wrong(policy("Bash(git push:*)", "Bash(curl:*)", "Bash(docker run:*)", "Bash(docker push:*)", "Bash(rm:*)"), "allow", [
        ...through([...STARTERS, ...STRANGERS, ...LINES, ...HANDED], "git pull"),
        "echo git push",
        "grep 'git push' a.txt",
        "grep -r git push src",
        "rg -n 'git push' src",
        "printf '%s' 'git push'",
        "git commit -m 'git push'",
        "npx cross-env A=1 npm test",
        "npx cross-env NODE_ENV=test jest src",
        "npx concurrently 'npm:watch-*' 'npm run b'",
        "npx nodemon src/index.js",
        "npx c8 --reporter=text --reporter=html node a.js",
        "npx commitlint --help",
        "npx eslint src",
        "npm run rm",
        "npm run curl",
        "npm -w docker run build",
        "make -C docker push",
        "make push",
        "npx jest -t 'git push'",
        "uv run pytest -k push",
        "mytool git pull",
        "mytool push git",
        "mytool --message 'never git push'",
        "mytool src/curl",
        "node x.js curl",
        "gum confirm 'git push?'",
      ]),
    ).toEqual([]));

  it("an allow rule that spells the word has answered it", () => {
    const allow = ["Bash(mytool install curl:*)", "Bash(mytool:*)"];
    expect(wrong({ permissions: { deny: ["Bash(curl:*)"], allow } }, "allow", ["mytool install curl", "mytool x"])).toEqual([]);
    expect(wrong({ permissions: { deny: ["Bash(curl:*)"], allow } }, "ask", ["mytool curl https://x.dev"])).toEqual([]);
    expect(wrong({ permissions: { deny: ["Bash(git push:*)"], allow: ["Bash(mytool git push:*)"] } }, "deny", ["mytool git push"])).toEqual(
      [],
    );
  });

  it("asks no more than before without rules", () =>
    expect(
      wrong({}, "none", [
        "npx cross-env NODE_ENV=production next build",
        "npx cross-env A=1 $CMD",
        "npx concurrently 'npm:dev' 'npm run $X'",
        "npx c8 npm test",
        "rtk git status",
        "mytool git push",
        "bear -- make",
        "pixi run test",
      ]),
    ).toEqual([]));

  it("what could not be known in a package is still asked about outside of it", () =>
    expect(wrong(policy(), "ask", ["npx cross-env A=1 $CMD; $CMD", "$CMD; npx cross-env A=1 $CMD"])).toEqual([]));
});

/** A program that is known, in a line that is not understood, or code in a language that nobody reads here. */
const UNREAD = [
  "vim -es +'!CMD'",
  "vim +'!CMD' a.txt",
  "nvim --headless +'!CMD' +q",
  "ex +'!CMD'",
  "sed 's/a/CMD/e' a.txt",
  "sed -e 's/.*/CMD/e' a.txt",
  "sed --expression='s|.*|CMD|e' a.txt",
  "mysql -e 'system CMD'",
  "mariadb --execute='system CMD'",
  "mysql <<< 'system CMD'",
  "ts CMD",
  "gdb --args CMD",
  "tclsh <<< 'exec CMD'",
  "echo 'exec CMD' | tclsh",
  "expect <<< 'spawn CMD'",
  "julia <<< 'run(`CMD`)'",
  "julia -e 'run(`CMD`)'",
  "npx zx -e '$`CMD`'",
  "bunx zx --eval 'await $`CMD`'",
  "cargo watch -s 'CMD'",
  "cargo watch -x check -- CMD",
  "/usr/lib/git-core/CORE",
] as const;

describe("in what nobody reads", () => {
  it("a deny is no less than asked about", () =>
    expect(
      wrong(
        policy("Bash(git push:*)"),
        ["ask", "deny"],
        through(UNREAD, "git push").map((line) => line.replace("CORE", "git-push")),
      ),
    ).toEqual([]));
  it("leaves everything else alone", () =>
    expect(
      wrong(policy("Bash(git push:*)", "Bash(curl:*)"), "allow", [
        ...through(UNREAD, "git pull").map((line) => line.replace("CORE", "git-pull")),
        "sed -n '/git push/p' a.txt",
        "mysql -e 'select curl from x'",
        "git commit -F - <<< 'then git push'",
        "cargo test 'git push'",
        "pytest -k 'git push'",
        "go test -run 'git push' ./...",
        "python3 x.py 'git push'",
        "make test ARGS='git push'",
        "mytool <<< 'then git push'",
        "vim --unheard curl",
        "./git-core/git-push",
      ]),
    ).toEqual([]));
});

/** Whatever starts a command on another machine, or in a container: `elsewhere` in the tables. */
const PLACES = [
  "ssh h CMD",
  "ssh h 'cd x && CMD'",
  "ssh -p 22 -i ~/.ssh/k u@h CMD",
  "ssh -tt h 'bash -lc \"CMD\"'",
  "ssh h sudo CMD",
  "ssh h -- CMD",
  "ssh -- h CMD",
  "ssh h -t CMD",
  "ssh h -p 22 -- CMD",
  "ssh h -o BatchMode=yes 'CMD'",
  "ssh h cd x '&&' CMD",
  "mosh h CMD",
  "docker run --rm -it -v $PWD:/w -w /w alpine CMD",
  "docker run alpine sh -c 'CMD'",
  "docker exec c CMD",
  "docker exec -u root -e A=1 c env B=2 CMD",
  "docker container exec c timeout 5 CMD",
  "docker compose -f x.yml exec -T app CMD",
  "docker compose run --rm app sh -c 'cd /x; CMD'",
  "docker-compose exec app CMD",
  "podman exec c CMD",
  "kubectl exec p -- CMD",
  "kubectl -n x exec -it p -c c -- sh -c 'CMD'",
  "kubectl run x --image=y --restart=Never -- CMD",
  "oc rsh p CMD",
  "lxc exec c -- CMD",
  "multipass exec vm -- CMD",
  "limactl shell vm CMD",
  "aws ecs execute-command --command='CMD' --interactive",
  "gh codespace ssh -- CMD",
  "gh cs ssh -c x -- CMD",
  "bash -c 'ssh h CMD'",
  "tsh ssh h CMD",
  "tsh ssh root@host CMD",
] as const;

describe("in another place (AW9)", () => {
  const allow = [
    "ssh",
    "mosh",
    "docker",
    "docker-compose",
    "podman",
    "kubectl",
    "oc",
    "lxc",
    "multipass",
    "limactl",
    "aws",
    "gh",
    "vagrant",
    "tsh",
  ];
  const denying = (...rules: readonly string[]): Readonly<Record<string, unknown>> => ({
    permissions: { deny: rules, allow: allow.map((name) => `Bash(${name}:*)`) },
  });
  it("a deny holds", () => {
    expect(wrong(denying("Bash(git push:*)"), "deny", through(PLACES, "git push origin x"))).toEqual([]);
    expect(wrong(denying("Bash(rm:*)"), "deny", through(PLACES, "rm -rf x"))).toEqual([]);
    expect(wrong(denying("Shell(rm -r -f ...)"), "deny", through(PLACES, "rm -fr x"))).toEqual([]);
    expect(wrong(denying("Bash(deploy:*)"), "deny", through(PLACES, "deploy prod"))).toEqual([]);
    expect(
      wrong(denying("Bash(git push:*)"), "deny", ["docker run --entrypoint git alpine push", "docker run --entrypoint=git a push"]),
    ).toEqual([]);
  });
  it("a deny asks where it is not certain which word begins the command", () =>
    expect(
      wrong(denying("Bash(rm:*)"), "ask", ["docker exec --frobnicate x c rm y", "vagrant ssh -c 'rm x'", "docker exec c mytool rm x"]),
    ).toEqual([]));
  it("an ask asks", () =>
    expect(
      wrong(
        { permissions: { ask: ["Bash(git push:*)"], allow: allow.map((name) => `Bash(${name}:*)`) } },
        "ask",
        through(PLACES, "git push"),
      ),
    ).toEqual([]));
  it("leaves everything else alone", () =>
    expect(
      wrong(denying("Bash(git push:*)", "Bash(rm:*)"), "allow", [
        ...through(
          PLACES.filter((line) => !line.startsWith("bash")),
          "git pull",
        ),
        "ssh h 'echo rm'",
        "ssh rm ls",
        "docker exec rm ls",
        "docker run --rm alpine echo 'git push'",
        "docker build -t rm .",
        "docker run --name rm alpine ls",
        "docker logs rm",
        "kubectl exec p -- ls /rm",
        "kubectl exec p -- grep -r 'rm x' /src",
      ]),
    ).toEqual([]));
  it("no number of words hides a denied one", () =>
    expect(
      wrong(
        denying("Bash(rm:*)"),
        ["ask", "deny"],
        [`docker exec ${"-e ls ".repeat(60)}c rm y`, `kubectl exec ${"-c ls ".repeat(60)}p -- rm y`],
      ),
    ).toEqual([]));
  it("says why", () => {
    here.user(denying("Bash(rm:*)"));
    expect(here.verdict("ssh h rm x").reason).toBe("the rule 'Bash(rm:*)' denies this: it starts this in another place");
  });
});

describe("`*` in a word (J13)", () => {
  it.each([
    denied("Bash(git push origin rel*)", "git push origin release/1.0", "git push origin rel", "git push -q origin rel/a/b"),
    denied("Bash(git push origin rel*)", "git push origin release/$X", "git -C d push origin 'release/1.0'"),
    denied("Bash(docker push reg.io/*:*)", "docker push reg.io/team/app:1"),
    denied("Bash(cat docs/*.md)", "cat docs/a/b.md", "cat ./docs/x/../a/b.md"),
    denied("Bash(npm publish --registry=https*)", "npm publish --registry=https://x.dev/a"),
    denied("Bash(aws s3 rm s3://prod*)", "aws s3 rm s3://prod-a/b/c"),
    denied("Bash(kubectl delete */x:*)", "kubectl delete apps/v1/x"),
  ])("deny $rule", ({ rule, lines }) => expect(wrong(policy(rule), ["deny", "ask"], lines)).toEqual([]));
  it("leaves other words alone, and an allow rule as it was", () => {
    const lines = ["git push origin main", "git push origin feature/rel", "git push upstream release/1"];
    expect(wrong(policy("Bash(git push origin rel*)"), "allow", lines)).toEqual([]);
    expect(wrong({ permissions: { allow: ["Bash(frob rel*)"] } }, "none", ["frob release/1", "frob release"])).toEqual([]);
    expect(wrong(policy("Read(src/*)"), "allow", ["cat a.txt"])).toEqual([]);
  });
});

interface Client {
  readonly rule: string;
  readonly words: readonly string[];
  /** The same program asked for something else. */
  readonly other: string;
}

const client = (rule: string, other: string): Client => ({ rule: `Bash(${rule}:*)`, words: rule.split(" "), other });

const CLIENTS: readonly Client[] = [
  client("docker compose down", "ps"),
  client("docker volume rm", "ls"),
  client("git push", "log"),
  client("kubectl delete", "get"),
  client("npm publish", "ls"),
  client("terraform destroy", "show"),
  client("aws s3 rm", "ls"),
  client("gh pr merge", "list"),
  client("helm uninstall", "list"),
  client("cargo publish", "tree"),
  client("systemctl stop", "status"),
  client("pip install", "list"),
  client("apt-get install", "check"),
  client("go generate", "version"),
  client("gcloud compute instances delete", "list"),
  client("frob a drop", "list"),
];

/** Options that the tables take behind these words: a value or none, and nothing else happens. */
function optionsAt(words: readonly string[]): readonly (readonly string[])[] {
  const [program = "", ...group] = words;
  const entry = entryFor(program);
  if (entry === undefined) return [["-x"], ["-x", "v1"], ["--long", "v1"], ["--long=v1"], ["-q"]];
  const top = grammarOf(entry);
  const below = top.subcommands?.named.get(group[0] ?? "")?.find((one) => one.key === group.join(" "));
  const grammar: Grammar = below === undefined ? top : grammarOf(below.spec, top);
  const INERT = new Set(["text", "word", "name"]);
  return [...new Set(grammar.options.values())].flatMap(({ names, kind, argument, consequences, second }) => {
    if (consequences.length > 0 || second !== undefined) return [];
    return names
      .filter((name) => name.startsWith("-"))
      .flatMap((name): readonly (readonly string[])[] => {
        if (argument === "none") return [[name]];
        if (!INERT.has(kind.is) || argument === "optional") return [];
        return name.startsWith("--") ? [[name, "v1"], [`${name}=v1`]] : [[name, "v1"]];
      });
  });
}

const quoted = (word: string): fc.Arbitrary<string> =>
  fc.constantFrom(word, `'${word}'`, `"${word}"`, `${word.slice(0, 1)}"${word.slice(1)}"`, `${word.slice(0, -1)}\\${word.slice(-1)}`);

/** A command with options at some of the places, spelled somehow. */
function spelled(words: readonly string[]): fc.Arbitrary<readonly string[]> {
  const parts = words.map((word, at) => {
    if (at === 0) return quoted(word).map((text) => [text]);
    const options = optionsAt(words.slice(0, at));
    const given = options.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...options), { maxLength: 2 });
    return fc.tuple(given, quoted(word)).map(([some, text]) => [...some.flat(), text]);
  });
  return fc.tuple(...parts).map((all) => all.flat());
}

const PLAIN = ["CMD", "env A=1 CMD", "timeout 5 CMD", "nice -n 5 CMD", 'sh -c "CMD"', "command CMD", "FOO=1 CMD"];

const line = (
  words: (one: Client) => readonly string[],
  ...more: readonly string[]
): fc.Arbitrary<{ readonly rule: string; readonly text: string }> =>
  fc.constantFrom(...CLIENTS).chain((one) =>
    fc.tuple(fc.constantFrom(...PLAIN, ...STARTERS, ...STRANGERS, ...more), spelled(words(one))).map(([way, text]) => {
      // Within quotes the words stand as they are.
      const bare = /['"].*CMD/.test(way) ? text.map((word) => word.replaceAll(/['"\\]/g, "")) : text;
      return { rule: one.rule, text: way.replace("CMD", bare.join(" ")) };
    }),
  );

describe("every client, with its options, behind every starter, in every spelling", () => {
  const runs = { numRuns: Number(process.env["DENY_RUNS"] ?? 400) };
  it("is denied, or asked about, if a rule denies it", () =>
    fc.assert(
      fc.property(
        line(({ words }) => words, "xargs CMD"),
        ({ rule, text }) => {
          expect(wrong(policy(rule), ["deny", "ask"], [text])).toEqual([]);
        },
      ),
      runs,
    ));
  it("and its neighbour meets no rule", () =>
    fc.assert(
      fc.property(
        line(({ words, other }) => [...words.slice(0, -1), other]),
        ({ rule, text }) => {
          here.user(policy(rule));
          const { rule: met, decision, reason } = here.verdict(text);
          expect(met?.text === rule ? `${decision}: ${text}: ${reason}` : "").toBe("");
        },
      ),
      runs,
    ));
});

/** What git writes by itself lies in the repository where it works, not in the project's (found by trying `git -C`). */
describe("a deny on the files of another repository", () => {
  const other = (path: string, text = ""): void => void here.write(`../other/${path}`, text);
  for (const folder of ["", "inner/"]) {
    other(`${folder}.git/HEAD`, "ref: refs/heads/main\n");
    for (const part of ["objects/pack", "refs/heads"]) other(`${folder}.git/${part}/.keep`);
    other(`${folder}.git/config`);
    other(`${folder}src/a.ts`);
  }
  const under = (rule: string, ...allow: readonly string[]): PolicyText => ({
    permissions: { deny: [rule], allow: ["Bash(*)", ...allow] },
  });
  /** Whether its own settings are harmless is another question. */
  const NOT_DENIED: readonly Decision[] = ["allow", "ask"];
  const CHANGES = [
    "git -C ../other config user.name x",
    "git -C ../other config --unset user.name",
    "git -C ../other/src tag v1",
    "git -C .. -C other commit -m x",
    "git -C ../other/src/../ branch y",
    "cd ../other && git config user.name x",
    "cd ../other/src; git stash",
    "(cd ../other && git remote add o https://example.org/x.git)",
    "pushd ../other; git tag v1",
    "git -c user.name=x -C ../other notes add -m y",
    "git -C ../other lfs install --local",
    "git -C ../other status",
    "git -C ../other diff",
    "for d in ../other; do git -C $d config user.name x; done",
  ];
  it.each(CHANGES)("%s is denied, allowed by its name or not", (line) => {
    expect(wrong(under("Write(../other/**)"), "deny", [line])).toEqual([]);
    expect(wrong(under("Write(../other/**)", `Bash(${line})`), "deny", [line])).toEqual([]);
  });
  it.each([
    ["Write(../other/.git/config)", "git -C ../other config user.name x", "deny"],
    ["Write(../other/.git/config)", "git -C ../other/inner config user.name x", NOT_DENIED],
    ["Write(../other/inner/**)", "git -C ../other/inner config user.name x", "deny"],
    ["Write(../other/inner/**)", "git -C ../other/inner/src config user.name x", "deny"],
    ["Write(../other/inner/**)", "git -C ../other config user.name x", NOT_DENIED],
    // What lies in the project is not meant.
    ["Write(../other/**)", "git config user.name x", "allow"],
    ["Write(../other/**)", "git -C src config user.name x", "allow"],
    ["Write(../other/**)", "git status", "allow"],
    ["Write(.git/**)", "git -C ../other config user.name x", NOT_DENIED],
    ["Write(.git/**)", "git -C src tag v1", "deny"],
    // The line makes the repository first.
    ["Write(../made/.git/config)", "git init ../made && git -C ../made config user.name x", "deny"],
    ["Write(../made/.git/config)", "mkdir ../made && git -C ../made init && git -C ../made config user.name x", "deny"],
    ["Write(../made/.git/config)", "git clone . ../made; cd ../made && git config user.name x", "deny"],
    ["Write(../made/.git/config)", "git init ../made2 && git -C ../made2 config user.name x", NOT_DENIED],
    // These read, and write nothing of their own.
    ["Write(../other/**)", "git -C ../other log --oneline", NOT_DENIED],
    ["Write(../other/**)", "git -C ../other show HEAD", NOT_DENIED],
    ["Write(../other/**)", "git -C ../other branch --show-current", NOT_DENIED],
    ["Write(**)", "git log -3", "allow"],
    ["Write(**)", "git show --stat", "allow"],
    ["Write(**)", "git status", "deny"],
  ] as const)("%s: %s: %s", (rule, line, expected) => expect(wrong(under(rule), expected, [line])).toEqual([]));
  it("is asked about where it is not known which repository that is", () =>
    expect(
      wrong(
        under("Write(../other/**)"),
        ["ask", "deny"],
        ["git -C $D tag v1", 'git -C "$(cat d)" config user.name x', "cd ../*/; git tag x"],
      ),
    ).toEqual([]));
});

describe("a command is denied by each of its names", () => {
  it.each([
    ["Bash(npm i:*)", "npm install x"],
    ["Bash(npm install:*)", "npm --silent i x"],
    ["Shell(npm install ...)", "npm i x"],
    ["Bash(npm run test:*)", "npm t"],
    ["Bash(npm test:*)", "npm rum test"],
    ["Bash(npx:*)", "npm x y"],
    ["Bash(npm exec:*)", "npx y"],
    ["Bash(docker compose up:*)", "docker-compose -f a.yml up"],
    ["Bash(docker-compose up:*)", "docker compose up"],
    ["Bash(cargo test:*)", "cargo +stable t"],
    ["Bash(git push:*)", "git -C src subtree push --prefix=a origin x"],
    ["Bash(git push:*)", "git send-pack ../x --all"],
    ["Bash(git push:*)", "git lfs push --all origin"],
    ["Bash(git push:*)", "git-lfs push origin main"],
    ["Bash(git lfs push:*)", "git-lfs push origin main"],
    ["Bash(git push:*)", "deno task --eval 'cd src && git push'"],
    ["Bash(svn commit:*)", "svn ci -m x"],
    ["Bash(uvx:*)", "uv tool run x"],
  ])("%s: %s", (rule, line) => expect(wrong(policy(rule), "deny", [line])).toEqual([]));
  it.each([
    ["Bash(pip install:*)", "pip3 install x"],
    ["Bash(pip install:*)", "pip3.11 install x"],
    ["Bash(python3:*)", "python x.py"],
  ])("asks where a version only makes it likely: %s: %s", (rule, line) => expect(wrong(policy(rule), "ask", [line])).toEqual([]));
  it("and no other is", () => {
    expect(wrong(policy("Bash(npm install:*)"), "allow", ["npm ci", "npm run i", "npm install-test", "npm ls i", "npmx i"])).toEqual([]);
    // Where programs lie is no matter of their names.
    expect(wrong(policy("Exec(/usr/lib/**)"), "allow", ["ls", "git status", "cat a.txt"])).toEqual([]);
    expect(wrong(policy("Bash(docker ps:*)"), "allow", ["docker image ls", "docker run ps", "docker volume ls"])).toEqual([]);
    expect(wrong(policy("Bash(git lfs push:*)"), "allow", ["git push origin x", "git subtree push --prefix=a origin x"])).toEqual([]);
    expect(wrong(policy("Bash(git push:*)"), "allow", ["git stash push", "git subtree pull --prefix=a x y", "git-lfs fetch"])).toEqual([]);
  });
});
