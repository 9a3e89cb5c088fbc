import { applyEffect } from "../effects.ts";
import { emitFile, emitTarget, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { targetsOf } from "../paths.ts";
import { literal, textOf, type Value } from "../value.ts";
import { kubectlOutput } from "./containers.ts";
import { has, valuesOf } from "./given.ts";

/** terraform fmt -help: files are rewritten unless -check or -write=false, whatever else is shown. */
export function terraformFmt(inv: Invocation): void {
  const last = valuesOf(inv, "-write").map(textOf).at(-1);
  const reads = has(inv, "-check") || last === "false";
  const operands = inv.args.operands.length > 0 ? inv.args.operands : [literal(".")];
  for (const value of operands) if (textOf(value) !== "-") emitFile(inv, reads ? "read" : "write", value, true);
}

/** kubectl-annotate(1), kubectl-label(1): `KEY=VALUE` sets and `KEY-` removes, --list or not. */
export function kubectlList(inv: Invocation): void {
  const looks = has(inv, "--list") && inv.args.operands.every((value) => /^[^=]*[^=-]$/.test(textOf(value) ?? "="));
  applyEffect(inv, { is: "remote", operation: looks ? "read" : "change", service: "kubernetes" });
  kubectlOutput(inv);
}

/** go help clean: -n prints the remove commands but does not run them. */
export function goClean(inv: Invocation): void {
  const { options } = inv.args;
  if (options.some(({ option, value }) => option?.names.includes("-n") === true && value === undefined)) return;
  for (const [name, path] of [
    ["-cache", "~/.cache/go-build"],
    ["-fuzzcache", "~/.cache/go-build"],
    ["-modcache", "~/go/pkg/mod"],
  ] as const)
    if (has(inv, name)) applyEffect(inv, { is: "file", operation: "delete", path, tree: false });
  applyEffect(inv, { is: "file", operation: "delete", path: ".", tree: false });
}

/**
 * sort(1) -T: files named `sort` and six letters are made there and removed again, never one that exists. In a temporary
 * folder, and in the project but for places where a new name has a meaning, that is what sort does for itself.
 */
export function sortTemp(inv: Invocation): void {
  const { world } = inv.cx;
  for (const value of valuesOf(inv, "-T"))
    for (const target of targetsOf(value, inv.places)) {
      if (target.kind !== "path") {
        emitTarget(inv, "write", target);
        continue;
      }
      const folder = world.canonical(target.path);
      const within = (root: string): boolean => folder === root || folder.startsWith(`${root}/`);
      const own = [...world.temp.map((path) => world.canonical(path)), world.canonical(world.projectRoot)].some(within);
      inv.cx.add({
        kind: "file",
        operation: "write",
        target: { kind: "glob", pattern: `${folder === "/" ? "" : folder}/sort??????` },
        origin: { by: "command", exec: inv.exec },
        ...(own && !/\/\.[^/]/.test(folder) ? { upkeep: true } : {}),
      });
    }
}

/**
 * yq of mikefarah: `eval` and `eval-all` come before the expression, and a lone operand that is a file is read. To the yq
 * that hands its words to jq these are filters that do not exist, or read nothing.
 */
export function yq(inv: Invocation): void {
  const [first, ...others] = inv.args.operands;
  const named = first !== undefined && ["eval", "e", "eval-all", "ea"].includes(textOf(first) ?? "");
  const [filter, ...rest] = named ? others : inv.args.operands;
  if (filter === undefined) return;
  const operation = has(inv, "--in-place") ? "edit" : "read";
  // `.a.yaml` is a filter.
  const isFile = named ? /^[\w-][\w./-]*$/ : /^[\w/-][\w./-]*\.(?:ya?ml|json)$/;
  const noFilter = has(inv, "--from-file") || (rest.length === 0 && isFile.test(textOf(filter) ?? ""));
  // A lone word that is the name of a file is read, whatever else it could mean.
  if (!noFilter && rest.length === 0 && exists(inv, filter)) applyKind(inv, { is: "file", operation, tree: false }, filter);
  if (!noFilter) applyKind(inv, { is: "yq" }, filter);
  for (const value of noFilter ? [filter, ...rest] : rest) applyKind(inv, { is: "file", operation, tree: false }, value);
}

/** xq of sibprogrammer takes a file where the other xq takes its filter: a lone word that is the name of one is read. */
export function loneFile(inv: Invocation): void {
  const [first, ...rest] = inv.args.operands;
  if (first !== undefined && rest.length === 0 && exists(inv, first)) emitFile(inv, "read", first);
}

/** nvram(8), sysctl(8): names show, `NAME=VALUE` sets; also `NAME:VALUE`, as FreeBSD's prints it. */
export function settings(inv: Invocation): void {
  if (inv.args.operands.every((value) => /^[\w./*-]+$/.test(textOf(value) ?? ""))) return;
  applyEffect(inv, { is: "system", area: "settings" });
  applyEffect(inv, { is: "danger", danger: "host-effect" });
}

/** Something that this word may name is there. */
export const exists = (inv: Invocation, value: Value): boolean =>
  targetsOf(value, inv.places).some((target) => target.kind === "path" && inv.cx.world.kind(target.path) !== "missing");
