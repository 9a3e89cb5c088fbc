import { visible } from "@assent/core/action";
import { copiedVersion, readInstalled } from "@assent/hosts/agents/install";
import { thisMachine } from "@assent/guard/state";
import { writeJson } from "./json.ts";
import { VERSION } from "./program-frame.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

/** `assent version`: of the command, and of what hooks run where that is another one. */
export function printVersion({ json }: { readonly json?: boolean }): void {
  const machine = thisMachine();
  const hooks = readInstalled(machine).length === 0 ? undefined : copiedVersion(machine);
  if (json === true) {
    writeJson({ version: VERSION, node: process.version, hooks: hooks ?? null });
    return;
  }
  writeStdout(`${VERSION}\n`);
  // Scripts read the version alone.
  if (hooks !== undefined && hooks !== VERSION) writeStderr(`hooks run ${visible(hooks)}: \`assent install\` brings them up to date\n`);
}
