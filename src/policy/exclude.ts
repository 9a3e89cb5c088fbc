import { type ExecAction, quote } from "../action/index.ts";
import { baseName } from "../path/index.ts";

/** How a program is told to leave a file out; the name is put behind, quoted. */
const EXCLUDE: Readonly<Record<string, string>> = {
  grep: "--exclude=",
  egrep: "--exclude=",
  fgrep: "--exclude=",
  tar: "--exclude=",
  rsync: "--exclude=",
  du: "--exclude=",
  diff: "--exclude=",
  tree: "-I ",
  zip: "-x ",
  find: "-not -name ",
  rg: "-g !",
  ag: "--ignore ",
  fd: "--exclude ",
  git: "-- . :!",
};

/** What to write so that a folder or pattern no longer reaches `found`. */
export function avoidHelp(found: string, exec: ExecAction | undefined): string {
  const option = exec === undefined ? undefined : EXCLUDE[exec.program];
  if (exec === undefined || option === undefined) return "name the files, or a folder that holds nothing protected";
  const name = baseName(found);
  const at = option.lastIndexOf(" ") + 1;
  const word = `${option.slice(at)}${name}`;
  return `leave it out: ${exec.program} ${option.slice(0, at)}${/^[\w./=-]+$/.test(word) ? word : quote(word)}`;
}
