import { entriesBelow, entryFor, grammarOf, type Grammar, type KnowledgeEntry, type Option } from "@assent/core/shell/knowledge";
import { Generator } from "../fuzz/generate.ts";

/** Lines of git, made of what its table knows: subcommands and options in every spelling, beside revisions and pathspecs of each kind. */

interface Subcommand {
  readonly words: string;
  readonly grammar: Grammar;
  readonly options: readonly Option[];
}

const git = entryFor("git");
if (git === undefined) throw new Error("there is no table of git");
const above = grammarOf(git);

function below(entry: KnowledgeEntry, parent: Grammar): readonly Subcommand[] {
  return entriesBelow(entry).flatMap(({ keys, entry: one }) => {
    const grammar = grammarOf(one, parent);
    const all = [...new Set(grammar.options.values())];
    // Options of git itself behind a subcommand are an error, but for a few.
    const options = all.filter((option) => above.options.get(option.names[0] ?? "") !== option);
    return [...keys.map((words) => ({ words, grammar, options })), ...below(one, grammar)];
  });
}
const SUBCOMMANDS = below(git, above);
/** What shows what files hold, and what shows names: more often than the rest. */
const among = (words: string): readonly Subcommand[] => SUBCOMMANDS.filter(({ words: one }) => words.split(",").includes(one));
const SHOWING = among(
  "log,show,diff,grep,blame,stash show,cat-file,archive,whatchanged,diff-tree,diff-index,format-patch,reflog show,stash list",
);
const NAMING = among(
  "rev-list,diff-files,ls-files,ls-tree,fast-export,annotate,reflog,range-diff,bundle create,rev-parse,shortlog,status,check-ignore,merge-tree," +
    "merge-file,fsck,show-branch,for-each-ref,notes show,notes list,submodule status,submodule summary,cherry,describe,name-rev,apply,hash-object," +
    "config,interpret-trailers,check-attr,var,show-ref,verify-pack,merge-base,branch,tag,worktree list,remote,count-objects,difftool,clean,add",
);

/** Paths from the top of the project of `place.ts`. */
const PATHS = (
  ". src src/a.ts src/.env .env sub sub/.env conf conf/.env deploy deploy/.env private private/k.txt private/new.txt private/gone.txt " +
  "private/../private/k.txt ./private .. ../.ssh ../.ssh/id_rsa ~ ~/.ssh ~/.ssh/id_rsa ../empty empty lib lib/a.ts nope *.ts * s* .e* p* " +
  "$HOME - /dev/null HEAD main feature stash ../other ../other/x.txt a.ts README.md ignored.log"
).split(" ");
const MAGIC = (
  ":/ :/private :/src :!private :!src :^private :(exclude)private :(top)private :(top).env :(glob)**/.env :(icase)PRIVATE :(literal)* " +
  ":(attr:x) :(glob,top)**/k.txt :(prefix:4)private p[r]ivate pri* pr?vate/* *.txt **/k.txt *env :(icase)SRC/.ENV :(top,icase)SUB/* src/* " +
  ":!:src :(exclude,top)src :!nope"
).split(" ");
const REVISIONS = (
  "HEAD HEAD HEAD HEAD~1 HEAD~1 HEAD~2 HEAD^ HEAD^! HEAD^@ HEAD^2 main main feature feature main~1 main..feature main...feature HEAD~2.. ..feature @ @~1 @{1} " +
  "HEAD@{1} main@{0} v1 v1^{} v1^{tree} HEAD^{tree} HEAD^{/second} :/second :/untracked stash stash@{0} stash@{0}^ stash^1 stash^2 stash^3 " +
  "stash@{0}^3 refs/stash refs/stash^3 stash^{tree} stash^3^{tree} stash^@ stash^! HEAD..stash --all --branches --tags --reflog --glob=refs " +
  "--glob=stash --stdin -g --not FETCH_HEAD ORIG_HEAD refs/heads/main heads/feature refs/notes/commits notes/commits"
).split(" ");
const IN_TREES =
  "HEAD HEAD~1 HEAD~3 main feature stash stash^2 stash^3 stash@{0} v1 @ HEAD@{1} :0 : :1 :2 HEAD^{tree} :/second HEAD^{/first} stash^3^{tree}".split(
    " ",
  );
const FILES = (
  "src/a.ts .env src/.env sub/.env conf/.env deploy/.env old/.env private private/k.txt private/staged.txt private/gone.txt src conf deploy . " +
  "./src/a.ts ./.env ./private/k.txt ../private/k.txt private/ late/.env a.ts"
).split(" ");
const VALUES = (
  "1 0 100 a x foo CANARY CANARY . . .* %H %s%b %B %(contents) %(objectname) %(rest) %(path) %(refname) HEAD main stash src private .env private/k.txt " +
  "--all all tar zip on log diff dense-combined first-parent raw short full medium email patch always auto never blob:none tree:0 refs/* *"
).split(" ");
const KEYS = (
  "color.ui=always diff.noprefix=true log.showRoot=true core.quotePath=off grep.fallbackToNoIndex=true grep.fullName=true stash.showPatch=true " +
  "stash.showIncludeUntracked=true log.diffMerges=on diff.submodule=diff status.showUntrackedFiles=all format.pretty=fuller diff.context=99 " +
  "stash.showStat=true log.follow=true diff.renames=copies grep.patternType=perl core.worktree=/ core.bare=true diff.external=cat " +
  "core.attributesFile=.env core.excludesFile=.env blame.ignoreRevsFile=.env mailmap.file=.env mailmap.blob=stash^3:.env.local log.mailmap=true " +
  "include.path=.env commit.template=.env diff.orderFile=.env notes.displayRef=* core.notesRef=refs/stash log.initialDecorationSet=all " +
  "diff.wordRegex=. diff.relative=true alias.x=show interactive.diffFilter=cat versionsort.suffix=a status.relativePaths=false merge.renames=true"
).split(" ");
const VARIABLES = (
  "GIT_CEILING_DIRECTORIES=/ GIT_CEILING_DIRECTORIES=.. GIT_DIR=.git GIT_WORK_TREE=. GIT_WORK_TREE=.. GIT_DIR=/nope GIT_INDEX_FILE=nope " +
  "GIT_LITERAL_PATHSPECS=1 GIT_GLOB_PATHSPECS=1 GIT_ICASE_PATHSPECS=1 GIT_DIFF_OPTS=-u9 GIT_TRACE=1 GIT_NAMESPACE=x GIT_PAGER=cat PAGER=cat " +
  "GIT_CONFIG_COUNT=0 GIT_NOTES_REF=refs/stash GIT_OBJECT_DIRECTORY=.git/objects GIT_DISCOVERY_ACROSS_FILESYSTEM=1 GIT_PREFIX=private/ GIT_ATTR_SOURCE=HEAD"
).split(" ");
const GLOBAL = (
  "-P --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects -p " +
  "--bare --git-dir=.git --work-tree=. --work-tree=.. --namespace=x --attr-source=HEAD"
).split(" ");

export class GitLines {
  private readonly from: Generator;

  constructor(seed: number) {
    this.from = new Generator(seed);
  }

  private maybe = (chances: number): boolean => this.from.upTo(100) < chances;
  private some = (least: number, most: number, make: () => string): string =>
    Array.from({ length: least + this.from.upTo(most - least + 1) }, make).join(" ");

  line(): string {
    const git = this.command();
    const kind = this.from.upTo(100);
    if (kind < 62) return `${this.before()}${git}`;
    if (kind < 72) return `${this.before()}${this.input()} | ${git}`;
    if (kind < 76) return `${git} <<< ${quote(this.operand())}`;
    if (kind < 80) return `${this.command()} | ${git}`;
    if (kind < 86) return `${this.command()} | xargs ${this.from.pick(["", "", "-n1 ", "-I{} "])}${git}`;
    if (kind < 91) return `${git} $(${this.command()})`;
    if (kind < 94) return `A=${quote(this.operand())}; ${git} "$A"`;
    if (kind < 97) return `for f in ${this.from.pick(["*", "src/*", "$(git ls-files)", ".e* p*"])}; do ${git} -- "$f"; done`;
    return `${git} && ${this.command()}`;
  }

  private before(): string {
    const folder = this.maybe(12) ? `cd ${this.from.pick(["src", "private", "..", "~", "sub", ".git", "../other"])} && ` : "";
    return folder + (this.maybe(10) ? `${this.from.pick(VARIABLES)} ` : "");
  }

  private command(): string {
    const { words, grammar, options } = this.from.pick(this.maybe(65) ? SHOWING : this.maybe(85) ? NAMING : SUBCOMMANDS);
    const global = this.maybe(25) ? ` ${this.some(1, 2, () => this.global())}` : "";
    const given = this.some(0, this.from.pick([0, 1, 1, 1, 2, 4]), () => this.option(options, grammar));
    const operands = this.some(0, this.from.pick([1, 1, 1, 2, 2, 3]), () => quote(this.operand()));
    const paths = this.maybe(30) ? `${this.maybe(80) ? "-- " : ""}${this.some(1, 2, () => quote(this.path()))}` : "";
    const late = this.maybe(8) ? this.option(options, grammar) : "";
    const silent = this.maybe(4) ? "2>&1" : "";
    return ["git" + global, words, given, operands, late, paths, silent].filter((part) => part !== "").join(" ");
  }

  private global(): string {
    const kind = this.from.upTo(10);
    if (kind < 5) return `-C ${this.from.pick(["src", ".", "private", "..", "sub", "./src/..", "../p"])}`;
    if (kind < 8) return `-c ${quote(this.from.pick(KEYS))}`;
    if (kind < 9) return `--config-env=${this.from.pick(KEYS).split("=")[0] ?? ""}=HOME`;
    return this.from.pick(GLOBAL);
  }

  private option(options: readonly Option[], { style }: Grammar): string {
    if (options.length === 0) return "";
    if (this.maybe(20))
      return this.from.pick(["-p", "--stat", "-u", "--name-only", "-m", "-c", "--all", "-a", "-r", "-z", "--cached", "--stdin"]);
    const { names, argument, kind } = this.from.pick(options);
    let name = this.from.pick(names);
    // An unambiguous beginning of a long name.
    if (style === "gnu" && name.startsWith("--") && name.length > 6 && this.maybe(15))
      name = name.slice(0, 5 + this.from.upTo(name.length - 5));
    if (argument === "none") return name;
    const value = quote(kind.is === "file" ? this.from.pick([...PATHS, "-"]) : this.maybe(60) ? this.from.pick(VALUES) : this.operand());
    const attached = name.startsWith("--") ? `${name}=${value}` : `${name}${value}`;
    return argument === "optional" ? (this.maybe(50) ? name : attached) : this.maybe(50) ? attached : `${name} ${value}`;
  }

  private operand(): string {
    const kind = this.from.upTo(10);
    if (kind < 5) return this.from.pick(REVISIONS);
    if (kind < 7) return `${this.from.pick(IN_TREES)}:${this.from.pick(FILES)}`;
    return this.path();
  }

  private readonly path = (): string => this.from.pick(this.maybe(65) ? PATHS : MAGIC);

  private input(): string {
    const line = (): string =>
      this.from.pick([this.operand(), this.operand(), `contents ${this.operand()}`, `${this.operand()} x`, "--all", "--"]);
    return `printf '%s\\n' ${this.some(1, 3, () => quote(line(), true))}`;
  }
}

/** Half of what the shell would expand is quoted by its kind: wildcards stay as they are where they are a word of their own. */
const quote = (word: string, whole = false): string =>
  (whole && !/['$~]/.test(word)) || (/[\s(){}!^<>|&;#]/.test(word) && !word.includes("'")) ? `'${word}'` : word;
