import { applyEffect } from "../effects.ts";
import { doubt, emitFile, type Invocation } from "../invocation.ts";
import { literal, textOf } from "../value.ts";
import { has, valuesOf } from "./given.ts";

/** javac(1) and its kin: without sources -version only prints; with some it compiles them all the same. */
export function javac(inv: Invocation): void {
  if (inv.args.operands.length === 0 && has(inv, "-version") && inv.args.options.length === 1) return;
  applyEffect(inv, { is: "code", source: "project", language: "project" });
  applyEffect(inv, { is: "file", operation: "write", path: ".", tree: false });
}

/** `cargo fmt -- --check`: what follows `--` is for rustfmt. */
export function cargoFmt(inv: Invocation): void {
  const words = inv.args.operands.map((word) => textOf(word));
  if (
    words.some(
      (word) => word === undefined || !/^(?:--check|-l|--files-with-diff|-q|--quiet|-v|--verbose|--color=\w+|--edition=\d+)$/.test(word),
    )
  )
    doubt(inv, "what follows -- is for rustfmt, and not known");
  if (!has(inv, "--check") && !words.includes("--check")) emitFile(inv, "write", literal("src"), true);
}

/** rustc --print KIND tells without a source; `KIND=FILE` writes. Anything else compiles. */
export function rustc(inv: Invocation): void {
  const told = valuesOf(inv, "--print").map((value) => textOf(value));
  const tells = told.every((kind) => /^(?:sysroot|target-list|target-cpus|target-features|target-libdir|host-tuple|cfg)$/.test(kind ?? ""));
  if (told.length > 0 && tells && inv.args.operands.length === 0) return;
  applyEffect(inv, { is: "code", source: "project", language: "project" });
  applyEffect(inv, { is: "file", operation: "write", path: ".", tree: false });
}
