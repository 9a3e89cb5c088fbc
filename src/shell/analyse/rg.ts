import { emitFile, emitTarget, type Invocation } from "../invocation.ts";
import { resolvePath } from "../paths.ts";
import { holeOf, literal, textOf, type Value } from "../value.ts";
import { drops, has } from "./given.ts";

/** rg(1), ag(1): hidden names below a folder are skipped unless asked for; ack(1) reads them. */
export function rg(inv: Invocation): void {
  const { operands } = inv.args;
  const [pattern] = operands;
  const taken = drops(inv, "pattern") ? 0 : 1;
  const listed = has(inv, "--files") || (inv.name === "ag" && has(inv, "-g"));
  const operation = listed ? "list" : "read";
  const everything = readsHidden(inv);
  // An unquoted word may be the pattern and paths behind it.
  const paths = [...(taken === 1 && pattern?.many === true && holeOf(pattern) !== undefined ? [pattern] : []), ...operands.slice(taken)];
  for (const path of paths.length > 0 ? paths : [literal(".")]) {
    const text = textOf(path);
    if (text === "-") continue;
    if (text === undefined || everything) emitFile(inv, operation, path, true);
    else if (isFolder(inv, path)) {
      for (const place of inv.places) {
        if (place.is === "at") emitTarget(inv, operation, { kind: "glob", pattern: `${quoted(resolvePath(place.path, text))}/**/*` }, false, text);
        else emitFile(inv, operation, path, true);
      }
    } else emitFile(inv, operation, path, false);
  }
}

const quoted = (path: string): string => (path === "/" ? "" : path.replace(/[\\*?[\]{}]/g, "\\$&"));

function readsHidden(inv: Invocation): boolean {
  if (inv.name.startsWith("ack") || has(inv, "--hidden")) return true;
  const unrestricted = inv.args.options.filter((given) => given.option?.names.includes("--unrestricted") === true).length;
  if (inv.name === "ag") return unrestricted > 0;
  return unrestricted > 1 || (inv.cx.world.env("RIPGREP_CONFIG_PATH") ?? "") !== "";
}

const isFolder = (inv: Invocation, path: Value): boolean =>
  inv.places.some((place) => place.is !== "at" || inv.cx.world.kind(inv.cx.world.canonical(resolvePath(place.path, textOf(path) ?? ""))) !== "file");
