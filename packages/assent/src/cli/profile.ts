import { visible } from "@assent/core/action";
import { profilePlace, readPlace, starterProfile } from "@assent/guard/policy-edit";
import type { Effect, Problem, Rule } from "@assent/core/policy";
import {
  clearProfile,
  findProfile,
  listProfiles,
  openProfiles,
  programProfile,
  thisMachine,
  wrongProfileName,
  type Machine,
  type StoredProfile,
} from "@assent/guard/state";
import { editPlace } from "./edit.ts";
import { writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain, schemaFor, showProblems } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";

const COMMAND = "profile";

interface JsonOption {
  readonly json?: boolean;
}

/** A profile as it is read: its rules, or why it cannot be used. */
interface Content {
  readonly rules: readonly Rule[];
  readonly problems: readonly Problem[];
  readonly why?: string;
}

function contentOf({ file }: StoredProfile): Content {
  const found = readPlace({ layer: "profile", file });
  if (found.is !== "text") return { rules: [], problems: [], why: found.is === "missing" ? "does not exist" : found.why };
  return found.read.ok ? { rules: found.read.policy.rules, problems: found.read.warnings } : { rules: [], problems: found.read.problems };
}

const isBroken = ({ problems, why }: Content): boolean => why !== undefined || problems.some(({ severity }) => severity === "error");
const shortener = (machine: Machine) => (path: string) => visible(shorten(path, absolute("."), machine.home));

/** `assent profile list`. Exit 0. */
export function list(options: JsonOption): number {
  const machine = thisMachine();
  const all = listProfiles(machine).map((profile) => ({ profile, content: contentOf(profile) }));
  const counts = ({ rules }: Content): Readonly<Record<Effect, number>> => {
    const of = (effect: Effect): number => rules.filter((rule) => rule.effect === effect).length;
    return { allow: of("allow"), ask: of("ask"), deny: of("deny") };
  };
  if (options.json === true) {
    writeJson({
      profiles: all.map(({ profile, content }) => ({
        name: profile.name,
        file: profile.file,
        rules: counts(content),
        ...(isBroken(content) ? { broken: visible(content.why ?? content.problems[0]?.message ?? "") } : {}),
      })),
    });
    return 0;
  }
  if (all.length === 0) writeStdout("no profiles: `assent run` makes one when you tell it to remember an answer\n");
  const short = shortener(machine);
  const style = styleFor(process.stdout, process.env);
  for (const { profile, content } of all) {
    const { allow, ask, deny } = counts(content);
    const said = isBroken(content) ? "has mistakes: nothing is allowed" : `${allow} allow, ${ask} ask, ${deny} deny`;
    writeStdout(`${style.bold(visible(profile.name))}  ${said}  ${style.dim(short(profile.file))}\n`);
  }
  return 0;
}

/** `assent profile show`: exit 0 when there is one, 1 when not, or when it has mistakes. */
export function show(name: string, options: JsonOption): number {
  const machine = thisMachine();
  const profile = findProfile(name, machine, absolute("."));
  if (profile === undefined) return missing(name, machine, options);
  const content = contentOf(profile);
  const broken = isBroken(content);
  if (options.json === true) {
    writeJson({
      name: profile.name,
      file: profile.file,
      found: true,
      rules: content.rules.map(({ effect, source, reason }) => ({
        effect,
        text: visible(source.text),
        ...(reason === undefined ? {} : { reason: visible(reason) }),
        line: source.line,
        column: source.column,
      })),
      problems: content.problems.map((problem) => ({ ...problem, message: visible(problem.message) })),
      ...(content.why === undefined ? {} : { broken: visible(content.why) }),
    });
    return broken ? 1 : 0;
  }
  const short = shortener(machine);
  const style = styleFor(process.stdout, process.env);
  writeStdout(`${style.bold(visible(profile.name))}  ${style.dim(short(profile.file))}\n`);
  for (const { effect, source, reason } of content.rules) {
    writeStdout(`  ${String(source.line).padStart(4)}  ${style.verdict(effect, effect.padEnd(5))} ${visible(source.text)}\n`);
    if (reason !== undefined) writeStdout(`              ${style.dim(visible(reason))}\n`);
  }
  if (content.why !== undefined) complain(COMMAND, `${short(profile.file)} ${visible(content.why)}`);
  showProblems(content.problems, short);
  if (!broken && content.rules.length === 0) writeStdout("  no rules\n");
  return broken ? 1 : 0;
}

function missing(name: string, machine: Machine, { json }: JsonOption): number {
  const program = programProfile(name, machine, absolute("."));
  if (json === true) writeJson({ name, found: false });
  else {
    const also = program === name ? "" : `, nor for ${visible(program)}`;
    complain(COMMAND, `no profile named \`${visible(name)}\`${also}`, "`assent profile list` shows those there are");
  }
  return 2;
}

/** `assent profile clear`: the profile of that name and that of the program it starts. Exit 0 when there was one, 2 when not. */
export function clear(name: string, options: JsonOption): number {
  const machine = thisMachine();
  const names = [...new Set([name, programProfile(name, machine, absolute("."))])];
  const cleared: string[] = [];
  for (const one of names) {
    const outcome = clearProfile(machine, one);
    if (outcome === "done") cleared.push(one);
    else if (outcome !== "missing") {
      complain(COMMAND, `the profile \`${visible(one)}\` cannot be removed: ${visible(outcome.why)}`);
      return 1;
    }
  }
  if (cleared.length === 0) return missing(name, machine, options);
  if (options.json === true) writeJson({ name, found: true, cleared });
  else for (const one of cleared) writeStdout(`removed the profile ${visible(one)}\n`);
  return 0;
}

/** `assent profile edit`: as `assent edit`. */
export function editProfile(name: string): number {
  const wrong = wrongProfileName(name);
  if (wrong !== undefined) {
    complain(COMMAND, wrong);
    return 2;
  }
  const machine = thisMachine();
  const opened = openProfiles(machine);
  if ("problem" in opened) {
    complain(COMMAND, visible(opened.problem));
    return 1;
  }
  const own = findProfile(name, machine, absolute("."))?.name ?? programProfile(name, machine, absolute("."));
  const place = profilePlace(machine, own);
  return editPlace(COMMAND, { machine, place, starter: starterProfile(own, schemaFor(place)), short: shortener(machine) });
}
