import { visible } from "@assent/core/action";
import { decide, type Outcome } from "@assent/guard/engine";
import type { Inspection } from "@assent/guard/inspect";
import { confinesAnything } from "@assent/core/policy";
import { joinPath, parentOf } from "@assent/core/path";
import { breakers, type Consent, isSandboxingOver, type Machine, readConsent } from "@assent/guard/state";
import { REFERENCE } from "@assent/hosts/agents";
import { isTripped } from "./breaker.ts";
import { engine } from "@assent/page/preview";

/** The one setting for going without a person. */
export type Setting = "sandbox" | "ask";

/** What becomes of a request where nobody looks. */
export type Fate = "goes ahead" | "sandboxed" | "asks" | "skipped" | "refused";

interface Example {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface TableRow {
  readonly label: string;
  /** Requests of this kind, which the judge of hooks is asked about here and now. */
  readonly examples: (here: { readonly project: string; readonly home: string }) => readonly Example[];
  /** Words for a fate of this row, where it has its own. */
  readonly words?: Partial<Record<Fate, string>>;
}

const bash = (...commands: readonly string[]): readonly Example[] =>
  commands.map((command): Example => ({ tool: "Bash", input: { command } }));

/** INVARIANT: what is said of a row is what the judge says of its examples. */
const ROWS: readonly TableRow[] = [
  { label: "looking (ls, grep, git log)", examples: () => bash("ls", "grep -n TODO README.md", "git log -3") },
  {
    label: "tests, builds, scripts, unknown programs",
    examples: () => bash("npm test", "make", "./build.sh", "python3 script.py"),
    words: { sandboxed: "go ahead sandboxed; `assent undo` takes them back" },
  },
  {
    label: "changing and deleting files here, committing",
    examples: () => bash("sed -i s/a/b/ README.md", "rm README.md", "git commit -m done"),
    words: { sandboxed: "go ahead sandboxed; `assent undo` takes them back" },
  },
  {
    label: "the agent's own editing tool",
    examples: ({ project }) => [
      { tool: "Edit", input: { file_path: joinPath(project, "README.md"), old_string: "a", new_string: "b" } },
      { tool: "Write", input: { file_path: joinPath(project, "new.txt"), content: "a" } },
    ],
    words: { asks: "as the agent itself is set" },
  },
  {
    label: "pushing, pull requests, other hosts, other folders",
    examples: ({ project }) =>
      bash(
        "git push origin assent-example",
        "gh pr create --title a --body b",
        "curl -s https://assent-example.net/",
        `touch ${parentOf(project) === "/" ? "" : parentOf(project)}/assent-example/file`,
      ),
    words: { asks: "ask, unless you said yes once (`assent grants`)" },
  },
  {
    label: "publishing, deploying, databases, sudo",
    examples: () => bash("npm publish", "git push --force", "kubectl delete deployment web", "dropdb shop", "sudo apt-get install x"),
    words: { asks: "always ask" },
  },
  {
    label: "secrets, your home folder, disks, Assent itself",
    examples: () => bash("cat ~/.ssh/id_rsa", "rm -rf ~", "dd if=/dev/zero of=/dev/sda", "assent bypass on"),
  },
];

const WORDS: Readonly<Record<Fate, string>> = {
  "goes ahead": "go ahead",
  sandboxed: "go ahead sandboxed",
  asks: "ask",
  skipped: "go ahead: questions are skipped (`assent bypass off`)",
  refused: "refused",
};

export interface TableLine {
  readonly label: string;
  readonly text: string;
  /** What the judge said of each example. */
  readonly examples: readonly { readonly example: string; readonly fate: Fate }[];
}

/** What becomes of a request here; a session that was stopped is another matter. */
function fateOf({ tool, input }: Example, machine: Machine, cwd: string): Fate {
  const { tools } = REFERENCE.protocol;
  const facts = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  const host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const request = { tool, input, facts, cwd, host, point: "hook", agent: REFERENCE.id } as const;
  return tellFate(decide(request, { machine, ...engine, audit: false, memory: "look", extensions: "off" }));
}

function tellFate({ verdict, answer, bypass }: Outcome): Fate {
  if (answer.decision === "deny") return "refused";
  if (answer.decision !== "allow") return "asks";
  if (verdict.decision !== "allow") return bypass === undefined ? "asks" : "skipped";
  return verdict.confined === undefined ? "goes ahead" : "sandboxed";
}

const textOf = ({ tool, input: { command, file_path: file } }: Example): string =>
  typeof command === "string" ? command : `${tool} ${String(file)}`;

/** The rows of `assent auto`: what is said of each is worked out by judging its examples. */
export function autoTable(machine: Machine, cwd: string, { world }: Inspection): readonly TableLine[] {
  return ROWS.map(({ label, examples, words }): TableLine => {
    const judged = examples({ project: world.projectRoot, home: machine.home }).map((example) => ({
      example: textOf(example),
      fate: fateOf(example, machine, cwd),
    }));
    const say = (fate: Fate): string => words?.[fate] ?? WORDS[fate];
    const fates = [...new Set(judged.map(({ fate }) => fate))].toSorted((a, b) => countOf(judged, b) - countOf(judged, a));
    const [most, ...others] = fates;
    const but = others.map((fate) => {
      const which = judged.filter((each) => each.fate === fate).map(({ example }) => `\`${visible(example)}\``);
      return `${which.join(", ")}: ${say(fate)}`;
    });
    return { label, text: [...(most === undefined ? [] : [say(most)]), ...but].join("; but "), examples: judged };
  });
}

const countOf = (judged: readonly { readonly fate: Fate }[], fate: Fate): number => judged.filter((each) => each.fate === fate).length;

export interface SettingHere {
  readonly setting: Setting;
  /** `sandbox, since Nov 28: you said so`. */
  readonly text: string;
  /** What is on beside it, or keeps it from counting. */
  readonly notes: readonly string[];
}

/** The setting in force, and by whose word. */
export function settingHere(machine: Machine, { policy, files }: Inspection, now: number): SettingHere {
  const consent = readConsent(machine);
  const { settings } = policy;
  const { unknown, mode, preset } = settings;
  const setting: Setting = confinesAnything(policy) && unknown !== "confine-log" ? "sandbox" : "ask";
  const sayer = files.findLast(({ result }) => result.ok && ("unknown" in result.policy.settings || "mode" in result.policy.settings));
  const layer = sayer?.source.layer;
  const who = layer === "managed" ? "the managed policy says so" : layer === "user" ? "you said so" : "nobody said otherwise";
  const stopped = breakers(machine).filter((row) => isTripped(row, settings.automation.breaker, now)).length;
  const wanted = unknown === "confine" || unknown === "confine-log" || mode === "full-auto";
  return {
    setting,
    text: `${setting}${sinceText(consent, setting, layer === "user")}: ${who}`,
    notes: [
      ...(mode === "full-auto" ? ["your policy's mode `full-auto` is the same as `sandbox`"] : []),
      ...(unknown === "confine-log" ? ["what would go ahead sandboxed is only logged (`assent replay --confined`)"] : []),
      ...(unknown === "deny" ? ['what cannot be known is refused: the policy says `"unknown": "deny"`'] : []),
      ...(wanted && setting === "ask" && preset !== "default" && preset !== "permissive"
        ? [`nothing is sandboxed under the preset \`${preset}\``]
        : []),
      ...(policy.broken === undefined ? [] : ["a policy file has a mistake, so everything is asked: assent lint"]),
      ...(consent.tried === true && setting === "sandbox"
        ? ["each is tried first, where it can be: what it did counts once it has ended and was judged as a whole (assent try)"]
        : []),
      ...(isSandboxingOver(consent, now) ? [`the time of \`assent auto sandbox --for\` is over`] : []),
      ...(stopped === 0 ? [] : [`${stopped} session(s) ask about everything, after many refusals: assent breaker`]),
    ],
  };
}

function sinceText({ since, until }: Consent, setting: Setting, byUser: boolean): string {
  const day = since === undefined || !byUser ? undefined : new Date(since);
  const said = day === undefined || Number.isNaN(day.getTime()) ? "" : `, since ${MONTHS[day.getUTCMonth()] ?? ""} ${day.getUTCDate()}`;
  return setting === "sandbox" && until !== undefined ? `${said}, until ${visible(until).slice(0, 16).replace("T", " ")} UTC` : said;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Both, as people read them. */
export function printTable({ text, notes }: SettingHere, lines: readonly TableLine[]): string {
  const width = Math.max(...lines.map(({ label }) => label.length)) + 2;
  return [text, ...lines.map(({ label, text: said }) => `  ${label.padEnd(width)}${said}`), ...notes.map((note) => `  (${note})`), ""].join(
    "\n",
  );
}
