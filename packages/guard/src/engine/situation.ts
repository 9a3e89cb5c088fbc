import type { Lowered, World } from "@assent/core/action";
import { joinPath, parentOf } from "@assent/core/path";
import {
  floorPaths,
  judge,
  type JudgeContext,
  type Policy,
  policyFor,
  type RequestVerdict,
  underBroken,
  USER_REGISTRATIONS,
  type Who,
} from "@assent/core/policy";
import { dangersOf } from "@assent/core/request";
import { type Machine, paneFlags } from "../state/index.ts";
import { compiledPolicy, type PolicyReader } from "./compiled-policy.ts";
import { explicitFiles, findPolicyFiles, POLICY_NAME, type PolicySource } from "./policy-files.ts";
import { looksAtPlain, whyKeepsSandbox, whyUnseen } from "./obeyed-files.ts";

/**
 * Where something is judged, as data. The hook, the library, a supervised run, the gateway and the commands that only look
 * differ in this and in nothing else until there is a verdict.
 */
export interface Situation {
  readonly machine: Machine;
  /** Understands policy files; called only when one has changed. */
  readonly reader: () => PolicyReader;
  /** Folders of Assent's own program: nothing an agent asks for may change them. */
  readonly own: readonly string[];
  /** `none`: no policy file of the machine counts. */
  readonly files?: "machine" | "none";
  /** Files of `--policy`: each adds a layer. */
  readonly policyFiles?: readonly string[];
  /** File of the profile, under supervision: one more layer. */
  readonly profile?: string | undefined;
  /** For those who only look: other files in place of the ones found. */
  readonly select?: (found: readonly PolicySource[]) => readonly PolicySource[];
  /** What a caller of the library makes of the files' policy: its own rules, its own mode. */
  readonly adapt?: (files: Policy) => Policy;
  /** Whom rules may be about; absent: nobody knows. */
  readonly who?: () => Who;
  /** Somebody else decides where nobody has an opinion: a host by its own approval flow. */
  readonly hostDecides?: boolean;
  /** What is done is really supervised. */
  readonly supervised?: boolean;
  /** What goes ahead can be started under a supervised run. */
  readonly confines?: boolean;
  /** `JudgeContext.refusable`. */
  readonly refusable?: boolean;
}

/** A situation and its policy: all that judging needs but what is judged. */
export interface Judging {
  readonly machine: Machine;
  readonly policy: Policy;
  readonly context: ContextDraft;
}

const NOBODY = (): Who => ({});

/** The policy files that speak about what is lowered, seen from the folder where the session started. */
export function findSources(
  { machine, files, policyFiles = [], profile, select }: Omit<Situation, "reader" | "own">,
  world: World,
  lowered: Lowered,
  sessionRoot: string,
): readonly PolicySource[] {
  const found =
    files === "none" ? [] : findPolicyFiles(machine, world, lowered, sessionRoot, explicitFiles(machine, policyFiles, world.cwd), profile);
  return select === undefined ? found : select(found);
}

/** What whoever asks for one decision knows of it, beside what is the same for all of them. */
type Told = Pick<Situation, "who" | "hostDecides" | "supervised" | "confines">;

/** `told`: given apart, so that no decision copies its situation. */
export function judgingBy(situation: Situation, world: World, sources: readonly PolicySource[], told: Told = situation): Judging {
  const { machine, reader, adapt } = situation;
  const { who = NOBODY } = told;
  const files = compiledPolicy(machine, sources, reader);
  const policy = policyFor(adapt === undefined ? files : adapt(files), who);
  return { machine, policy, context: judgeContext(situation, world, sources, told) };
}

/**
 * The verdict of the rules and the built-in knowledge, whoever asks. While a policy file is broken nothing is allowed.
 * INVARIANT: every verdict that is acted on comes from here or from `decide`, which asks for more before it.
 */
export function judgeBy(lowered: Lowered, { policy, context }: Pick<Judging, "policy" | "context">, judged = judge): RequestVerdict {
  return underBroken(judged(lowered, policy, context), policy);
}

/** Entries below home, each without its last `/`, and their first names. Made when first asked for. */
let registrations: readonly (readonly [first: string, entry: string])[] | undefined;

/** Settings of agents that are links, as those who keep them in a repository have them: where they really lie. */
function linkedRegistrations(world: World): readonly string[] {
  registrations ??= USER_REGISTRATIONS.map((entry) => [entry.split("/", 1)[0] ?? "", entry.replace(/\/$/, "")]);
  const real = world.canonical(world.home);
  const linked: string[] = [];
  for (const [first, entry] of registrations) {
    if (world.mayHold?.(world.home, first) === false) continue;
    const target = world.canonical(joinPath(world.home, entry));
    if (target !== joinPath(real, entry)) linked.push(target);
  }
  return linked;
}

/** What the program loads of other packages, by its name below `node_modules`. */
const PACKAGE = "@koromix";

/**
 * Everything that is loaded with the program in a folder: its package's own files, and each place in which Node looks for
 * what it imports, from there up (the first that is found counts, so those that do not exist are closed as well). In a clone also the
 * links of its own packages, through which a build might find others.
 */
function loadedWith(folder: string): readonly string[] {
  const root = parentOf(folder);
  const paths = [folder, `${root}/package.json`, `${root}/bin/assent.cjs`, `${root}/node_modules/@assent`];
  // Where it is installed as a package, the link by which its command is started lies beside.
  if (root.endsWith("/node_modules/assent")) paths.push(root, `${parentOf(root)}/.bin/assent`);
  for (let at = folder; ; at = parentOf(at)) {
    if (!at.endsWith("/node_modules")) paths.push(joinPath(at, `node_modules/${PACKAGE}`));
    if (at === "/") return paths;
  }
}

/** For the folders last asked about: they are the program's, the same at every call. */
let loaded: { readonly own: readonly string[]; readonly paths: readonly string[] } | undefined;

function loadedWithAll(own: readonly string[]): readonly string[] {
  if (loaded?.own !== own) loaded = { own, paths: [...new Set(own.flatMap(loadedWith))] };
  return loaded.paths;
}

/** A context to which whoever asked for it may add. */
export type ContextDraft = { -readonly [Key in keyof JudgeContext]: JudgeContext[Key] };

/** What judging needs to know besides the request and the policy. */
export function judgeContext(
  situation: Omit<Situation, "reader">,
  world: World,
  sources: readonly PolicySource[],
  told: Omit<Told, "who"> = situation,
): ContextDraft {
  const { machine, own, refusable = false } = situation;
  const { hostDecides = false, supervised = false, confines = false } = told;
  const floor = floorPaths(machine.home, machine.env["XDG_STATE_HOME"]);
  const files = (project: boolean): readonly string[] =>
    sources.filter(({ layer }) => (layer === "project") === project).map(({ file }) => file);
  let linked: readonly string[] | undefined;
  const written =
    machine.alone === true
      ? new Set([...floor.policies, machine.managedPolicy, ...floor.state, ...loadedWithAll(own), ...machine.temp])
      : undefined;
  const context: ContextDraft = {
    // Where links among these lead is not looked for there: nobody has named them.
    world: written === undefined ? world : { ...world, canonical: (path) => (written.has(path) ? path : world.canonical(path)) },
    host: hostDecides,
    floor: {
      // Only what changes something asks for these.
      get state() {
        return machine.account === undefined ? floor.state : [...floor.state, paneFlags(machine.account)];
      },
      get registrations() {
        return (linked ??= machine.alone === true ? [] : linkedRegistrations(world));
      },
      policies: [...new Set([...floor.policies, machine.managedPolicy, ...files(false).filter((file) => file.startsWith("/"))])],
      own: loadedWithAll(own),
      projectPolicies: [...new Set([joinPath(world.projectRoot, POLICY_NAME), ...files(true)])],
    },
    dangersOf,
    supervised,
    confines,
    refusable,
    looksAtPlain: (exec) => looksAtPlain(exec, world),
    unseen: (found: RequestVerdict) => whyUnseen(found, world, machine),
  };
  if (confines) context.sandboxes = (found) => whyKeepsSandbox(found, world, machine);
  return context;
}
