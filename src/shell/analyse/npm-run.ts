import { describe, refuse, type Invocation } from "../invocation.ts";
import { prefixOf, textOf } from "../value.ts";

/** npm's own options that choose another project, another shell or what its programs load. */
const OWN = ["script-shell", "node-options", "userconfig", "globalconfig", "prefix", "shell", "workspace", "workspaces"];
const HARMLESS = new Set(["workspace", "workspaces"]);

/** npm-run(1): options in front of `--` are npm's, wherever they stand and however short they are written (nopt). */
export function npmRun(inv: Invocation): void {
  for (const word of inv.words) {
    if (textOf(word) === "--") return;
    const [, name = ""] = /^--?([a-z-]+)/.exec(prefixOf(word)) ?? [];
    const meant =
      name === "C" || prefixOf(word).startsWith("-C") ? "prefix" : name.length < 2 ? undefined : OWN.find((own) => own.startsWith(name));
    if (meant !== undefined && !HARMLESS.has(meant))
      refuse(inv, `${describe(word)} makes npm run something else than this project's script`, "leave it out, or put -- in front");
  }
}
