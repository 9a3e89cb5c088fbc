// The pages of docs/ as a site: `npm run build` in this folder writes _site/.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Where the files of the source can be read, for example `https://example.com/assent/blob/main/`: without it they are named, not linked. */
const SOURCE = process.env["SOURCE_URL"];

const NO_SOURCE = "source:";

/** The sidebar: four kinds of page. A page that is in none is an error, so none is forgotten. */
const KINDS = JSON.parse(readFileSync(new URL("sidebar.json", import.meta.url), "utf8"));

const pathOf = (page) => page.inputPath.replace(/^(?:\.\/)?pages\//, "");
const titleOf = (page) => /^# (.+)$/m.exec(page.rawInput ?? page.template?.frontMatter?.content ?? "")?.[1] ?? page.fileSlug;

export default function configure(config) {
  config.addPassthroughCopy({ "pages/pictures": "pictures", "style.css": "style.css" });
  config.setUseGitIgnore(false);
  config.addGlobalData("layout", "page.njk");
  config.addGlobalData("permalink", () => ({ page }) => {
    const path = pathOf(page);
    return `${path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html")}`;
  });
  config.addCollection("menu", (api) => {
    const pages = api.getAll().filter(({ inputPath }) => inputPath.endsWith(".md"));
    // It is called once before there are any.
    if (pages.length === 0) return [];
    const menu = new Map();
    const seen = new Set();
    for (const [kind, paths] of KINDS)
      for (const path of paths) {
        const found = pages.filter((page) => (path.endsWith("/") ? pathOf(page).startsWith(path) : pathOf(page) === path));
        if (found.length === 0) throw new Error(`there is no docs/${path}`);
        for (const page of found) {
          seen.add(pathOf(page));
          menu.set(kind, [...(menu.get(kind) ?? []), { title: titleOf(page), url: page.url }]);
        }
      }
    const forgotten = pages.map(pathOf).filter((path) => !seen.has(path) && path !== "index.md");
    if (forgotten.length > 0) throw new Error(`in no kind of the sidebar: ${forgotten.join(", ")}`);
    return [...menu].map(([kind, items]) => ({ kind, items }));
  });
  config.amendLibrary("md", (md) => {
    md.set({ html: true });
    // As GitHub names headings.
    md.core.ruler.push("anchors", (state) => {
      const seen = new Map();
      for (const [at, token] of state.tokens.entries()) {
        if (token.type !== "heading_open") continue;
        const text = state.tokens[at + 1].children
          .filter(({ type }) => type === "text" || type === "code_inline")
          .map(({ content }) => content)
          .join("");
        const name = text
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
          .trim()
          .replaceAll(" ", "-");
        const times = seen.get(name) ?? 0;
        seen.set(name, times + 1);
        token.attrSet("id", times === 0 ? name : `${name}-${times}`);
      }
    });
    md.renderer.rules.table_open = () => '<div class="wide"><table>\n';
    md.renderer.rules.table_close = () => "</table></div>\n";
  });
  // Links between pages lead to pages, all others to the source.
  config.addTransform("links", function (content) {
    if (!this.page.outputPath?.endsWith(".html")) return content;
    const folder = join("docs", dirname(pathOf(this.page)));
    const url = this.page.url.replace(/[^/]*$/, "");
    return content.replaceAll(/(<main>[\s\S]*<\/main>)/g, (main) =>
      main
        .replaceAll(/(href|src)="([^"#:]+)(#[^"]*)?"/g, (_, attribute, path, anchor = "") => {
          const target = normalize(join(folder, decodeURI(path)));
          if (target === "README.md") return `${attribute}="${relative(url, "/index.html")}${anchor}"`;
          if (target.startsWith("docs/") && existsSync(join(root, "site/pages", target.slice(5)))) {
            const page = target
              .slice(4)
              .replace(/README\.md$/, "index.html")
              .replace(/\.md$/, ".html");
            return `${attribute}="${relative(url, page) || "./"}${anchor}"`;
          }
          return `${attribute}="${SOURCE ?? NO_SOURCE}${target}${anchor}"`;
        })
        .replaceAll(new RegExp(`<a href="${NO_SOURCE}[^"]*">([\\s\\S]*?)</a>`, "g"), "$1"),
    );
  });
  config.addFilter("to", (target, from) => relative(from.replace(/[^/]*$/, ""), target.replace(/\/$/, "/index.html")) || "./");
  config.addFilter("first", (content) => /<h1[^>]*>(.*?)<\/h1>/.exec(content)?.[1]?.replaceAll(/<[^>]+>/g, "") ?? "Assent");
  return { dir: { input: "pages", output: "_site", includes: "../_layouts" }, markdownTemplateEngine: false, templateFormats: ["md"] };
}
