import { lstatSync, readlinkSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { type Action, type Call, type FileAction, type FileOperation, visible } from "@assent/core/action";
import { isWithin, parentOf } from "@assent/core/path";
import { stricterOf, type Verdict, verdictOf } from "@assent/core/policy";
import { isHookOfRepository } from "../judge/defaults.ts";
import { isInertConfig } from "../judge/git-config.ts";
import { type Caller, NOBODY } from "../judge/types.ts";
import type { RunJudge } from "../judge/run-judge.ts";
import { HOOKED } from "../judge/verdicts.ts";
import { pathBytes, pathText } from "../kernel/index.ts";
import type { TriedPlace } from "./folder.ts";
import type { TriedChange } from "./scan.ts";

/** A change, and what the policy says of it. */
export interface JudgedChange {
  readonly change: TriedChange;
  readonly actions: readonly [FileAction, ...FileAction[]];
  readonly verdict: Verdict;
}

const ALLOWED = verdictOf("allow", "run.default");

/** What a run did, by the same judge that would have been asked in the middle of a held one. */
export function judgeChanges(judge: RunJudge, changes: readonly TriedChange[], home: string, maker: Caller): readonly JudgedChange[] {
  const tree = new MergedTree(changes);
  const places = [...new Set(changes.map(({ place }) => place))];
  return changes.map((change) => {
    const actions = actionsOf(change);
    const { lower, path } = change;
    const subject = lower === undefined ? {} : { object: { path, identity: lower } };
    const said = judge.call(actions, maker, subject);
    // On disk the folder around it is no repository yet.
    const isNews = change.what !== "gone" && said.decision === "allow" && said.basis !== "rule" && said.basis !== "grant";
    const asked = isNews && isHookOfRepository(path, tree.has) ? HOOKED(path) : said;
    const judged = asked.builtin === "protect.git-config" && tree.isOfNewRepository(change) ? ALLOWED : asked;
    const link = change.text === undefined ? ALLOWED : judgeLink(judge, tree.resolve(path), { path, home, places, tree });
    return { change, actions, verdict: link === ALLOWED ? judged : stricterOf(judged, link) };
  });
}

function actionsOf({ what, kind, path, text, lower, upper }: TriedChange): readonly [FileAction, ...FileAction[]] {
  const action = (operation: FileOperation, call: Call): FileAction => ({
    kind: "file",
    operation,
    target: { kind: "path", path },
    origin: { by: "tool" },
    call,
  });
  const mode = ((upper?.mode ?? 0) & 0o7777).toString(8).padStart(4, "0");
  const chmod = action("metadata", { name: "chmod", args: [path, mode] });
  if (what === "gone") return [action("delete", { name: kind === "directory" ? "rmdir" : "delete", args: [path] })];
  if (what === "attributes") return [chmod];
  if (kind === "directory") return [action("mkdir", { name: "mkdir", args: [path] }), ...setId(chmod, upper?.mode)];
  if (text !== undefined)
    return [action("link", { name: "symlink", args: [text, path] }), ...(lower === undefined ? [] : [remove(action, path)])];
  const open: Call = { name: "open", args: [path, "write"] };
  const write = action("write", open);
  return lower === undefined ? [write, ...setId(chmod, upper?.mode)] : [write, action("edit", open), ...setId(chmod, upper?.mode)];
}

const remove = (action: (operation: FileOperation, call: Call) => FileAction, path: string): FileAction =>
  action("delete", { name: "delete", args: [path] });

const setId = (chmod: FileAction, mode = 0): readonly FileAction[] => ((mode & 0o6000) === 0 ? [] : [chmod]);

interface LinkPlace {
  readonly path: string;
  readonly home: string;
  readonly places: readonly TriedPlace[];
  readonly tree: MergedTree;
}

/** A link is what it leads to: whoever writes or reads by its name later does not see where that is. */
function judgeLink(judge: RunJudge, leads: string | undefined, { path, home, places, tree }: LinkPlace): Verdict {
  const said = (why: string): Verdict => verdictOf("ask", "run.outside", { reason: `the link ${visible(path)} ${why}` });
  if (leads === undefined) return said("leads round in a circle");
  const read: Action = { kind: "file", operation: "read", target: { kind: "path", path: leads }, origin: { by: "tool" } };
  const kind = tree.kindOf(leads);
  if (kind !== undefined) {
    const verdict = judge.call([read], NOBODY);
    if (verdict.decision !== "allow") return stricterOf(said(`would lead to ${visible(leads)}`), verdict);
  }
  if (places.some((place) => isWithin(leads, place.path))) return ALLOWED;
  if (kind === "file" && !isWithin(leads, home)) return ALLOWED;
  return said(`would lead outside, to ${visible(leads)}`);
}

/** Paths as they will be once a run is applied: its changes, and what is on disk below them. */
class MergedTree {
  readonly #changes = new Map<string, TriedChange>();

  constructor(changes: readonly TriedChange[]) {
    // What is made in the place of something comes after it is gone.
    for (const change of changes) this.#changes.set(change.path, change);
  }

  /** Where a path leads, each link on the way followed; undefined: nowhere, there are too many. */
  resolve(path: string): string | undefined {
    let rest = path.split("/").filter((part) => part !== "");
    let at = "/";
    for (let links = 0; rest.length > 0;) {
      const [part = "", ...more] = rest;
      rest = more;
      if (part === ".") continue;
      if (part === "..") {
        at = parentOf(at);
        continue;
      }
      const here = at === "/" ? `/${part}` : `${at}/${part}`;
      const text = this.#textOf(here);
      if (text === undefined) {
        at = here;
        continue;
      }
      if (++links > 40) return undefined;
      rest = [...text.split("/").filter((one) => one !== ""), ...rest];
      if (text.startsWith("/")) at = "/";
    }
    return at;
  }

  kindOf(path: string): "file" | "folder" | undefined {
    const change = this.#changes.get(path);
    if (change !== undefined && change.what !== "attributes")
      return change.what === "gone" ? undefined : change.kind === "directory" ? "folder" : "file";
    const stats = lstatSync(pathBytes(path), { throwIfNoEntry: false });
    return stats === undefined ? undefined : stats.isDirectory() ? "folder" : "file";
  }

  readonly has = (path: string): boolean => this.kindOf(path) !== undefined;

  /** Settings of a repository that is new as a whole, with nothing in them that git starts. */
  isOfNewRepository({ what, kind, path, inside, place, problem }: TriedChange): boolean {
    const folder = this.#changes.get(parentOf(path));
    if (what !== "made" || kind !== "file" || problem !== undefined || folder?.whole !== true || folder.lower !== undefined) return false;
    return isInertConfig(`${place.upper}/${inside}`);
  }

  #textOf(path: string): string | undefined {
    const change = this.#changes.get(path);
    if (change !== undefined && change.what !== "attributes") return change.what === "gone" ? undefined : change.text;
    return attempt(() => pathText(readlinkSync(pathBytes(path), { encoding: "buffer" })), undefined);
  }
}
