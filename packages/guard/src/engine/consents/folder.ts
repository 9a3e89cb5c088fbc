import { lstatSync } from "node:fs";
import { isWithin, joinPath } from "@assent/core/path";
import { FOREIGN, isCommitting, partsOfCommit, readCommit, whyMoreThanCommits } from "./commit.ts";
import { Git } from "./git.ts";
import { type ConsentKind, repositoryOf } from "./kind.ts";

export const folder: ConsentKind<"folder"> = {
  name: "folder",
  answers: FOREIGN,
  isAbout: (asked) => asked.action.kind === "exec" && asked.exec.dangers?.includes(FOREIGN) === true && isCommitting(asked),
  wants(asked) {
    const { exec, at, world, machine, repository: there } = asked;
    const read = readCommit(asked);
    if ("why" in read) return read;
    const own = repositoryOf({ exec: { ...exec, folders: [world.cwd] }, world });
    if (own === undefined || there.common !== joinPath(there.top, ".git")) return { why: "it is not known in which repository it works" };
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
