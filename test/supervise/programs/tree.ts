import { createHash } from "node:crypto";
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";

export interface Looking {
  /** Names that are not looked at. */
  readonly ignore?: RegExp | undefined;
  /** Names whose bytes hold times or chance, and are not compared. */
  readonly volatile?: RegExp | undefined;
}

/** What a folder holds, a line for each object: kind, mode, owner, hard links, size, bytes or link target. Times are not compared. */
export function tree(folder: string, { ignore, volatile }: Looking = {}): readonly string[] {
  const lines: string[] = [];
  /** Objects with several names, by the first of them. */
  const names = new Map<bigint, string>();
  const visit = (path: Buffer): void => {
    const name = path.subarray(folder.length).toString("latin1");
    if (ignore?.test(name) === true) return;
    const stats = lstatSync(path, { bigint: true });
    const first = names.get(stats.ino);
    names.set(stats.ino, first ?? name);
    const loose = volatile?.test(name) === true;
    const what = stats.isFile()
      ? loose
        ? "some bytes"
        : `${stats.size} bytes ${digest(path)}`
      : stats.isSymbolicLink()
        ? `-> ${readlinkSync(path, { encoding: "latin1" })}`
        : "";
    // Not how many names there are: what undo keeps is one.
    const links = first === undefined ? "" : ` is ${first}`;
    lines.push(`${JSON.stringify(name)} ${stats.mode.toString(8)} ${stats.uid}:${stats.gid}${links} ${what}`.trimEnd());
    if (!stats.isDirectory()) return;
    for (const child of readdirSync(path, { encoding: "buffer" }).sort(Buffer.compare))
      visit(Buffer.concat([path, Buffer.from("/"), child]));
  };
  visit(Buffer.from(folder));
  return lines;
}

function digest(path: Buffer): string {
  const hash = createHash("sha1");
  const fd = openSync(path, "r");
  const buffer = Buffer.alloc(1 << 20);
  for (let got = readSync(fd, buffer); got > 0; got = readSync(fd, buffer)) hash.update(buffer.subarray(0, got));
  closeSync(fd);
  return hash.digest("hex").slice(0, 12);
}
