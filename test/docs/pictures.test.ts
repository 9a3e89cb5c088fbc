import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compare } from "./compare.ts";
import { drawnPictures, terminalPictures, textOf } from "./pictures.ts";
import { growthTable, speedTable } from "./plots.ts";
import { terminalSvg } from "./svg.ts";

const ROOT = join(import.meta.dirname, "../..");

it("pictures show what is printed: npm run pictures", { timeout: 120_000 }, async () => {
  const pictures = [...drawnPictures(ROOT), ...(await terminalPictures(ROOT))];
  expect(pictures.length).toBeGreaterThan(10);
  for (const { file, svg } of pictures) {
    const shown = textOf(readFileSync(join(ROOT, file), "utf8"));
    expect(shown.length, file).toBeGreaterThan(3);
    expect(compare(shown, textOf(svg)).same, `${file}\n${textOf(svg).join("\n")}`).toBe(true);
  }
});

it("the table of speeds is what was measured, as the bars are", () => {
  expect(readFileSync(join(ROOT, "evidence/comparison.md"), "utf8")).toContain(speedTable(ROOT));
});

it("the table of growth is what was measured: npm run plots", () => {
  expect(readFileSync(join(ROOT, "evidence/performance.md"), "utf8")).toContain(growthTable(ROOT));
});

it("colours of a terminal become classes, other sequences nothing, and text stays text", () => {
  const svg = terminalSvg("x", "\u001b[31mred <a>\u001b[0m plain\u001b[K\n\u001b[1;32mok\u001b[22m");
  expect(svg).toContain('<tspan class="r">red &lt;a&gt;</tspan><tspan class="t"> plain</tspan>');
  expect(svg).toContain('<tspan class="g w">ok</tspan>');
  expect(textOf(svg)).toEqual(["$ x", "red <a> plain", "ok"]);
});
