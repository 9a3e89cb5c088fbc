// The site in a headless Chromium: every link, the width of a phone, contrast in light and dark, the search.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const out = fileURLToPath(new URL("_site/", import.meta.url));
const program = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && existsSync(path),
);
if (program === undefined) throw new Error("no Chromium: set CHROMIUM to one");

const pages = readdirSync(out, { recursive: true })
  .filter((name) => name.endsWith(".html"))
  .toSorted();
const problems = [];
if (pages.length < 40) problems.push(`only ${pages.length} pages`);

/** The weakest contrast of text on a page, as WCAG counts it. */
const contrast = () => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).map((part) => {
      const c = Number(part) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/rgba\(.*, 0\)|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  let least = { ratio: 21, text: "" };
  for (const element of document.querySelectorAll("h1, h2, h3, p, li, a, code, td, th, summary")) {
    if (element.textContent.trim() === "") continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].toSorted((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < least.ratio) least = { ratio, text: element.textContent.slice(0, 40) };
  }
  return least;
};

const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
try {
  const ids = new Map();
  const links = [];
  let weakest = 21;
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 }, colorScheme });
    const page = await context.newPage();
    page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
    for (const name of pages) {
      await page.goto(pathToFileURL(join(out, name)).href);
      const { wide, anchors, leads, broken } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        anchors: [...document.querySelectorAll("[id]")].map(({ id }) => id),
        leads: [...document.querySelectorAll("a[href]")].map(({ href }) => href),
        broken: [...document.images].filter(({ naturalWidth }) => naturalWidth === 0).map(({ src }) => src),
      }));
      ids.set(name, new Set(anchors));
      if (wide > 360) problems.push(`${name}: ${wide} pixels wide on a phone of 360`);
      for (const src of broken) problems.push(`${name}: no picture ${src}`);
      if (colorScheme === "light") links.push(...leads.map((href) => [name, href]));
      const least = await page.evaluate(contrast);
      weakest = Math.min(weakest, least.ratio);
      if (least.ratio < 4.5) problems.push(`${name}: contrast ${least.ratio.toFixed(2)} in ${colorScheme}: ${least.text}`);
    }
    await context.close();
  }
  let followed = 0;
  const base = pathToFileURL(out).href;
  for (const [name, href] of links) {
    if (!href.startsWith("file:")) continue;
    followed += 1;
    const [path, anchor] = href.split("#");
    const target = decodeURI(path.slice(base.length));
    if (!path.startsWith(base) || !ids.has(target)) problems.push(`${name}: dead link ${href}`);
    else if (anchor !== undefined && anchor !== "" && !ids.get(target).has(decodeURIComponent(anchor)))
      problems.push(`${name}: no heading ${href.slice(base.length)}`);
  }
  const page = await browser.newPage();
  await page.goto(pathToFileURL(join(out, "index.html")).href);
  await page.fill("nav input", "troubleshoot");
  const found = await page.locator("nav li:visible").count();
  if (found !== 1) problems.push(`the search for a page finds ${found}`);
  console.log(`${pages.length} pages, ${followed} links, at 360 pixels and in light and dark, least contrast ${weakest.toFixed(1)}`);
} finally {
  await browser.close();
}
for (const problem of [...new Set(problems)]) console.log(`no   ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
