import { type Danger, DANGERS } from "../src/action/index.ts";
import { PRESET_TABLE, type Reason, type ReasonClass, REASON_CLASSES, REASONS } from "../src/policy/index.ts";

/** The page of built-in reasons, from the catalogue. */
export const reasonsDocs: readonly { readonly file: string; readonly update: () => string }[] = [{ file: "docs/reasons.md", update: page }];

function page(): string {
  return [
    "# Why: every built-in reason",
    "",
    "<!-- Generated from `src/policy/reasons.ts` and `src/action/danger.ts` by `npm run generate`. -->",
    "",
    "Where no rule that somebody wrote decides, a built-in reason does. `assent explain` shows its id behind the basis (`protection: protect.secrets`), `--json` and the log have it as `builtin`. A written rule that names the thing itself answers most of them; the first table is what nothing answers.",
    "",
    ...Object.entries(REASON_CLASSES).flatMap(([name, title]) => [`## ${title}`, "", ...partOf(name), ""]),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

const INTRODUCED: { readonly [Class in ReasonClass]?: string } = {
  danger: "`deny` needs an allow rule that names its target literally, `ask` one that names the danger.",
  preset: `The id is \`preset.NAME.ROW\`: the default that a preset gives for reading, writing, commands and so on. NAME is one of ${Object.keys(
    PRESET_TABLE,
  )
    .map((name) => `\`${name}\``)
    .join(", ")}; [the table](policy.md) has the rows.`,
  knowledge: "A command that the tables know is shown by its name instead of an id: `knowledge: git status`.",
};

function partOf(name: string): readonly string[] {
  const own: readonly (readonly [string, Reason])[] = Object.entries(REASONS).filter(([, reason]) => reason.class === name);
  const introduced = Object.entries(INTRODUCED).flatMap(([of, text]) => (of === name ? [text] : []));
  const table =
    name === "danger"
      ? Object.entries<Danger>(DANGERS).map(([id, danger]) => row(`danger.${id}`, `${danger.title} (${danger.effect})`, danger))
      : own.map(([id, reason]) => row(id, reason.title, reason));
  const head = ["| id | what it says | what to do next | a bypass | [confined](confine.md) |", "|---|---|---|---|---|"];
  return [...introduced, ...(introduced.length > 0 && table.length > 0 ? [""] : []), ...(table.length > 0 ? [...head, ...table] : [])];
}

type Row = Pick<Reason, "help" | "waivable" | "confinable">;

const row = (id: string, title: string, { help, waivable, confinable }: Row): string =>
  `| \`${id}\` | ${title} | ${help ?? ""} | ${waivable === false ? "never waives it" : waivable === "by-host" ? "of the host waives it, `assent bypass` does not" : ""} | ${confinable === true ? "goes ahead" : ""} |`;
