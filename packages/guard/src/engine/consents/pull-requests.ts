import { tokensIn } from "../../audit/index.ts";
import { isLikely } from "../written-secrets.ts";
import { Git } from "./git.ts";
import { type AskedAction, type ConsentKind, type NoConsent, readWords, repositoryOf, whyNotPlain } from "./kind.ts";

/** `gh`'s manual: what opens, edits and comments on pull requests and issues, by subcommand. `text`: others read it. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "pr create": {
    "-t": "text",
    "--title": "text",
    "-b": "text",
    "--body": "text",
    "-d": "switch",
    "--draft": "switch",
    "-B": "name",
    "--base": "name",
    "-H": "name",
    "--head": "name",
  },
  "pr comment": { "-b": "text", "--body": "text" },
  "pr edit": { "-t": "text", "--title": "text", "-b": "text", "--body": "text" },
  "pr ready": {},
  "issue create": { "-t": "text", "--title": "text", "-b": "text", "--body": "text" },
  "issue comment": { "-b": "text", "--body": "text" },
  "issue edit": { "-t": "text", "--title": "text", "-b": "text", "--body": "text" },
};
const REPOSITORY: Readonly<Record<string, string>> = { "-R": "repo", "--repo": "repo" };
/** `gh api`: a field with `-F` that begins with `@` is read from a file. */
const API: Readonly<Record<string, string>> = {
  "-X": "method",
  "--method": "method",
  "-f": "raw",
  "--raw-field": "raw",
  "-F": "field",
  "--field": "field",
  "-q": "shown",
  "--jq": "shown",
  "--silent": "switch",
};
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
  wants(asked) {
    const { action, exec, at, execAt } = asked;
    if (action.kind !== "remote" || action.service !== "github" || action.operation !== "change" || exec.program !== "gh") return undefined;
    const why = whyNotPlain(exec);
    if (why !== undefined) return { why };
    const words = literalWords(asked);
    if (words === undefined) return { why: "what it says is only known at run time" };
    const said = readGh(words);
    if ("why" in said) return said;
    const obeyed = said.texts.map(whyObeyed).find((one) => one !== undefined);
    if (obeyed !== undefined) return { why: obeyed };
    const own = repositoryHere(asked);
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
  sentence: ({ repository }) =>
    `open, edit and comment on pull requests and issues of ${repository}? It appears under your name. ` +
    "Merging, closing, approving and releases still ask.",
};

interface SaidByGh {
  readonly texts: readonly string[];
  readonly repository?: string;
}

function readGh(words: readonly string[]): SaidByGh | NoConsent {
  const other = { why: "it does more than open, edit or comment, or takes it from a file" };
  if (words[0] === "api") return readApi(words.slice(1)) ?? other;
  const command = `${words[0] ?? ""} ${words[1] ?? ""}`;
  const table = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  const read = table === undefined ? undefined : readWords(words.slice(2), { ...table, ...REPOSITORY }, VALUED);
  if (read === undefined) return other;
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
    return other;
  if (operands.some((one) => !/^\d+$/.test(one)) || (options.get("name") ?? []).some((one) => !NAME.test(one))) return other;
  if (repository !== undefined && !OWNER_AND_NAME.test(repository)) return { why: "it is about another repository than this one" };
  return { texts, ...(repository === undefined ? {} : { repository }) };
}

function readApi(words: readonly string[]): SaidByGh | undefined {
  const read = readWords(words, API, VALUED);
  if (read?.operands.length !== 1) return undefined;
  const [path = ""] = read.operands;
  const fields = [...(read.options.get("raw") ?? []), ...(read.options.get("field") ?? [])];
  const [method = "POST", second] = read.options.get("method") ?? [];
  const matched = PATHS.find(([pattern, wanted]) => pattern.test(path) && wanted === method.toUpperCase());
  const texts = fields.flatMap((field) => (field.startsWith("body=") ? [field.slice("body=".length)] : []));
  const isBodyRead = (read.options.get("field") ?? []).some((field) => field.startsWith("body=@"));
  if (matched === undefined || second !== undefined || texts.length !== 1 || isBodyRead) return undefined;
  if (fields.some((field) => !field.startsWith("body=") && !FIELDS.test(field))) return undefined;
  const repository = matched[0].exec(path)?.[1] ?? "";
  if (repository === "{owner}/{repo}") return { texts };
  return OWNER_AND_NAME.test(repository) ? { texts, repository } : undefined;
}

/** `"$(cat <<'EOF' … EOF)"` as a word of its own: a text that is written out, whatever stands in it (bash(1), "Here Documents"). */
const WRITTEN_OUT = /(?<=\s)"\$\(cat <<(['"])(\w+)\1\n([^]*?)\n\2\n\s*\)"(?=\s|$)/g;

/** All words of the command, those written out in a here-document among them; undefined: one is only known at run time. */
function literalWords({ exec, request, found }: AskedAction): readonly string[] | undefined {
  const unknown = found.actions.flatMap(({ action }) => (action.kind === "exec" ? action.argv.filter((word) => !word.known) : []));
  const { facts, input } = request;
  const line = facts?.does === "shell" ? input[facts.field] : undefined;
  const written = unknown.length === 0 || typeof line !== "string" ? [] : [...line.matchAll(WRITTEN_OUT)];
  // INVARIANT: nothing else of the line makes a word, and no text ends before its end; so the words that are not known are these, in order.
  const isOpen = typeof line === "string" && /<<|\$\(|`/.test(line.replace(WRITTEN_OUT, " "));
  const endsBefore = written.some(([, , end = "", text = ""]) => text.split("\n").includes(end));
  const isThese = unknown.every((word) => !word.known && !word.many && word.prefix === "" && word.why.includes("$(cat <<"));
  if (unknown.length > 0 && (unknown.length !== written.length || isOpen || endsBefore || !isThese)) return undefined;
  return exec.argv.slice(1).map((word) => (word.known ? word.text : (written[unknown.indexOf(word)]?.[3] ?? "")));
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

/** gh takes the repository from the remotes: only where all of them are one it is certain which. */
function repositoryHere(asked: AskedAction): RepositoryHere | NoConsent {
  const { machine, world } = asked;
  const found = repositoryOf(asked);
  const program = world.lookup("git");
  if (found === undefined || program === undefined || !program.trusted || program.path === undefined)
    return { why: "it is not known which repository it means" };
  const git = new Git({ ...asked.exec, resolved: program.path }, found.top, machine);
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
  if (names.size !== 1 || host !== "github.com" || repository === "") return { why: "the remotes do not say which repository it means" };
  if (git.line("config", "--get-regexp", "^remote\\..*\\.gh-resolved$") !== undefined)
    return { why: "the configuration names another repository" };
  return { root: found.root, host, repository };
}
