import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { attempt } from "@assent/core/data";
import type { FileAction } from "@assent/core/action";
import { isBelow, isWithin, joinPath } from "@assent/core/path";
import { pathScopeOf, type Policy } from "@assent/core/policy";
import { POLICY_NAME } from "@assent/guard/engine";
import { NOBODY } from "../judge/types.ts";
import { Mounts } from "../judge/mounts.ts";
import { placesOfRules } from "../judge/objects.ts";
import { probe } from "../judge/moves.ts";
import type { RunJudge } from "../judge/run-judge.ts";
import { AT_FDCWD, pathBytes, pathText } from "../kernel/index.ts";
import { cTextAddress } from "../undo/safe.ts";
import { kindOf, type ObjectStat, statAt } from "../undo/index.ts";

/** This place, machine or policy needs a held run; `why` continues "cannot be tried: ". */
export class NotTried extends Error {}

export const statPath = (path: string): ObjectStat | number => statAt(AT_FDCWD, cTextAddress(path));
export const deviceOf = (stat: ObjectStat | number): string => (typeof stat === "number" ? "" : stat.id.slice(0, stat.id.lastIndexOf(":")));

const KINDS_OF_COMMANDS: ReadonlySet<string> = new Set(["bash", "shell", "option", "command"]);

const refusing = ({ rules, operations }: Policy): Policy["rules"] =>
  [...rules, ...operations.flatMap((block) => block.rules)].filter(({ effect }) => effect !== "allow");

/** Some rule is about what programs start while they run. */
export const hasRulesOfStarts = (policy: Policy): boolean => refusing(policy).some(({ matcher }) => KINDS_OF_COMMANDS.has(matcher.kind));

/** Rules about what is only seen while a program runs, and in a held run only. */
export function refuseRules(policy: Policy): void {
  for (const rule of refusing(policy)) {
    const { matcher, source } = rule;
    const said = `the rule \`${source.text}\``;
    if (matcher.kind === "call") throw new NotTried(`${said} is about system calls, and those of a tried command are not looked at`);
    const scope = pathScopeOf(matcher);
    const reads = scope?.operations.some((operation) => operation === "read" || operation === "list") === true;
    if (reads && (scope.pattern === undefined || placesOfRules({ rules: [rule] }, "~", []).includes("/")))
      throw new NotTried(`${said} closes files anywhere on this machine`);
  }
}

/** File systems whose folders can be neither layered nor trusted to say what changed. */
const UNFIT = /^(?:9p|fuse(?:\..*)?|nfs4?|cifs|smb3|vfat|exfat|ntfs3?|virtiofs|autofs)$/;

interface MountLine {
  readonly point: string;
  readonly type: string;
}

function mountLines(): readonly MountLine[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, , , , point, , ...rest] = line.split(" ");
      const type = rest[rest.indexOf("-") + 1];
      if (point === undefined || type === undefined) return [];
      return [{ point: point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))), type }];
    });
}

/** Folders that get layers: the project, those for temporary files, and `more` as far as they can; what lies in another of them is in its layers. */
export function findPlaces(judge: RunJudge, temp: readonly string[], cwd: string, more: readonly string[]): readonly string[] {
  const { work } = judge.ground;
  if (work.length === 0) throw new NotTried(`${cwd} is nobody's project`);
  const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const needed = [...work, ...temp.filter(isFolder)];
  const all = [...new Set([...needed, ...more.filter((path) => !needed.some((other) => isWithin(other, path)))])];
  const places = all.filter((path) => path !== "/dev/shm" && !all.some((other) => isBelow(path, other))).sort();
  const mounts = mountLines();
  const whyNot = (path: string): string | undefined => {
    const inside = mounts.find(({ point }) => isBelow(point, path));
    if (inside !== undefined) return `${inside.point} is mounted inside ${path}`;
    const on = mounts
      .filter(({ point }) => isWithin(path, point))
      .sort((a, b) => a.point.length - b.point.length)
      .at(-1);
    return on !== undefined && UNFIT.test(on.type) ? `${path} lies on ${on.type}, above which nothing can be laid` : undefined;
  };
  const unfit = new Map(places.flatMap((path) => [[path, whyNot(path)] as const]).filter(([, why]) => why !== undefined));
  for (const [path, why = ""] of unfit) if (!more.includes(path)) throw new NotTried(why);
  const gid = process.getegid?.();
  if (process.geteuid?.() !== 0)
    for (const path of work) {
      const stat = statPath(path);
      if (typeof stat !== "number" && stat.gid !== gid) throw new NotTried(`${path} belongs to another group than your own (${stat.gid})`);
    }
  return places.filter((path) => !unfit.has(path));
}

export interface HiddenNames {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Folders with secrets of the machine; what lies in /etc itself is looked at by its name (shadow(5), and its copies). */
const machineSecrets = (): readonly string[] => [
  ...readdirSync("/etc", { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [`/etc/${entry.name}`] : [])),
  "/etc/ssh",
  "/etc/ssl/private",
];

/** Entries looked at. A home with more takes longer than a held run. */
const MOST = 250_000;

/** Every name below home, the project and where rules begin that a program of a run may not read. */
export function findHidden(judge: RunJudge, home: string, state: string): HiddenNames {
  const files: string[] = [];
  const folders: string[] = [];
  const { work } = judge.ground;
  const mounts = new Mounts();
  const starts = [home, ...work, ...placesOfRules(judge.policy, home, work), ...machineSecrets()];
  const queue = [...new Set(starts)].filter((path) => existsSync(path));
  const seen = new Set<string>();
  let count = 0;
  const links = new Links();
  const hide = (path: string, names: string[]): void => {
    links.add(path);
    names.push(path, ...mounts.aliases(path));
  };
  const look = (path: string, entry: Pick<Dirent, "isDirectory" | "isFile">): void => {
    if (entry.isDirectory()) {
      if (!isWithin(path, state) && !seen.has(path)) queue.push(path);
      seen.add(path);
    } else if (entry.isFile() && !mayRead(judge, "read", path)) hide(path, files);
  };
  for (const start of queue.splice(0)) look(start, lstatSync(pathBytes(start)));
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    const entries = entriesOf(folder);
    judge.sawFolder(folder, entries?.some(({ name }) => name === POLICY_NAME) !== false);
    if (!mayRead(judge, "list", folder) || !mayRead(judge, "read", joinPath(folder, "#"))) {
      hide(folder, folders);
      continue;
    }
    count += entries?.length ?? 0;
    if (count > MOST) throw new NotTried(`there are more than ${MOST} names below ${home} and the project to look through for secrets`);
    for (const entry of entries ?? []) look(joinPath(folder, nameOf(entry)), entry);
  }
  links.refuseOthers();
  // The last: what hides the others lies in it.
  return { files, folders: [...folders, state] };
}

/** A character of a name is a byte (`nameOf`). Undefined: with these rights nobody may list it. */
const entriesOf = (folder: string): readonly Dirent[] | undefined =>
  attempt(() => readdirSync(pathBytes(folder), { withFileTypes: true, encoding: "latin1" }), undefined);

const nameOf = ({ name }: Dirent): string => (/[\x80-\xff]/.test(name) ? pathText(Buffer.from(name, "latin1")) : name);

/** Hidden files, and how many of their names are hidden. */
class Links {
  readonly #seen = new Map<string, { readonly path: string; readonly names: number; hidden: number }>();

  /** A file, or a folder with all that is in it. */
  add(path: string): void {
    const stat = statPath(path);
    if (typeof stat === "number") return;
    if (kindOf(stat.mode) === "directory") {
      for (const name of namesIn(path)) this.add(joinPath(path, name));
      return;
    }
    if (stat.nlink === 1) return;
    const known = this.#seen.get(stat.id);
    if (known === undefined) this.#seen.set(stat.id, { path, names: stat.nlink, hidden: 1 });
    else known.hidden += 1;
  }

  refuseOthers(): void {
    for (const { path, names, hidden } of this.#seen.values())
      if (hidden < names) throw new NotTried(`${path} has other names, by which it could be read`);
  }
}

/** Of a folder that may not be looked into nobody here has other names either. */
function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(pathBytes(folder), { encoding: "buffer" }).map((name) => pathText(name)), []);
}

function mayRead(judge: RunJudge, operation: "read" | "list", path: string): boolean {
  if (judge.known(operation, path)?.decision === "allow") return true;
  const action: FileAction = { ...probe("read", path), operation };
  return judge.call([action], NOBODY).decision === "allow";
}
