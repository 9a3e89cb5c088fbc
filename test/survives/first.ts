import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bootMoment } from "../../packages/guard/src/state/clock.ts";
import { DIST, type Scratch } from "../scratch.ts";

/** What the first install left on a machine, whose clone was pulled and built anew since; `first/make.sh` says how it was made. */

const FIRST = join(import.meta.dirname, "first");
const textOf = (name: string): string => readFileSync(join(FIRST, name), "utf8");

interface FirstFile {
  readonly mode: string;
  readonly text: string;
}
interface FirstHome {
  readonly files: Readonly<Record<string, FirstFile>>;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by make.sh
const { files } = JSON.parse(textOf("home.json")) as FirstHome;

/** Names of what lay in `dist/`. */
export const FIRST_DIST: readonly string[] = textOf("dist.txt").trim().split("\n");

export const FIRST_FILES: readonly string[] = Object.keys(files);

const placed = (text: string, { home }: Pick<Scratch, "home">): string =>
  text.replaceAll("@HOME@", home).replaceAll("@CLONE@", join(DIST, "..")).replaceAll("@NODE@", process.execPath);

/** A grant ends after a week at most, and begins anew with the machine: this one was given just now. */
function inTime(name: string, text: string): string {
  if (!/\/grants\//.test(name)) return text;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by make.sh
  const grant = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { boot, up } = bootMoment();
  return JSON.stringify({ ...grant, made: Date.now(), until: Date.now() + 86_400_000, boot, up });
}

/** What one of its commands printed with `--json`. */
export const printedFirst = (name: "explain.json" | "rules.json", place: Pick<Scratch, "home">): string => placed(textOf(name), place);

/** Its home, with the programs that it names in the clone of today. `without`: what is left out. */
export function layFirstHome(place: Scratch, without = /\/team-member\//): void {
  for (const [name, { mode, text }] of Object.entries(files)) {
    if (without.test(name)) continue;
    chmodSync(place.write(`~/${name}`, inTime(name, placed(text, place))), Number.parseInt(mode, 8));
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by make.sh
const programs = JSON.parse(textOf("programs.json")) as Readonly<Record<string, string>>;

/** A static program as the first install had it. */
export function firstProgram(place: Scratch, name: "ask-x64" | "launch-x64"): string {
  const file = join(place.root, name);
  writeFileSync(file, Buffer.from(programs[name] ?? "", "base64"), { mode: 0o755 });
  return file;
}

/** A hook of a very busy machine gives up, and refuses or asks without having judged: it is asked again. */
export function untilJudged<T extends { readonly stdout: string; readonly stderr: string }>(call: () => T): T {
  for (let tries = 1; ; tries += 1) {
    const said = call();
    if (tries === 10 || !`${said.stdout}${said.stderr}`.includes("takes too long")) return said;
  }
}
