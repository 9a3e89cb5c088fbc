import { lstatSync } from "node:fs";
import { isSecretByName } from "@assent/core/policy";
import { isWithin, joinPath } from "@assent/core/path";
import { Git, isOff, whyConfiguredOtherwise, whyHooked } from "./git.ts";
import { type ConsentKind, literalWords, optionsOf, readWords, repositoryOf, whyNotPlain } from "./kind.ts";

/** git-add(1), git-commit(1): what names files, or says how much is printed. No amending, signing or editor. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  add: optionsOf({ all: "-A --all -u --update", printed: "-v --verbose" }),
  commit: optionsOf({ text: "-m --message -am", all: "-a --all", printed: "-q --quiet" }),
};
const FOREIGN = "foreign-repository";

export const folder: ConsentKind<"folder"> = {
  name: "folder",
  wants(asked) {
    const { action, exec, at, found, world, machine } = asked;
    const command = /^git (add|commit)$/.exec(exec.knowledge ?? "")?.[1];
    if (action.kind !== "exec" || command === undefined || exec.dangers?.includes(FOREIGN) !== true) return undefined;
    const words = literalWords(asked);
    const plain = whyNotPlain({ ...exec, dangers: exec.dangers.filter((id) => id !== FOREIGN) });
    if (words === undefined || plain !== undefined) return { why: plain ?? "what it commits is only known at run time" };
    const [own, there] = [repositoryOf({ exec: { ...exec, folders: [world.cwd] }, world }), repositoryOf(asked)];
    if (own === undefined || there === undefined || there.common !== joinPath(there.top, ".git"))
      return { why: "it is not known in which repository it works" };
    if (isWithin(world.canonical(machine.home), there.top)) return { why: "it is the repository of your home folder" };
    const read = readWords(words.slice(words.indexOf(command) + 1), OPTIONS[command] ?? {}, new Set(["text"]));
    const isCommit = command === "commit";
    if (read === undefined || read.operands.some((one) => isCommit || one.startsWith(":")) || read.options.has("text") !== isCommit)
      return { why: "only files are added and committed so: no amending, signing or other option" };
    const why = whyMoreThanCommits(new Git(exec, there.top, machine), there.top);
    if (why !== undefined) return { why };
    const object = [there.top, there.common].map(objectAt).join(" ");
    return {
      entry: { consent: "folder", root: own.root, folder: there.top, object },
      answersDanger: true,
      covers: found.actions.flatMap(({ action: one }, place) =>
        place === at ||
        (one.origin.by === "command" &&
          one.origin.exec === at &&
          ((one.kind === "file" && one.target.kind === "path" && one.target.path === there.common) ||
            (one.kind === "code" && one.source === "project" && one.foreign !== true)))
          ? [place]
          : [],
      ),
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

/** What git would start there, sign, or take along. */
function whyMoreThanCommits(git: Git, top: string): string | undefined {
  const why = whyConfiguredOtherwise(git, [[/^commit\.gpgsign$/, isOff]]) ?? whyHooked(git, top);
  if (why !== undefined) return why;
  const added = git.lines("ls-files", "-z", "--others", "--exclude-standard");
  // gitsubmodules(7): git starts itself in each of them, by the configuration that lies there.
  if (added.some((name) => name.endsWith("/")) || git.lines("ls-files", "-z", "-s").some((line) => line.startsWith("160000 ")))
    return "there are other repositories below";
  const secret = added.find((name) => isSecretByName(`/${name}`));
  return secret === undefined ? undefined : `it may take along ${secret}, which may hold a secret`;
}
