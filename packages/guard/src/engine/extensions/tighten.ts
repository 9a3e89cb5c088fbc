import { lstatSync, readdirSync, statSync } from "node:fs";
import { brief } from "@assent/core/action";
import { joinPath } from "@assent/core/path";
import { isMeantQuestion, type RequestVerdict, verdictOf } from "@assent/core/policy";
import { errorCode, isOwn, type Machine } from "../../state/index.ts";
import type { Request } from "@assent/core/request";
import { askExtension, type ExtensionLimits, type ExtensionResult } from "./run.ts";
import type { ExtensionQuestion } from "./types.ts";

/** A file in the folder of extensions. */
export interface ExtensionFile {
  readonly name: string;
  readonly path: string;
  /** Why it is not run. */
  readonly problem?: string;
}

const ENDING = /\.(?:js|mjs|cjs|ts|mts)$/;
const DECLARATIONS = /\.d\.m?ts$/;
/** Each costs a process a request. */
const MOST = 16;

/** Whatever `XDG_CONFIG_HOME` says: a variable must not be able to shed them. */
export const extensionsFolder = ({ home }: Pick<Machine, "home">): string => joinPath(home, ".config/assent/extensions");

/** The user's extensions, by name. Where there is no folder, which is nearly everywhere, this is one look at it. */
export function findExtensions(machine: Machine): readonly ExtensionFile[] {
  const folder = extensionsFolder(machine);
  let names: readonly string[];
  try {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    const wrong = notOwn(folder, machine) ?? notOwn(folder.slice(0, folder.lastIndexOf("/")), machine);
    if (wrong !== undefined) return [{ name: "extensions", path: folder, problem: wrong }];
    names = readdirSync(folder)
      .filter((name) => ENDING.test(name) && !DECLARATIONS.test(name))
      .toSorted();
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return [];
    return [{ name: "extensions", path: folder, problem: `the folder cannot be read: ${errorCode(error)}` }];
  }
  if (names.length > MOST) return [{ name: "extensions", path: folder, problem: `there are more than ${MOST} of them` }];
  return names.map((name) => {
    const path = `${folder}/${name}`;
    const problem = notOwn(path, machine);
    return problem === undefined ? { name, path } : { name, path, problem };
  });
}

/** Code that runs as the user must be the user's. A link leads to where nothing protects it. */
function notOwn(path: string, { uid }: Machine): string | undefined {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return "it is a link: put the file itself there";
    return isOwn(stats, uid) ? undefined : "others could have written it: it must be yours, and writable for nobody else";
  } catch (error) {
    return `it cannot be looked at: ${errorCode(error)}`;
  }
}

const LONGEST_REASON = 500;

/**
 * The verdict, as the user's extensions leave it. INVARIANT: it is never looser than before; an extension that fails is a
 * question, and keeps none of the others from denying.
 */
export function tightenByExtensions(
  request: Request,
  verdict: RequestVerdict,
  projectRoot: string,
  machine: Machine,
  limits?: ExtensionLimits,
): RequestVerdict {
  // What a server's list of tools leaves out is no call.
  if (verdict.decision === "deny" || request.event === "tools/list") return verdict;
  let strictest = verdict;
  for (const file of findExtensions(machine)) {
    const result = resultOf(file, questionFor(request, verdict, projectRoot, machine), limits);
    if (result.is === "objection" && result.decision === "deny") return objection(verdict, file, result.decision, result.reason);
    if (result.is === "nothing" || isMeantQuestion(strictest)) continue;
    strictest = result.is === "objection" ? objection(verdict, file, "ask", result.reason) : failure(verdict, file, result.why);
  }
  return strictest;
}

function resultOf({ path, problem }: ExtensionFile, question: ExtensionQuestion, limits?: ExtensionLimits): ExtensionResult {
  return problem === undefined ? askExtension(path, question, limits) : { is: "failed", why: problem };
}

function questionFor(request: Request, verdict: RequestVerdict, projectRoot: string, machine: Machine): ExtensionQuestion {
  const { tool, input, cwd, sessionRoot, point, agent, subagent, session, event, mode } = request;
  const who = {
    ...(sessionRoot === undefined ? {} : { sessionRoot }),
    ...(subagent === undefined ? {} : { subagent }),
    ...(session === undefined ? {} : { session }),
    ...(event === undefined ? {} : { event }),
    ...(mode === undefined ? {} : { mode }),
  };
  return {
    version: 1,
    request: { tool, input, cwd, point, agent, ...who },
    actions: verdict.actions.map(({ action }) => action),
    unknowns: verdict.unknowns.map(({ unknown: { reason } }) => ({ reason })),
    verdict: { decision: verdict.decision, reason: verdict.reason },
    home: machine.home,
    projectRoot,
  };
}

function objection(
  { rule: _rule, untrusted: _untrusted, ...verdict }: RequestVerdict,
  { name }: ExtensionFile,
  decision: "ask" | "deny",
  reason: string,
): RequestVerdict {
  return {
    ...verdict,
    decision,
    basis: "protection",
    builtin: `extension.${brief(name)}`,
    reason: `your extension ${brief(name)}: ${brief(reason, LONGEST_REASON)}`,
    help: {
      person: "if you want this after all, run it yourself, or change the extension",
      model: decision === "ask" ? "ask the user to agree to it" : "do it another way, or ask the user",
    },
  };
}

function failure(
  { rule: _rule, untrusted: _untrusted, ...verdict }: RequestVerdict,
  { name, path }: ExtensionFile,
  why: string,
): RequestVerdict {
  return {
    ...verdict,
    ...verdictOf("ask", "failure.extension", {
      reason: `your extension ${brief(name)} gave no answer: ${brief(why, LONGEST_REASON)}`,
      help: {
        person: `correct or remove ${brief(path, LONGEST_REASON)}`,
        model: `ask the user to correct or remove ${brief(path, LONGEST_REASON)}`,
      },
    }),
  };
}
