import type { NativePlace, Reader, Surroundings } from "./contract.ts";

/** A place of the user's, or of the machine; with `all`: the folder's files that end so. */
export const ofUser = (path: string, read: Reader, all?: string): NativePlace => ({
  path,
  read,
  scope: "user",
  ...(all === undefined ? {} : { all }),
});

export const inProject = ({ project }: Surroundings, read: Reader, ...paths: readonly string[]): readonly NativePlace[] =>
  project === undefined ? [] : paths.map((path) => ({ path: `${project}/${path}`, read, scope: "project" }));

export const inProjectFolder = (around: Surroundings, read: Reader, path: string, all: string): readonly NativePlace[] =>
  inProject(around, read, path).map((place) => ({ ...place, all }));

/** The folder that a variable names, where it is absolute. */
export const folder = (value: string | undefined, otherwise: string): string => (value?.startsWith("/") === true ? value : otherwise);
