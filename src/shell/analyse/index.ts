import type { Invocation } from "../invocation.ts";
import { dd } from "./dd.ts";
import { find } from "./find.ts";
import { gitPush } from "./git-push.ts";
import { gitRemote } from "./git-remote.ts";
import { shell } from "./shell.ts";
import { xargs } from "./xargs.ts";

/** What a table cannot say about a command: runs after the table, sees every word. */
export type Analyser = (inv: Invocation) => void;

export const ANALYSERS: Readonly<Record<string, Analyser>> = { dd, find, "git-push": gitPush, "git-remote": gitRemote, shell, xargs };
