import { describe, expect, it } from "vitest";
import { type Advice, adviceForModel, adviceForPerson, DANGERS } from "@assent/core/action";
import { PLAIN, render } from "../../packages/guard/src/approve/render.ts";
import { choicesFor, startOf } from "../../packages/guard/src/approve/prompt.ts";
import { allCommands, commandTable } from "../../packages/assent/src/cli/command-table.ts";
import { manPage } from "../../packages/assent/src/cli/man-page.ts";
import { program } from "../../packages/assent/src/cli/program.ts";
import { type Reason, REASONS } from "@assent/core/policy";
import { question } from "../approve/question.ts";
import { faultsOf } from "./prose.ts";

const ALL: readonly (readonly [id: string, title: string, help: Advice | undefined])[] = [
  ...Object.entries<Reason>(REASONS).map(([id, { title, help }]) => [id, title, help] as const),
  ...Object.entries(DANGERS).map(([id, { title, help }]) => [`danger.${id}`, title, help] as const),
];

/** They refuse or ask: somebody wants to know what to do next. */
const STOPS = new Set(["floor", "failure", "protect", "unknown", "automation"]);

describe("every reason of the catalogue", () => {
  it.each(ALL)("%s", (_, title, help) => {
    expect(faultsOf(title)).toEqual([]);
    // A clause, which a sentence or a line goes on from.
    expect(title).not.toMatch(/^[A-Z][a-z]+ (?!itself)|\.$/);
    if (help === undefined) return;
    const [person, model] = [adviceForPerson(help), adviceForModel(help)];
    expect([...faultsOf(person), ...faultsOf(model)]).toEqual([]);
    // Each voice speaks to its own reader.
    expect(person).not.toMatch(/\bthe user\b/);
    expect(model).not.toMatch(/\byourself\b|\byour own\b|\byou want\b/);
    // What loosens Assent is a person's to type.
    if (/`assent (?:allow|auto|agents|breaker|seen)/.test(model)) expect(model).toMatch(/\bask the user\b/);
  });

  it.each(Object.entries<Reason>(REASONS).filter(([, reason]) => STOPS.has(reason.class)))("%s says what to do next", (_, { help }) => {
    expect(help).toBeDefined();
  });
});

const commands = allCommands(commandTable(program()));

describe("help", () => {
  it.each(commands.map((row) => [row.path, row] as const))("%s", (_, row) => {
    const texts = JSON.stringify(row).match(/"(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*"/g) ?? [];
    expect(texts.flatMap((text) => faultsOf(JSON.parse(text) as string))).toEqual([]);
  });

  it("the man page", () => {
    const faults = manPage(commandTable(program()))
      .split(/\n(?:\.[^\n]*\n)*/)
      .flatMap((line) => faultsOf(line));
    expect(faults).toEqual([]);
  });
});

const CHOICES = choicesFor({ session: "run", time: false, tree: true, quit: true, word: false, once: false });
const START = startOf(CHOICES);

describe("the question of a run", () => {
  it.each([
    ["as it appears", START],
    ["with all that is known", { ...START, details: true }],
  ])("%s", (_, state) => {
    const shown = { question: question(1), alike: [question(2)], waiting: 1, choices: CHOICES, state, home: "/home/me" };
    const { lines } = render(shown, { columns: 120, rows: 40 }, PLAIN);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.flatMap((line) => faultsOf(line))).toEqual([]);
  });
});
