import type { ObjectStat } from "../undo/index.ts";
import { pathBytes } from "../kernel/index.ts";

/** A folder that a tried run may change: on layers of its own, above what is there. */
export interface ViewPlace {
  readonly path: string;
  /** Device and inode, as `ObjectStat.id`. */
  readonly id: string;
  /** Permissions of the folder itself. */
  readonly mode: number;
  /** Where its changes gather, and a folder beside it that the kernel needs. */
  readonly upper: string;
  readonly work: string;
  /** Names of secrets, between the folder and its layer. */
  readonly mask?: string;
  /** Its own times are not set: a cache. `made`: it was not there, and goes again if it stays empty. */
  readonly cache: boolean | "made";
}

/** An attribute of every name of a mask; what is moved, or written by such a name, carries it on. */
export const MASKED = "user.assent.masked";

/** Everything that `assent-try` (stubs/try.c) is told. */
export interface TryPlan {
  /** As root none is needed to mount. */
  readonly userNamespace: { readonly uid: number; readonly gid: number } | undefined;
  /** Of this run: writable for the kernel, hidden from the program. */
  readonly folder: string;
  /** Outermost first. */
  readonly places: readonly ViewPlace[];
  readonly hidden: { readonly files: readonly string[]; readonly folders: readonly string[] };
  readonly devices: readonly string[];
  readonly cwd: string;
  readonly landlock: { readonly fs: number; readonly scopes: number; readonly device: number };
  readonly filter: Uint8Array;
  /** What is asked about while it runs. */
  readonly listened: Uint8Array;
  readonly program: { readonly path: string; readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

/** CLONE_NEWUSER, NEWNS, NEWIPC, NEWPID, NEWNET */
const NAMESPACES = { user: 0x10000000, others: 0x00020000 | 0x08000000 | 0x20000000 | 0x40000000 } as const;

/** What a step is for, by its number: the program says the number of one that failed. */
export interface WrittenPlan {
  readonly bytes: Buffer;
  readonly steps: readonly string[];
}

/** The plan in the words of stubs/try.c, in the order that tried-and-kept facts demand: pinned before anything moves, covers last. */
export function writePlan(plan: TryPlan): WrittenPlan {
  const fields = ["assent-try 1"];
  const steps: string[] = [];
  const step = (what: string, letter: string, ...more: readonly string[]): void => {
    steps.push(what);
    fields.push(letter, ...more);
  };
  let pins = 0;
  const pin = (path: string, id?: string): number => {
    const [major = "", minor = "", inode = ""] = id === undefined ? [] : parted(id);
    step(`${path} is not what it was`, "p", path, major, minor, inode);
    return pins++;
  };
  const { userNamespace: user } = plan;
  // It is done before the others are counted.
  fields.push("n", String(NAMESPACES.others + (user === undefined ? 0 : NAMESPACES.user)));
  if (user !== undefined) step("a user namespace is not allowed", "m", String(user.uid), String(user.gid));
  const lower = plan.places.map(({ path, id }) => pin(path, id));
  const devices = plan.devices.map((path) => [path, pin(path)] as const);
  const terminals = pin("/dev/pts");
  step("the disk cannot be made read-only", "r");
  step("Assent's own folder cannot be mounted", "w", plan.folder);
  plan.places.forEach(({ path, upper, work, mask }, at) => {
    const lowers = [...(mask === undefined ? [] : [pin(mask)]), lower[at] ?? 0];
    const layers = [`lowerdir=${lowers.map(ownPath).join(":")}`, `upperdir=${ownPath(pin(upper))}`, `workdir=${ownPath(pin(work))}`];
    step(`${path} cannot be laid over`, "o", path, [...layers, "userxattr", "volatile"].join(","));
  });
  step("/dev cannot be mounted", "t", "/dev", "mode=755,size=1m");
  for (const [path, index] of devices) step(`${path} cannot be mounted`, "b", String(index), path, "0");
  step("/dev/pts cannot be mounted", "b", String(terminals), "/dev/pts", "1");
  for (const [text, name] of DEVICE_LINKS) step("", "l", text, `/dev/${name}`);
  step("/dev/shm cannot be made", "d", "/dev/shm");
  step("/dev/shm cannot be mounted", "t", "/dev/shm", "mode=1777,size=50%");
  step("/proc cannot be mounted", "P");
  step("nothing can be hidden", "B", `${plan.folder}/blank`, `${plan.folder}/blank/file`, `${plan.folder}/blank/folder`);
  for (const path of plan.hidden.files) step(`${path} cannot be hidden`, "f", path);
  for (const path of plan.hidden.folders) step(`${path} cannot be hidden`, "h", path);
  step("the working folder is not there", "c", plan.cwd);
  step("the network cannot be closed", "i");
  const { fs, scopes, device } = plan.landlock;
  step("Landlock cannot be used", "L", String(fs), String(scopes));
  for (const { path } of plan.places) step(`Landlock cannot open ${path}`, "a", path, String(fs));
  step("Landlock cannot open /dev/shm", "a", "/dev/shm", String(fs));
  for (const path of [...plan.devices, "/dev/pts"]) step(`Landlock cannot open ${path}`, "a", path, String(device & fs));
  const hex = (filter: Uint8Array): string => Buffer.from(filter).toString("hex");
  step("the system call filter", "F", hex(plan.filter));
  step("the system call filter", "G", hex(plan.listened));
  const { path, argv, env } = plan.program;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  step("the program cannot be restricted", "x", path, String(argv.length), ...argv, "", ...variables);
  if (fields.some((field) => field.includes("\0"))) throw new Error("a field of the plan has a NUL in it");
  return { bytes: Buffer.concat(fields.flatMap((field) => [pathBytes(field), NUL])), steps };
}

const NUL = Buffer.of(0);

/** stubs/try.c holds what it pinned under these numbers. */
const ownPath = (index: number): string => `/proc/self/fd/${100 + index}`;

const DEVICE_LINKS = [
  ["/proc/self/fd", "fd"],
  ["/proc/self/fd/0", "stdin"],
  ["/proc/self/fd/1", "stdout"],
  ["/proc/self/fd/2", "stderr"],
  ["pts/ptmx", "ptmx"],
] as const;

/** `8:1:123`; an inode number beyond 32 bits is spelled in halves. */
function parted(id: ObjectStat["id"]): readonly string[] {
  const [major = "", minor = "", inode = ""] = id.split(":");
  const [high, low] = inode.split(".");
  return [major, minor, low === undefined ? inode : String(BigInt(high ?? 0) * 0x1_0000_0000n + BigInt(low))];
}
