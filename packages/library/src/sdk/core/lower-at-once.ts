import type { Lowered } from "@assent/core/action";
import { lowerArgv as argvLowered, type LowerOptions, lowerShell as shellLowered } from "@assent/core/shell";
import { PartMissing, withoutWaiting } from "./parts.ts";

// As in `shell/`, for programs that have all parts: what is missing an error says, for nothing here can wait.

/**
 * Lowers a shell command line to the actions it would take, and to what could not be known. Never throws on input; throws where a part
 * of Assent is missing, which `loadParts` fetches.
 */
export function lowerShell(source: string, options: LowerOptions): Lowered {
  return atOnce(() => shellLowered(source, options));
}

/** Lowers one program call with known words, as a host that starts programs without a shell would. Throws as `lowerShell` does. */
export function lowerArgv(argv: readonly string[], options: LowerOptions): Lowered {
  return atOnce(() => argvLowered(argv, options));
}

function atOnce(lower: () => Lowered): Lowered {
  const { made, missing } = withoutWaiting(lower);
  if (made !== undefined && missing.size === 0) return made;
  throw new PartMissing(
    `parts of Assent are not there yet (${[...missing].join(", ")}): \`await loadParts()\` once, before the first command`,
  );
}
