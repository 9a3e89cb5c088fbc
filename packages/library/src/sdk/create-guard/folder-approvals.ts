import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode, removeFile, writeOnce } from "@assent/guard/state";
import { GuardOptionError } from "../common/options.ts";
import { type ApprovalStore, isListed, type PendingApproval, readPending } from "./approvals.ts";

const NAME = /^([\w-]{22})\.json$/;
const SECRET = "secret";
const SECRET_BYTES = 32;

/**
 * Questions that wait in a folder, a file each, for processes of one machine and one user. The folder is made where it is missing, and
 * nobody else may enter it.
 */
export function folderApprovals(folder: string): ApprovalStore {
  const wrong = (why: string): never => {
    throw new GuardOptionError("folder", `folderApprovals: ${why}`);
  };
  if (typeof folder !== "string" || folder === "") return wrong("the option `folder` must be a path");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = statSync(folder);
  if (process.getuid !== undefined && stats.uid !== process.getuid()) return wrong(`${folder} belongs to another user`);
  // It may be anybody's, `/tmp` for one: it is not ours to close.
  if ((stats.mode & 0o077) !== 0) return wrong(`others may enter ${folder}: take a folder of its own, or close it with chmod 700`);
  const place = (id: string): string => join(folder, `${id}.json`);
  const listed = (): readonly PendingApproval[] =>
    readdirSync(folder)
      .flatMap((name) => pendingIn(join(folder, name), NAME.exec(name)?.[1]) ?? [])
      .toSorted((a, b) => a.created - b.created);
  return {
    put: async (pending) => {
      const draft = join(folder, `${pending.id}.${randomBytes(4).toString("hex")}.new`);
      writeFileSync(draft, JSON.stringify(pending), { mode: 0o600, flag: "wx" });
      renameSync(draft, place(pending.id));
      return await Promise.resolve();
    },
    take: async (id) => {
      // Whoever moves it away has it: rename(2) is atomic.
      const own = join(folder, `${id}.${randomBytes(8).toString("hex")}.taken`);
      try {
        renameSync(place(id), own);
      } catch (error) {
        if (errorCode(error) === "ENOENT") return await Promise.resolve(undefined);
        throw error;
      }
      const found = pendingIn(own, id);
      unlinkSync(own);
      return found !== undefined && found.expires > Date.now() ? found : undefined;
    },
    list: async function* (of) {
      for (const pending of listed()) {
        if (pending.expires <= Date.now()) removeFile(place(pending.id));
        else if (isListed(pending, of)) yield await Promise.resolve(pending);
      }
    },
    secret: async () => await Promise.resolve(secretIn(folder)),
  };
}

function pendingIn(file: string, id: string | undefined): PendingApproval | undefined {
  try {
    const found = readPending(readFileSync(file, "utf8"));
    return found?.id === id ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Made by whoever is first. */
function secretIn(folder: string): Uint8Array {
  const file = join(folder, SECRET);
  if (!existsSync(file)) writeOnce(file, randomBytes(SECRET_BYTES));
  const secret = readFileSync(file);
  if (secret.length !== SECRET_BYTES) throw new GuardOptionError("folder", `folderApprovals: ${file} is damaged`);
  return secret;
}
