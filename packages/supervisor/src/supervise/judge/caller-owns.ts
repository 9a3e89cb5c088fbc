import type { FileAction, World } from "@assent/core/action";
import { isWithin, joinPath } from "@assent/core/path";
import type { Verdict } from "@assent/core/policy";
import { isAtPlace } from "../services/read.ts";
import type { RunDefaults } from "./defaults.ts";
import { byGit, byGitAtHome, isCheckingOut } from "./git-config.ts";
import { asLink } from "./links.ts";
import { isNpmrcWithoutLogin, makesCopy, ownsCredential } from "./secrets.ts";
import type { Caller } from "./types.ts";
import { ALLOWED, pathOf, TOOL_SERVICE } from "./verdicts.ts";

interface Owning {
  /** As the kernel names it. */
  readonly home: string;
  readonly defaults: RunDefaults;
  readonly world: World;
}

/** What is said in place of a question or a protection, where the file is the calling program's own: its settings, login, cache. */
export function ownedBy(caller: Caller, verdict: Verdict, action: FileAction, owning: Owning): Verdict | undefined {
  return byProtection(caller, verdict, action, owning) ?? onToolService(caller, verdict, action, owning);
}

function byProtection(caller: Caller, verdict: Verdict, action: FileAction, { home, defaults }: Owning): Verdict | undefined {
  const path = pathOf(action);
  if (verdict.builtin === "danger.persistence") return byGitAtHome(action, path, home, caller.programs());
  if (verdict.builtin === "protect.git-config") return byGit(action, path, caller.programs(), defaults);
  if (verdict.builtin === "protect.steering") return isCheckingOut(caller.programs()) ? ALLOWED : undefined;
  if (verdict.builtin !== "protect.secrets") return undefined;
  // That of the home folder is a login's own place.
  const isProjects = path !== joinPath(home, ".npmrc") && defaults.isOwnPlace(path) && isNpmrcWithoutLogin(path, caller.programs());
  if ((action.operation === "read" && isProjects) || makesCopy(action, path, caller)) return ALLOWED;
  const trail = caller.trail();
  if (trail?.at === "connected" || !ownsCredential(caller.logins(), path, home)) return asLink(verdict, action, path);
  if (trail !== undefined) trail.at = "read";
  return TOOL_SERVICE;
}

function onToolService(caller: Caller, verdict: Verdict, action: FileAction, { home, defaults, world }: Owning): Verdict | undefined {
  const { operation } = action;
  const path = pathOf(action);
  const isDefault = verdict.decision === "ask" && verdict.basis === "default";
  // A package store may lie beside programs that a shell finds (`~/.local/share/pnpm`).
  if (!isDefault && verdict.builtin !== "danger.persistence" && verdict.builtin !== "run.programs") return undefined;
  if (isDefault && defaults.makesTree(operation, path, caller.programs(), world)) return ALLOWED;
  const { writes, own } = caller.toolService();
  if (!isDefault) return own.some((folder) => isAtPlace(path, folder) && folder !== path) ? TOOL_SERVICE : undefined;
  // In a fresh home the folders above its own (`~/.npm`, `~/.config`) are not there yet.
  const leadsTo = (folder: string): boolean => operation === "mkdir" && path.startsWith(`${home}/`) && isWithin(folder, path);
  const isOwn = (folder: string): boolean => isAtPlace(path, folder) || leadsTo(folder);
  return writes.some(isOwn) || caller.builds().some(isOwn) ? TOOL_SERVICE : undefined;
}
