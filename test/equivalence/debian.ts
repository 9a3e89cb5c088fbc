import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const APT = (cache: string): readonly string[] => [
  "-o",
  `Dir::Etc::sourcelist=${cache}/sources.list`,
  "-o",
  "Dir::Etc::sourceparts=-",
  "-o",
  `Dir::State::lists=${cache}/lists`,
];
const KEY = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]";

export function run(cwd: string, command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
    return true;
  } catch {
    return false;
  }
}

/** Lists of Debian's packages, in a folder of their own: nothing of the machine's changes. */
export function lists(cache: string): void {
  if (existsSync(`${cache}/sources.list`)) return;
  const release = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "bookworm";
  mkdirSync(`${cache}/lists/partial`, { recursive: true });
  const line = (kind: string): string => `${kind} ${KEY} http://deb.debian.org/debian ${release} main\n`;
  writeFileSync(`${cache}/sources.list`, line("deb") + line("deb-src"));
  run(cache, "apt-get", [...APT(cache), "update", "-q"]);
}

export const NO_SOURCE = "its source package cannot be had (needs apt-get, dpkg-dev and the network, on Debian)";

/** The unpacked source package; undefined where it cannot be had. */
export function source(cache: string, name: string): string | undefined {
  const found = (): string | undefined => {
    const folder = readdirSync(cache).find((entry) => entry.startsWith(`${name}-`) && existsSync(`${cache}/${entry}/debian`));
    return folder === undefined ? undefined : join(cache, folder);
  };
  if (found() === undefined) {
    lists(cache);
    run(cache, "apt-get", [...APT(cache), "-q", "-y", "source", name]);
  }
  return found();
}

export function* groups<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
