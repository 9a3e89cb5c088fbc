/** Options of `assent run`, as commander gives them (src/cli/program-run.ts). */
export interface RunFlags {
  readonly profile?: string;
  /** False with -P, --no-prompt. */
  readonly prompt: boolean;
  readonly logOnly?: boolean;
  readonly json?: boolean;
  readonly output?: string;
  readonly strace?: string;
  readonly learn?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly backgroundDir?: string;
  readonly backgroundWait?: string;
  /** Folder, number, action. */
  readonly backgroundRespond?: readonly string[];
  readonly backgroundPattern?: string;
  readonly skill?: boolean;
  readonly bestEffort?: boolean;
  readonly undo: boolean;
  readonly policy: readonly string[];
  readonly quiet?: boolean;
  readonly debug?: boolean;
  readonly clearRun?: boolean;
  readonly list?: boolean;
  readonly rules?: string;
  readonly clear?: string;
}

/** What contradicts itself, as commander cannot say it; undefined when nothing does. */
export function contradiction(flags: RunFlags): string | undefined {
  const { learn, dryRun, yes, json, output, logOnly, backgroundPattern, backgroundRespond } = flags;
  if ((dryRun === true || yes === true) && learn !== true) return `${dryRun === true ? "--dry-run" : "--yes"} goes with --learn`;
  if (output !== undefined && json !== true && logOnly !== true) return "--output goes with --log-only or --json";
  if (backgroundPattern !== undefined && backgroundRespond === undefined) return "--background-pattern goes with --background-respond";
  if (backgroundRespond !== undefined && backgroundRespond.length !== 3)
    return "--background-respond takes a folder, a number and an action";
  return undefined;
}
