// For the hook: the knowledge tables read at build time, as one file beside the bundle of which an entry is fetched when
// its command occurs. A fresh hook would otherwise build some hundred tables and read their notation to use three.
// test/build/package.test.ts holds what is made here to what src/shell/knowledge says.
import { build } from "esbuild";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The tables and their reader, as the source has them. */
async function source(root) {
  const outfile = join(root, "node_modules/.cache/assent", `tables-${process.pid}.mjs`);
  await build({
    stdin: {
      contents: 'export { FAMILIES } from "./index.ts"; export { grammarOf } from "./read-spec.ts";',
      resolveDir: join(root, "src/shell/knowledge"),
    },
    bundle: true,
    format: "esm",
    platform: "neutral",
    outfile,
    logLevel: "warning",
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/**
 * One line: the option's names, each between blanks, and what more there is to say of it; most take no value and mean
 * nothing else. `module` has the reverse: an option is looked up in the text, and only those that occur are read.
 */
function packed({ names, argument, kind, second, consequences, ...rest }) {
  if (Object.keys(rest).length > 0) throw new Error(`option ${names[0]} has fields that the hook's tables do not know`);
  const plain = kind.is === "text" && Object.keys(kind).length === 1;
  const more =
    second !== undefined || consequences.length > 0
      ? [argument, plain ? 0 : kind, consequences, ...(second === undefined ? [] : [second])]
      : !plain
        ? [argument, kind]
        : argument === "none"
          ? undefined
          : [argument];
  // No blank but those around names.
  return ` ${names.join(" ")} ${more === undefined ? "" : JSON.stringify(more).replaceAll(" ", "\\u0020")}`;
}

const NAME = /^[\w.+@[-]+$/;

/** Examples and summaries are for people; options and subcommands lie in the grammar. */
const LEFT_OUT = new Set(["examples", "summary", "options", "subcommands"]);

/**
 * `table` is what lies in the file: an entry is JSON at `start:end`, its subcommands are entries of their own. All of it
 * is ASCII, so offsets count bytes. `module` is the source of the two modules' stand-in.
 */
export async function knowledge(root) {
  const { FAMILIES, grammarOf } = await source(root);
  const keys = new Set();
  let table = "";
  const place = ({ key, spec }) => `${key}\t${put(spec).join(":")}`;
  const put = (spec) => {
    const fields = Object.fromEntries(Object.entries(spec).filter(([key, value]) => !LEFT_OUT.has(key) && value !== undefined));
    for (const key of Object.keys(fields)) keys.add(key);
    // Without its parent: the options are its own.
    const { options, digits, slots, effects, inert, subcommands } = grammarOf({ ...spec });
    fields.grammar = {
      options: [...new Set(options.values())].map(packed).join("\n"),
      digits,
      slots,
      effects,
      inert,
      ...(subcommands && {
        named: `\n${[...subcommands.named.values()].flat().map(place).join("\n")}\n`,
        verbs: subcommands.verbs.map(place),
      }),
    };
    const start = table.length;
    table += JSON.stringify(fields).replaceAll(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return [start, table.length];
  };
  // One row for an entry: its names, each between blanks, and where it lies.
  const index = FAMILIES.flat().map((spec) => {
    const names = spec.names.split(" ");
    for (const name of names) if (!NAME.test(name)) throw new Error(`a command named ${name} cannot be looked up`);
    return ` ${names.join(" ")} :${put(spec).join(":")}`;
  });
  const module = `
import { openSync, readSync } from "node:fs";
let descriptor;
function read(start, end) {
  descriptor ??= openSync(__dirname + "/knowledge.txt", "r");
  const bytes = Buffer.allocUnsafe(end - start);
  if (readSync(descriptor, bytes, 0, bytes.length, start) !== bytes.length) throw new Error("the knowledge tables are damaged");
  return JSON.parse(bytes.latin1Slice());
}
export class Entry {
  constructor(start, end) {
    this.start = start;
    this.end = end;
    this.fields = undefined;
    this.grammar = undefined;
  }
  get own() { return (this.fields ??= read(this.start, this.end)); }
  get options() { throw new Error("options are read at build time"); }
  get subcommands() { throw new Error("subcommands are read at build time"); }
${[...keys].map((key) => `  get ${key}() { return this.own.${key}; }`).join("\n")}
}
function child(line) {
  const [key, place] = line.split("\\t");
  const [start, end] = place.split(":");
  return { key, words: key.split(" "), spec: new Entry(+start, +end) };
}
/** Stands for a map: subcommands by their first word, looked up in the lines of \`text\`. */
class Named {
  constructor(text) {
    this.text = text;
    this.found = new Map();
  }
  get(first) {
    let all = this.found.get(first);
    if (all === undefined && !/[\\n\\t ]/.test(first)) {
      all = [];
      for (let at = this.text.indexOf("\\n" + first); at !== -1; at = this.text.indexOf("\\n" + first, at + 1)) {
        const after = this.text[at + 1 + first.length];
        if (after === "\\t" || after === " ") all.push(child(this.text.slice(at + 1, this.text.indexOf("\\n", at + 1))));
      }
      this.found.set(first, all);
    }
    return all?.length > 0 ? all : undefined;
  }
  keys() {
    return new Set(this.text.trim().split("\\n").map((line) => /^[^\\t ]*/.exec(line)[0])).values();
  }
}
const TEXT = { is: "text" };
const NONE = [];
/** Stands for a map: options by name, looked up in the lines of \`text\`, then among those of the command above. */
class Options {
  constructor(text, parent) {
    this.text = text;
    this.parent = parent;
    this.found = new Map();
  }
  start(name) {
    // What is given on a command line may hold anything.
    if (/[\\n ]/.test(name)) return -1;
    const at = this.text.indexOf(" " + name + " ");
    return at === -1 ? -1 : this.text.lastIndexOf("\\n", at) + 1;
  }
  has(name) {
    return this.start(name) !== -1 || this.parent?.has(name) === true;
  }
  get(name) {
    const start = this.start(name);
    return start === -1 ? this.parent?.get(name) : this.at(start);
  }
  at(start) {
    let option = this.found.get(start);
    if (option === undefined) {
      const end = this.text.indexOf("\\n", start);
      const line = this.text.slice(start + 1, end === -1 ? undefined : end);
      const more = line.lastIndexOf(" ") + 1;
      const [argument, kind, consequences = NONE, second] = more === line.length ? ["none"] : JSON.parse(line.slice(more));
      option = { names: line.slice(0, more - 1).split(" "), argument, kind: kind || TEXT, consequences };
      if (second !== undefined) option.second = second;
      this.found.set(start, option);
    }
    return option;
  }
  *[Symbol.iterator]() {
    const all = new Map(this.parent);
    if (this.text !== "")
      for (let start = 0; ; ) {
        const option = this.at(start);
        for (const name of option.names) all.set(name, option);
        start = this.text.indexOf("\\n", start) + 1;
        if (start === 0) break;
      }
    yield* all;
  }
}
/** As grammarOf of read-spec.ts. */
export function grammarOfEntry(spec, parent) {
  if (spec.grammar !== undefined) return spec.grammar;
  const own = spec.own.grammar;
  const inert = own.inert && parent?.inert !== false;
  return (spec.grammar = {
    style: spec.own.style ?? (parent === undefined || parent.style === "posix" ? "gnu" : parent.style),
    options: new Options(own.options, parent?.options),
    digits: own.digits,
    slots: own.slots,
    effects: own.effects,
    inert,
    harmless: spec.own.closed === true && inert,
    subcommands: own.named && { named: new Named(own.named), verbs: own.verbs.map(child) },
  });
}
const INDEX = ${JSON.stringify(`${index.join("\n")}\n`)};
const found = new Map();
/** As entryFor of lookup.ts: looked up in a text, which costs a fresh process less than a map of all names. */
export function entryFor(name) {
  if (!${NAME}.test(name)) return undefined;
  const known = found.get(name);
  if (known !== undefined) return known;
  const at = INDEX.indexOf(" " + name + " ");
  if (at === -1) return undefined;
  const [start, end] = INDEX.slice(INDEX.indexOf(":", at) + 1, INDEX.indexOf("\\n", at)).split(":");
  // One object for all names of an entry.
  let entry = found.get(+start);
  if (entry === undefined) found.set(+start, (entry = new Entry(+start, +end)));
  found.set(name, entry);
  return entry;
}
/** For the test: every name. */
export const NAMES = () => INDEX.trim().split("\\n").flatMap((row) => row.slice(0, row.indexOf(":")).trim().split(" "));
`;
  return { table, module };
}

const reading = (file) => `
export * from ${JSON.stringify(`${file}?source`)};
import { grammarOf as fromTable } from ${JSON.stringify(`${file}?source`)};
import { Entry, grammarOfEntry } from "assent:knowledge";
export const grammarOf = (spec, parent) => (spec instanceof Entry ? grammarOfEntry(spec, parent) : fromTable(spec, parent));
`;

export const lazyKnowledge = ({ module }, root) => ({
  name: "lazy-knowledge",
  setup(bundle) {
    const knowledgeFolder = join(root, "src/shell/knowledge");
    bundle.onResolve({ filter: /^assent:knowledge$/ }, ({ path }) => ({ path, namespace: "assent" }));
    bundle.onLoad({ filter: /.*/, namespace: "assent" }, () => ({ contents: module, loader: "js", resolveDir: knowledgeFolder }));
    bundle.onLoad({ filter: /shell[\\/]knowledge[\\/]lookup\.ts$/ }, () => ({
      contents: 'export { entryFor } from "assent:knowledge";',
      loader: "js",
      resolveDir: knowledgeFolder,
    }));
    bundle.onResolve({ filter: /\?source$/ }, ({ path }) => ({ path: path.replace("?source", ""), suffix: "?source" }));
    bundle.onLoad({ filter: /shell[\\/]knowledge[\\/]read-spec\.ts$/ }, ({ path, suffix }) =>
      suffix === "?source" ? undefined : { contents: reading(path), loader: "js", resolveDir: knowledgeFolder },
    );
  },
});

/** Readers of languages, with what they export: a part of their own. sed is in every other command, so it stays. */
const LANGUAGES = {
  awk: ["readAwk"],
  javascript: ["readJavascript"],
  jq: ["readJq", "readYq"],
  "library-calls": ["readLibraryCalls"],
  perl: ["readPerl"],
  python: ["readPython"],
  ruby: ["readRuby"],
  sql: ["readSql", "readAnySql"],
};
/** Sets of names. */
const SETS = { "python-library": ["LIBRARY"] };

export const languages = Object.keys({ ...LANGUAGES, ...SETS })
  .map((name) => `export * from "./${name}.ts";`)
  .join("\n");

const forwarded = (part) => (name) => `export const ${name} = (...given) => require("./${part}.cjs").${name}(...given);`;
const askedFor = (part) => (name) => `export const ${name} = { has: (each) => require("./${part}.cjs").${name}.has(each) };`;

/** For the shell part: what reads other languages is loaded when one occurs. */
export const lazyLanguages = {
  name: "lazy-languages",
  setup(bundle) {
    bundle.onLoad({ filter: /shell[\\/]languages[\\/][\w-]+\.ts$/ }, ({ path }) => {
      const name = /([\w-]+)\.ts$/.exec(path)?.[1];
      const lines = LANGUAGES[name]?.map(forwarded("languages")) ?? SETS[name]?.map(askedFor("languages"));
      return lines === undefined ? undefined : { contents: lines.join("\n"), loader: "js" };
    });
  },
};

/** For `assent run`: what is said about commands in general is looked up when somebody asks. */
export const lazySurvey = {
  name: "lazy-survey",
  setup(bundle) {
    bundle.onLoad({ filter: /shell[\\/]survey[\\/]index\.ts$/ }, () => ({
      contents: ["hasSubcommands", "isKnown", "namingWords", "examplesOf", "runsAnything", "carriesCode"]
        .map(forwarded("survey"))
        .join("\n"),
      loader: "js",
    }));
  },
};

/** For the hook: few agents send patches. */
export const lazyPatch = {
  name: "lazy-patch",
  setup(bundle) {
    bundle.onLoad({ filter: /patch[\\/]index\.ts$/ }, () => ({ contents: forwarded("patch")("lowerPatch"), loader: "js" }));
  },
};

/** For the hook: what is in the input of a server's tool is looked for when one is called. */
export const lazyServer = {
  name: "lazy-server",
  setup(bundle) {
    bundle.onLoad({ filter: /engine[\\/]server-fields\.ts$/ }, () => ({ contents: forwarded("server")("serverFields"), loader: "js" }));
  },
};

/** For the hook: the analysis of commands is loaded when one is to be judged. */
export const lazyShell = {
  name: "lazy-shell",
  setup(bundle) {
    bundle.onLoad({ filter: /shell[\\/]index\.ts$/ }, () => ({
      contents: ["lowerShell", "lowerArgv", "isInertGitKey", "whatVariableSteers"].map(forwarded("shell")).join("\n"),
      loader: "js",
    }));
  },
};

/** Few have extensions; node's part that starts processes takes milliseconds to load. */
export const lazyExtensions = {
  name: "lazy-extensions",
  setup(bundle) {
    bundle.onLoad({ filter: /engine[\\/]extensions[\\/]run\.ts$/ }, () => ({
      contents: forwarded("extensions")("askExtension"),
      loader: "js",
    }));
  },
};

/** For `assent run`: policy files are read again only when one has changed. */
export const lazyReader = {
  name: "lazy-reader",
  setup(bundle) {
    bundle.onLoad({ filter: /engine[\\/]reader[\\/]index\.ts$/ }, () => ({ contents: forwarded("reader")("read"), loader: "js" }));
  },
};
