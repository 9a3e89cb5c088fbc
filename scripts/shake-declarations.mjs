// Declarations that nobody can reach are left out: a file of which one type is asked has others beside it, for the rest of the project.
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

/** Every name that stands in `node`, and every `import("…")` with the name that is asked of it. */
function namesIn(node, names = new Set(), imported = []) {
  if (Array.isArray(node)) for (const one of node) namesIn(one, names, imported);
  else if (node !== null && typeof node === "object") {
    if (node.type === "Identifier") names.add(node.name);
    if (node.type === "TSImportType") {
      let first = node.qualifier;
      while (first?.type === "TSQualifiedName") first = first.left;
      imported.push({ from: (node.source ?? node.argument?.literal ?? node.argument).value, name: first?.name ?? "*" });
    }
    for (const value of Object.values(node)) if (typeof value === "object") namesIn(value, names, imported);
  }
  return { names, imported };
}

const nameOf = (node) => node.name ?? node.value;

/** What a statement declares for its file, and for others. */
function readStatement(statement) {
  const { type, source, declaration, specifiers = [] } = statement;
  const from = source?.value;
  if (type === "ImportDeclaration")
    return {
      is: "import",
      from,
      parts: specifiers.map((one) => ({
        node: one,
        local: one.local.name,
        name: one.type === "ImportSpecifier" ? nameOf(one.imported) : one.type === "ImportDefaultSpecifier" ? "default" : "*",
      })),
    };
  if (type === "ExportAllDeclaration") return { is: "all", from, as: statement.exported === null ? undefined : nameOf(statement.exported) };
  if (type === "ExportNamedDeclaration" && declaration === null)
    return { is: "list", from, parts: specifiers.map((one) => ({ node: one, local: nameOf(one.local), as: nameOf(one.exported) })) };
  const declared = type === "ExportNamedDeclaration" ? declaration : statement;
  const ids = declared.type === "VariableDeclaration" ? declared.declarations.map(({ id }) => id.name) : [declared.id?.name];
  // A module of another, the global one, a default: whatever it says is said to all.
  const isForAll = ids.includes(undefined) || declared.type === "TSModuleDeclaration" || type.startsWith("ExportDefault");
  const { names: mentioned, imported } = namesIn(declared);
  return { is: "declaration", names: ids, isExported: type === "ExportNamedDeclaration", isForAll, mentioned, imported };
}

/**
 * `texts`: the declarations, by file, as they import one another (`.js` stands for `.d.ts`); `entries`: the files of which everything is
 * wanted. What is left, by file.
 */
export function shakeDeclarations(texts, entries) {
  const files = new Map(
    [...texts].map(([file, text]) => {
      const { program, errors } = parseSync(file, text);
      if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
      return [file, program.body.map((node) => ({ node, ...readStatement(node) }))];
    }),
  );
  const at = (file, from) => (from.startsWith(".") ? join(dirname(file), from.replace(/\.js$/, ".d.ts")) : undefined);
  const statementsOf = (file) => {
    const found = files.get(file);
    if (found === undefined) throw new Error(`no declarations: ${file}`);
    return found;
  };
  const kept = new Set();
  const has = (file, name) =>
    statementsOf(file).some(
      (one) =>
        (one.is === "declaration" && one.isExported && one.names.includes(name)) ||
        (one.is === "list" && one.parts.some(({ as }) => as === name)) ||
        (one.is === "all" &&
          (one.as === name || (one.as === undefined && at(file, one.from) !== undefined && has(at(file, one.from), name)))),
    );

  const want = (file, name) => (file === undefined ? undefined : name === "*" ? wantAll(file) : wantExport(file, name));
  const wantAll = (file) => {
    for (const one of statementsOf(file)) {
      if (one.is === "list") for (const part of one.parts) keepPart(file, one, part);
      if (one.is === "all") keepStar(file, one, "*");
      if (one.is === "declaration" && one.isExported) keepDeclaration(file, one);
    }
    wantForAll(file);
  };
  const wantExport = (file, name) => {
    wantForAll(file);
    for (const one of statementsOf(file)) {
      if (one.is === "list") for (const part of one.parts) if (part.as === name) keepPart(file, one, part);
      if (one.is === "declaration" && one.isExported && one.names.includes(name)) keepDeclaration(file, one);
      if (one.is !== "all") continue;
      const target = at(file, one.from);
      if (one.as === name) keepStar(file, one, "*");
      else if (one.as === undefined && (target === undefined || has(target, name))) keepStar(file, one, name);
    }
  };
  const wantForAll = (file) => {
    for (const one of statementsOf(file)) if (one.is === "declaration" && one.isForAll) keepDeclaration(file, one);
  };
  const keepStar = (file, one, name) => {
    kept.add(one);
    want(at(file, one.from), name);
  };
  const keepPart = (file, one, part) => {
    if (kept.has(part)) return;
    kept.add(part);
    if (one.from === undefined) wantLocal(file, part.local);
    else want(at(file, one.from), part.local);
  };
  const keepDeclaration = (file, one) => {
    if (kept.has(one)) return;
    kept.add(one);
    for (const name of one.mentioned) wantLocal(file, name);
    for (const { from, name } of one.imported) want(at(file, from), name);
  };
  const wantLocal = (file, name) => {
    for (const one of statementsOf(file)) {
      if (one.is === "declaration" && one.names.includes(name)) keepDeclaration(file, one);
      if (one.is !== "import") continue;
      for (const part of one.parts) {
        if (part.local !== name || kept.has(part)) continue;
        kept.add(part);
        want(at(file, one.from), part.name);
      }
    }
  };
  for (const entry of entries) wantAll(entry);
  return write(texts, files, kept);
}

/** The statements that are kept, with the comments before each. */
function write(texts, files, kept) {
  const left = new Map();
  for (const [file, statements] of files) {
    const text = texts.get(file);
    let end = 0;
    let isModule = false;
    const lines = statements.flatMap((one) => {
      const before = text.slice(end, one.node.start);
      end = one.node.end;
      const parts = one.parts?.filter((part) => kept.has(part)) ?? [];
      // `export {}`: nothing else here is exported.
      const isWhole = one.is === "list" ? one.parts.length === 0 : one.parts === undefined && kept.has(one);
      if (!isWhole && parts.length === 0) return [];
      if (one.is !== "declaration" || one.isExported) isModule = true;
      const own = text.slice(one.node.start, one.node.end);
      const hasBraces = one.parts !== undefined && one.parts.every(({ node }) => /^(?:Import|Export)Specifier$/.test(node.type));
      if (isWhole || !hasBraces) return [before + own];
      const names = parts.map(({ node }) => text.slice(node.start, node.end)).join(", ");
      return [before + own.replace(/\{[^}]*\}/, `{ ${names} }`)];
    });
    const isAsked = statements.some((one) => kept.has(one) || one.parts?.some((part) => kept.has(part)));
    if (isAsked) left.set(file, `${lines.join("").trim()}\n${isModule ? "" : "export {};\n"}`);
  }
  return left;
}
