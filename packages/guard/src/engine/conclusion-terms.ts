import type { World } from "@assent/core/action";
import type { FloorPaths, JudgeContext } from "@assent/core/policy";

/** Questions that were put to a subject, with what it answered. */
export interface Answers<Subject> {
  /** In characters and questions. */
  readonly size: number;
  /** Puts them again: true when each answer is the same. */
  hold(subject: Subject): boolean;
}

type Asked<Whole, Key extends keyof Whole> = Readonly<Record<Key, boolean>>;

/** What of a world is no answer to a question, and which of the questions that some worlds leave out it can be asked. */
export type WorldTerms = Pick<World, (typeof TEXTS)[number] | "temp" | "programFolders"> & Asked<World, (typeof MAY_BE_ABSENT)[number]>;

const TEXTS = ["cwd", "home", "projectRoot", "foldsCase", "platform", "ownCommands"] as const satisfies readonly (keyof World)[];
const MAY_BE_ABSENT = ["changedSecrets", "gitShows", "text", "exhausted", "entries", "mayHold"] as const satisfies readonly (keyof World)[];

/** Its functions are not kept: they hold on to all that it has seen. */
export const worldTermsOf = (world: World): WorldTerms => ({
  ...plainOf(world),
  changedSecrets: world.changedSecrets !== undefined,
  gitShows: world.gitShows !== undefined,
  text: world.text !== undefined,
  exhausted: world.exhausted !== undefined,
  entries: world.entries !== undefined,
  mayHold: world.mayHold !== undefined,
});

/** What of a world is no answer to a question. */
export const plainOf = (of: World): Pick<World, (typeof TEXTS)[number] | "temp" | "programFolders"> => ({
  cwd: of.cwd,
  home: of.home,
  projectRoot: of.projectRoot,
  temp: of.temp,
  foldsCase: of.foldsCase,
  ...(of.programFolders === undefined ? {} : { programFolders: of.programFolders }),
  ...(of.platform === undefined ? {} : { platform: of.platform }),
  ...(of.ownCommands === undefined ? {} : { ownCommands: of.ownCommands }),
});

export function sameWorld(terms: WorldTerms, world: World): boolean {
  for (const key of TEXTS) if (terms[key] !== world[key]) return false;
  for (const key of MAY_BE_ABSENT) if (terms[key] !== (world[key] !== undefined)) return false;
  return sameList(terms.temp, world.temp) && sameList(terms.programFolders ?? [], world.programFolders ?? []);
}

/** The same of a context: what is asked of it only when judging wants to know is not among them. */
export type JudgeTerms = Pick<JudgeContext, (typeof SAME)[number]> &
  Asked<JudgeContext, (typeof ASKED)[number]> & { readonly world: WorldTerms; readonly floor: Pick<FloorPaths, (typeof LISTS)[number]> };

const SAME = [
  "host",
  "supervised",
  "dangersOf",
  "confines",
  "refusable",
  "grants",
  "consented",
  "matchCall",
] as const satisfies readonly (keyof JudgeContext)[];
const ASKED = [
  "failedBefore",
  "isOfSession",
  "isGone",
  "isMissing",
  "othersRun",
  "walls",
  "unseen",
  "looksAtPlain",
] as const satisfies readonly (keyof JudgeContext)[];
const LISTS = ["policies", "own", "projectPolicies"] as const satisfies readonly (keyof FloorPaths)[];

export function termsOf(context: JudgeContext): JudgeTerms {
  const { host, supervised, dangersOf, confines, refusable, grants, consented, matchCall } = context;
  const { failedBefore, isOfSession, isGone, isMissing, othersRun, walls, unseen, looksAtPlain } = context;
  const { policies, own, projectPolicies } = context.floor;
  return {
    world: worldTermsOf(context.world),
    host,
    supervised,
    dangersOf,
    confines,
    refusable,
    grants,
    consented,
    matchCall,
    failedBefore: failedBefore !== undefined,
    isOfSession: isOfSession !== undefined,
    isGone: isGone !== undefined,
    isMissing: isMissing !== undefined,
    othersRun: othersRun !== undefined,
    walls: walls !== undefined,
    unseen: unseen !== undefined,
    looksAtPlain: looksAtPlain !== undefined,
    floor: { policies, own, projectPolicies },
  };
}

export function sameTerms(terms: JudgeTerms, context: JudgeContext): boolean {
  for (const key of SAME) if (terms[key] !== context[key]) return false;
  for (const key of ASKED) if (terms[key] !== (context[key] !== undefined)) return false;
  for (const key of LISTS) if (!sameList(terms.floor[key], context.floor[key])) return false;
  return sameWorld(terms.world, context.world);
}

/** Lists of texts. */
export function sameList(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  for (let at = 0; at < b.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

/** Every member of a world and of a context is either a term or a question: a new one is an error here until it is one of them. */
type Rest<Whole, Known> = Exclude<keyof Whole, Known>;
type LookupsOfAll = "env" | "canonical" | "kind" | "lookup" | "trustedProgram" | "find" | "tracked" | "names";
type Nothing<T extends never> = T;
export type AllOfWorld = Nothing<
  Rest<World, (typeof TEXTS)[number] | (typeof MAY_BE_ABSENT)[number] | "temp" | "programFolders" | LookupsOfAll>
>;
export type AllOfContext = Nothing<Rest<JudgeContext, (typeof SAME)[number] | (typeof ASKED)[number] | "world" | "floor">>;
