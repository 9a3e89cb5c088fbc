import { confineLauncher, shellPrefix } from "@assent/core/action";
import { type Machine, daemonFolder } from "@assent/guard/state";
import { besideProgram, CALLER, ensureLauncher, programWith, runWords, type WrittenLauncher } from "./confine-launcher.ts";
import type { LauncherArchitecture } from "./launcher.ts";
import { assigned, type Program, starts } from "./program.ts";

/** What hosts start in the place of commands, where they do: the files, below home. */
export const commandPrograms = (home: string): readonly string[] => [confineLauncher(home), shellPrefix(home, "claude")];

/**
 * What a host starts around every command, where it starts all of them through one program (`stubs/shell.c`): it asks what its hook said of
 * the command (`assent shell`), and becomes the shell that runs it as it is, or the run that sandboxes it.
 */
export function shellPrefixProgram(
  architecture: LauncherArchitecture,
  agent: string,
  program: Program,
  machine: Pick<Machine, "home" | "env">,
  better?: { readonly client: string; readonly front: string; readonly spare: string },
): Buffer {
  const bin = `${program.folder}/bin.cjs`;
  // The variables stand in the environment already: `env` changes nothing, where no judge that stays answers.
  const first = better === undefined ? [] : [better.client, `${daemonFolder(machine)}/`, "/usr/bin/env"];
  const lists = [
    [...assigned(machine), CALLER],
    [...first, program.node, bin, "shell", agent],
    [...runWords(program, machine, better ?? { front: undefined, spare: undefined }), "="],
  ];
  return programWith(architecture, program, "shell", lists);
}

export function ensureShellPrefix(agent: string, machine: Machine, program: Program): WrittenLauncher {
  const file = (name: "ask" | "front" | "spare"): string => besideProgram(program, machine, name);
  const better = { client: file("ask"), front: file("front"), spare: file("spare") };
  const made = (architecture: LauncherArchitecture, using?: typeof better): Buffer =>
    shellPrefixProgram(architecture, agent, program, machine, using);
  return ensureLauncher(machine, shellPrefix(machine.home, agent), (architecture) => made(architecture), {
    made: (architecture) => made(architecture, better),
    starts: () => Object.values(better).every((file) => starts(file)),
  });
}
