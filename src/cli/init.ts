import { visible } from "../action/index.ts";
import { startPolicy } from "../policy-edit/index.ts";
import { JSON_VERSION } from "./json.ts";
import { complain, targetOf, type TargetOptions } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";

/** `assent init`: a commented policy to start from. Exit 1 when there is one already: nothing is ever overwritten. */
export function init(options: TargetOptions & { readonly json?: boolean }): number {
  const target = targetOf("init", options);
  if (target === undefined) return 2;
  const { place, starter, short } = target;
  const outcome = startPolicy(place, starter);
  if (outcome === "exists") complain("init", `${short(place.file)} is there already`, "`assent edit` opens it");
  else if (outcome !== "done") complain("init", `${short(place.file)}: ${visible(outcome.why)}`);
  if (outcome !== "done") return 1;
  if (options.json === true) writeStdout(`${JSON.stringify({ v: JSON_VERSION, file: place.file, created: true })}\n`);
  else writeStdout(`made ${short(place.file)}\n`);
  return 0;
}
