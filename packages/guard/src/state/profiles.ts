import { accessSync, constants, realpathSync, statSync, unlinkSync } from "node:fs";
import { sha256 } from "@assent/core/data";
import { member, readJson5 } from "@assent/core/edit/json5";
import { joinPath } from "@assent/core/path";
import { ensureFolder, errorCode, readRegular, namesIn } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * Profiles: the policy kept for one program that runs under supervision, a file each in `profiles/` of the state folder.
 * A profile's name is what was said with `--profile`, else the program's path. It stands in the file, under `profile`;
 * the file's own name is made from it.
 */

const ENDING = ".jsonc";
const MAX_BYTES = 1 << 20;
/** Longer than every path; what is longer names no profile. */
const LONGEST_NAME = 8192;

export function profilesFolder(machine: Machine): string {
  return `${stateFolder(machine)}/profiles`;
}

/**
 * The file of a profile, for any name at all: a short plain name as it is, every other one as what can be read of it,
 * an `@`, which no plain name has, and a hash of the whole.
 *
 * @example profileFile(machine, "ci") // …/profiles/ci.jsonc
 * @example profileFile(machine, "/usr/bin/npm") // …/profiles/usr-bin-npm@0b6d1e5f3a7c9e21.jsonc
 */
export function profileFile(machine: Machine, name: string): string {
  return `${profilesFolder(machine)}/${fileName(name)}${ENDING}`;
}

function fileName(name: string): string {
  // Lower case only: a file system may take two cases for one.
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return name;
  const readable = name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(-64);
  return `${readable}@${sha256([nameBytes(name)])
    .toString("hex")
    .slice(0, 24)}`;
}

/** UTF-16, so that lone surrogates, which stand for bytes that are no UTF-8, stay apart. */
function nameBytes(name: string): Buffer {
  return Buffer.from(name, "utf16le");
}

/** Why a text cannot name a profile; undefined where it can. */
export function wrongProfileName(name: string): string | undefined {
  if (name.trim() === "") return "a profile needs a name";
  return name.length > LONGEST_NAME ? `the name is longer than ${LONGEST_NAME} characters` : undefined;
}

/** Makes the folder, for this user alone. Says what went wrong. */
export function openProfiles(machine: Machine): { readonly folder: string } | { readonly problem: string } {
  const state = openState(machine);
  if ("problem" in state) return state;
  const folder = profilesFolder(machine);
  try {
    ensureFolder(folder);
    return { folder };
  } catch (error) {
    return { problem: `${folder} cannot be used: ${errorCode(error)}` };
  }
}

/** A profile as it lies in its folder. */
export interface StoredProfile {
  /** As the file says; where it says nothing, the file's name. */
  readonly name: string;
  readonly file: string;
  readonly content: { readonly is: "text"; readonly text: string } | { readonly is: "broken"; readonly why: string };
}

/** Undefined where there is none. */
export function readProfile(machine: Machine, name: string): StoredProfile | undefined {
  return read(profileFile(machine, name), name);
}

function read(file: string, name: string): StoredProfile | undefined {
  const found = readRegular(file, MAX_BYTES);
  if (found.is === "missing") return undefined;
  if (found.is === "broken") return { name, file, content: found };
  return { name: profileName(found.text) ?? name, file, content: { is: "text", text: found.text } };
}

/** The name that a profile's text gives itself. */
function profileName(text: string): string | undefined {
  const value = member(readJson5(text).root, "profile")?.value;
  return value?.kind === "scalar" && typeof value.value === "string" ? value.value : undefined;
}

/** All profiles, by name. */
export function listProfiles(machine: Machine): readonly StoredProfile[] {
  const folder = profilesFolder(machine);
  const names = namesIn(folder);
  return names
    .filter((name) => name.endsWith(ENDING))
    .flatMap((name) => read(`${folder}/${name}`, name.slice(0, -ENDING.length)) ?? [])
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Removes a profile, whole. */
export function clearProfile(machine: Machine, name: string): "done" | "missing" | { readonly why: string } {
  try {
    unlinkSync(profileFile(machine, name));
    return "done";
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : { why: code };
  }
}

/**
 * The profile of a program that is started by `word`: its path, folders canonical, as the `PATH` leads to it. The last
 * link is kept: `npm` and `npx` are two programs, whatever file they share. The word itself where it leads nowhere.
 */
export function programProfile(word: string, machine: Machine, cwd: string): string {
  const path = word.includes("/") ? (word.startsWith("/") ? word : `${cwd}/${word}`) : found(word, machine, cwd);
  if (path === undefined) return word;
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  try {
    if (name === "" || name === "." || name === "..") return realpathSync.native(path);
    const folder = realpathSync.native(path.slice(0, slash) || "/");
    return joinPath(folder, name);
  } catch {
    return word;
  }
}

function found(word: string, { env }: Machine, cwd: string): string | undefined {
  if (word === "") return undefined;
  for (const folder of (env["PATH"] ?? "").split(":")) {
    const path = `${folder === "" ? cwd : folder.startsWith("/") ? folder : `${cwd}/${folder}`}/${word}`;
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

/** The profile that a person means by a word: one of that name, else that of the program the word starts. Undefined where there is none. */
export function findProfile(word: string, machine: Machine, cwd: string): StoredProfile | undefined {
  return readProfile(machine, word) ?? readProfile(machine, programProfile(word, machine, cwd));
}
