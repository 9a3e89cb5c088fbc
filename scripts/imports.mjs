// The structure of docs/architecture.md, as a lint rule: `node scripts/imports.mjs`. Import directions, circles of imports, entrances,
// names of types, the width of lines.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SCOPE, sourceFolders } from "./packages.mjs";

/** A folder may import from folders of a smaller rank. Equal ranks do not import each other. */
export const RANK = {
  data: 0,
  path: 0,
  action: 0,
  pattern: 1,
  signature: 1,
  edit: 1,
  policy: 2,
  shell: 3,
  patch: 4,
  request: 5,
  state: 5,
  team: 8,
  audit: 6,
  approve: 6,
  engine: 7,
  inspect: 8,
  "policy-edit": 8,
  "policy-test": 8,
  suggest: 8,
  lint: 9,
  import: 9,
  supervise: 10,
  engines: 11,
  agents: 11,
  sdk: 12,
  preview: 12,
  page: 13,
  daemon: 12,
  cli: 14,
  // The team server's.
  database: 9,
  log: 10,
  enrol: 11,
  web: 12,
  "sign-in": 13,
  webhooks: 13,
  keys: 13,
  passkeys: 13,
  policies: 13,
  records: 13,
  questions: 14,
  connection: 15,
  serve: 16,
};
/** The folders of each package, `packages/NAME/src/`, and of which other packages it may import; `only`: these folders of them. */
export const PACKAGES = {
  core: { folders: ["data", "path", "action", "pattern", "edit", "policy", "shell", "patch", "request"], imports: [] },
  guard: {
    folders: ["signature", "state", "audit", "approve", "engine", "inspect", "policy-edit", "policy-test", "suggest", "lint"],
    imports: ["core"],
  },
  team: { folders: ["team"], imports: ["core", "guard"] },
  supervisor: { folders: ["supervise", "engines"], imports: ["core", "guard"] },
  import: { folders: ["import"], imports: ["core", "guard"] },
  hosts: { folders: ["agents"], imports: ["core", "guard", "import", "supervisor"] },
  library: { folders: ["sdk"], imports: ["core", "guard", "supervisor", "hosts", "team"] },
  page: { folders: ["preview", "page"], imports: ["core", "guard", "supervisor", "hosts", "team"] },
  assent: {
    folders: ["daemon", "cli"],
    imports: ["core", "guard", "team", "supervisor", "import", "hosts", "library", "page"],
  },
  "team-server": {
    folders: [
      "database",
      "log",
      "enrol",
      "web",
      "sign-in",
      "webhooks",
      "keys",
      "passkeys",
      "policies",
      "records",
      "questions",
      "connection",
      "serve",
    ],
    imports: ["core", "guard", "team"],
    only: ["@assent/team/team/protocol", "@assent/core/data", "@assent/guard/signature"],
  },
};
const packageOf = (folder) => Object.keys(PACKAGES).find((name) => PACKAGES[name].folders.includes(folder));
const mayImport = (one, other) => one === other || PACKAGES[one]?.imports.includes(other) === true;

/** Pure folders: no file, clock, environment or process access. */
export const PURE = PACKAGES.core.folders;

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^"'\n]+)\1/g;
const IMPURE =
  /(?<![.\w"'`])(?:process\s*\.\s*\w|Date\s*\.\s*now\b|new\s+Date\s*\(\s*\)|Math\s*\.\s*random\b|performance\s*\.\s*now\b|globalThis\s*\.\s*process)/;

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, (c) => c.replace(/[^\n]/g, " ")).replace(/(^|\s)\/\/[^\n]*/g, "$1");

/**
 * What is wrong with the imports of one file.
 * @param {string} path relative to `src/` of its package, with forward slashes
 * @param {string} text
 * @returns {{ path: string, line: number, message: string }[]}
 */
export function importProblems(path, text) {
  const folder = path.split("/")[0];
  const problems = [];
  const code = withoutComments(text);
  const report = (index, message) => problems.push({ path, line: code.slice(0, index).split("\n").length, message });
  if (!path.includes("/")) report(0, "a source file belongs to a folder of docs/architecture.md");
  else if (!(folder in RANK)) report(0, `folder \`${folder}\` is not in docs/architecture.md`);

  for (const match of code.matchAll(IMPORT)) {
    const target = match[2];
    // As a module it opens the standard streams, which makes pipes non-blocking, also for the programs that share them.
    if (target === "node:process") report(match.index, "use the global `process`, not the module");
    const isNamed = target.startsWith(SCOPE);
    if (!target.startsWith(".") && !isNamed) {
      if (PURE.includes(folder) && target.startsWith("node:"))
        report(match.index, `\`${folder}\` is pure: it may not import \`${target}\``);
      continue;
    }
    const resolved = fileOf(path, target).split(sep).join("/");
    const [other = "", ...rest] = resolved.split("/");
    if ((other === folder && !isNamed) || resolved.endsWith(".json")) continue;
    const [own, its] = [packageOf(folder), packageOf(other)];
    if (other in RANK) {
      if (!mayImport(own, its)) report(match.index, `\`${own}\` may not import \`${its}\`: packages point the other way`);
      else if (own !== its && target !== `${SCOPE}${its}/${resolved.slice(0, -"/index.ts".length)}`)
        report(match.index, `import \`${SCOPE}${its}/${[other, ...rest.slice(0, -1)].join("/")}\`, not \`${target}\``);
      else if (own !== its && PACKAGES[own].only?.includes(target) === false)
        report(match.index, `\`${own}\` may import only ${PACKAGES[own].only.join(", ")}`);
      else if (own === its && isNamed) report(match.index, `\`${other}\` lies in the same package: import it by its path`);
    }
    if (!(other in RANK)) report(match.index, `\`${target}\` leaves the source`);
    else if (RANK[other] >= RANK[folder]) report(match.index, `\`${folder}\` may not import \`${other}\`: imports point the other way`);
    if (rest.at(-1) !== "index.ts") report(match.index, `import \`${other}\` through an index.ts, not \`${target}\``);
  }
  const impure = PURE.includes(folder) ? IMPURE.exec(code) : null;
  if (impure) report(impure.index, `\`${folder}\` is pure: \`${impure[0]}\` must be passed in`);
  return problems;
}

/** Columns. */
const LONGEST_LINE = 160;

export function lineProblems(path, text) {
  return text
    .split("\n")
    .flatMap((line, at) =>
      line.length > LONGEST_LINE ? [{ path, line: at + 1, message: `longer than ${LONGEST_LINE} columns: ${line.length}` }] : [],
    );
}

const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) ([A-Za-z_$][\w$]*)/gm;

/** `PermissionHooks` is each adapter's own, for another SDK. The others mean two things yet. None is added. */
const TWICE_YET = new Set([
  "PermissionHooks",
  "Answer",
  "Input",
  "OperationRules",
  "Origin",
  "ReadOptions",
  "Refusal",
  "RuleReader",
  "Scope",
  "Written",
]);

/**
 * Types that are exported twice under one name: who reads one of them must not have to find out which it is.
 * @param {ReadonlyMap<string, string>} files text by path
 */
export function nameProblems(files) {
  const first = new Map();
  const problems = [];
  for (const [path, text] of files)
    for (const match of withoutComments(text).matchAll(EXPORTED_TYPE)) {
      const [, name] = match;
      const other = first.get(name);
      const line = text.slice(0, match.index).split("\n").length;
      if (other === undefined) first.set(name, path);
      else if (other !== path && !TWICE_YET.has(name))
        problems.push({ path, line, message: `a type \`${name}\` is exported by ${other} too` });
    }
  return problems;
}

const STATIC_IMPORT = /^(?:import|export)\s+(type\s+)?([^"';]*?)\s*from\s*"(\.[^"\n]+)"|^import\s*"(\.[^"\n]+)"/gm;

/** Which files each file imports; `types`: also those of which it imports nothing but types. */
function importsOf(files, types) {
  return new Map(
    [...files].map(([path, text]) => {
      const targets = [...withoutComments(text).matchAll(STATIC_IMPORT)].flatMap(([, type, names, from, bare]) => {
        const named = /^\{([^}]*)\}$/.exec(names ?? "")?.[1];
        const onlyTypes = type !== undefined || named?.split(",").every((name) => /^\s*(?:type\s|$)/.test(name)) === true;
        return types || !onlyTypes ? [relative("/", resolve("/", dirname(path), from ?? bare))] : [];
      });
      return [path, targets.filter((target) => files.has(target))];
    }),
  );
}

/** Sets of files that all import one another, by whatever way (Tarjan's strongly connected components). */
function circles(graph) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (path) => {
    index.set(path, index.size);
    low.set(path, index.get(path));
    stack.push(path);
    for (const target of graph.get(path)) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(path, Math.min(low.get(path), low.get(target)));
    }
    if (low.get(path) !== index.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) found.push(circle.sort());
  };
  for (const path of graph.keys()) if (!index.has(path)) visit(path);
  return found;
}

/** The shell's interpreter: a command runs a script, a script runs commands. */
const INTERPRETER = /^shell\/(?:words|interpret|programs)\//;

/**
 * Circles of imports: by value only within the shell's interpreter, by type only where docs/architecture.md names the files.
 * @param {ReadonlyMap<string, string>} files text by path
 * @param {string} architecture the text of docs/architecture.md
 */
export function circleProblems(files, architecture) {
  /** A point of a list tells of files, or of all in a folder. */
  const points = architecture.split("\n").filter((line) => line.startsWith("- "));
  const told = points.map((line) => [...line.matchAll(/`([\w/-]+(?:\.ts|\/))`/g)].map(([, path]) => path));
  const isTold = (row, path) => row.some((one) => one === path || (one.endsWith("/") && path.startsWith(one)));
  const problem = (circle, message) => ({ path: circle[0], line: 1, message: `${message}: ${circle.join(", ")}` });
  const inInterpreter = (circle) => circle.every((path) => INTERPRETER.test(path));
  return [
    ...circles(importsOf(files, false))
      .filter((circle) => !inInterpreter(circle))
      .map((circle) => problem(circle, "these import one another")),
    ...circles(importsOf(files, true))
      .filter((circle) => !inInterpreter(circle) && !told.some((row) => circle.every((path) => isTold(row, path))))
      .map((circle) => problem(circle, "these import one another's types, which docs/architecture.md does not say")),
  ];
}

/** Folders whose own folders point one way, too. */
const INSIDE = ["policy", "shell", "agents", "sdk"];
/** Arrows back: imports between two of these that point against most others between the two. None is added. */
const ARROWS_BACK = new Set([
  // Types of a whole that its parts know, and of a part that the whole knows.
  "policy/match/match-context.ts > policy/kinds/call.ts",
  "policy/match/types.ts > policy/kinds/index.ts",
  "shell/words/context.ts > shell/programs/invocation.ts",
  // What a command runs is a command again.
  "shell/interpret/command.ts > shell/interpret/builtins/index.ts",
  "shell/programs/apply.ts > shell/programs/analyse/index.ts",
  "shell/programs/kinds.ts > shell/interpret/walk.ts",
  "shell/programs/kinds.ts > shell/programs/analyse/git-config.ts",
  // `createGuard` has a method for each adapter, which are made of it.
  "sdk/create-guard/guard.ts > sdk/adapters/guards.ts",
]);

/** @param {ReadonlyMap<string, string>} files text by path, `FOLDER/…` */
export function arrowProblems(files) {
  const arrows = [...importsOf(files, true)]
    .flatMap(([path, targets]) => targets.map((target) => ({ path, target, from: dirname(path), to: dirname(target) })))
    .filter(({ from, to }) => from !== to && from.split("/")[0] === to.split("/")[0] && INSIDE.includes(from.split("/")[0]));
  const between = (from, to) => arrows.filter((one) => one.from === from && one.to === to).length;
  return arrows
    .filter(({ path, target, from, to }) => !ARROWS_BACK.has(`${path} > ${target}`) && between(from, to) <= between(to, from))
    .map(({ path, target, from, to }) => ({
      path,
      line: 1,
      message: `an arrow back: \`${target}\`, and \`${to}/\` imports of \`${from}/\``,
    }));
}

const HANDED_ON = /^export\s+(?:type\s+)?(?:\*|\{([^}]*)\})\s*from\s*"([^"\n]+)";?/gm;

/** The file that an import of `path` names: `FOLDER/…`. */
const fileOf = (path, target) =>
  target.startsWith(SCOPE) ? `${target.split("/").slice(2).join("/")}/index.ts` : relative("/", resolve("/", dirname(path), target));

/**
 * Files that only hand on what others declare: they are entrances, of two files or more, for those outside. Whoever is inside imports a
 * name from where it is declared.
 * @param {ReadonlyMap<string, string>} files text by path, `FOLDER/…`
 * @param {ReadonlySet<string>} published entrances of the packages that are published
 */
export function entranceProblems(files, published) {
  const problems = [];
  const askedBy = new Map();
  const handed = new Map();
  for (const [path, text] of files) {
    const code = withoutComments(text);
    const on = [...code.matchAll(HANDED_ON)];
    const names = on.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim().split(" ").at(-1)));
    handed.set(path, {
      names: new Set(names),
      from: new Set(on.map(([, , target]) => target)),
      isAll: code.replace(HANDED_ON, "").trim() === "",
    });
    for (const [, , target] of code.matchAll(IMPORT)) {
      const file = fileOf(path, target);
      askedBy.set(file, [...(askedBy.get(file) ?? []), path]);
    }
  }
  for (const [path, { from, isAll }] of handed) {
    if (!isAll || from.size === 0) continue;
    const askers = askedBy.get(path) ?? [];
    const isEntrance =
      published.has(path) ||
      askers.some((asker) => asker.split("/")[0] !== path.split("/")[0]) ||
      (askers.length > 1 && askers.every((asker) => published.has(asker)));
    if (!isEntrance)
      problems.push({ path, line: 1, message: "nobody outside asks for what this hands on: import it from where it is declared" });
    else if (from.size === 1)
      problems.push({ path, line: 1, message: `hands on what \`${[...from].join("")}\` declares, and nothing else: be that file` });
  }
  for (const [path, text] of files)
    for (const [, , list, target] of withoutComments(text).matchAll(
      /^(?:import|export)\s+(type\s+)?\{([^}]*)\}\s*from\s*"(\.[^"\n]+)"/gm,
    )) {
      const file = fileOf(path, target);
      if (!path.startsWith(file.replace(/index\.ts$/, ""))) continue;
      const found = list.split(",").find((name) =>
        handed.get(file)?.names.has(
          name
            .trim()
            .replace(/^type /, "")
            .split(" ")[0],
        ),
      );
      if (found !== undefined)
        problems.push({
          path,
          line: 1,
          message: `\`${file}\` hands on \`${found.trim()}\` to those outside: import it from where it is declared`,
        });
    }
  return problems;
}

/** What `package.json` exports, by the files that its declarations are made of. */
function publishedOf(root) {
  const { files } = JSON.parse(readFileSync(join(root, "tsconfig.types.json"), "utf8"));
  return new Set(files.map((file) => file.split("/src/")[1]));
}

/** `path` of a problem is relative to `root`. */
export function allProblems(root) {
  const files = new Map();
  const places = new Map();
  for (const folder of sourceFolders(root))
    for (const path of readdirSync(join(root, folder), { recursive: true })
      .map((file) => file.split(sep).join("/"))
      .filter((file) => /\.[cm]?tsx?$/.test(file))
      .sort()) {
      files.set(path, readFileSync(join(root, folder, path), "utf8"));
      places.set(path, folder);
    }
  const misplaced = [...places].filter(([path, folder]) => homeOf(path.split("/")[0]) !== folder);
  return [
    ...misplaced.map(([path]) => ({ path, line: 1, message: `its folder belongs to ${homeOf(path.split("/")[0])}` })),
    ...[...files].flatMap(([path, text]) => [...importProblems(path, text), ...lineProblems(path, text)]),
    ...nameProblems(files),
    ...arrowProblems(files),
    ...entranceProblems(files, publishedOf(root)),
    ...circleProblems(files, readFileSync(join(root, "docs/architecture.md"), "utf8")),
  ].map((problem) => ({ ...problem, path: `${places.get(problem.path)}/${problem.path}` }));
}

function homeOf(folder) {
  const name = packageOf(folder);
  return `packages/${name}/src`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..");
  for (const { path, line, message } of allProblems(root)) {
    process.stderr.write(`${path}:${line}: ${message}\n`);
    process.exitCode = 1;
  }
}
