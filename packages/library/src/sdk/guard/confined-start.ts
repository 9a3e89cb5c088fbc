/** What is started in the place of a command that goes ahead confined: once, within ten minutes, in the same folder. */
export interface ConfinedStart {
  /** A program and its arguments. It ends as the command would, and says on standard error what was refused. */
  readonly argv: readonly [program: string, ticket: string, command: string];
  /** The same as a line of shell. */
  readonly line: string;
}
