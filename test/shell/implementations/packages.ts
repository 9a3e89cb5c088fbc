import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { allEntries } from "@assent/core/shell/knowledge";

/** Programs of one name that Debian packages, unpacked beside the system's: nothing is installed. */

export interface Implementation {
  readonly name: string;
  /** Links by the names that the tables know, to its program. */
  readonly folder: string;
  readonly programs: readonly string[];
}

interface Packaged {
  readonly name: string;
  readonly package: string;
  /** Its program, from the root of the package, and the names that it stands for: a list, or its words that print one. */
  readonly programs: Readonly<Record<string, string | { readonly printedBy: string }>>;
}

const PACKAGED: readonly Packaged[] = [
  { name: "uutils", package: "rust-coreutils", programs: { "usr/bin/coreutils": { printedBy: "--help" } } },
  { name: "busybox", package: "busybox", programs: { "bin/busybox": { printedBy: "--list" } } },
  { name: "toybox", package: "toybox", programs: { "bin/toybox": { printedBy: "" } } },
  { name: "bfs", package: "bfs", programs: { "usr/bin/bfs": "find" } },
  { name: "libarchive", package: "libarchive-tools", programs: { "usr/bin/bsdtar": "tar", "usr/bin/bsdcpio": "cpio" } },
  { name: "mawk", package: "mawk", programs: { "usr/bin/mawk": "awk" } },
  { name: "original-awk", package: "original-awk", programs: { "usr/bin/original-awk": "awk" } },
  { name: "gawk", package: "gawk", programs: { "usr/bin/gawk": "awk" } },
  { name: "ugrep", package: "ugrep", programs: { "usr/bin/ugrep": "grep egrep fgrep zgrep zegrep zfgrep" } },
  { name: "gojq", package: "gojq", programs: { "usr/bin/gojq": "jq" } },
  { name: "coreutils", package: "coreutils", programs: { "bin/": "", "usr/bin/": "" } },
  { name: "findutils", package: "findutils", programs: { "usr/bin/": "" } },
  { name: "grep", package: "grep", programs: { "bin/": "" } },
  { name: "sed", package: "sed", programs: { "bin/": "" } },
  { name: "tar", package: "tar", programs: { "bin/": "" } },
  { name: "gzip", package: "gzip", programs: { "bin/": "" } },
  { name: "diffutils", package: "diffutils", programs: { "usr/bin/": "" } },
  { name: "bsdutils", package: "bsdutils", programs: { "usr/bin/": "" } },
  { name: "bsdextrautils", package: "bsdextrautils", programs: { "usr/bin/": "" } },
  { name: "moreutils", package: "moreutils", programs: { "usr/bin/": "" } },
  { name: "ed", package: "ed", programs: { "bin/": "" } },
  { name: "procps", package: "procps", programs: { "bin/": "", "usr/bin/": "" } },
  { name: "9base", package: "9base", programs: { "usr/lib/plan9/bin/": "" } },
];

/** Those that are unpacked below `cache`; with `fetch`, the others are fetched first where apt has them. */
export function implementations(cache: string, fetch: boolean): readonly Implementation[] {
  const known = new Set(allEntries().flatMap(({ names }) => names.split(" ")));
  return PACKAGED.flatMap(({ name, package: debian, programs }) => {
    const root = join(cache, debian);
    if (fetch && !existsSync(root)) unpack(debian, root);
    if (!existsSync(root)) return [];
    const folder = join(cache, "names", name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const linked = Object.entries(programs).flatMap(([at, names]) =>
      at.endsWith("/")
        ? filesIn(join(root, at)).map((one) => [one, join(root, at, one)] as const)
        : namesOf(join(root, at), names).map((one) => [one, join(root, at)] as const),
    );
    // tools/verify starts its namespaces by this one, as util-linux has it.
    const kept = [...new Map(linked.filter(([one, program]) => known.has(one) && one !== "unshare" && !isScript(program)))];
    for (const [one, program] of kept) symlinkSync(program, join(folder, one));
    return [{ name, folder, programs: kept.map(([one]) => one) }];
  });
}

/** An interpreter reads it from below `cache`, and some start programs that are tried by themselves: egrep(1), red(1). */
const isScript = (program: string): boolean =>
  statSync(program, { throwIfNoEntry: false })?.isFile() === true && readFileSync(program).subarray(0, 2).toString() === "#!";

const filesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

function namesOf(program: string, names: string | { readonly printedBy: string }): readonly string[] {
  if (typeof names === "string") return names.split(" ");
  const { stdout } = spawnSync(program, names.printedBy.split(" ").filter(Boolean), { encoding: "utf8" });
  // uutils tells its names at the end of its help, with commas.
  return (/Currently defined functions:([\s\S]*)/.exec(stdout)?.[1] ?? stdout).split(/[\s,]+/).filter(Boolean);
}

function unpack(debian: string, root: string): void {
  const making = `${root}.new`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  try {
    execFileSync("apt-get", ["download", "-qq", debian], { cwd: making, stdio: ["ignore", "ignore", "ignore"] });
    const [archive = ""] = readdirSync(making).filter((file) => file.endsWith(".deb"));
    execFileSync("dpkg-deb", ["-x", archive, "."], { cwd: making, stdio: "ignore" });
    renameSync(making, root);
  } catch {
    rmSync(making, { recursive: true, force: true });
  }
}
