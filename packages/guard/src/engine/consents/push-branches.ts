import { lstatSync, readdirSync } from "node:fs";
import { FORGE_FILES } from "@assent/core/policy";
import { joinPath } from "@assent/core/path";
import { sha256 } from "@assent/core/data";
import { tokensIn } from "../../audit/index.ts";
import { refsBefore, refsBeforeAll, sessionName } from "../../state/index.ts";
import { addedIn, commitsBefore, whyNotSent } from "./commit.ts";
import { Git, type GitKeyRules, isOff, whyConfiguredOtherwise, whyHooked } from "./git.ts";
import { type AskedAction, type ConsentKind, type ConsentOf, optionsOf, readWords } from "./kind.ts";

/** git-push(1): what changes only what is printed, and where later pushes go by default. */
const OPTIONS = optionsOf({ printed: "-u --set-upstream -q --quiet -v --verbose --progress --no-progress --porcelain" });

/** Branches from which others build, release or deploy, whatever the remote's default is. */
const NEVER = (
  "main master trunk mainline default develop development dev next stable release releases prod production live staging stage " +
  "deploy deployment gh-pages pages"
).split(" ");
const NEVER_BELOW = /^(?:release|releases|prod|production|deploy|stable|hotfix|refs)\//i;

/** A branch as it is written out: nothing that git, a shell or a forge could read in another way. */
const PLAIN = /^[A-Za-z0-9](?:[\w.-]*[\w-])?(?:\/[A-Za-z0-9](?:[\w.-]*[\w-])?)*$/;
/** git-push(1), "Git URLs": no user with a password, no helper, no folder of this machine. */
const ADDRESS =
  /^(?:https:\/\/(?:[\w.-]+@)?[a-z\d][a-z\d.-]*(?::\d+)?\/[\w./~+-]+|(?:ssh:\/\/)?[\w-]+@[a-z\d][a-z\d.-]*(?::\d+)?[:/][\w./~+-]+)$/i;

const KEYS: GitKeyRules = [
  [/^push\.(?:followtags|pushoption|gpgsign|negotiate)$/, isOff],
  [/^push\.default$/, (value) => value === "simple" || value === "current"],
  [/^(?:push|submodule)\.recurse(?:submodules)?$/, (value) => /^(?:false|no|off|0|check)$/i.test(value)],
  [/^remote\..+\.(?:push|mirror|receivepack|vcs|proxy|uploadpack)$/, () => false],
  [
    /^(?:core\.(?:sshcommand|gitproxy|alternaterefscommand|hookspath)|protocol\..*|extensions\.partialclone|remote\..+\.promisor)$/,
    () => false,
  ],
];

/** Commits, and lines that they add, that are looked through. */
const MOST_COMMITS = 2000;

type Push = ConsentOf<"push-branches">;

export const pushBranches: ConsentKind<"push-branches"> = {
  name: "push-branches",
  isAbout: ({ action, exec }) =>
    action.kind === "remote" && action.service === "git" && action.operation === "change" && exec.knowledge === "git push",
  wants(asked) {
    const { exec, found, execAt, words, repository } = asked;
    const push = readPush(words);
    if (push === undefined) return { why: "only a branch by its name is pushed so: no force, deletion, tag or other option" };
    const git = new Git(exec, repository.top, asked.machine);
    const whyConfigured =
      whyConfiguredOtherwise(git, KEYS) ??
      whyNotWhole(repository.common) ??
      // A push runs these two.
      whyHooked(git, repository.top, ["pre-push", "reference-transaction"]);
    if (whyConfigured !== undefined) return { why: whyConfigured };
    const committed = commitsBefore(asked);
    if ("why" in committed) return committed;
    const target = targetOf(git, push);
    if ("why" in target) return target;
    const { branch, remote, tip } = target;
    const addresses = git.lines("remote", "get-url", "--push", "--all", remote);
    const [address = ""] = addresses;
    if (addresses.length !== 1 || !ADDRESS.test(address) || tokensIn(address).length > 0) return { why: "the remote has no plain address" };
    const covers = found.actions.flatMap(({ action: one }, at) =>
      at === execAt || (one.kind !== "exec" && one.origin.by === "command" && one.origin.exec === execAt && isOfPush(one)) ? [at] : [],
    );
    const { base, main } = baseOf(git, remote, asked);
    return {
      entry: {
        consent: "push-branches",
        root: repository.root,
        remote: address,
        never: [...new Set([...main, ...NEVER])],
        base,
        ci: sumOfForgeFiles(git, base),
      },
      covers: [...committed, ...covers],
      whyNot: (given) => whyNotPushed(git, given, { address, branch, tip }),
    };
  },
  sentence: ({ remote, never: [main = "main"] }) => {
    const [, host = "", path = ""] = /^(?:[a-z]+:\/\/)?(?:[^@/]*@)?([^/:]+)(?::\d+)?[:/](.*?)(?:\.git)?$/i.exec(remote) ?? [];
    return (
      `push branches of ${path} to ${host}? Never ${main === "main" ? "main" : `${main} or main`}, never by force, never deleting. ` +
      "A push can start CI there."
    );
  },
};

/** What a push does besides: hooks of the repository, of which there are none, and git's own upkeep. */
const isOfPush = (action: AskedAction["action"]): boolean =>
  (action.kind === "remote" && action.operation === "change") ||
  (action.kind === "code" && action.source === "project" && action.foreign !== true);

interface ReadPush {
  readonly remote?: string;
  readonly branch?: string;
}

function readPush(words: readonly string[]): ReadPush | undefined {
  // `git -C FOLDER push`: the folder is known by then.
  const own = words[0] === "-C" ? words.slice(2) : words;
  if (own[0] !== "push") return undefined;
  const read = readWords(own.slice(1), OPTIONS, new Set());
  if (read === undefined || read.operands.length > 2) return undefined;
  const [remote, branch] = read.operands;
  if (remote !== undefined && !/^[A-Za-z0-9][\w-]*$/.test(remote)) return undefined;
  if (branch !== undefined && branch !== "HEAD" && !PLAIN.test(branch)) return undefined;
  return { ...(remote === undefined ? {} : { remote }), ...(branch === undefined ? {} : { branch }) };
}

/** Files that make git show another history than the one it sends. */
function whyNotWhole(common: string): string | undefined {
  const found = ["info/grafts", "shallow", "objects/info/alternates", "remotes", "branches"].find((name) => {
    const stat = lstatSync(joinPath(common, name), { throwIfNoEntry: false });
    return stat !== undefined && !(stat.isDirectory() && readdirSync(joinPath(common, name)).length === 0);
  });
  return found === undefined ? undefined : `the repository is not whole (${found})`;
}

interface PushTarget {
  readonly remote: string;
  readonly branch: string;
  readonly tip: string;
}

/** The remote, the branch, and the commit that would go there. */
function targetOf(git: Git, push: ReadPush): PushTarget | { readonly why: string } {
  const current = git.line("symbolic-ref", "--quiet", "HEAD");
  const name = push.branch === undefined || push.branch === "HEAD" ? current?.replace(/^refs\/heads\//, "") : push.branch;
  if (name === undefined || !PLAIN.test(name)) return { why: "it is not known which branch is pushed" };
  const ref = `refs/heads/${name}`;
  // A tag of the same name, or a ref that is written out whole, goes instead (gitrevisions(7)).
  const others = git
    .lines("for-each-ref", "--format=%(refname)")
    .filter((one) => one !== ref && (one === `refs/tags/${name}` || one === `refs/${name}`));
  if (others.length > 0 || /^(?:heads|tags|remotes)\//.test(name)) return { why: "the name means more than one thing" };
  const [tip, type, remoteName, remoteRef] = (
    git.line("for-each-ref", "--format=%(objectname)%09%(objecttype)%09%(push:remotename)%09%(push:remoteref)", ref) ?? ""
  ).split("\t");
  if (tip === undefined || tip === "" || type !== "commit") return { why: "the branch does not exist" };
  if (git.line("symbolic-ref", "--quiet", ref) !== undefined) return { why: "the branch stands for another one" };
  const remote = push.remote ?? remoteName;
  if (remote === undefined || !/^[A-Za-z0-9][\w-]*$/.test(remote)) return { why: "the remote is not one of the repository's" };
  if (!git.lines("remote").includes(remote)) return { why: "the remote is not one of the repository's" };
  // git-config(1), push.default: `simple` and `current`, which alone are let through, call it the same there, or push nothing.
  const merges = push.branch === undefined ? git.values(`branch.${name}.merge`) : [];
  if (
    (push.branch === undefined && remoteName !== remote) ||
    [remoteRef, ...merges].some((one) => one !== undefined && one !== "" && one !== ref)
  )
    return { why: "it is not known what the branch is called there" };
  return { remote, branch: name, tip };
}

/** What the person has let out already, and the remote's default branch, both as they are before anything is said. */
function baseOf(
  git: Git,
  remote: string,
  { request, machine, world }: AskedAction,
): { readonly base: string; readonly main: readonly string[] } {
  const head = git.line("symbolic-ref", "--quiet", `refs/remotes/${remote}/HEAD`)?.replace(`refs/remotes/${remote}/`, "");
  const main = [...(head !== undefined && PLAIN.test(head) ? [head] : []), "main", "master"];
  const tips = main.flatMap((name) => git.line("rev-parse", "--quiet", "--verify", `refs/remotes/${remote}/${name}^{commit}`) ?? []);
  // INVARIANT: refs that the session, or where there is none, any that is remembered, has made or moved count for nothing.
  const { agent, session } = request;
  const folder = world.canonical(request.cwd);
  const before = session === undefined ? refsBeforeAll(machine, folder) : refsBefore(machine, folder, sessionName(agent, session));
  const [base = ""] = tips.filter((tip) => before?.tips.includes(tip) === true);
  return { base, main };
}

/** Over the names and contents of what CI and the forge run. */
function sumOfForgeFiles(git: Git, commit: string): string {
  if (commit === "") return "";
  const files = git
    .lines("ls-tree", "-r", "-z", "--full-tree", commit)
    .filter((line) => FORGE_FILES.test(line.slice(line.indexOf("\t") + 1)));
  return files.length === 0 ? "" : sha256([Buffer.from(files.join("\0"))]).toString("hex");
}

function whyNotPushed(
  git: Git,
  given: Push,
  { address, branch, tip }: { readonly address: string; readonly branch: string; readonly tip: string },
) {
  if (given.remote !== address) return "the remote has another address than the one you said yes to";
  const lower = branch.toLowerCase();
  if ([...given.never, ...NEVER].some((one) => one.toLowerCase() === lower) || NEVER_BELOW.test(branch))
    return `${branch} is a branch from which others build`;
  if (sumOfForgeFiles(git, tip) !== given.ci) return "it changes what CI or the forge runs";
  if (given.base !== "" && git.line("cat-file", "-t", given.base) !== "commit") return "the commit you said yes at is not there any more";
  const range = given.base === "" ? [tip] : [tip, `^${given.base}`];
  if (Number(git.line("rev-list", "--count", ...range)) > MOST_COMMITS) return "it sends more commits than are looked through";
  const names = git.lines("log", "-z", "--name-only", "--no-renames", "-m", "--root", "--format=", ...range);
  const log = ["log", "-p", "-m", "--root", "--text", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "-U0"];
  return whyNotSent(names, [addedIn(git.text(...log, ...range))]);
}
