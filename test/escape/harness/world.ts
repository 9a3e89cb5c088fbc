import { createHash } from "node:crypto";
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Who runs the supervisor: root with every right, or a user with none. */
export const USERS = { root: 0, user: 1000 } as const;
export type User = keyof typeof USERS;

/** What nobody may learn. */
export const SECRET = "hunter2-f00dfeed";

/** Where the folders of the world are seen from inside. */
export const INSIDE = { W: "/srv/W", O: "/srv/O", S: "/srv/home/S", T: "/srv/O/f", HOME: "/srv/home", LOG: "/srv/log" } as const;

/** `$W` and the like, filled in. */
export const fill = (text: string): string =>
  text.replace(/\$(HOME|LOG|W|O|S|T)(?![A-Za-z0-9_])/g, (_all, name: keyof typeof INSIDE) => INSIDE[name]);

/** One scratch world: what `/srv` is inside the namespaces of a test. */
export interface World {
  readonly root: string;
  /** The path outside of a path inside: `$O/f`. */
  readonly at: (path: string) => string;
}

/**
 * W: the writable working folder. O: readable, not writable, with `f` in it. S: not readable, with `key` in it.
 * All belong to the one who runs the supervisor, so that only Assent can refuse.
 */
export function makeWorld(): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-escape-")));
  const at = (path: string): string => join(root, fill(path).replace(/^\/srv/, ""));
  for (const folder of ["$W", "$O", "$O/d", "$O/empty", "$HOME", "$S", "$HOME/state", "$LOG"]) mkdirSync(at(folder));
  writeFileSync(at("$T"), "orig");
  writeFileSync(at("$O/d/g"), "other");
  writeFileSync(at("$S/key"), `${SECRET}\n`);
  writeFileSync(at("$W/f"), "mine");
  chmodSync(root, 0o755);
  return { root, at };
}

/** Everything in the world belongs to `user`. */
export function give(world: World, user: User): void {
  if (process.getuid?.() !== 0) return;
  walk(world.root, (path) => lchownSync(path, USERS[user], USERS[user]));
}

/** What a folder holds, one line an object: anything that a call could change shows. */
export function snapshot(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return ["it is not there"];
  const lines: string[] = [];
  walk(folder, (path) => {
    const stats = lstatSync(path, { bigint: true });
    const content = stats.isFile()
      ? createHash("sha1").update(readFileSync(path)).digest("hex").slice(0, 12)
      : stats.isSymbolicLink()
        ? readlinkSync(path)
        : "";
    const { mode, uid, gid, ino, nlink, mtimeNs, ctimeNs } = stats;
    const name = JSON.stringify(path.subarray(folder.length).toString("latin1"));
    lines.push(`${name} ${mode.toString(8)} ${uid}:${gid} inode ${ino} links ${nlink} changed ${mtimeNs} ${ctimeNs} ${content}`);
  });
  return lines;
}

/** Names are bytes: some are no UTF-8. */
function walk(folder: string, each: (path: Buffer) => void): void {
  const visit = (path: Buffer): void => {
    each(path);
    if (!lstatSync(path).isDirectory()) return;
    for (const child of readdirSync(path, { encoding: "buffer" }).sort(Buffer.compare))
      visit(Buffer.concat([path, Buffer.from("/"), child]));
  };
  visit(Buffer.from(folder));
}
