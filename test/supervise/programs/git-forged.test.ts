import { afterAll, describe, expect, it } from "vitest";
import { type Ran, Suite, USERS } from "./place.ts";

/**
 * What a run writes into a repository (objects, an index, refs, configuration) opens no protected file to it: a git that puts something
 * into one that the repository did not hold there before the run is taken back. What it did hold goes through.
 */
const SETUP = `
set -e
git init -q -b main p; cd p
echo 'KEY=' > cert.pem; echo '{}' > .mcp.json; printf '{ "version": 1 }' > .agent-permissions.jsonc; echo pem > key.pem; echo a > a
git add -A; git commit -qm first; git tag v1
git switch -qc feature; echo 'MORE=' >> cert.pem; echo b > b; rm key.pem; git add -A; git commit -qm feature
git switch -qc settings main; echo '{"mcpServers":{"x":{"command":"x"}}}' > .mcp.json; git commit -qam settings
git switch -qc policy main; printf '{ "version": 1, "permissions": { "deny": [] } }' > .agent-permissions.jsonc; git commit -qam policy
git switch -q main; echo two > a; git commit -qam two
git clone -q --bare . ../origin.git; git remote add origin ../origin.git; git fetch -q
find . -name .git -prune -o -type f -exec touch -d '1 hour ago' {} +; git update-index -q --refresh`;

const ENV = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
  GIT_CONFIG_NOSYSTEM: "1",
};
const LOOK = `cd p; GIT_OPTIONAL_LOCKS=0; find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 sha1sum; cat .git/HEAD; git ls-files -s`;

const suite = new Suite();
afterAll(() => suite.remove());
const [user = "self"] = USERS;

interface Played {
  readonly ran: Ran;
  readonly before: string;
  readonly after: string;
  readonly secret: string;
}

async function play(command: string, before = ""): Promise<Played> {
  const place = suite.place();
  place.fresh(user);
  const run = async (argv: readonly string[]): Promise<Ran> => await place.run({ user, argv, env: ENV });
  const laid = await run(["bash", "-c", `${SETUP}\n${before}`]);
  expect(laid, laid.stderr).toMatchObject({ status: 0 });
  const look = async (): Promise<string> => (await run(["bash", "-c", LOOK])).stdout;
  const was = await look();
  const ran = await run([
    "bash",
    "-c",
    `cd p && exec "$@"`,
    "-",
    process.execPath,
    suite.command,
    "run",
    "-P",
    "--",
    "bash",
    "-c",
    command,
  ]);
  const secret = (
    await run([
      "bash",
      "-c",
      "cd p; cat cert.pem key.pem .mcp.json .agent-permissions.jsonc sub/.env other.pem wt/.mcp.json wt/.agent-permissions.jsonc 2>/dev/null",
    ])
  ).stdout;
  return { ran, before: was, after: await look(), secret };
}

/** What the run would have in `cert.pem`, as a blob. */
const FORGE = `o=$(echo FORGED=1 | git hash-object -w --stdin)`;
const TREE = `${FORGE}; t=$(git ls-tree HEAD | sed "s/blob [0-9a-f]*\\tcert.pem/blob $o\\tcert.pem/" | git mktree); c=$(git commit-tree -p HEAD -m x $t)`;

/** What it does, and what was there before. */
type Row = readonly [what: string, command: string, before?: string];
const cases = (rows: readonly Row[]) => rows.map(([what, command, before]) => ({ what, command, before }));

describe("what the run made opens no protected file", { concurrent: true }, () => {
  it.each(
    cases([
      ["an index entry", `${FORGE}; git update-index --cacheinfo 100644,$o,cert.pem; git checkout-index -f cert.pem`],
      ["an index entry, restored", `${FORGE}; git update-index --cacheinfo 100644,$o,cert.pem; git restore cert.pem`],
      ["a commit", `${TREE}; git checkout -q $c`],
      ["a commit, one path of it", `${TREE}; git checkout -q $c -- cert.pem`],
      ["a tree", `${TREE}; git read-tree -u --reset $t`],
      ["a branch", `${TREE}; git branch evil $c; git switch -q evil`],
      ["a tag", `${TREE}; git tag -a -m x evil $c; git reset -q --hard evil`],
      ["a ref that was there before", `${TREE}; git update-ref refs/heads/feature $c; git switch -q feature`],
      ["a ref that it writes itself", `${TREE}; echo $c > .git/refs/heads/feature; git switch -q feature`],
      [
        "a packed ref",
        `${TREE}; git pack-refs --all; sed -i "s/^[0-9a-f]* refs.heads.feature/$c refs\\/heads\\/feature/" .git/packed-refs; git switch -q feature`,
      ],
      ["a stash", `${TREE}; git stash store -m x $(git commit-tree -p HEAD -p HEAD -m x $t); git stash pop -q`],
      ["a merge", `${TREE}; git merge -q --no-edit $c`],
      ["a cherry-pick", `${TREE}; git cherry-pick $c`],
      ["a rebase", `${TREE}; git rebase -q $c`],
      ["a replaced object", `${TREE}; git replace HEAD $c; git checkout -f -q HEAD -- cert.pem; git reset -q --hard`],
      [
        "a graft",
        `${TREE}; mkdir -p .git/info; echo "$(git rev-parse feature) $c" > .git/info/grafts; git checkout -q feature~1 -- cert.pem`,
      ],
      [
        "a remote that it adds",
        `${TREE}; git branch evil $c; git clone -q --bare . /tmp/evil-$$.git; git remote add e /tmp/evil-$$.git; git fetch -q e; git checkout -q e/evil -- cert.pem; s=$?; rm -rf /tmp/evil-$$.git; exit $s`,
      ],
      ["a patch", `printf -- '--- a/cert.pem\\n+++ b/cert.pem\\n@@ -1 +1 @@\\n-KEY=\\n+FORGED=1\\n' | git apply`],
      [
        "a mail",
        `printf 'From x\\nFrom: a <a@b>\\nSubject: x\\n\\n---\\n--- a/cert.pem\\n+++ b/cert.pem\\n@@ -1 +1 @@\\n-KEY=\\n+FORGED=1\\n' | git am -q`,
      ],
      [
        "an object under another's name",
        `o=$(git rev-parse feature:cert.pem); f=.git/objects/\${o:0:2}/\${o:2}; rm -f $f; python3 -c "import zlib,sys;sys.stdout.buffer.write(zlib.compress(b'blob 9\\0FORGED=1\\n'))" > $f; git switch -q feature`,
      ],
      [
        "a tree under another's name",
        `${FORGE}; o2=$(git rev-parse 'feature^{tree}'); n=$(git ls-tree feature | sed "s/blob [0-9a-f]*\\tcert.pem/blob $o\\tcert.pem/" | git mktree); cp -f .git/objects/\${n:0:2}/\${n:2} .git/objects/\${o2:0:2}/\${o2:2}; git switch -q feature`,
      ],
      [
        "a file that git writes its trace to",
        `git checkout -q feature -- a; git switch -q feature; rm -f x; GIT_TRACE=$PWD/cert.pem git switch -q main`,
      ],
      ["a trace behind what is there", `GIT_TRACE=$PWD/cert.pem git switch -q feature`],
      ["a filter", `git config filter.f.smudge 'echo FORGED=1 #' && echo 'cert.pem filter=f' > .gitattributes; git switch -q feature`],
      ["a filter by an option", `echo 'cert.pem filter=f' > .gitattributes; git -c filter.f.smudge='echo FORGED=1 #' switch -q feature`],
      ["ends of lines", `echo 'cert.pem text eol=crlf' > .gitattributes; git switch -q feature`],
      ["another encoding", `echo 'cert.pem text working-tree-encoding=UTF-16' > .gitattributes; git switch -q feature`],
      [
        "$Id$",
        `echo '* ident' > .gitattributes; git switch -q ident`,
        `git switch -qc ident; echo '$Id$' > cert.pem; git commit -qam ident; git switch -q main`,
      ],
      ["another place", `mkdir -p sub; git checkout-index -f --prefix=sub/ cert.pem && mv sub/cert.pem sub/.env`],
      ["another name", `git mv cert.pem other.pem`],
      [
        "a hook of git's that writes it",
        `printf '#!/bin/sh\\necho FORGED=1 > cert.pem\\n' > h; chmod +x h; mkdir hk; mv h hk/post-checkout; git -c core.hooksPath=hk switch -q feature; grep -q FORGED cert.pem && exit 0; exit 1`,
      ],
      [
        "another working tree",
        `git --git-dir=/tmp/evil-$$.git init -q 2>/dev/null; ${TREE}; git clone -q --bare . /tmp/evil-$$.git; git --git-dir=/tmp/evil-$$.git --work-tree=. checkout -f -q $c; s=$?; rm -rf /tmp/evil-$$.git; exit $s`,
      ],
      ["servers of agents", `git switch -q settings`],
      ["servers of agents, one path", `git checkout settings -- .mcp.json`],
      ["another policy", `git switch -q policy`],
      [
        "an older policy",
        `git checkout -q v1 -- .agent-permissions.jsonc`,
        `printf '{ "version": 1, "permissions": { "deny": ["Read(x)"] } }' > .agent-permissions.jsonc; git commit -qam new; git update-index -q --refresh`,
      ],
    ]),
  )("$what", { timeout: 60_000 }, async ({ command, before }) => {
    const { ran, secret } = await play(command, before);
    expect(secret).not.toMatch(/FORGED|"x"|\r|trace|deny": \[\]|git\.c|\$Id: /);
    if (!command.includes("post-checkout")) expect(ran.status, ran.stderr).not.toBe(0);
  });
});

describe("what the repository held goes through", { concurrent: true }, () => {
  it.each(
    cases([
      ["a branch", "git switch -q feature"],
      ["and back", "git switch -q feature && git switch -q main"],
      ["a path", "git checkout -q feature -- cert.pem"],
      ["a merge", "git merge -q --no-edit feature"],
      ["a rebase", "git rebase -q feature"],
      ["a cherry-pick", "git cherry-pick feature"],
      ["a reset", "git reset -q --hard feature"],
      ["a branch of a remote", "git switch -q -c x origin/feature"],
      ["a path in its words", "git checkout -q feature -- cert.pem && git diff --cached --stat && git restore -S cert.pem"],
      ["a working tree of its own", "git worktree add -q wt feature"],
      ["an ancestor", "git checkout -q v1"],
      [
        "commits of the run beside",
        "echo c > c && git add c && git commit -qm c && git switch -q feature && git switch -q main && git rebase -q feature",
      ],
      ["a bisection", "git bisect start feature v1 && git bisect run true"],
      [
        "with a hook that looks",
        "printf '#!/bin/sh\\ngrep -c . cert.pem > looked || true\\n' > /tmp/h-$$ && mkdir -p hk && mv /tmp/h-$$ hk/post-checkout && chmod +x hk/post-checkout && git -c core.hooksPath=hk switch -q feature",
      ],
      ["a pack", "git gc -q && git switch -q feature"],
    ]),
  )("$what", { timeout: 60_000 }, async ({ command }) => {
    const { ran, before, after } = await play(command);
    expect(ran.status, ran.stderr).toBe(0);
    if (!/main|bisect/.test(command)) expect(after).not.toBe(before);
  });
});
