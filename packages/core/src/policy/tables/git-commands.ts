import { DIALS, LEAVES, LINKS, LISTS, LOOKS, REMOVES, STAYS, WRITES } from "#knowledge/git";

/** What commands of git (`git worktree list`) do, as the key `does` of the tables says; a `*` ends a word. */
const among =
  (commands: readonly string[]) =>
  (command: string): boolean =>
    commands.some((one) => one === command || (one.endsWith("*") && command.startsWith(one.slice(0, -1)) && !/ .* /.test(command)));

export const gitLooks = /* @__PURE__ */ among(LOOKS);
export const gitLists = /* @__PURE__ */ among(LISTS);
export const gitWrites = /* @__PURE__ */ among(WRITES);
export const gitLinks = /* @__PURE__ */ among(LINKS);
export const gitRemoves = /* @__PURE__ */ among(REMOVES);
export const gitLeavesTree = /* @__PURE__ */ among(LEAVES);

/** It speaks to a remote, whatever stands behind it. */
export const gitDials = (command: string): boolean =>
  command === "git-lfs" || (DIALS.some((one) => command === one || command.startsWith(`${one} `)) && !STAYS.includes(command));
