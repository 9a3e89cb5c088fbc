import { type Advice, adviceForModel, adviceForPerson, type Danger, DANGERS } from "@assent/core/action";
import { PRESET_TABLE, type Reason, type ReasonClass, REASON_CLASSES, REASONS } from "@assent/core/policy";

/** The page of built-in reasons, from the catalogue. */
export const reasonsDocs: readonly { readonly file: string; readonly update: () => string }[] = [
  { file: "site/generated/reasons.md", update: page },
];

function page(): string {
  return [
    "# Why: every built-in reason",
    "",
    "<!-- Generated from `packages/core/src/policy/match/reason-table.ts` and `packages/core/src/action/danger.ts` by `npm run generate`. -->",
    "",
    "Where no rule that somebody wrote decides, a built-in reason does. `assent explain` shows its id in brackets (`built-in protection [protect.secrets]`), `--json` and the log have it as `builtin`. A rule of yours that names the thing itself allows most of them; what the first table lists is allowed by nothing. What to do next is told to you in one way and to the model in another.",
    "",
    ...Object.entries(REASON_CLASSES).flatMap(([name, title]) => [`## ${title}`, "", ...partOf(name), ""]),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

const INTRODUCED: { readonly [Class in ReasonClass]?: string } = {
  danger:
    "To allow what is denied, an allow rule must name its target itself; to allow what is asked about, it must name the dangerous command or option.",
  preset: `The id is \`preset.NAME.ROW\`: the default that a preset gives for reading, writing, commands and so on. NAME is one of ${Object.keys(
    PRESET_TABLE,
  )
    .map((name) => `\`${name}\``)
    .join(", ")}; [the table](policy.md) has the rows.`,
  knowledge: "A known program is shown by its command instead of an id: `known program [git status]`.",
};

function partOf(name: string): readonly string[] {
  const own: readonly (readonly [string, Reason])[] = Object.entries(REASONS).filter(([, reason]) => reason.class === name);
  const introduced = Object.entries(INTRODUCED).flatMap(([of, text]) => (of === name ? [text] : []));
  const table =
    name === "danger"
      ? Object.entries<Danger>(DANGERS).map(([id, danger]) => row(`danger.${id}`, `${danger.title} (${danger.effect})`, danger))
      : own.map(([id, reason]) => row(id, reason.title, reason));
  const head = [
    "| id | what it says | next, for you | next, for the model | `assent bypass` | [sandboxed](confine.md) |",
    "|---|---|---|---|---|---|",
  ];
  return [...introduced, ...(introduced.length > 0 && table.length > 0 ? [""] : []), ...(table.length > 0 ? [...head, ...table] : [])];
}

type Row = Pick<Reason, "help" | "waivable" | "confinable">;

const row = (id: string, title: string, { help, waivable, confinable }: Row): string =>
  `| \`${id}\` | ${title} | ${said(help, adviceForPerson)} | ${said(help, adviceForModel)} | ${waivable === undefined ? "" : WAIVED[`${waivable}`]} | ${confinable === true ? "goes ahead" : ""} |`;

const WAIVED = { false: "still asks", "by-host": "still asks; a bypass of the agent's own does not" } as const;

const said = (help: Advice | undefined, voice: (advice: Advice) => string): string => (help === undefined ? "" : voice(help));
