/** Analysis is asked for that this entry has not. */
export class CommandsNotUnderstood extends Error {
  override readonly name = "CommandsNotUnderstood";
}

/** In the place of the analysis of commands, where there is none. */
export function refuseCommands(): never {
  throw new CommandsNotUnderstood("commands are not looked into here: `assent/core` does");
}

/** In the place of what only happens where something can run confined. */
export function refuseRuns(): never {
  throw new Error("nothing runs sandboxed here");
}
