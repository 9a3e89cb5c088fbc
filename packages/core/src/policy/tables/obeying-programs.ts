import { FOLLOWING } from "#knowledge/following";

const SHIM = /\/(?:shims|\.volta\/bin)\//;

/** A version manager starts another program of the name, as a file of the project says (asdf, mise, pyenv, rbenv, nodenv, volta). */
export const isShim = (resolved: string | undefined): boolean => resolved !== undefined && SHIM.test(resolved);

/** Of `python3.12`, `gcc-13`, `proxychains4`, `ansible-playbook`. */
const KIND = /(?<=^ansible)-.*|-?\d+(?:\.\d+)*$/;

/** The name by which the tables know what a program follows. */
export const followingName = (program: string): string => program.replace(KIND, "");

/** Whether a program is one of these, by its name with or without a version. */
export const isOneOf = (programs: ReadonlySet<string>, name: string): boolean => programs.has(name) || programs.has(followingName(name));

/** What rows of `with` say of a program. */
export const toldOf = (rows: readonly (readonly [program: string, value: string])[], name: string): string | undefined =>
  rows.find(([program]) => program === name)?.[1];

/**
 * Whether a known program's behaviour hangs on files of the project in ways that its arguments do not show: the key `follows` of the tables.
 * `engine/obeyed-files.ts` says when.
 */
export const obeysFiles = (program: string, resolved: string | undefined): boolean =>
  FOLLOWING.includes(` ${followingName(program)} `) || isShim(resolved);
