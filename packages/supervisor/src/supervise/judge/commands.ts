import { KEYED, SCRIPTED } from "#knowledge/traits";
import { followingName, isOneOf } from "@assent/core/policy";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import {
  type Action,
  type Call,
  CONFINED_NEEDS,
  type Danger,
  DANGERS,
  DATABASE_FILE,
  type ExecAction,
  type FileAction,
  type Unknown,
  type World,
} from "@assent/core/action";
import {
  dangerOf,
  firstCopyOf,
  isMeantQuestion,
  judge,
  type JudgeContext,
  type Policy,
  type RequestVerdict,
  stricterOf,
  type Verdict,
  verdictOf,
} from "@assent/core/policy";
import { lowerArgv } from "@assent/core/shell";
import { type ProgramAliases, sameCommand } from "./program-aliases.ts";
import type { Caller, JudgedExec, Started } from "./types.ts";
import { TOLD } from "./git-config.ts";
import { cachePlan, type CommandPlan, installPlan } from "../services/plans.ts";
import {
  type ToolService,
  toolServiceOf,
  isReadOfAll,
  hasLoginsFor,
  type Rewritten,
  type KnownHost,
  loadedBy,
  loginWords,
  NO_TOOL_SERVICE,
  knownToolService,
} from "../services/services.ts";
import { namedPlan, rewritesOf } from "../services/named.ts";
import { baseName, joinPath, parentOf, resolvePath } from "@assent/core/path";
import { readRegular } from "@assent/guard/state";
import { isFreePlace } from "./free-places.ts";
import { probe } from "./moves.ts";
import { loginsOf } from "./secrets.ts";

/** What judging commands needs of the run's judge, as it stands at the moment. */
export interface CommandContext {
  readonly world: World;
  /** As the kernel names it. */
  readonly home: string;
  readonly policy: Policy;
  readonly context: JudgeContext;
  readonly env: Readonly<Record<string, string>>;
  /** An agent wrote the command. */
  readonly ofAgent: boolean;
  readonly holdsSecrets: boolean;
  /** It is started by a client that it does the talking for: `ssh` by git, whose words were judged. */
  readonly helps: boolean;
  readonly aliases: ProgramAliases;
  /** Where it is started. */
  readonly folder?: Caller["folder"];
  readonly file: (action: FileAction) => Verdict;
}

/** What is said about starting a program, and what it is started for. */
export function judgeExec(judging: CommandContext, all: readonly Started[], call: Call, allowed: Verdict): JudgedExec {
  // By the system's own loader nearly every program starts.
  const chain = all.filter(({ loaded, path }) => loaded !== "loader" || !isOfSystem(judging.world, path));
  let strictest = allowed;
  let shown: Action | undefined;
  const toolServices: ToolService[] = [];
  const programs: string[] = [];
  const logins: string[] = [];
  const named: KnownHost[] = [];
  const ruled: KnownHost[] = [];
  const says: string[] = [];
  const rewrites: Rewritten[] = [];
  let lasts = false;
  let signs: string | undefined;
  // A script goes by its interpreter's name, its own, and that of what it is a part of: what holds for one holds for all.
  const isScripted = chain.some(({ path }) => isOneOf(SCRIPTED, baseName(path)));
  const isAlone = chain.every((one, at) => at === 0 || (one.loaded === "loader" && isOfSystem(judging.world, one.path)));
  let controlled = false;
  let plan: CommandPlan | undefined;
  let loads = false;
  let makes: string | undefined;
  let reaches: string | undefined;
  let held: string | undefined;
  const weigh = (verdicts: readonly Verdict[]): void => {
    strictest = verdicts.reduce(stricterOf, strictest);
  };
  for (const started of chain) {
    controlled ||= started.loaded !== undefined;
    weigh([judging.file(execution(started.path, call))]);
    const commands = [...commandsOf(judging.world, started)];
    for (const { argv, isItself } of commands) {
      const found = command(judging, argv, call);
      const { actions } = found;
      commands.push(...becomes(actions).map((words) => ({ argv: words, isItself })));
      // Where the policy says what is kept for git, what the words set is judged as it is written, and they ask for nothing.
      const { judged, unknowns } =
        found.unknowns.length > 0 && speaksOfGit(judging, call) ? { judged: { ...found.judged, unknowns: [] }, unknowns: [] } : found;
      shown ??= actions[0];
      reaches ??= reachedBy(actions);
      held ??= whyHeld(actions);
      if (judging.ofAgent && started === chain[0]) weigh(hangs(actions[0], argv));
      lasts ||= unknowns.length > 0;
      if (started === chain[0]) {
        const others = startedBy(actions, argv);
        says.push(...others);
        const [first] = actions;
        if (first?.kind === "exec" && first.program === "git") signs ??= first.needs?.find((need) => need.startsWith(CONFINED_NEEDS.keys));
        if (others.length === 0) {
          named.push(...hostsNamed(judged));
          ruled.push(...hostsRuled(judged));
        }
      }
      weigh(ofCommand(judging, judged));
      const [first] = actions;
      // What is loaded is not what the kernel started, nor a script whoever reads it: both are judged, and trusted with nothing.
      if (first?.kind !== "exec" || !first.trusted || started.loaded !== undefined || !isItself) continue;
      // Its own credential, for its own use: not one that its words tell it to show or send.
      if (!KEYED.has(first.program) && judged.actions.some(namesSecret)) continue;
      // An option that nobody knows may load code into a package manager that is a script, and would work as the manager.
      const mayLoad = isScripted || loadedBy(first.program).length > 0;
      controlled ||= found.unlisted && mayLoad && knownToolService(first.program)?.registry !== undefined;
      const words = first.argv.slice(1).flatMap((word) => (word.known ? [word.text] : []));
      const isLoading = loadsProject(first.program, judging.world, words);
      loads ||= !hasLoginsFor(first.program, words, first.knowledge) || isLoading;
      logins.push(
        ...loginsOf(first.program, words, first.knowledge).filter((place) => isEmptyOf(place, loginWords(first.program), judging.home)),
      );
      makes ??= copyMade(first, judging);
      programs.push(first.program, ...(first.program === "git" ? namesOfGit(first, unknowns) : []));
      const toolService = toolServiceOf(first.program, actions, toolServiceContext(judging, first.program, isLoading));
      const { home, env, ofAgent } = judging;
      if (!ofAgent) plan ??= installPlan(first.program, words, { home, env: (name) => env[name] });
      // Of one program that is what it seems, and has been understood.
      if (isAlone) rewrites.push(...rewritesOf(actions));
      if (!ofAgent && found.whole && isAlone) plan ??= namedPlan(first.program, actions, home, judging.world.cwd);
      toolServices.push(judging.ofAgent && !speaksToService(first, actions) ? { ...toolService, hosts: [] } : toolService);
    }
    weigh(alikeVerdicts(judging, started, call));
  }
  return {
    verdict: strictest,
    action: shown ?? { kind: "exec", program: "", argv: [], env: [], trusted: false, origin: { by: "tool" }, call },
    toolService: controlled
      ? {
          ...NO_TOOL_SERVICE,
          ...planned(
            plan ??
              (judging.ofAgent
                ? undefined
                : cachePlan(
                    programs[0] ?? "",
                    toolServices.flatMap(({ own }) => own.filter((place) => !place.endsWith("*"))),
                  )),
          ),
        }
      : {
          ...planned(plan),
          ...(rewrites.length === 0 ? {} : { rewrites }),
          makes,
          writes: toolServices.flatMap(({ writes }) => writes),
          own: toolServices.flatMap(({ own }) => own),
          builds: toolServices.flatMap(({ builds }) => builds),
          hosts: toolServices.flatMap(({ hosts }) => hosts),
        },
    named,
    ruled,
    says,
    lasts,
    reaches,
    held,
    signs: signs === undefined || mayAskKeys(judging, call) ? undefined : signs,
    programs: controlled ? [] : programs,
    logins: controlled || loads ? [] : logins,
  };
}

/**
 * A browser does not end with an error in a run: it waits for its own processes for ever. With `--type=` it is one of them, of a browser
 * that was started so that it works.
 */
function hangs(action: Action | undefined, argv: readonly string[]): readonly Verdict[] {
  if (action?.kind !== "exec" || action.needs?.includes(CONFINED_NEEDS.browser) !== true) return [];
  if (argv.some((word) => word.startsWith("--type="))) return [];
  return [verdictOf("ask", "confine.fails", { reason: `it ${CONFINED_NEEDS.browser}, and would wait for these for ever` })];
}

/** The first copy of a template, where an ordinary file would go ahead. */
function copyMade(exec: ExecAction, { folder, world, file }: CommandContext): string | undefined {
  const at = exec.knowledge === "cp" ? folder?.() : undefined;
  const made = at === undefined ? undefined : firstCopyOf(exec, at, world);
  return made !== undefined && file(probe("write", joinPath(parentOf(made), "#"))).decision === "allow" ? made : undefined;
}

/** A rule opens the socket of an agent that signs: gpg-agent(1), ssh-agent(1). */
function mayAskKeys({ env, home, file }: CommandContext, call: Call): boolean {
  const { GNUPGHOME = joinPath(home, ".gnupg"), SSH_AUTH_SOCK = "" } = env;
  const sockets = [joinPath(GNUPGHOME, "S.gpg-agent"), `/run/user/${process.getuid?.() ?? ""}/gnupg/S.gpg-agent`, SSH_AUTH_SOCK];
  return sockets.some((path) => {
    const { decision, basis } = file({ kind: "file", operation: "write", target: { kind: "path", path }, origin: { by: "tool" }, call });
    return path.startsWith("/") && decision === "allow" && basis === "rule";
  });
}

const trustedLoaders = new WeakMap<World, Map<string, boolean>>();

/** Asked at each start of a program, of one file. */
function isOfSystem(world: World, loader: string): boolean {
  const known = trustedLoaders.get(world) ?? new Map<string, boolean>();
  const trusted = known.get(loader) ?? world.trustedProgram(loader);
  trustedLoaders.set(world, known.set(loader, trusted));
  return trusted;
}

const planned = (plan: CommandPlan | undefined): Pick<ToolService, "plan"> => (plan === undefined ? {} : { plan });

const toolServiceContext = (judging: CommandContext, program: string, isLoading: boolean): Parameters<typeof toolServiceOf>[2] => ({
  home: judging.home,
  ofAgent: judging.ofAgent,
  loadsProject: isLoading,
  holdsSecrets: judging.holdsSecrets,
  cwd: judging.world.cwd,
  env: (name) => judging.env[name],
  isFree: (folder) => isFreePlace(folder, program, judging),
});

/**
 * Its words are known to ask its service for something, or to build. A subcommand that nobody knows may send: `git send-pack`.
 * (One that changes something there is not started, unless a rule allows it.)
 */
const speaksToService = ({ program }: ExecAction, actions: readonly Action[]): boolean =>
  actions.some((action) => action.kind === "remote" || (action.kind === "code" && program !== "git") || isReadOfAll(action, actions));

/** A written rule allows what git keeps and runs later, here at least. */
function speaksOfGit(judging: CommandContext, call: Call): boolean {
  return ["config", "hooks/pre-commit"].every((name) => {
    const target = { kind: "path", path: `${judging.world.canonical(judging.world.cwd)}/.git/${name}` } as const;
    const { decision, basis } = judging.file({ kind: "file", operation: "write", target, origin: { by: "tool" }, call });
    return decision === "allow" && basis === "rule";
  });
}

/** A command by its words. */
export const wordsOf = (argv: readonly string[]): string => JSON.stringify(argv);

/** The commands that a shell or a wrapper is told to start. It reaches nobody itself. */
function startedBy(actions: readonly Action[], [, ...own]: readonly string[]): readonly string[] {
  return actions.flatMap((action) => {
    if (action.kind !== "exec" || action.builtin === true) return [];
    const words = action.argv.map((argument) => (argument.known ? argument.text : undefined));
    if (words.length === own.length + 1 && own.every((word, at) => word === words[at + 1])) return [];
    return words.every((word) => word !== undefined) ? [wordsOf(words)] : [wordsOf([])];
  });
}

const namesSecret = ({ action, verdict }: RequestVerdict["actions"][number]): boolean =>
  action.kind === "file" && action.upkeep !== true && verdict.builtin === "protect.secrets";

/** What a git was started for: its subcommand, and whether its words set what lasts, about which a person was asked. */
function namesOfGit({ shape }: ExecAction, lasting: readonly Unknown[]): readonly string[] {
  const subcommand = shape?.operands[0];
  if (subcommand?.known !== true) return lasting.length > 0 ? [TOLD] : [];
  // Into what it makes elsewhere than in `.git`, a clone writes no tracked file but what a template holds.
  const apart = shape?.options.some(({ names }) => names.some((name) => /^--(?:bare|mirror|separate-git-dir)$/.test(name)));
  const names = subcommand.text === "clone" && apart === true ? ["git clone", "git init"] : [`git ${subcommand.text}`];
  return [...names, ...(lasting.length > 0 ? [TOLD] : [])];
}

const execution = (path: string, call: Call): FileAction => ({
  kind: "file",
  operation: "execute",
  target: { kind: "path", path },
  origin: { by: "tool" },
  call,
});

/** A loader's program goes by its own name; a copy or another name of a program that a rule speaks of is that program. */
function alikeVerdicts(judging: CommandContext, started: Started, call: Call): readonly Verdict[] {
  const names = [...(started.loaded !== undefined ? [started.path] : []), ...judging.aliases.namesOf(started)];
  return names.flatMap((name) => {
    const same = sameCommand(name, started.argv, call);
    const { judged } = command(judging, [name, ...started.argv.slice(1)], same);
    return [judging.file(execution(name, same)), ...ofCommand(judging, judged)];
  });
}

/** A command, and whether the program that runs is the one that it names. */
interface Meant {
  readonly argv: readonly string[];
  readonly isItself: boolean;
}

/**
 * The commands that starting a file amounts to: under its own name; under the name of a link on PATH through which it
 * was found (`npm` is a link to `npm-cli.js`); and, for an interpreter, the script it runs. INVARIANT: whatever is called `node` may be
 * given npm's script; npm is what the interpreter of its first line makes of it, where that is a trusted program itself.
 */
function commandsOf(world: World, { word, path, argv: [, ...rest] }: Started): readonly Meant[] {
  const found: Meant[] = [{ argv: [path, ...rest], isItself: true }];
  const link = nameOnPath(world, word);
  if (link !== undefined && link !== path.split("/").at(-1)) found.unshift({ argv: [link, ...rest], isItself: true });
  const [script = "", ...words] = rest;
  if (isOneOf(SCRIPTED, baseName(path)) && script.startsWith("/")) {
    // A version manager's program lies beside its interpreter, and neither is what PATH leads to: that is the proxy.
    const name = nameOnPath(world, script) ?? (world.trustedProgram(script) ? script : undefined);
    if (name !== undefined) found.push({ argv: [name, ...words], isItself: world.trustedProgram(path) && isWrittenFor(script, path) });
  }
  return found;
}

const HEAD = 256;

/** Whether the first line of a script names the interpreter, by its name without a version; `sh` is whichever shell that is. */
function isWrittenFor(script: string, interpreter: string): boolean {
  const head = Buffer.alloc(HEAD);
  try {
    const fd = openSync(script, "r");
    readSync(fd, head, 0, HEAD, 0);
    closeSync(fd);
  } catch {
    return false;
  }
  const [line = ""] = head.toString("latin1").split("\n");
  const plain = (path: string): string => followingName(baseName(path).replace(/^nodejs$/, "node"));
  const name = plain(interpreter);
  const words = line.startsWith("#!") ? line.slice(2).trim().split(/\s+/).map(plain) : [];
  return words.includes(name) || (/^(?:da|ba)sh$/.test(name) && words.includes("sh"));
}

/** What an interpreter becomes: `pip`, of `python -m pip`. Its own tables say that nothing here takes the place of what it loads. */
const becomes = ([first, ...others]: readonly Action[]): readonly (readonly string[])[] =>
  first?.kind !== "exec" || !first.trusted
    ? []
    : others.flatMap((action) => {
        if (action.kind !== "exec" || action.inProcess !== 0) return [];
        const words = action.argv.flatMap((argument) => (argument.known ? [argument.text] : []));
        return words.length === action.argv.length ? [words] : [];
      });

/** The name under which a file stands in a trusted folder of PATH. */
function nameOnPath(world: World, path: string): string | undefined {
  const name = path.split("/").at(-1) ?? "";
  if (!path.startsWith("/") || name === "") return undefined;
  const found = world.lookup(name);
  return found.trusted && found.path !== undefined && world.canonical(found.path) === world.canonical(path) ? name : undefined;
}

interface StartedCommand {
  readonly actions: readonly Action[];
  /** Those that last. */
  readonly unknowns: readonly Unknown[];
  readonly judged: RequestVerdict;
  /** One of its options is in no table. */
  readonly unlisted: boolean;
  /** All that it does is known. */
  readonly whole: boolean;
}

/**
 * Code of the project works in the tool's own process: it is told none of the tool's credentials. A word may name another folder for it to
 * work in, whatever the option is called (`-C sub`, `--dir=sub`).
 */
function loadsProject(program: string, world: World, words: readonly string[]): boolean {
  const files = loadedBy(program);
  if (files.length === 0) return false;
  const named = words.flatMap((word) => [word, word.slice(word.indexOf("=") + 1), word.slice(2)]);
  const folders = named.filter((word) => word !== "").map((word) => resolvePath(world.cwd, word));
  return [world.cwd, ...new Set(folders.filter((folder) => world.kind(folder) === "directory"))].some((start) => {
    for (let folder = start; ; folder = parentOf(folder)) {
      const at = folder;
      if (files.some(([name, ...keys]) => world.kind(joinPath(at, name)) !== "missing" && says(joinPath(at, name), keys))) return true;
      if (folder === world.projectRoot || folder === "/") return false;
    }
  });
}

/** Nothing is in it that the code which works beside it in one process must not have. No run changes the file. */
function isEmptyOf(place: string, words: readonly string[], home: string): boolean {
  if (words.length === 0) return true;
  const file = place.startsWith("~/") ? home + place.slice(1) : place;
  return !existsSync(file) || !says(file, words);
}

/** Settings of a tool; a larger file may say anything. */
const MOST_SETTINGS = 4 << 20;

/** A word may be written with escapes, or over two lines, and what cannot be read may say anything. */
function says(file: string, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const found = readRegular(file, MOST_SETTINGS);
  if (found.is !== "text") return true;
  const text = found.text.toLowerCase();
  return /\\[ux\r\n]/.test(text) || words.some((word) => text.includes(word.toLowerCase()));
}

function command(judging: CommandContext, argv: readonly string[], call: Call): StartedCommand {
  const lowered = lowerArgv([...argv], { world: judging.world });
  const actions = lowered.actions.map((action, at) => (at === 0 ? { ...action, call } : action));
  // What could not be predicted is seen when it happens, but for what takes effect after the run.
  const unknowns = lowered.unknowns.filter(({ lasting }) => lasting === true);
  const unlisted = lowered.unknowns.some((unknown) => unknown.unlisted === true);
  const whole = lowered.unknowns.length === 0;
  return { actions, unknowns, unlisted, whole, judged: judge({ actions, unknowns }, judging.policy, judging.context) };
}

/** Why it is nothing to be tried first: others do the work, or would see it too late. */
function whyHeld(actions: readonly Action[]): string | undefined {
  for (const action of actions) {
    const [need] = action.kind === "exec" ? (action.needs ?? []) : [];
    if (need !== undefined) return need;
    if (action.kind === "remote" && action.operation !== "read" && action.service !== DATABASE_FILE)
      return `changes something at ${action.service}, which is done at once`;
    if (action.kind === "net" && action.operation === "listen") return "serves others, who would not see what it changes";
  }
  return undefined;
}

function reachedBy(actions: readonly Action[]): string | undefined {
  for (const action of actions) {
    if (action.kind === "remote" && action.service !== DATABASE_FILE) return action.service;
    if (action.kind === "net" && action.operation !== "listen") return action.host ?? "a host";
  }
  return undefined;
}

/**
 * Of what a command is predicted to do, the run asks beforehand only about what is not seen happening: written rules
 * on commands, danger to services and to the machine, and the deletion of whole trees that nobody may delete.
 */
function ofCommand({ policy, ofAgent, helps }: CommandContext, judged: RequestVerdict): readonly Verdict[] {
  const strict = policy.settings.preset === "strict" || policy.settings.preset === "readonly";
  const lasting = judged.unknowns.map(({ verdict }) => verdict).filter(({ decision }) => decision !== "allow");
  // Who allows the command has not allowed the code that it is told to keep for others.
  const kept = judged.unknowns.length === 0 ? [] : judged.actions.filter(({ action }) => action.kind === "code" && action.foreign === true);
  for (const { verdict } of kept) if (verdict.decision !== "allow") lasting.push({ ...verdict, decision: "ask", basis: "protection" });
  const seen = judged.actions.flatMap(({ action, verdict }, at) => {
    if (verdict.decision === "allow" || verdict.decision === "none" || (at > 0 && startsLater(action, verdict))) return [];
    const danger = dangerOf(verdict.builtin);
    const { seenInRun }: Partial<Danger> = danger === undefined ? {} : DANGERS[danger];
    if (seenInRun === true) return [];
    // What happens elsewhere nobody sees, and nothing takes back.
    if (ofAgent && !helps && action.kind === "remote" && action.operation !== "read" && action.service !== DATABASE_FILE) return [verdict];
    const written = verdict.basis === "floor" || verdict.basis === "rule" || verdict.basis === "grant";
    if (action.kind === "file" || action.kind === "net")
      return verdict.decision === "deny" && danger !== undefined && action.dangers !== undefined ? [verdict] : [];
    if (written || verdict.basis === "protection") return [verdict];
    return strict && action.kind === "exec" ? [verdict] : [];
  });
  return [...lasting, ...seen];
}

/**
 * What a command goes on to start is judged with its real words when it starts. Where these are not known yet, nothing is
 * refused before; nor is an `assent run`, which then joins this run.
 */
function startsLater(action: Action, { builtin }: Verdict): boolean {
  if (action.kind !== "exec" || action.builtin === true) return false;
  return builtin === "floor.command" || action.argv.some(({ known }) => !known);
}

/** Of these, those that a rule or an answer of the person's allows by the command's words. */
function hostsRuled({ actions }: RequestVerdict): readonly KnownHost[] {
  return actions.flatMap(({ action, verdict }) =>
    action.kind === "net" &&
    action.host !== undefined &&
    action.operation !== "listen" &&
    verdict.decision === "allow" &&
    (verdict.basis === "rule" || verdict.basis === "grant")
      ? [{ host: action.host, port: action.port }]
      : [],
  );
}

/** The hosts that a command names: whoever typed it has been asked already. Not what it writes: only the policy opens a place. */
function hostsNamed({ actions }: RequestVerdict): readonly KnownHost[] {
  return actions.flatMap(({ action, verdict }) => {
    if (verdict.decision === "deny" || isMeantQuestion(verdict)) return [];
    return action.kind === "net" && action.host !== undefined && action.operation !== "listen"
      ? [{ host: action.host, port: action.port }]
      : [];
  });
}
