import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LATENCIES, LogTally, topOf } from "@assent/page/preview";
import { barsPlot, columnsPlot, type PlotNode, roundUp, svgText } from "../../packages/page/src/page/ui/plot.ts";
import { allOf } from "@assent/guard/suggest";
import { stateFolder } from "@assent/guard/state";
import { decisionsOfToday } from "../../packages/assent/src/cli/status.ts";
import { assent, scratch } from "../scratch.ts";
import { accessibilityFaults, endPage, openPage, useBrowser } from "./browser.ts";
import { HOSTILE, log } from "./log.ts";

const NOW = Date.UTC(2026, 10, 26, 12);
const DAY = 86_400_000;

const counted = (tally: LogTally, days = 3) => allOf(tally.update(days, NOW));

describe("what is counted of a log", () => {
  it("by day: verdicts, questions, what asks, who is refused, how long it took; once, and what comes later is added", () => {
    const place = scratch();
    const tally = new LogTally(stateFolder(place.machine));
    expect(counted(tally).map(({ day, asked }) => [day, asked])).toEqual([
      ["2026-11-24", 0],
      ["2026-11-25", 0],
      ["2026-11-26", 0],
    ]);
    log(place, [
      { time: NOW - 5 * DAY, verdict: "deny" },
      { time: NOW - DAY, milliseconds: 0.25 },
      { time: NOW - DAY, verdict: "ask", milliseconds: 3 },
      { time: NOW, verdict: "ask", answer: "deny", agent: "codex", milliseconds: 1000 },
      { time: NOW, verdict: "deny" },
      { time: NOW, confined: true },
      { time: NOW, verdict: "none", point: "command" },
    ]);
    appendFileSync(
      join(stateFolder(place.machine), "audit.jsonl"),
      '{"v":1,"time":"2026-11-26T00:00:00.000Z","verdict":"deny","agent":"forged"}\n',
    );
    const [, before, today] = counted(tally);
    expect(before).toMatchObject({ verdicts: { allow: 1, confined: 0, none: 0, ask: 1, deny: 0 }, asked: 1 });
    expect(today).toMatchObject({ verdicts: { allow: 0, confined: 1, none: 0, ask: 1, deny: 1 }, asked: 0 });
    expect(before?.latency).toEqual(LATENCIES.map((most) => (most === 0.25 || most === 4 ? 1 : 0)).concat(0));
    expect(today?.latency.at(-1)).toBe(1);
    const again = counted(tally);
    expect(again[2]).toEqual(today);
    log(place, [{ time: NOW, verdict: "deny", agent: "codex" }]);
    const after = counted(tally);
    expect(after[2]?.verdicts.deny).toBe(2);
    expect(topOf(after, "refusals", 5)).toEqual([
      ["codex", 2],
      ["claude", 1],
    ]);
    // Where nobody could be asked it was refused, and is no question.
    expect(topOf(after, "asks", 5)).toEqual([["Bash", 1]]);
    expect(counted(tally, 7)[1]?.verdicts.deny).toBe(1);
  });

  it("in `log --stats`, `status` and the plots alike: questions, refusals, what goes ahead sandboxed", async () => {
    const place = scratch();
    const now = Date.now();
    log(place, [
      { time: now, verdict: "allow" },
      { time: now, verdict: "ask" },
      { time: now, verdict: "ask", answer: "none" },
      { time: now, verdict: "ask", answer: "deny", agent: "codex" },
      { time: now, verdict: "ask", answer: "allow", confined: true },
      { time: now, verdict: "deny" },
      { time: now, verdict: "deny" },
      { time: now, verdict: "allow", point: "command" },
    ]);
    const stats = JSON.parse(assent(place, ["log", "--stats", "--json"]).stdout) as Record<string, Record<string, number>>;
    const [today] = allOf(new LogTally(stateFolder(place.machine)).update(1, now));
    const sum = (counts: Iterable<number>): number => [...counts].reduce((all, one) => all + one, 0);
    expect([
      stats["decisions"],
      sum(Object.values(stats["asked"] ?? {})),
      sum(Object.values(stats["refused"] ?? {})),
      stats["verdicts"]?.["confined"],
    ]).toEqual([7, 2, 3, 1]);
    expect([
      sum(Object.values(today?.verdicts ?? {})),
      today?.asked,
      sum(today?.refusals.values() ?? []),
      today?.verdicts.confined,
    ]).toEqual([7, 2, 3, 1]);
    expect(await decisionsOfToday(place.machine, now)).toEqual({ checked: 7, asked: 2, refused: 3, sandboxed: 1 });
  });
});

describe("a plot", () => {
  it.each([
    [0, 1],
    [1, 1],
    [1.2, 2],
    [3, 5],
    [7, 10],
    [10, 10],
    [101, 200],
    [9999, 10_000],
  ])("has a scale for %d up to %d", (most, up) => expect(roundUp(most)).toBe(up));

  const boxes = (node: PlotNode): readonly PlotNode["attributes"][] => [
    ...(node.tag === "rect" ? [node.attributes] : []),
    ...node.children.flatMap((child) => (typeof child === "string" ? [] : boxes(child))),
  ];
  const about = { id: "p", title: "A & B", about: "what <it> is" };

  it("of columns puts the parts of a day on top of each other, as high as they are", () => {
    const plot = columnsPlot({
      ...about,
      series: [
        { name: "a", class: "a" },
        { name: "b", class: "b" },
      ],
      columns: [
        { name: "1", values: [5, 5] },
        { name: "2", values: [0, 0] },
        { name: "3", values: [0, 10] },
      ],
      every: 1,
    });
    const parts = boxes(plot).filter(({ width }) => width !== 12);
    expect(parts.map(({ class: of, y, height }) => [of, y, height])).toEqual([
      ["a", 124, 80],
      ["b", 44, 80],
      ["b", 44, 160],
    ]);
  });

  it("of bars has widths like its values, and names that are too long are cut", () => {
    const plot = barsPlot({
      ...about,
      groups: [["", [["x".repeat(99), 10] as const, ["y", 5] as const, ["z", 0] as const]]],
      classOf: () => "c",
    });
    expect(boxes(plot).map(({ width }) => width)).toEqual([480, 240, 2]);
    expect(svgText(plot)).toContain(`>${"x".repeat(23)}…<`);
  });

  it("is a file that says what it shows, and nothing in it is markup", () => {
    const written = svgText(barsPlot({ ...about, groups: [['<a href="x">', [["</svg><script>", 1]]]], classOf: () => '"><b' }), "<style/>");
    expect(written).toMatch(
      /^<svg [^>]*role="img" aria-labelledby="p-title p-about"[^>]*><style\/><title id="p-title">A &amp; B<\/title><desc id="p-about">what &lt;it&gt; is<\/desc>/,
    );
    expect(written).not.toContain("<script>");
    expect(written).not.toContain('"><b');
  });
});

describe("the page's plots", () => {
  const browser = useBrowser();

  it.each(["light", "dark"] as const)("are drawn from the log, with their numbers in tables, in %s", async (colorScheme) => {
    const place = scratch();
    const now = Date.now();
    log(place, [
      ...Array.from({ length: 40 }, (_, at) => ({
        time: now - (at % 5) * DAY,
        verdict: at % 4 === 0 ? ("deny" as const) : ("allow" as const),
      })),
      ...HOSTILE.map((agent) => ({ time: now, verdict: "deny" as const, agent })),
      { time: now, verdict: "ask", agent: "codex" },
    ]);
    const context = await browser.context({ colorScheme, viewport: { width: 360, height: 700 } });
    const { page, faults } = await openPage(place, context, "plots?days=7");
    await page.locator("svg").nth(4).waitFor();
    expect(await page.getByRole("img").count()).toBe(5);
    await page.getByRole("img", { name: "Decisions a day" }).waitFor();
    const table = page.locator("details", { hasText: "Decisions a day as a table" });
    await table.locator("summary").press("Enter");
    const last = await table.locator("tbody tr").last().innerText();
    expect(last.split(/\s+/).slice(1)).toEqual(["6", "0", "0", "1", "8"]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "90 days" }).press("Enter");
    await page.locator('button[aria-pressed="true"]', { hasText: "90" }).waitFor();
    expect(await page.evaluate(() => document.images.length)).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
    endPage(place);
  });
});
