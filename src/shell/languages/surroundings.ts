/**
 * What is around a program when it runs: interpreters look modules up in the working directory before their own library.
 * Without it a reader cannot know that `import json` is Python's own, and says so. Paths are as the source writes them,
 * relative to the working directory of the program.
 */
export interface Surroundings {
  /** Names in a folder (`.` for the working directory), none when there is no such folder; undefined when it cannot be listed completely. */
  names(folder: string): readonly string[] | undefined;
  /** True when this path is a regular file. */
  isFile(path: string): boolean;
}
