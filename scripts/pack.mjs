// Makes the archive that is published: `npm run pack -- [FOLDER]`. The root is private, a workspace; what it lists as `files` goes out under
// a package.json without workspaces, scripts and what only builds: the packages of the workspace are in what was built. A link of a packed
// page to what stays in the repository becomes its words and the path; such a picture goes. Prints the archive's path.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const OF_THE_CLONE = ["private", "workspaces", "scripts", "devDependencies", "allowScripts"];

const pack = (folder, into) =>
  JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", into], { cwd: folder, encoding: "utf8" }))[0]
    .filename;

const LINK = /(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]+)[^)\s]*\)/g;

/** The text of a page in which no link is dead. */
function withLiveLinks(folder, page, text) {
  const live = (whole, picture, words, to) => {
    const path = normalize(join(dirname(page), to));
    if (existsSync(join(folder, path))) return whole;
    return picture === "" ? `${words} (\`${path}\` in the repository)` : "";
  };
  const isCode = (part) => part.startsWith("```");
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (isCode(part) ? part : part.replaceAll(LINK, live)))
    .join("");
}

const at = mkdtempSync(join(tmpdir(), "assent-pack-"));
try {
  execFileSync("tar", ["-xzf", join(at, pack(root, at)), "-C", at]);
  const file = join(at, "package/package.json");
  const manifest = Object.entries(JSON.parse(readFileSync(file, "utf8"))).filter(([key]) => !OF_THE_CLONE.includes(key));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(manifest), null, 2)}\n`);
  const folder = join(at, "package");
  for (const page of readdirSync(folder, { recursive: true }))
    if (page.endsWith(".md")) writeFileSync(join(folder, page), withLiveLinks(folder, page, readFileSync(join(folder, page), "utf8")));
  const into = resolve(process.argv[2] ?? ".");
  process.stdout.write(`${join(into, pack(folder, into))}\n`);
} finally {
  rmSync(at, { recursive: true, force: true });
}
