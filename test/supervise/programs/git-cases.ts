import fc from "fast-check";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ran, type Suite, USERS } from "./place.ts";

/**
 * A command of git that changes a working tree leaves the tree, the index and HEAD as git alone does, or as they were. It never ends well
 * with anything else. Random repositories with protected names on several branches, random dirt in the tree, `run -P` and confined.
 */
/** Every case that is wrong goes there. */
const FOUND = process.env["GIT_FOUND"];

const PROTECTED = [
  "cert.pem",
  ".npmrc",
  ".vscode/tasks.json",
  ".claude/settings.json",
  ".mcp.json",
  ".agent-permissions.jsonc",
  "cert.pem",
  "config/credentials.yml.enc",
  "prod.tfvars",
  "sub/.env",
  ".gitattributes",
  "mise.toml",
] as const;
const IRRELEVANT = ["a", "b/c", "d/e/f", "zz", "b/x y"] as const;
const OTHERS = ["feature", "third", "HEAD~1", "v1", "origin/main", "origin/far"] as const;

const file = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...IRRELEVANT) }, { weight: 4, arbitrary: fc.constantFrom(...PROTECTED) });
const text = fc.constantFrom("one", "two", "three", "four\nfive", "");
/** What a branch, or a person, does to the tree. */
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(file, text).map(([name, words]) => `mkdir -p "$(dirname "${name}")" && printf '%s\\n' '${words}' > "${name}"`),
  },
  { weight: 2, arbitrary: file.map((name) => `rm -f "${name}"`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(file, file)
      .map(([from, to]) => `[ "${from}" = "${to}" ] || { mkdir -p "$(dirname "${to}")"; mv -f "${from}" "${to}" 2>/dev/null; }`),
  },
  { weight: 1, arbitrary: file.map((name) => `[ -f "${name}" ] && chmod +x "${name}"`) },
  { weight: 1, arbitrary: file.map((name) => `rm -f "${name}"; mkdir -p "$(dirname "${name}")"; ln -s a "${name}"`) },
);
const changes = fc.array(change, { minLength: 1, maxLength: 4 }).map((all) => all.map((one) => `{ ${one}; } || true`).join("\n"));
const dirt = fc.option(
  fc.tuple(changes, fc.constantFrom("", "git add -A", "git add a")).map((all) => all.join("\n")),
  { nil: "", freq: 2 },
);

const other = fc.constantFrom(...OTHERS);
const command = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("git switch", "git switch -f", "git checkout", "git checkout -f", "git switch -m"),
      fc.constantFrom("feature", "third"),
    )
    .map((all) => all.join(" ")),
  other.map((ref) => `git switch --detach ${ref}`),
  other.map((ref) => `git switch -c new ${ref}`),
  fc
    .tuple(
      fc.constantFrom("git checkout", "git restore -s", "git restore -SW -s"),
      other,
      fc.constantFrom(".", ":/", "sub config", "'*.json'", "a .npmrc"),
    )
    .map(([what, ref, paths]) => `${what} ${ref} -- ${paths}`),
  file.map((name) => `git checkout -- '${name}'`),
  other.map((ref) => `yes | git checkout -p ${ref} --`),
  fc.constantFrom(
    "git restore .",
    "git checkout .",
    "git checkout-index -f -a",
    "git read-tree -u -m feature",
    "git read-tree -u --reset third",
  ),
  fc
    .tuple(
      fc.constantFrom(
        "git merge",
        "git merge --no-ff",
        "git merge --squash",
        "git merge -X theirs",
        "git merge -s ours",
        "git merge -X ours --no-commit",
      ),
      other,
    )
    .map((all) => all.join(" ")),
  fc
    .tuple(
      fc.constantFrom("git rebase", "git rebase --autostash", "git rebase -X theirs", "git rebase --apply", "git rebase -x true"),
      other,
    )
    .map((all) => all.join(" ")),
  fc
    .tuple(
      fc.constantFrom("git cherry-pick", "git cherry-pick -n", "git cherry-pick -X theirs", "git revert --no-edit", "git revert -n"),
      other,
    )
    .map((all) => all.join(" ")),
  fc.tuple(fc.constantFrom("git reset --hard", "git reset --merge", "git reset --keep", "git reset"), other).map((all) => all.join(" ")),
  fc.constantFrom(
    "git stash",
    "git stash -u",
    "git stash -k",
    "git stash -a",
    "git stash && git stash pop",
    "git stash && git switch feature && git stash pop",
    "git stash push -- sub .npmrc a",
  ),
  other.map((ref) => `git diff HEAD ${ref} | git apply`),
  other.map((ref) => `git diff HEAD ${ref} | git apply --index`),
  other.map((ref) => `git diff HEAD ${ref} | git apply -3`),
  fc.constantFrom("git format-patch -1 --stdout feature | git am", "git format-patch -1 --stdout third | git am -3"),
  fc.constantFrom(
    "git pull -q origin far",
    "git pull -q --rebase origin far",
    "git pull -q --ff-only origin far",
    "git fetch -q && git merge -q origin/far",
  ),
  fc.constantFrom(
    "git clone -q ../origin.git clone",
    "git clone -q -b far ../origin.git sub/clone",
    "git clone -q --depth 1 file://$PWD/../origin.git clone",
    "git clone -q . clone",
  ),
  fc.constantFrom(
    "git worktree add -q wt feature",
    "git worktree add -q -b new wt third",
    "git worktree add -q --detach wt",
    "git worktree add -q wt feature && git worktree remove --force wt",
  ),
  fc.constantFrom(
    "git sparse-checkout set b",
    "git sparse-checkout set --no-cone '/*' '!*.json'",
    "git sparse-checkout set b && git sparse-checkout disable",
  ),
  fc.constantFrom(
    "git bisect start feature HEAD~1",
    "git bisect start HEAD HEAD~1 && git bisect reset",
    "git bisect start feature v1 && git bisect run true",
  ),
  fc.constantFrom(
    "git rm -rq .",
    "git rm -q --ignore-unmatch '*.json' a",
    "git clean -fdq",
    "git clean -fdxq",
    "git mv b moved",
    "git mv a .npmrc",
  ),
  fc.constantFrom(
    "git -c protocol.file.allow=always submodule -q add ../origin.git module",
    "git -c protocol.file.allow=always submodule -q add -b far ../origin.git module && git submodule -q update --init",
  ),
);
/** So many commands are played in one repository, each in a copy: laying it out takes longer than most of them. */
const EACH = 3;

/** What the repository has besides. */
const setting = fc.constantFrom(
  "",
  "",
  "",
  "",
  "git config core.autocrlf true",
  "echo '* text eol=crlf' > .git/info/attributes",
  "echo '*.pem text working-tree-encoding=UTF-16' > .git/info/attributes",
  "git config filter.up.smudge 'tr a-z A-Z'; git config filter.up.clean 'tr A-Z a-z'; echo '* filter=up' > .git/info/attributes",
  "git config core.untrackedCache true; git update-index --split-index",
  "git config index.version 4; git update-index --index-version 4",
  "git config checkout.workers 4; git config checkout.thresholdForParallelism 0",
  "printf '#!/bin/sh\\necho hook >> hooked\\n' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout",
);
const drawn = fc.record({
  first: changes,
  main: changes,
  feature: changes,
  third: changes,
  far: changes,
  setting,
  dirt,
  commands: fc.array(fc.record({ command, how: fc.constantFrom("run -P" as const, "run -P" as const, "confined" as const) }), {
    minLength: EACH,
    maxLength: EACH,
  }),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;
type Played = Drawn["commands"][number];

const commit = (branch: string, does: string): string => `${does}\ngit add -A && git commit -q --allow-empty -m ${branch}`;
const layOut = ({ first, main, feature, third, far, setting: also, dirt: dirty }: Drawn): string => `
set -e
git init -q -b main p; cd p
# The index knows its files again in a copy.
git config core.checkStat minimal; git config core.trustctime false
printf 'a\\nb\\n' > a; mkdir b; echo c > b/c; echo z > zz
${commit("first", first)}
git tag v1
${commit("main", main)}
for b in feature third far; do git switch -q -c $b v1; case $b in
feature) ${commit("feature", feature)};;
third) ${commit("third", third)};;
far) ${commit("far", far)};; esac; done
git switch -q main
git clone -q --bare . ../origin.git
git remote add origin ../origin.git; git fetch -q
git branch -qD far
${also}
find . -name .git -prune -o -type f -exec touch -d '1 hour ago' {} +
git update-index -q --refresh || true
set +e
${dirty}
true`;

/** All that counts: the tree, the index, HEAD, refs, and what is going on. */
const LOOK = `cd p
export GIT_OPTIONAL_LOCKS=0
find . -path ./.git -prune -o -name .git -prune -o -type f -printf '%p %m ' -exec sha1sum {} \\; -o -type l -printf '%p -> %l\\n' -o -type d -printf '%p\\n' | sed 's/  .*//' | LC_ALL=C sort
git ls-files -s -v; cat .git/HEAD; git for-each-ref; git status --porcelain=v2 --ignored; git worktree list; git config --local -l
ls -d .git/rebase-* .git/MERGE_HEAD .git/CHERRY_PICK_HEAD .git/REVERT_HEAD .git/BISECT_LOG .git/sequencer .git/index.lock .git/modules/* .git/info/sparse-checkout 2>/dev/null`;

const ENV = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
  GIT_AUTHOR_DATE: "2001-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2001-01-01T00:00:00Z",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_EDITOR: "true",
};

const [user = "self"] = USERS;

/** In words what is wrong with the first command with which something is; empty: nothing. */
async function play(suite: Suite, one: Drawn): Promise<string> {
  const place = suite.place();
  place.fresh(user);
  writeFileSync(join(place.home, ".agent-permissions.jsonc"), JSON.stringify({ version: 1, unknown: "confine" }));
  const run = async (argv: readonly string[]): Promise<Ran> => await place.run({ user, argv, env: ENV });
  const bash = async (words: string): Promise<Ran> => await run(["bash", "-c", words]);
  const look = async (): Promise<string> => (await bash(LOOK)).stdout;
  const laid = await bash(layOut(one));
  if (laid.status !== 0) return "";
  await bash("mkdir ../copy && mv p origin.git ../copy && cp -a ../copy/. .");
  const before = await look();
  for (const played of one.commands) {
    const wrong = await playOne(suite, played, before, run);
    if (wrong !== "") return `${wrong}\n${played.how}: ${played.command}`;
  }
  await bash("rm -rf ../copy");
  return "";
}

async function playOne(
  suite: Suite,
  { command: line, how }: Played,
  before: string,
  run: (argv: readonly string[]) => Promise<Ran>,
): Promise<string> {
  const look = `{ ${LOOK}\n}`;
  const fresh = "rm -rf p origin.git && cp -a ../copy/. .";
  const inside = `${fresh} && cd p && exec "$@"`;
  const words = how === "confined" ? ["run", "--confined", "0000000000000000", "--", line] : ["run", "-P", "--", "bash", "-c", line];
  const kept = await run(["bash", "-c", inside, "-", process.execPath, suite.command, ...words]);
  const after = (await run(["bash", "-c", `${look}; cd ..; ${fresh}`])).stdout;
  // Each command of a line by itself: the next one may be refused.
  let bare: Ran | undefined;
  let alone = before;
  let isOnTheWay = after === before;
  for (const step of line.split(" && ")) {
    isOnTheWay ||= after === alone;
    if (bare !== undefined && bare.status !== 0) break;
    bare = await run(["bash", "-c", `cd p && exec "$@"`, "-", "bash", "-c", step]);
    alone = (await run(["bash", "-c", LOOK])).stdout;
  }
  if (bare === undefined) return "there is no command";
  const told = (what: string): string =>
    [
      what,
      `bare: ${bare.status} ${bare.stderr}`,
      `run: ${kept.status} ${kept.stderr}`,
      "before",
      before,
      "after",
      after,
      "alone",
      alone,
    ].join("\n");
  if (process.env["GIT_TALLY"] !== undefined)
    appendFileSync(
      process.env["GIT_TALLY"],
      `${how}\t${before === alone ? "nothing" : after === alone ? "whole" : isOnTheWay ? "as before" : "half"}\t${kept.status}\t${bare.status}\t${line}\n`,
    );
  if (after === alone && (kept.status === 0) === (bare.status === 0)) return "";
  if (isOnTheWay) return kept.status === 0 && bare.status === 0 ? told("it ended well and did nothing") : "";
  return told(after === alone ? "it ended otherwise" : "half done");
}

/** What is wrong with the first case in which something is; empty: nothing. With `GIT_FOUND` all of them are written to that file. */
export async function playGit(suite: Suite, runs: number, half = 0): Promise<string> {
  const seed = Number(process.env["FUZZ_SEED"] ?? process.env["SAMPLE_SEED"] ?? 1) + half;
  process.stderr.write(`git: ${runs} cases, seed ${seed}\n`);
  const property = fc.asyncProperty(drawn, async (one) => {
    const wrong = await play(suite, one);
    if (wrong === "") return;
    const all = `${wrong}\n${layOut(one)}`;
    if (FOUND === undefined) throw new Error(all);
    appendFileSync(FOUND, `${all}\n\n`);
  });
  const { failed, counterexamplePath, errorInstance } = await fc.check(property, {
    numRuns: Math.ceil(runs / EACH),
    seed,
    endOnFailure: true,
  });
  return failed ? `seed ${seed}, path ${counterexamplePath}\n${String(errorInstance)}` : "";
}
