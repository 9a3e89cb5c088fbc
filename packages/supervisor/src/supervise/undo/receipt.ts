import { statSync } from "node:fs";
import { sayAction } from "@assent/core/action";
import { realWorld } from "@assent/guard/engine";
import { isWithin } from "@assent/core/path";
import { FORGE_FILES, isGitConfig, isPersistence, ownGitFolders, controlsAgent } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";
import { laterPlaces } from "../services/services.ts";
import type { RunEvent } from "../types.ts";
import { changesOf, type PathChange } from "./changes.ts";
import { readRecorded } from "./after.ts";
import { isRunning, listRuns, readEvents, readRun, type RunRecord, undoneIn } from "./run-folder.ts";

/**
 * Files that run later, outside the run, with the user's own rights: what a supervised program changes there it hands on
 * to whoever runs the tool next. The receipt names them.
 */
const HANDED_ON: readonly (readonly [pattern: RegExp, runs: string])[] = [
  [/\/\.git\/hooks\/[^/]+$/, "git runs it"],
  [/\/(?:\.git\/(?:.*\/)?config(?:\.worktree)?|\.gitmodules|\.gitattributes)$/, "git reads its settings from it"],
  [/\/\.husky\/[^/]+$/, "git runs it"],
  [/\/\.envrc$/, "direnv runs it"],
  [/\/(?:package\.json|\.npmrc|\.pnpmfile\.cjs|\.yarnrc(?:\.yml)?)$/, "npm scripts and settings"],
  [/\/(?:[Mm]akefile|GNUmakefile|[^/]+\.mk|[Jj]ustfile|\.justfile|Taskfile\.ya?ml|Rakefile)$/, "make, just, task or rake runs it"],
  [
    /\/(?:CMakeLists\.txt|build\.rs|build\.gradle(?:\.kts)?|setup\.py|conftest\.py|noxfile\.py|tox\.ini|\.pre-commit-config\.yaml)$/,
    "a build or test runs it",
  ],
  [/\/\.vscode\/(?:tasks|launch|settings|extensions)\.json$/, "the editor runs it"],
  [/\/\.idea\/(?:runConfigurations\/[^/]+|workspace\.xml)$/, "the editor runs it"],
  [/\/\.devcontainer(?:\/[^/]+)*\/?(?:devcontainer\.json|Dockerfile|[^/]+\.sh)$/, "the container is built by it"],
  [FORGE_FILES, "CI runs it"],
  [/\/node_modules\/\.bin\/[^/]+$/, "npx and npm scripts run it"],
  [/\/(?:bin|Scripts)\/(?:python[\d.]*|activate(?:\.\w+)?|pip[\d.]*)$/, "the virtual environment runs it"],
  [/\/[^/]+\.pth$/, "python runs it at its start"],
  [/\/sitecustomize\.py$/, "python runs it at its start"],
];

/** What runs the file at `path` later, or undefined. `home`: of the user. */
export function findLaterRunner(path: string, home: string): string | undefined {
  // What packages bring along runs as the package does; their links in `.bin` are run by name.
  if (/\/node_modules\/(?!\.bin\/)/.test(path) || path.endsWith(".sample")) return undefined;
  const found = HANDED_ON.find(([pattern]) => pattern.test(path));
  if (found !== undefined) return found[1];
  if (controlsAgent(path)) return "an agent reads its settings from it";
  if (isGitConfig(path)) return "git reads its settings from it";
  return isPersistence(path, { home: [home], project: [], temp: [] }) ? "it runs at a start or a login" : undefined;
}

interface HandedOn {
  readonly path: string;
  readonly runs: string;
  /** A folder of a tool in which something changed that the tool's next command runs as it finds it. */
  readonly cache?: true;
}

/** What a run did, for people and machines. Texts may come from an attacker: print them through `visible`. */
export interface Receipt extends ReceiptBody {
  readonly run: RunRecord;
  readonly running: boolean;
  /** The run that undid this one. */
  readonly undoneBy?: string;
}

/** What several runs did, as one. */
export interface SpanReceipt extends ReceiptBody {
  /** Oldest first, the undos of some of them among them. */
  readonly runs: readonly Receipt[];
}

interface ReceiptBody {
  readonly changes: readonly PathChange[];
  /** Changed paths outside the run's folder, its repository and the temporary ones. */
  readonly outside: readonly string[];
  /** Changed files that run later, outside the run. */
  readonly handedOn: readonly HandedOn[];
  readonly hosts: readonly CountedLine[];
  /** Where its programs listened. */
  readonly listened: readonly CountedLine[];
  readonly commands: readonly CountedLine[];
  readonly questions: readonly { readonly what: string; readonly answer: string }[];
  readonly refused: readonly (CountedLine & { readonly reason: string })[];
  /** Files that had names (hard links) elsewhere, and were parted from these before they were changed. */
  readonly parted: readonly string[];
  /** Paths whose bytes were not kept. */
  readonly lost: readonly string[];
  readonly warnings: readonly string[];
}

export interface CountedLine {
  readonly what: string;
  readonly count: number;
}

/** Most different hosts, commands, questions and refusals that are told apart. */
const MOST = 2000;

export function receiptOf(runs: string, run: RunRecord, machine: Machine): Receipt {
  const running = isRunning(run.folder);
  const undone = listRuns(runs).findLast((one) => undoneIn(one).includes(run.id) && one.paths === undefined)?.id;
  return { run, running, ...(undone === undefined ? {} : { undoneBy: undone }), ...bodyOf([run], machine, running) };
}

/** `span`: oldest first. */
export function receiptOfSpan(runs: string, span: readonly RunRecord[], machine: Machine): SpanReceipt {
  const receipts = span.map((run) => receiptOf(runs, run, machine));
  return {
    runs: receipts,
    ...bodyOf(
      span,
      machine,
      receipts.some(({ running }) => running),
    ),
  };
}

function bodyOf(runs: readonly RunRecord[], machine: Machine, running: boolean): ReceiptBody {
  const { tree, after, records, broken, sealed } = readRecorded(runs);
  const changes = changesOf(tree, after).filter(isOwn(runs));
  const seen = eventsOf(runs.flatMap(({ folder }) => [...readEvents(folder)]));
  const paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const git = runs.flatMap(({ cwd }) => ownGitFolders(cwd, realWorld(machine, cwd, undefined)));
  const inside = [...runs.map(({ cwd }) => cwd), ...git, ...machine.temp];
  const caches = laterPlaces({ home: machine.home, env: (name) => machine.env[name] });
  const abroad = changes.filter(({ path, what }) => what !== "deleted" && !runs.some(({ cwd }) => isWithin(path, cwd)));
  const reached = caches.filter(([folder]) => abroad.some(({ path }) => isWithin(path, folder)));
  const handed = changes.flatMap(({ path, what, kind }) => {
    if (reached.some(([folder]) => isWithin(path, folder))) return [];
    const by = what === "deleted" || kind === "directory" ? undefined : findLaterRunner(path, machine.home);
    return by === undefined ? [] : [{ path, runs: by }];
  });
  const warnings: string[] = [];
  if (broken > 0) warnings.push(`${broken} line${broken === 1 ? "" : "s"} of the journal could not be read`);
  if (sealed.includes(false) && !running && records.length > 0)
    warnings.push(`${runs.length === 1 ? "the run" : "a run"} was killed before it could note what it left`);
  return {
    changes,
    outside: [...new Set(paths.filter((path) => !inside.some((one) => isWithin(path, one))))],
    handedOn: [...handed, ...reached.map(([folder, by]): HandedOn => ({ path: `${folder}/`, runs: by, cache: true }))],
    ...seen,
    lost: changes.filter(({ image }) => image?.how === "lost").map(({ path }) => path),
    warnings,
  };
}

/** A journal that is longer takes too long to read for whoever waits for the end of the run. */
const LARGEST_JOURNAL = 1 << 20;

/** How many files and folders a run that has ended changed, what lies in a new folder not counted; undefined: very many. */
export function countChanges(runs: string, id: string): number | undefined {
  const run = readRun(runs, id);
  const size = run === undefined ? 0 : (statSync(`${run.folder}/journal.jsonl`, { throwIfNoEntry: false })?.size ?? 0);
  if (run === undefined || size === 0) return 0;
  if (size > LARGEST_JOURNAL) return undefined;
  const { tree, after } = readRecorded([run]);
  return changesOf(tree, after)
    .filter(({ within }) => within === undefined)
    .filter(isOwn([run])).length;
}

/** Not what hosts write beside for themselves. */
const isOwn =
  (runs: readonly RunRecord[]) =>
  ({ path }: PathChange): boolean =>
    !runs.some(({ confined }) => confined?.aside === path);

function eventsOf(events: Iterable<RunEvent>): Pick<Receipt, "hosts" | "listened" | "commands" | "questions" | "refused" | "parted"> {
  const hosts = new Map<string, number>();
  const listened = new Map<string, number>();
  /** A datagram socket hears without more. */
  const bound = new Set<string>();
  const commands = new Map<string, number>();
  const refused = new Map<string, { count: number; reason: string }>();
  const questions: { readonly what: string; readonly answer: string }[] = [];
  const parted = new Set<string>();
  for (const { action, call, answer, outcome, verdict } of events) {
    const what = sayAction(action);
    if (answer !== undefined && questions.length < MOST) questions.push({ what, answer });
    if (outcome === "refused") {
      const before = refused.get(what);
      if (before !== undefined) before.count += 1;
      else if (refused.size < MOST) refused.set(what, { count: 1, reason: verdict.reason });
      continue;
    }
    if (verdict.builtin === "run.other-names" && action.kind === "file" && action.target.kind === "path" && parted.size < MOST)
      parted.add(action.target.path);
    if (call.name === "exec") count(commands, commandLine(call.args[1]) ?? what);
    else if (action.kind === "net" && action.operation === "listen") {
      const where = `${action.host ?? "?"}:${action.port ?? 0}`;
      const heard = verdict.builtin === "loopback" ? `${where}, heard by this machine only` : where;
      if (call.name === "listen") count(listened, heard);
      else bound.add(heard);
    } else if (action.kind === "net" && action.host !== undefined)
      count(hosts, action.port === undefined || action.port === 0 ? action.host : `${action.host}:${action.port}`);
  }
  for (const heard of bound) if (!listened.has(heard)) count(listened, heard);
  return {
    hosts: counted(hosts),
    listened: counted(listened),
    commands: counted(commands),
    questions,
    parted: [...parted],
    refused: [...refused].map(([what, { count: times, reason }]) => ({ what, count: times, reason })),
  };
}

function commandLine(argv: string | readonly string[] | undefined): string | undefined {
  if (argv === undefined || typeof argv === "string") return undefined;
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

function count(map: Map<string, number>, key: string): void {
  const before = map.get(key);
  if (before !== undefined || map.size < MOST) map.set(key, (before ?? 0) + 1);
}

const counted = (map: ReadonlyMap<string, number>): readonly CountedLine[] => [...map].map(([what, times]) => ({ what, count: times }));
