import { describe, expect, it } from "vitest";
import type { World } from "@assent/core/action";
import { findReached } from "../../packages/core/src/policy/targets.ts";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "./world.ts";

const P = "/home/u/p";
const FOLDERS = ["", "/src", "/private", "/private/deep", "/.hid"];
const FILES = ["/.env", "/src/.env", "/src/a.ts", "/private/x", "/private/deep/y", "/.hid/z", "/f.py"];
const files = {
  ...Object.fromEntries(FOLDERS.map((name) => [P + name, "directory" as const])),
  ...Object.fromEntries(FILES.map((name) => [P + name, "file" as const])),
};
const world = smallWorld({ files });
/** `src/link` leads to `private`, `src/named` to `.env`. */
const linked: World = smallWorld({
  files: { ...files, [`${P}/src/link`]: "directory", [`${P}/src/named`]: "file" },
  canonical: (path) => path.replace(`${P}/src/link`, `${P}/private`).replace(`${P}/src/named`, `${P}/.env`),
});

/** The files that a line may read, of those whose name is asked about. */
function read(line: string, here: World, shell: "bash" | "any" = "any"): string {
  const { actions } = lowerShell(line, { world: here, shell });
  const reads = actions.flatMap((action) => (action.kind === "file" && action.operation === "read" ? [action] : []));
  const reached = FILES.filter((name) =>
    reads.some((action) => {
      const { found, complete } = findReached(action, (path) => path === P + name || path === P + name.replace("/x", ""), here);
      return found !== undefined || !complete;
    }),
  );
  return reached.map((name) => name.slice(1)).join(" ");
}

const ALL = ".env src/.env src/a.ts private/x private/deep/y .hid/z f.py";
const VISIBLE = "src/a.ts private/x private/deep/y f.py";
const NO_ENV = "src/a.ts private/x private/deep/y .hid/z f.py";
const NO_PRIVATE = ".env src/.env src/a.ts .hid/z f.py";

// What each program left out was seen: GNU grep 3.8, find 4.9, tar 1.34 and bsdtar 3.6, rsync 3.2, zip 3.0, rg 13, ag 2.2, ack 3.6, fd 8.6,
// bfs, BusyBox 1.35.
describe("what a walk leaves out is not read", () => {
  it.each([
    ["grep -r --exclude=.env KEY .", NO_ENV],
    ["grep -r --exclude='.e*' KEY", NO_ENV],
    ["grep -r --exclude=*.env KEY .", NO_ENV],
    ["grep -r KEY . --exclude=.env --exclude-dir=private", "src/a.ts .hid/z f.py"],
    ["grep -rn --exclude-dir={private,.hid} KEY .", ".env src/.env src/a.ts f.py"],
    ["grep -r --include='*.env' --exclude=.env KEY .", ""],
    ["grep -r --exclude-dir=private --include='*.py' KEY .", "f.py"],
    ["egrep -R --exclude-dir=private KEY .", NO_PRIVATE],
    ["rg --hidden -g '!.env' KEY", NO_ENV],
    ["rg -uuu -g '!**/.env' KEY .", NO_ENV],
    ["rg --hidden -g '!private/' KEY", NO_PRIVATE],
    ["rg -g '!private' KEY", "src/a.ts f.py"],
    ["ag --hidden --ignore=.env --ignore-dir=private KEY", "src/a.ts .hid/z f.py"],
    ["ack --ignore-dir=private --ignore-file=is:.env KEY", "src/a.ts .hid/z f.py"],
    ["fd -H -E .env -E private -x cat", "src/a.ts .hid/z f.py"],
    ["fd -H -E private | xargs cat", NO_PRIVATE],
    ["diff -r -x .env -x private . /opt/b", "src/a.ts .hid/z f.py"],
    ["tar --exclude=.env -czf /tmp/a.tgz .", NO_ENV],
    ["tar czf /tmp/a.tgz --exclude='*.env' --exclude ./private .", "src/a.ts .hid/z f.py"],
    ["tar cf - --exclude=private/deep .", ".env src/.env src/a.ts private/x .hid/z f.py"],
    ["tar cf - --exclude=src/.env src", "src/a.ts"],
    ["tar cf - --exclude='private/*' .", NO_PRIVATE],
    ["rsync -a --exclude=.env --exclude='.hid' ./ /tmp/x/", VISIBLE],
    ["rsync -a --exclude=/private . host:/x", NO_PRIVATE],
    ["rsync -a --exclude=/p/private ../p host:/x", NO_PRIVATE],
    ["rsync -a --exclude=private/ ./ /tmp/x/", NO_PRIVATE],
    ["zip -r /tmp/a.zip . -x '*.env' -x 'private/*'", "src/a.ts .hid/z f.py"],
    ["zip -r /tmp/a.zip src -x 'src/.env'", "src/a.ts"],
    ["zip -r /tmp/a.zip src -x '*/.env'", "src/a.ts"],
    ["find . -type f -not -name .env -exec cat {} +", NO_ENV],
    ["find . -type f ! -name '*.env' ! -path './private/*' | xargs cat", "src/a.ts .hid/z f.py"],
    ["find src private -type f -not -name .env -print0 | xargs -0 cat", "src/a.ts private/x private/deep/y"],
    ["find . -name private -prune -o -type f -exec cat {} +", NO_PRIVATE],
    ["find . -type d -name private -prune -o -type f -print | xargs cat", NO_PRIVATE],
    ["find . -name private -type d -prune -o -type f -print | xargs cat", NO_PRIVATE],
    ["find . '(' -name private -o -name .env ')' -prune -o -type f -exec cat {} ';'", "src/a.ts .hid/z f.py"],
    ["find . -path ./private -prune -o -path ./.hid -prune -o -type f -exec cat {} +", ".env src/.env src/a.ts f.py"],
    ["find . ! '(' -name .env -o -path '*/private/*' ')' -type f -exec cat {} +", "src/a.ts .hid/z f.py"],
    ["find . -name .env -o -type f -exec cat {} +", NO_ENV],
    ["find . -depth -not -path './private/*' -type f -exec cat {} +", NO_PRIVATE],
    ["find -L . -name private -prune -o -type f -exec cat {} +", NO_PRIVATE],
  ])("%s: %s", (line, expected) => expect(read(line, world)).toBe(expected));
});

describe("what only seems to be left out is read", () => {
  it.each([
    // Folders are no files, and files no folders.
    ["grep -r --exclude=private KEY .", ALL],
    ["grep -r --exclude-dir=.env KEY .", ALL],
    ["rg --hidden -g '!.env/' KEY .", ALL],
    ["fd -H -E .env/ -x cat", ALL],
    ["rsync -a --exclude=.env/ ./ /tmp/x/", ALL],
    // The last one counts (grep), or the first (rsync), or a list's own (rg).
    ["grep -r --exclude=.env --include='*' KEY .", ALL],
    ["grep -r --exclude=foo --include='*.py' KEY .", ALL],
    ["grep -r --exclude-from=f.py --include='*.py' KEY .", ALL],
    ["rsync -a --include=.env --exclude=.env ./ /tmp/x/", ALL],
    ["rsync -a --exclude=.env --exclude='!' ./ /tmp/x/", ALL],
    ["rsync -aC --exclude=.env ./ /tmp/x/", ALL],
    ["rsync -aR --exclude=/private ./ /tmp/x/", ALL],
    ["rsync -a --exclude=/private ../p /tmp/x/", ALL],
    ["rg --hidden -g '!.env' -g '.env' KEY", ".env src/.env"],
    ["rg --hidden -g '#x' KEY", ALL],
    ["rg --hidden -g '*.ts ' KEY", ALL],
    ["rg --hidden -g '!.env' --ignore-file f.py KEY .", ALL],
    ["ag -u --ignore=.env KEY", ALL],
    ["ag --hidden -t --ignore=.env KEY", ALL],
    ["ack --ignore-dir='pri*' KEY", ALL],
    ["ack --ignore-file=.env KEY", ALL],
    // GNU tar takes it for what stands behind it.
    ["tar cf - . --exclude=.env", ALL],
    ["tar cf - --anchored --exclude=.env .", ALL],
    ["tar cf - --no-wildcards --exclude='*.env' .", ALL],
    ["tar cf - --exclude=./private src/../private", "private/x private/deep/y"],
    ["tar cf - --exclude=./private src private", "src/.env src/a.ts private/x private/deep/y"],
    ["zip -r /tmp/a.zip . -x private", ALL],
    ["zip -r /tmp/a.zip . -x .env", ALL.replace(".env ", "")],
    ["zip -rj /tmp/a.zip . -x 'private/*'", ALL],
    // Patterns that may match less than they seem to, and words that another thing may have become.
    ["grep -r --exclude='.en[v]' KEY .", ALL],
    ["grep -r --exclude='\\.env' KEY .", ALL],
    ['grep -r --exclude="$X" KEY .', ALL],
    ["grep -r --exclude *.env KEY .", ALL],
    ["grep -r --exclude=.ENV KEY .", ALL],
    ["grep -r --exclude=./.env KEY .", ALL],
    // An expression of find, and what it is handed on to.
    ["find . -not -name private -type f -exec cat {} +", ALL],
    ["find . -not -name .env -exec grep -r KEY {} +", ALL],
    ["find . -not -path './private/*' -exec grep -r KEY {} +", ALL],
    ["find . -name private -prune -o -exec grep -r KEY {} +", ALL],
    ["find . -type d -name private -prune -o -type d -exec grep -r KEY {} +", ALL],
    ["find . -name private -prune -o -print | xargs grep -r KEY", ALL],
    ["find . -name private -prune -o -type d -print0 | xargs -0 grep -r KEY", ALL],
    ["find private -name 'p*' -exec grep -r KEY {} +", "private/x private/deep/y"],
    ["find . ! ! -name .env -exec cat {} +", ".env src/.env"],
    ["find . -name .env -prune , -type f -exec cat {} +", ALL],
    ["find . -not -name .env -o -exec cat {} +", ALL],
    ["find . -name private -o -type f -exec cat {} +", ALL],
    ["find . -type f '(' -name private -prune -o -exec cat {} + ')'", ALL],
    ["find . -type d -o -name private -prune -o -type f -exec cat {} +", ALL],
    ["find . -name 'p*' -o -name private -prune -o -type f -exec cat {} +", ALL],
    ["find . -mindepth 2 -name private -prune -o -type f -exec cat {} +", ALL],
    ["find . -depth -name private -prune -o -type f -exec cat {} +", ALL],
    ["find . -name private -prune -o -type f -exec cat {} + -delete", ALL],
    ["find . -name private -empty -prune -o -type f -exec cat {} +", ALL],
    ["find . -name private -not -prune -o -type f -exec cat {} +", ALL],
    ["find . -iname private -prune -o -type f -exec cat {} +", ALL],
    ["find ./ -not -path './private/*' -type f -exec cat {} +", ALL],
    ["find $PWD -not -path './private/*' -type f -exec cat {} +", ALL],
    ["find . -not -path 'private/*' -type f -exec cat {} +", ALL],
    ["find . -not -name '.en[v]' -type f -exec cat {} +", ALL],
    ["find . -name .env -print -o -type f -exec cat {} +", ALL],
  ])("%s: %s", (line, expected) => expect(read(line, world)).toBe(expected));

  it.each([
    ["grep -R --exclude-dir=private KEY .", "private/deep/y"],
    ["rg -L -g '!private' KEY .", "private/deep/y"],
    ["find -L . -name private -prune -o -type f -exec cat {} +", "private/deep/y"],
    ["find . -type f -not -name .env -exec cat {} +", ".env"],
    ["grep -R --exclude=.env KEY .", ".env"],
  ])("by a link: %s comes to %s", (line, name) => expect(read(line, linked).split(" ")).toContain(name));

  it("by a name that the line makes itself", () => {
    const { unknowns } = lowerShell("touch -- --exclude=z.env; grep -r --exclude=*.env KEY .", { world, shell: "any" });
    expect(unknowns).not.toEqual([]);
  });
});
