import { lstatSync } from "node:fs";
import { isWithin, joinPath } from "@assent/core/path";
import { FOREIGN, partsOfCommit, readCommit, whyMoreThanCommits } from "./commit.ts";
import { Git } from "./git.ts";
import { type ConsentKind, repositoryOf } from "./kind.ts";

export const folder: ConsentKind<"folder"> = {
  name: "folder",
  wants(asked) {
    const { action, exec, at, world, machine } = asked;
    const read = action.kind !== "exec" || exec.dangers?.includes(FOREIGN) !== true ? undefined : readCommit(asked);
    if (read === undefined || "why" in read) return read;
    const [own, there] = [repositoryOf({ exec: { ...exec, folders: [world.cwd] }, world }), repositoryOf(asked)];
    if (own === undefined || there === undefined || there.common !== joinPath(there.top, ".git"))
      return { why: "it is not known in which repository it works" };
    if (isWithin(world.canonical(machine.home), there.top)) return { why: "it is the repository of your home folder" };
    const why = whyMoreThanCommits(new Git(exec, there.top, machine), there.top);
    if (why !== undefined) return { why };
    const object = [there.top, there.common].map(objectAt).join(" ");
    return {
      entry: { consent: "folder", root: own.root, folder: there.top, object },
      answersDanger: true,
      covers: partsOfCommit(asked, at, there.common),
      whyNot: (given) =>
        given.folder !== there.top
          ? "it is another folder"
          : given.object === object
            ? undefined
            : "another folder lies there now than the one you said yes to",
    };
  },
  sentence: ({ folder: path }) => `read and commit in ${path}, too? No push from there; its secrets stay closed.`,
};

/** What a rename, a link or a mount puts in its place is another, and so is what is made anew, whose number may be the same. */
function objectAt(path: string): string {
  const { dev, ino, birthtimeNs } = lstatSync(path, { bigint: true });
  return `${dev}:${ino}:${birthtimeNs}`;
}
