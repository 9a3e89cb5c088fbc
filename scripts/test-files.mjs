// The files of tests, as git knows the clone. What is fetched into folders of tests has tests of its own and links that lead back here:
// a walk that follows them does not end.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Paths from the root, `/` between their parts, in no order. Throws where git is not there or `root` is no clone. */
export const testFiles = (root) =>
  execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.test.ts"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(root, file)));
