import type { DangerId } from "../../action/index.ts";

/**
 * The form in which Assent knows a command. An entry is data: what the options are, which operands are paths and
 * what happens to them, which subcommands only read, what else the command does, and examples that are its tests.
 * Whatever an entry does not list is unknown, never safe. `read-spec.ts` reads the little notations below and
 * throws on anything it does not understand, so a wrong table fails the build.
 */
export interface CommandSpec {
  /** Basenames, separated by spaces: `"grep egrep fgrep"`. */
  readonly names: string;
  /** One line for `explain` and the docs. */
  readonly summary?: string;
  /**
   * How arguments are told apart:
   * - `gnu` (default): options anywhere, `-abc` clusters, `--long[=v]`, unambiguous abbreviations, `--` ends them.
   * - `posix`: as `gnu`, but options stop at the first operand (wrappers, commands with subcommands).
   * - `bsd`: as `gnu` with no abbreviations (parsers that demand the full name: most Go, Rust, Node and Python tools).
   * - `words`: single-dash long options `-name value` (go, terraform, java, openssl); `--name` is the same option.
   * - `none`: no options at all, every argument is an operand (echo, true, expr).
   */
  readonly style?: "gnu" | "posix" | "bsd" | "words" | "none";
  /**
   * One option per line: `NAMES[=KIND | [=KIND]] [-> CONSEQUENCE, …]`
   *
   *     -n --lines=text
   *     -o --output=write
   *     -i --in-place[=text] -> read becomes edit
   *     -e --expression=sed -> drop script
   *     -r -R --recursive -> read becomes tree, default .
   *     -f --force -> danger force-push
   *     --help -> stop
   *
   * `=KIND` takes a value (attached or next word), `[=KIND]` an attached one at most. KIND is an operand kind.
   * Consequences: `drop SLOT` removes an operand slot; `KIND becomes KIND` changes operand kinds (`read becomes edit`);
   * `default PATH` is the operand when none is given; `stop` means nothing but help or a version is printed;
   * `rest` means all words after it and its value belong to what the value names (`python -m`), for the analyser;
   * `output FORM` says what is printed instead (see `output`; `none`: text of its own); any EFFECT (below) happens.
   * `=KIND+KIND` takes two words.
   * A line `-1..-9` lists digits; lines starting with `#` are comments.
   */
  readonly options?: string;
  /**
   * Operand slots in order: `[NAME:]KIND[?|*|+][=DEFAULT]`, e.g. `"pattern:text read*"`, `"read+ dest"`, `"list*=."`.
   * Slots after a repeated one are filled from the end. Absent: no operand is understood. `""`: none is allowed.
   */
  readonly operands?: string;
  /**
   * No option of any implementation does more than read and print, listed or not: a word that may turn out to be an
   * option (a name that a wildcard matches, text of a file) can do no harm.
   */
  readonly closed?: true;
  /**
   * The danger class of whatever the entry does not list: an option, an operand, a subcommand. For programs that change the
   * machine: what nobody understands of them is no less than what is understood.
   */
  readonly otherwise?: DangerId;
  /**
   * Without operands it only looks, whatever its options: what stands behind them is theirs in every program of the name.
   * Else a program that changes things and has no operand left, with a word taken by an option, is not understood.
   * (A slot that must be filled, `KIND` or `KIND+`, and is not, makes the command unknown in any case.)
   */
  readonly idle?: true;
  /** What always happens: EFFECTs separated by commas. */
  readonly effects?: string;
  /** Keys are one or more words: `"stash list"`, alternatives by `|`: `"log|shortlog"`. An unlisted subcommand has no opinion. */
  readonly subcommands?: Readonly<Record<string, SubcommandSpec>>;
  /** The subcommands are kinds of objects: `KIND,KIND` and a lone `KIND/NAME` name them, too (kubectl get). */
  readonly kinds?: boolean;
  /** A subcommand may be written as any beginning that no other has (npm). */
  readonly abbreviates?: boolean;
  /**
   * An option row (without `stop`) of words that only print help where one of them is the only word behind a subcommand of the table or
   * a group of them (`docker rm --help`, `gh pr -h`), whatever else the subcommand does. `help` among them (`+help`): `NAME help SUBCOMMAND`
   * does the same. Subcommands inherit it; `""` ends it, for those that are programs of their own.
   */
  readonly helps?: string;
  /** Code for what a table cannot say: the name of an analyser in `shell/analyse/`. It runs after the table. */
  readonly analyse?: string;
  /** An analyser that runs first, even when only help or a version is asked for: what the name itself may start. */
  readonly before?: string;
  /**
   * What the command prints, for the next command in a pipe or a substitution:
   * `paths`: names below its path operands (find, ls, git ls-files); `input`: what it reads, unchanged or filtered
   * (cat, sort, head); `operands`: its operands, joined by blanks (echo); `number`: digits (wc -l, seq). Absent: unknown text.
   */
  readonly output?: "paths" | "input" | "operands" | "number";
  /** What the files are called that its walks through folders open: `"*.py *.pyi"`. */
  readonly walks?: string;
  /**
   * Environment variables, one row each: `NAMES=WHAT`, names separated by blanks, `PG*` for a beginning. WHAT is a grammar of
   * harmless values (`flag`, `number`, `word`, `plain`, `any`: `environment.ts`), `{a,b}` for exactly these, `words` for more options and operands, or an operand
   * kind: then the value is such an operand (`write`, `dir`, `foreign/gdb`). A last row `*=any` says that the program looks
   * at no other. Without it a variable that is not on the list of harmless ones makes the command unknown, unless it runs
   * code that nobody knows anyway. Subcommands add to the rows of their parent.
   */
  readonly reads?: string;
  /** What it does for itself without being asked: `OP PATH` each, `~` home, `$git` the repository's `.git`; `*` in a name is any, a last `/**` all below. */
  readonly upkeep?: readonly string[];
  /** Command lines with the verdict they must get from the default preset in the test project. They are tests. */
  readonly examples?: Examples;
}

/** A subcommand inherits the names, style and options of its parent unless it gives its own style; its options add to them. */
export type SubcommandSpec = Omit<CommandSpec, "names">;

export interface Examples {
  readonly allow?: readonly string[];
  /** No opinion: a host decides. */
  readonly none?: readonly string[];
  /** Asked because of a danger class or because it is not analysable, or asked by default. */
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/**
 * Operand kinds.
 *
 * | kind | the operand |
 * |---|---|
 * | `text` | is inert, whatever it is |
 * | `number` | is inert and must be a number: where another system's program would take the word for an operand; as an optional value only its digits |
 * | `name` | is the name of a package in a configured registry; an address in its place is fetched |
 * | `word` | is inert but must be known: a run-time value makes the command unknown (sub-actions, modes) |
 * | `read` `list` `write` `edit` `delete` `rename` `mkdir` `link` `metadata` `execute` | is a path on which this operation happens |
 * | `certificate` | is read, and nothing of it is used but the certificate, which is public |
 * | `visibletree` | is a `tree` whose walk leaves out names that begin with a dot |
 * | `only` `without` | (option values) names files the walk keeps or leaves out, as a glob |
 * | `tree` `listtree` `writetree` `deletetree` `metatree` | is a folder: everything below is read, listed, written, deleted, chmodded |
 * | `dest` | is a file to create or a folder to create files in, named after the read, rename or link operands (cp, mv, ln, install) |
 * | `dir` | becomes the working directory for the rest |
 * | `url` | is fetched (or uploaded to) |
 * | `host` | is connected to |
 * | `shell` | is a shell command line |
 * | `argv` | with all that follows is a command of its own (wrappers); as the last slot only |
 * | `env` | is `NAME=VALUE` for the environment |
 * | `code/LANG` | is source in LANG that runs: `code/python` |
 * | `script/LANG` | is a file that runs as LANG |
 * | `foreign/LANG` | is code for another program: allowing the command does not allow it |
 * | `sed` `awk` `jq` `sql` | is source in a small language that we read ourselves |
 * | `lasting/LANG` | as `foreign/LANG`, and it is kept: what it names runs later, for others |
 * | `gitkey` | is a git `KEY=VALUE`: inert for keys that only choose among what git does, else `foreign/git-config` |
 * | `pid` | is a process to signal |
 * | `secret` | names what is printed, which may be a secret |
 * | `setting` | is what the command sets, where it only shows it without |
 * | `terminal` | stands for a program that is interactive unless an option drops the slot |
 * | `refuse` | makes the command unknown (an option we know to be dangerous in ways no other kind says) |
 *
 * A path kind also accepts `-` as standard input or output where `CommandSpec` programs do.
 */
export type OperandKind = string;

/**
 * Effects: `remote.read NAME`, `remote.change NAME`, `remote.publish NAME`, `remote.destroy NAME`, `net` (its host is
 * not in the arguments), `listen`, `code.project`, `code.stdin` (runs what it reads from standard input),
 * `process`, `system AREA`, `privilege`, `danger ID`, `read PATH`, `write PATH`, `list PATH`, `delete PATH` (paths as
 * written in the table: `~`, `.`, `$git`), `environment` (prints variables, secrets included), `secrets` (prints tokens, passwords, keys), `terminal` (interactive,
 * can do anything a person types), `repository` (reads the git repository at the working directory, whose configuration can run code).
 */
export type EffectNotation = string;
