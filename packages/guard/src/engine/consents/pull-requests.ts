import { existsSync } from "node:fs";
import { joinPath, resolvePath } from "@assent/core/path";
import { tokensIn } from "../../audit/index.ts";
import { isLikely } from "../written-secrets.ts";
import { Git } from "./git.ts";
import { type ConsentKind, type NoConsent, optionsOf, type PlainAction, readWords } from "./kind.ts";

type Commands = Readonly<Record<string, Readonly<Record<string, string>>>>;
/** `gh`'s manual: what opens, edits and comments on pull requests and issues, by subcommand. `text`: others read it. */
const TITLE_AND_BODY = optionsOf({ text: "-t --title -b --body" });
const BODY = optionsOf({ text: "-b --body" });
const GH: Commands = {
  "pr create": { ...TITLE_AND_BODY, ...optionsOf({ switch: "-d --draft", name: "-B --base -H --head" }) },
  "pr comment": BODY,
  "pr edit": TITLE_AND_BODY,
  "pr ready": {},
  "issue create": TITLE_AND_BODY,
  "issue comment": BODY,
  "issue edit": TITLE_AND_BODY,
};
/** `glab`'s manual; `mr create` may push. */
const NOTE = optionsOf({ text: "-m --message" });
const GLAB: Commands = { "mr note": NOTE, "issue note": NOTE };
const FORGES: ReadonlyMap<string, { readonly service: string; readonly host: string; readonly commands: Commands }> = new Map([
  ["gh", { service: "github", host: "github.com", commands: GH }],
  ["glab", { service: "gitlab", host: "gitlab.com", commands: GLAB }],
]);
const REPOSITORY = optionsOf({ repo: "-R --repo" });
/** `gh api`: a field with `-F` that begins with `@` is read from a file. */
const API = optionsOf({
  method: "-X --method",
  raw: "-f --raw-field",
  field: "-F --field",
  shown: "-q --jq",
  switch: "--silent",
});
const VALUED = new Set(["text", "name", "repo", "method", "raw", "field", "shown"]);

/** Comments on pull requests and issues, to write one, to answer one, to change one (docs.github.com/rest/issues/comments, /pulls/comments). */
const PATHS: readonly (readonly [path: RegExp, method: string])[] = [
  [/^\/?repos\/([^/]+\/[^/]+)\/(?:pulls|issues)\/\d+\/comments$/, "POST"],
  [/^\/?repos\/([^/]+\/[^/]+)\/pulls\/\d+\/comments\/\d+\/replies$/, "POST"],
  [/^\/?repos\/([^/]+\/[^/]+)\/(?:pulls|issues)\/comments\/\d+$/, "PATCH"],
];
const FIELDS = /^(?:in_reply_to|commit_id|path|line|side|start_line|start_side)=[\w./+-]*$/;
const NAME = /^[A-Za-z0-9][\w./-]*$/;
const OWNER_AND_NAME = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9._][\w.-]*$/;

export const pullRequests: ConsentKind<"pull-requests"> = {
  name: "pull-requests",
  isAbout: ({ action, exec }) =>
    action.kind === "remote" && action.operation === "change" && action.service === FORGES.get(exec.program)?.service,
  wants(asked) {
    const { exec, at, execAt, words } = asked;
    const forge = FORGES.get(exec.program);
    if (forge === undefined) return OTHER;
    const said = words[0] === "api" && exec.program === "gh" ? readApi(words.slice(1)) : readCommand(words, forge.commands);
    if ("why" in said) return said;
    const obeyed = said.texts.map(whyObeyed).find((one) => one !== undefined);
    if (obeyed !== undefined) return { why: obeyed };
    const own = repositoryHere(asked, forge.host);
    if ("why" in own) return own;
    if (said.repository !== undefined && said.repository.toLowerCase() !== own.repository.toLowerCase())
      return { why: "it is about another repository than this one" };
    return {
      entry: { consent: "pull-requests", root: own.root, host: own.host, repository: own.repository },
      covers: [at, execAt],
      whyNot: ({ host, repository }) =>
        host === own.host && repository.toLowerCase() === own.repository.toLowerCase()
          ? undefined
          : "this repository has another remote now",
    };
  },
  sentence: ({ host, repository }) =>
    `${host === "gitlab.com" ? "comment on merge" : "open, edit and comment on pull"} requests and issues of ${repository}? ` +
    "It appears under your name. Merging, closing, approving and releases still ask.",
};

interface SaidOnForge {
  readonly texts: readonly string[];
  readonly repository?: string;
}

const OTHER: NoConsent = { why: "it does more than open, edit or comment, or takes it from a file" };

function readCommand(words: readonly string[], commands: Commands): SaidOnForge | NoConsent {
  const command = `${words[0] ?? ""} ${words[1] ?? ""}`;
  const table = Object.hasOwn(commands, command) ? commands[command] : undefined;
  const read = table === undefined ? undefined : readWords(words.slice(2), { ...table, ...REPOSITORY }, VALUED);
  if (read === undefined) return OTHER;
  const { operands, options } = read;
  const texts = options.get("text") ?? [];
  const [repository, second] = options.get("repo") ?? [];
  const creates = command.endsWith("create");
  // Without a text an editor would open, or the commits would say it.
  if (
    second !== undefined ||
    (creates ? operands.length > 0 || texts.length < 2 : operands.length > 1) ||
    (texts.length === 0 && command !== "pr ready")
  )
    return OTHER;
  if (operands.some((one) => !/^\d+$/.test(one)) || (options.get("name") ?? []).some((one) => !NAME.test(one))) return OTHER;
  if (repository !== undefined && !OWNER_AND_NAME.test(repository)) return { why: "it is about another repository than this one" };
  return { texts, ...(repository === undefined ? {} : { repository }) };
}

function readApi(words: readonly string[]): SaidOnForge | NoConsent {
  const read = readWords(words, API, VALUED);
  if (read?.operands.length !== 1) return OTHER;
  const [path = ""] = read.operands;
  const fields = [...(read.options.get("raw") ?? []), ...(read.options.get("field") ?? [])];
  const [method = "POST", second] = read.options.get("method") ?? [];
  const matched = PATHS.find(([pattern, wanted]) => pattern.test(path) && wanted === method.toUpperCase());
  const texts = fields.flatMap((field) => (field.startsWith("body=") ? [field.slice("body=".length)] : []));
  const isBodyRead = (read.options.get("field") ?? []).some((field) => field.startsWith("body=@"));
  if (matched === undefined || second !== undefined || texts.length !== 1 || isBodyRead) return OTHER;
  if (fields.some((field) => !field.startsWith("body=") && !FIELDS.test(field))) return OTHER;
  const repository = matched[0].exec(path)?.[1] ?? "";
  if (repository === "{owner}/{repo}") return { texts };
  return OWNER_AND_NAME.test(repository) ? { texts, repository } : OTHER;
}

/** Programs that read along: what a line beginning so, or a person's name, makes them do, nobody here can say. */
const ORDER = /^[\s>*_-]*(?:\/[a-z]|!\w|@[\w-]|bors\b|r[+=]|rebase!|hey )/im;
const NAMED = /(?:^|[^\w/`.@])@[A-Za-z][\w-]*(?![\w-]*[/.@])/;
const MARKED = /\[(?:skip|no|ci|bot|automerge|deploy)[ \]-]|\b(?:auto-?merge|merge when|lgtm)\b|<!--/i;

function whyObeyed(text: string): string | undefined {
  if (ORDER.test(text) || NAMED.test(text) || MARKED.test(text)) return "a bot may do what a line of it says";
  return tokensIn(text).some(isLikely) ? "a key or token stands in it" : undefined;
}

interface RepositoryHere {
  readonly root: string;
  readonly host: string;
  readonly repository: string;
}

/** Both take the repository from the remotes: only where all of them are one it is certain which. */
function repositoryHere({ exec, machine, repository: found, world }: PlainAction, forge: string): RepositoryHere | NoConsent {
  const program = world.lookup("git");
  if (program === undefined || !program.trusted || program.path === undefined) return { why: "it is not known which repository it means" };
  const git = new Git({ ...exec, resolved: program.path }, found.top, machine);
  // glab, "Configuration": settings of the repository's own, hosts and aliases among them.
  const folders = [found.common, resolvePath(found.top, git.line("rev-parse", "--git-dir") ?? ".git")];
  const isControlled = folders.some((one) => existsSync(joinPath(one, "glab-cli")));
  const remotes = git
    .lines("remote")
    .flatMap((remote) => [
      ...git.lines("remote", "get-url", "--all", remote),
      ...git.lines("remote", "get-url", "--push", "--all", remote),
    ]);
  const names = new Set(
    remotes.map((address) => {
      const [, host = "", path = ""] =
        /^(?:https:\/\/|ssh:\/\/)?(?:[\w.-]+@)?([a-z\d][a-z\d.-]*)[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/i.exec(address) ?? [];
      return `${host.toLowerCase()} ${path}`;
    }),
  );
  const [only = ""] = names;
  const [host = "", repository = ""] = only.split(" ");
  if (names.size !== 1 || host !== forge || repository === "") return { why: "the remotes do not say which repository it means" };
  if (git.line("config", "--get-regexp", "^remote\\..*\\.(gh|glab)-resolved$") !== undefined || isControlled)
    return { why: "the configuration names another repository" };
  return { root: found.root, host, repository };
}
