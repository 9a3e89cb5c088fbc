import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { bytesOf } from "./repository.ts";

/**
 * git takes an object for what its name says, and does not look again: a pack whose index gives other bytes for a name is read in
 * the place of the object that is there. So what a run made stays only while it is what it is called.
 */

/** Made of other objects, and made again by git: the graph of commits, the index over packs, bitmaps. */
const DERIVED = /\/(?:info\/(?:commit-graph|commit-graphs\/.+|packs|bloom.*)|pack\/(?:multi-pack-index.*|pack-[0-9a-f]+\.(?:bitmap|rev)))$/;
const LOOSE = /\/([0-9a-f]{2})\/([0-9a-f]{38}|[0-9a-f]{62})$/;
const PACK = /^(.*\/pack\/pack-([0-9a-f]{40}|[0-9a-f]{64}))\.\w+$/;
/** git-lfs(1): the name is the sum of the content. */
const LFS = /\/lfs\/objects\/[0-9a-f]{2}\/[0-9a-f]{2}\/([0-9a-f]{64})$/;

/** Larger ones are not read. */
const LARGEST = 256 << 20;
const INDEX_MS = 120_000;

/** What stands under the name of an object: the object, something else, or what can be made again. */
type Soundness = "sound" | "wrong" | "derived";

/** Looks at each pack once. */
export class ObjectCheck {
  readonly #packs = new Map<string, boolean>();

  /** The file at `path` lies in a folder of objects. What cannot be told is taken to be sound. */
  of(path: string): Soundness {
    if (DERIVED.test(path)) return "derived";
    const [, lfs] = LFS.exec(path) ?? [];
    if (lfs !== undefined) return isSum(bytesOf(path), lfs) ? "sound" : "wrong";
    const [, first, rest] = LOOSE.exec(path) ?? [];
    if (first !== undefined && rest !== undefined) return isLoose(bytesOf(path), first + rest) ? "sound" : "wrong";
    const [, pack, name] = PACK.exec(path) ?? [];
    if (pack === undefined || name === undefined) return "sound";
    let sound = this.#packs.get(pack);
    if (sound === undefined) this.#packs.set(pack, (sound = isIndexOf(pack, name.length === 64)));
    return sound ? "sound" : "wrong";
  }
}

const isSum = (bytes: Buffer | undefined, sum: string): boolean =>
  bytes === undefined || createHash("sha256").update(bytes).digest("hex") === sum;

/** gitformat-loose(5): `TYPE SIZE`, a NUL and the content, compressed. */
function isLoose(bytes: Buffer | undefined, name: string): boolean {
  if (bytes === undefined || bytes.length > LARGEST) return true;
  try {
    const plain = inflateSync(bytes, { maxOutputLength: LARGEST });
    return (
      createHash(name.length === 64 ? "sha256" : "sha1")
        .update(plain)
        .digest("hex") === name
    );
  } catch (error) {
    return error instanceof RangeError;
  }
}

/** What git itself makes of the pack: the index that is there says the same. */
function isIndexOf(pack: string, sha256: boolean): boolean {
  const index = bytesOf(`${pack}.idx`);
  const git = ["/usr/bin/git", "/usr/local/bin/git", "/run/current-system/sw/bin/git"].find((file) => existsSync(file));
  // Without an index no git reads the pack.
  if (index === undefined || git === undefined) return true;
  const folder = mkdtempSync(join(tmpdir(), "assent-pack-"));
  try {
    const made = join(folder, "made.idx");
    const args = ["index-pack", ...(sha256 ? ["--object-format=sha256"] : []), "-o", made, `${pack}.pack`];
    const env = { PATH: "/usr/bin:/bin", GIT_DIR: folder, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
    const { status, error } = spawnSync(git, args, { cwd: folder, env, stdio: "ignore", timeout: INDEX_MS });
    if (error !== undefined || status === null) return true;
    return status === 0 && readFileSync(made).equals(index);
  } catch {
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
