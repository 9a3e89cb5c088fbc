import { resolvePath } from "../../path/index.ts";
import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { literal, textOf, type Value } from "../value.ts";
import { has } from "./given.ts";

/** git-checkout(1): switches branches, or takes files from a commit or the index and loses what was changed in them. */
export function gitCheckout(inv: Invocation): void {
  const dashes = inv.words.findIndex((word) => textOf(word) === "--");
  const after = dashes < 0 ? [] : inv.words.slice(dashes + 1);
  const before = inv.args.operands.slice(0, inv.args.operands.length - after.length);
  if (after.length > 0) {
    discard(inv, after);
    return;
  }
  // A branch is made: the operand is where it starts.
  if (dashes >= 0 || has(inv, "-b", "-B", "--orphan", "--detach", "--track")) return;
  const [first, ...rest] = before;
  if (first === undefined) {
    if (has(inv, "--pathspec-from-file")) inv.cx.addDanger(inv.exec, "history-rewrite");
    return;
  }
  if (rest.length > 0) discard(inv, isPath(inv, first) ? before : rest);
  else if (isPath(inv, first) || has(inv, "--ours", "--theirs")) discard(inv, [first]);
  else if (textOf(first) === undefined)
    refuse(inv, `${describe(first)} may name files whose changes would be lost`, "write the branch out, or put -- behind it");
}

/** git-restore(1): harmless to the files when only the index is restored. */
export function gitRestore(inv: Invocation): void {
  const staged = has(inv, "--staged") && !has(inv, "--no-staged");
  if (staged && !has(inv, "--worktree")) return;
  discard(inv, inv.args.operands);
}

/** A pathspec rather than a branch: `.`, a pattern, `:(magic)`, or a name that exists. */
function isPath(inv: Invocation, value: Value): boolean {
  const text = textOf(value);
  if (text === undefined) return false;
  if (/^\.{1,2}(\/|$)|^\/|[*?[\\]|^:|\/$/.test(text)) return true;
  return inv.places.some((place) => place.is !== "at" || inv.cx.world.kind(resolvePath(place.path, text)) !== "missing");
}

/** git-stash(1): what is stashed goes back to what the last commit says. */
export function gitStashed(inv: Invocation): void {
  replaced(inv, inv.args.operands);
}

function discard(inv: Invocation, paths: readonly Value[]): void {
  inv.cx.addDanger(inv.exec, "history-rewrite");
  replaced(inv, paths);
}

function replaced(inv: Invocation, paths: readonly Value[]): void {
  for (const path of paths) {
    const text = textOf(path);
    if (text === undefined) emitFile(inv, "write", path);
    else if (!/^:|[*?[\\]/.test(text)) named(inv, text);
    // Patterns are matched by git: what they surely mean is the folder they begin with.
    else named(inv, text.replace(/^:(?:\([^)]*\)|[/^!]*:?)/, "").replace(/(?:^|\/)[^/]*[*?[\\].*$/, ""));
  }
}

/** A folder that holds the repository is all of it: the danger says so. */
function named(inv: Invocation, text: string): void {
  if (text !== "" && !holdsProject(inv, text)) emitFile(inv, "write", literal(text), isFolder(inv, text));
}

const isFolder = (inv: Invocation, text: string): boolean =>
  inv.places.some((place) => place.is === "at" && inv.cx.world.kind(resolvePath(place.path, text)) === "directory");

const holdsProject = (inv: Invocation, text: string): boolean =>
  inv.places.some((place) => {
    if (place.is !== "at") return false;
    const path = resolvePath(place.path, text);
    return path === "/" || `${inv.cx.world.projectRoot}/`.startsWith(`${path}/`);
  });
