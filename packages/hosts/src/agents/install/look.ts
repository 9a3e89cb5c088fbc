import { statSync } from "node:fs";
import { dirname } from "node:path";
import { type Json, readJson5, toValue } from "@assent/core/edit/json5";
import { readToml } from "@assent/core/edit/toml";
import { readRegular, type Machine, namesIn } from "@assent/guard/state";
import type { Setup, SettingValue } from "../host/agent.ts";
import type { Controlled } from "../host/controlled.ts";
import {
  allSigns,
  hooksInFront,
  shellIn,
  type ControlFound,
  serversIn,
  type ServerEntry,
  SHELL_FILES,
  signsIn,
  variablesIn,
} from "../control-files.ts";
import { tableOf } from "../host/value.ts";
import { ownEntries } from "./own.ts";

/** More folders above are not looked at. */
const MOST_FOLDERS = 12;
const MAX_DOTENV = 1 << 20;
const MAX_SETTINGS = 4 << 20;

/** What a host's settings file says; undefined where there is none, or none that can be read. */
export function settingsIn(file: string): SettingValue | undefined {
  const found = readRegular(file, MAX_SETTINGS);
  if (found.is !== "text") return undefined;
  const { root } = file.endsWith(".toml") ? readToml(found.text) : readJson5(found.text);
  return root === undefined ? undefined : toValue(root);
}

/** The folder, and those above it up to the top of its repository. */
function foldersFrom(folder: string, top: string, home: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== top && at !== home && dirname(at) !== at && folders.length < MOST_FOLDERS;) {
    at = dirname(at);
    if (at !== home) folders.push(at);
    if (at === top) break;
  }
  return `${folder}/`.startsWith(`${top}/`) ? folders : [folder];
}

/** What could switch the host's hooks off, control it or start programs in it: in the files of this folder, and in the user's own. */
export const controlOf = ({ controlled }: Setup, machine: Pick<Machine, "home">, folder: string, top: string): readonly ControlFound[] =>
  controlBy(controlled, machine, folder, top);

/** The same of what sets variables in a shell that stands there, whatever host is started from it. */
export const shellControl = (machine: Pick<Machine, "home">, folder: string, top: string): readonly ControlFound[] =>
  controlBy(SHELL_FILES, machine, folder, top);

/** The servers that files of this folder start with the host. */
export const serversOf = (
  { controlled }: Setup,
  machine: Pick<Machine, "home">,
  folder: string,
  top: string,
): readonly (ServerEntry & { readonly file: string })[] =>
  foldersFrom(folder, top, machine.home).flatMap((at) =>
    controlled.project.flatMap((name) => {
      const file = `${at}/${name}`;
      const value = settingsIn(file);
      return value === undefined ? [] : serversIn(withoutOwn(value, true), controlled).map((entry) => ({ ...entry, file }));
    }),
  );

function controlBy(controlled: Controlled, machine: Pick<Machine, "home">, folder: string, top: string): readonly ControlFound[] {
  const { project, user = [], dotenv = [], scripts = [], folders = [], unhooking = [], bringing, typed } = controlled;
  const signs = allSigns(controlled);
  const found: ControlFound[] = [];
  for (const at of foldersFrom(folder, top, machine.home)) {
    for (const name of project) found.push(...inFile(`${at}/${name}`, signs, true));
    for (const name of dotenv) found.push(...inDotenv(`${at}/${name}`, false));
    for (const name of scripts) found.push(...inDotenv(`${at}/${name}`, true));
    for (const name of folders) found.push(...inFolder(`${at}/${name}`));
    for (const name of bringing?.folders ?? []) found.push(...inTexts(`${at}/${name}`, bringing?.plugin));
    for (const name of typed?.folders ?? []) found.push(...inTexts(`${at}/${name}`, undefined, typed?.runs));
  }
  for (const name of user) found.push(...inFile(name.startsWith("~/") ? `${machine.home}${name.slice(1)}` : name, signs, false));
  // What else the user's own variables do is the user's own choice.
  const own = unhooking.length === 0 || folder === machine.home ? [] : dotenv.flatMap((name) => inDotenv(`${machine.home}/${name}`, false));
  const all = [...found, ...own.filter(({ does }) => does === "off")];
  // A variable of another host's does nothing here.
  return all.filter((each) => each.unhooking === undefined || unhooking.includes(each.unhooking));
}

function inFile(file: string, signs: Setup["controlled"]["signs"], project: boolean): readonly ControlFound[] {
  const value = settingsIn(file);
  if (value !== undefined) return signsIn(file, withoutOwn(value, project), signs, project);
  // What a host may read and we cannot is not passed over in silence.
  const there = readRegular(file, MAX_DOTENV);
  return there.is === "missing" ? [] : [{ file, does: "controls", what: "cannot be read, so nobody can tell what it switches off" }];
}

function inDotenv(file: string, script: boolean): readonly ControlFound[] {
  const found = readRegular(file, MAX_DOTENV);
  if (found.is === "text") return variablesIn(file, found.text, script);
  // A folder of that name is a virtual environment of Python.
  return found.is === "missing" || isFolder(file)
    ? []
    : [{ file, does: "controls", what: "cannot be read, so nobody can tell what it sets" }];
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function inFolder(folder: string): readonly ControlFound[] {
  return namesIn(folder)
    .filter((name) => !name.startsWith(".") && !/^(?:assent|README)/i.test(name))
    .slice(0, 20)
    .map((name) => ({ file: `${folder}/${name}`, does: "starts", what: "code of the repository that runs beside Assent" }));
}

const MOST_LOOKED_AT = 5000;

function inTexts(top: string, plugin: string | undefined, runs?: RegExp): readonly ControlFound[] {
  const found: ControlFound[] = [];
  const paths = [top];
  for (const path of paths) {
    const text = runs !== undefined || path.endsWith(".md") ? readRegular(path, MAX_DOTENV) : undefined;
    const names = text?.is === "text" ? [] : namesIn(path);
    if (text?.is === "text")
      found.push(...(runs === undefined ? hooksInFront(path, text.text) : shellIn(path, promptOf(path, text.text), runs)));
    else if (text?.is === "broken" && names.length === 0 && !isFolder(path))
      found.push({ file: path, does: "controls", what: "cannot be read, so nobody can tell what it starts" });
    if (plugin !== undefined && names.includes(plugin))
      found.push({ file: path, does: "starts", what: "is a plugin, which brings hooks and servers of its own", told: true });
    if (paths.length < MOST_LOOKED_AT) paths.push(...names.map((name) => `${path}/${name}`));
  }
  if (paths.length >= MOST_LOOKED_AT) found.push({ file: top, does: "starts", what: "holds more than is looked through", told: true });
  return found;
}

/** A value may be written with escapes. */
function promptOf(path: string, text: string): string {
  const { root } = path.endsWith(".toml") ? readToml(text) : { root: undefined };
  const { prompt } = root === undefined ? {} : tableOf(toValue(root));
  return typeof prompt === "string" ? prompt : text;
}

/** The settings without our own entries: they switch nothing off. Keys are ours in a person's own settings alone. */
function withoutOwn(value: SettingValue, project: boolean): SettingValue {
  const copy: Json = structuredClone(value);
  for (const path of ownEntries(copy)) {
    const holder: unknown = path
      .slice(0, -1)
      .reduce<unknown>((at, step) => (typeof at === "object" && at !== null ? Reflect.get(at, step) : undefined), copy);
    const last = path.at(-1);
    if (Array.isArray(holder) && typeof last === "number") holder.splice(last, 1);
    else if (!project && typeof last === "string" && typeof holder === "object" && holder !== null) Reflect.deleteProperty(holder, last);
  }
  return copy;
}
