import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, emitTarget, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { targetsOf } from "../../words/paths.ts";
import { literal, textOf, type Value } from "../../words/value.ts";
import { kubectlOutput } from "./containers.ts";
import { has, valuesOf } from "../given.ts";

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

/** go help clean: -n prints the remove commands but does not run them. Measured with go 1.19: who names a cache alone empties that alone. */
export function goClean(inv: Invocation): void {
  const { options } = inv.args;
  if (options.some(({ option, value }) => option?.names.includes("-n") === true && value === undefined)) return;
  for (const [name, path] of [
    ["-cache", "~/.cache/go-build"],
    ["-fuzzcache", "~/.cache/go-build"],
    ["-modcache", "~/go/pkg/mod"],
  ] as const)
    if (has(inv, name)) applyEffect(inv, { is: "file", operation: "delete", path, tree: false });
  const onlyCaches = has(inv, "-cache", "-testcache", "-fuzzcache", "-modcache") && inv.args.operands.length === 0 && !has(inv, "-i", "-r");
  if (!onlyCaches) applyEffect(inv, { is: "file", operation: "delete", path: ".", tree: false });
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

/** prlimit(1), taskset(1), chrt(1), ionice(1): with a process alone they show it; a limit, a mask, a priority or a class changes it. */
export function processSettings(inv: Invocation): void {
  const { operands, options } = inv.args;
  const limits = inv.name === "prlimit";
  if (!has(inv, "--pid", "--pgid", "--uid")) return;
  const looks = options.every(
    ({ option, value }) => (limits && value === undefined) || option?.names.some((name) => CHOOSES.test(name)) === true,
  );
  if (!looks || operands.length > (/^(?:taskset|chrt)$/.test(inv.name) ? 1 : 0) || inv.words.some((word) => word.many))
    applyEffect(inv, { is: "process" });
}

/** Options of theirs that say whose settings are meant, or how they are shown. */
const CHOOSES = /^--(?:p(?:id|gid)|uid|all-tasks|cpu-list|output|noheadings|raw|verbose)$/;

/** apt-get(8): -s does nothing but tell. */
export function simulates(inv: Invocation): void {
  const exec = inv.cx.actions[inv.exec];
  const words = exec?.kind === "exec" ? exec.argv.map((word) => (word.known ? word.text : "--")) : [];
  const end = words.indexOf("--");
  if (words.slice(0, end < 0 ? undefined : end).some((word) => /^(?:--(?:simulate|dry-run|just-print|recon)|-[yV]*s[yV]*)$/.test(word)))
    return;
  applyEffect(inv, { is: "system", area: "packages" });
  applyEffect(inv, { is: "danger", danger: "host-effect" });
  applyEffect(inv, { is: "remote", operation: "read", service: "packages" });
}

/** service(8): `NAME status` only tells. A name with a slash would be a program elsewhere. */
export function serviceStatus(inv: Invocation): void {
  const [name, verb] = inv.args.operands.map((word) => textOf(word) ?? "/");
  if (verb === "status" && inv.args.options.length === 0 && inv.args.operands.length === 2 && /^\w[\w@.:-]*$/.test(name ?? "/")) return;
  applyEffect(inv, { is: "system", area: "services" });
  applyEffect(inv, { is: "danger", danger: "host-effect" });
}

/** aws s3 cp: from a bucket to standard output, and nothing else said. */
export function copiesOut(inv: Invocation): void {
  const [from = "", to, ...more] = inv.args.operands.map((word) => textOf(word) ?? "");
  const reads = from.startsWith("s3://") && to === "-" && more.length === 0;
  applyEffect(inv, { is: "remote", operation: reads ? "read" : "change", service: "aws" });
  if (!reads) for (const word of inv.args.operands) applyKind(inv, { is: "file", operation: "read", tree: false }, word);
  // The name of the object tells whether it holds secrets.
  else emitFile(inv, "read", literal(from.replace("s3:/", ".")));
}

/** npm-pack(1): it only tells what would be packed, and no script of the package runs. A word behind --dry-run may switch it off. */
export function npmPack(inv: Invocation): void {
  if (has(inv, "--dry-run") && has(inv, "--ignore-scripts") && inv.args.operands.length === 0) return;
  applyEffect(inv, { is: "code", source: "project", language: "project" });
  applyEffect(inv, { is: "file", operation: "write", path: ".", tree: false });
}

/** tesseract(1): `stdout` and `-` are standard output, anything else what its files are called. */
export function pictureText(inv: Invocation): void {
  const [, out, ...settings] = inv.args.operands;
  if (out !== undefined && !/^(?:-|stdout)$/.test(textOf(out) ?? "")) emitFile(inv, "write", out);
  // Others are files of settings, which may name a file to write (`debug_file`).
  for (const word of settings)
    if (!/^(?:txt|pdf|hocr|tsv|alto|quiet|digits|makebox)$/.test(textOf(word) ?? ""))
      doubt(inv, `${describe(word)} may name a file that tesseract writes`);
}

/** tcpdump(8): -r reads a file in place of the network; with -n, and a filter without names, it asks nobody. */
export function captureFile(inv: Invocation): void {
  const plain = inv.args.operands.every((word) => /^(?:[a-z]{1,9}|[\da-f.:/]+|[()<>=!&|[\]]+)$/.test(textOf(word) ?? "?"));
  // tshark(1), -r: nothing is captured. What it looks up by itself is said by settings of the user's own.
  if (inv.name === "tshark" && has(inv, "-r")) return;
  if (inv.name === "tcpdump" && plain && has(inv, "-r") && has(inv, "-n", "-nn")) return;
  applyEffect(inv, { is: "system", area: "network" });
}

/** redis-server: with settings on its line it is a server of the project's own; alone, with a file, or bound to others, one of the machine's. */
export function ownServer(inv: Invocation): void {
  const { options, operands } = inv.args;
  const known = options.length > 0 && operands.length === 0 && options.every(({ option }) => option !== undefined);
  const loopback = valuesOf(inv, "-bind").every((value) => /^(?:-?(?:127(?:\.\d+){3}|::1|localhost)(?: |$))+$/.test(textOf(value) ?? ""));
  if (!known || !loopback) applyEffect(inv, { is: "system", area: "services" });
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

/**
 * What a program starts that is not there, and would work in another system than this one: nothing of it happens to a file here. Only a
 * file of that name that somebody makes could do something, and where the line is sandboxed that is held to the policy, too.
 */
export function elsewhere({ cx, exec }: Invocation): void {
  const own = cx.actions[exec];
  if (own?.kind !== "exec" || !own.trusted || own.resolved !== undefined) return;
  for (const [at, action] of cx.actions.entries()) if (at > exec && action.kind === "file") cx.actions[at] = { ...action, absent: true };
}
