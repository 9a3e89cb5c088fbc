import { distinct, HOME, MAX_SOURCE, type CodeFinding } from "./finding.ts";
import { LibraryExpressions } from "./library-expressions.ts";
import { FUNCTIONS, type LibraryEffect, PATH_METHODS, SELF } from "./library-names.ts";
import { type StepBudget, DEEPEST, MOST_STEPS } from "./library-scope.ts";
import { type ScriptLanguage, scriptTokens } from "./library-tokens.ts";
import {
  alternatives,
  type CallArguments,
  asPath,
  fileModule,
  fill,
  folderOf,
  home,
  isRecursive,
  joined,
  type KnownValue,
  moduleName,
  namedArgument,
  NO_NAMES,
  numberOf,
  quoted,
  text,
  texts,
  UNKNOWN,
} from "./library-values.ts";
import { CONTENT, DECODED, DECODED_NAME, decoded, decodedByMethod, EVALUATES, READS, substitutesCode } from "./library-decode.ts";

/**
 * What a program does through the standard library of its language, where names and values stand in the text: files
 * deleted, moved, written and read, and commands started. It adds to what the readers of whole programs say, and never
 * takes back that a program is code: what is not understood here is passed over, whatever stands beside it.
 *
 *     readLibraryCalls("python", "import shutil as s; s.rmtree('/' + 'home')")   // file delete /home and all below
 *     readLibraryCalls("javascript", "require('child_process').execSync('id')")  // shell id
 */
export function readLibraryCalls(language: ScriptLanguage, source: string): CodeFinding[] {
  if (source.length > MAX_SOURCE) return [];
  const budget = { steps: 0 };
  const findings = [...evaluate(language, source, 0, budget)];
  if (language === "perl" && substitutesCode(source)) findings.push({ does: "limit", why: "the code it runs is made of data" });
  return distinct(
    budget.steps > MOST_STEPS
      ? [...findings, { does: "limit", why: "the code is too large or too deeply nested to look through" }]
      : findings,
  );
}

function evaluate(language: ScriptLanguage, source: string, depth: number, budget: StepBudget): readonly CodeFinding[] {
  const reader = new CallReader(language, scriptTokens(source, language), depth, budget);
  // Once for what the names stand for, and once more for what is called with them.
  reader.scan();
  reader.begin();
  reader.scan();
  return reader.findings;
}

const PATH_CLASSES = new Set("pathlib.Path pathlib.PosixPath pathlib.PurePath pathlib.PurePosixPath Pathname Pathname.new".split(" "));
const JOINS = new Set(
  "os.path.join posixpath.join path.join path.resolve path.posix.join File.join File::Spec.catfile File.expand_path".split(" "),
);
/** Functions that hand on their first argument, or a copy. */
const SAME = new Set(
  (
    "os.path.abspath os.path.realpath os.path.normpath os.path.expandvars os.fspath os.fsencode os.fsdecode str bytes " +
    "String URI URL URI.parse path.normalize File.absolute_path File.realpath list tuple set sorted reversed iter " +
    "Array.from Array Path.resolve fs.realpath urllib.request.Request"
  ).split(" "),
);
const HOMES = new Set("pathlib.Path.home os.homedir Dir.home Path.home os.userInfo.homedir".split(" "));
const HERE = new Set([
  "os.getcwd",
  "pathlib.Path.cwd",
  "process.cwd",
  "Dir.pwd",
  "Dir.getwd",
  "Deno.cwd",
  "os.path.curdir",
  "getcwd",
  "cwd",
]);
const IMPORTS = new Set([
  "__import__",
  "importlib.import_module",
  "require",
  "import",
  "process.getBuiltinModule",
  "module.require",
  "process.mainModule.require",
  "process.binding",
  "module.constructor._load",
  "Module._load",
]);
/** What holds every module or name, by its name. */
const NAMESPACES = new Set("sys.modules globals locals builtins __builtins__ globalThis global vars".split(" "));
const ENVIRONMENTS = new Set(["os.environ", "process.env", "ENV", "os.getenv", "os.environ.get", "ENV.fetch", "Deno.env.get", "$ENV"]);

/** What an address answered with, and what is made of it. */
const DOWNLOAD = "downloaded text";
const isDownload = (name: string): boolean => name.startsWith(DOWNLOAD);
const EACH = /^(?:forEach|map|each|filter|then)$/;
const LISTS = new Set("os.listdir fs.readdir Dir.children Dir.entries Dir.each_child Dir.foreach Deno.readDir".split(" "));
/** Values of which nothing is known. */
const HIDDEN: ReadonlySet<string> = new Set(["unknown", "method"]);
const A_NAME: KnownValue = { is: "glob", text: "*" };

/** Neither written out, nor what a file holds, nor what is judged as a download. */
const hidesCode = (value: KnownValue): boolean =>
  value.is === "name"
    ? !value.name.startsWith(CONTENT) && !isDownload(value.name)
    : value.is === "list"
      ? texts(value).length === 0
      : HIDDEN.has(value.is);

class CallReader extends LibraryExpressions {
  protected within(code: string): KnownValue {
    if (this.nesting >= DEEPEST) return UNKNOWN;
    // `{x!r:>10}` of an f-string is `x`.
    const tokens = scriptTokens(code.replace(/[!:=][^()[\]]*$/, ""), this.language);
    const inner = new CallReader(this.language, tokens, this.nesting + 1, this.budget);
    for (const [name, known] of this.values) inner.values.set(name, known);
    const { value } = inner.expression(0);
    this.findings.push(...inner.findings);
    return value;
  }

  protected override member(value: KnownValue, name: string, scope = false): KnownValue {
    if (value.is === "any") return { is: "any", of: value.of.map((one) => this.member(one, name, scope)) };
    if (value.is === "object") return value.fields.get(name) ?? UNKNOWN;
    if (value.is === "path" && name === "parent") return asPath(text(value.text.replace(/\/[^/]*$/, "") || "/"));
    if (value.is !== "name") return { is: "method", of: value, name };
    if (name === "__dict__") return value;
    if (NAMESPACES.has(value.name)) return this.namespaced(name);
    const full = `${value.name}${scope && /^[A-Z]/.test(name) ? "::" : "."}${name}`;
    if (this.language === "ruby" && (HOMES.has(full) || HERE.has(full))) return text(HOMES.has(full) ? HOME : ".");
    if (this.language !== "javascript") return ENVIRONMENTS.has(value.name) && name === "HOME" ? text(HOME) : { is: "name", name: full };
    if (value.name === "process.env") return this.environment(text(name));
    if (/^(?:promises|default)$/.test(name)) return value;
    return { is: "name", name: `${value.name.replace(/^fs\/promises$/, "fs")}.${name.replace(/Sync$/, "")}` };
  }

  private namespaced(name: string): KnownValue {
    const [known] = this.values.get(name) ?? [];
    return known ?? { is: "name", name: this.language === "javascript" ? moduleName(name) : name };
  }

  protected element(value: KnownValue, index: KnownValue): KnownValue {
    if (value.is === "any") return { is: "any", of: value.of.map((one) => this.element(one, index)) };
    if (value.is === "name" && ENVIRONMENTS.has(value.name)) return this.environment(index);
    if (value.is === "name" && value.name === "Dir") return this.globbed(index);
    // `f["x"]` calls a proc of Ruby.
    if (value.is === "name" && this.language === "ruby" && this.parameters.has(value.name))
      this.bindParameters(this.parameters.get(value.name) ?? [], { all: [index], named: NO_NAMES });
    if (index.is === "text" && (value.is === "name" || value.is === "object")) return this.member(value, index.text);
    if (value.is === "list" && index.is === "number") return value.items.at(Number(index.text)) ?? UNKNOWN;
    return UNKNOWN;
  }

  protected environment(name: KnownValue | undefined): KnownValue {
    return name?.is === "text" && name.text === "HOME" ? text(HOME) : UNKNOWN;
  }

  protected globbed(value: KnownValue | undefined): KnownValue {
    const [given] = value === undefined ? [] : texts(value);
    const pattern = given !== undefined && this.language === "perl" ? given.replace(/^~(?=\/|$)/, () => HOME) : given;
    return pattern === undefined ? UNKNOWN : /[*?[]/.test(pattern) ? { is: "glob", text: pattern } : { is: "list", items: [text(pattern)] };
  }

  protected call(value: KnownValue, args: CallArguments): KnownValue {
    switch (value.is) {
      case "any":
        return { is: "any", of: value.of.map((one) => this.call(one, args)) };
      case "text":
        // `Dir.home` is a call without its brackets.
        return args.all.length === 0 ? value : UNKNOWN;
      case "list":
        // `(0, fs.unlinkSync)("x")`
        return this.call(value.items.at(-1) ?? UNKNOWN, args);
      case "bound":
        return this.call(value.to, { all: [...value.args, ...args.all], named: args.named });
      case "method":
        return this.callMethod(value, args);
      case "name":
        return this.callName(value.name, args);
      default:
        return UNKNOWN;
    }
  }

  protected callName(name: string, args: CallArguments): KnownValue {
    const [first, second] = args.all;
    const given = first === undefined ? [] : texts(first);
    const dot = name.lastIndexOf(".");
    const [owner, method] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
    const own = this.parameters.get(method);
    if (own !== undefined && this.language === "perl") this.bind("@_", { is: "list", items: args.all });
    this.bindParameters(own ?? [], args);
    if (name === "Reflect.apply" && first !== undefined && args.all[2]?.is === "list")
      return this.call(first, { all: args.all[2].items, named: NO_NAMES });
    if (isDownload(name) || name.startsWith(CONTENT)) {
      // `.then(eval)`
      for (const one of args.all.flatMap(alternatives))
        if (one.is === "name" && EVALUATES.has(one.name)) this.call(one, { all: [{ is: "name", name: owner }], named: NO_NAMES });
      return { is: "name", name };
    }
    if (name.startsWith(DECODED_NAME)) return DECODED;
    if (this.language === "perl" && /^(?:File::Find::)?find(?:depth)?$/.test(name)) this.bindFound(args.all.slice(1));
    const meant = decoded(name, args);
    if (meant !== undefined) return meant;
    if (/^(?:vars|globals|locals)$/.test(name)) return first ?? { is: "name", name };
    if (/^ctypes\.(?:CDLL|PyDLL|cdll\.LoadLibrary)$/.test(name)) return { is: "name", name: "libc" };
    if (/^(?:chr|String\.fromCharCode)$/.test(name) && args.all.every((one) => one.is === "number"))
      return text(String.fromCharCode(...args.all.map((one) => Number(numberOf(one)) % 0x10000)));
    // `import("https://…")` runs what it gets.
    if (IMPORTS.has(name) && /^https?:/i.test(given[0] ?? "")) this.shell("curl -s https://downloaded.invalid | sh");
    if (IMPORTS.has(name) && /^(?:data|blob):/i.test(given[0] ?? "")) this.evaluates([UNKNOWN]);
    if (IMPORTS.has(name) && given[0] !== undefined)
      return { is: "name", name: this.language === "javascript" ? moduleName(given[0]) : given[0] };
    if (/^(?:getattr|Reflect\.get)$/.test(name) && first !== undefined && second?.is === "text") return this.member(first, second.text);
    if (/^(?:send|public_send|__send__)$/.test(method) && first?.is === "text") {
      const target: KnownValue = {
        is: "name",
        name: owner === "" || /^(?:Kernel|Object|self)$/.test(owner) ? first.text : `${owner}.${first.text}`,
      };
      return this.call(target, { ...args, all: args.all.slice(1) });
    }
    if (method === "method" && first?.is === "text") return { is: "name", name: owner === "" ? first.text : `${owner}.${first.text}` };
    if (owner !== "" && /^(?:call|apply|bind)$/.test(method) && !FUNCTIONS[this.language].has(name)) {
      const to: KnownValue = { is: "name", name: owner };
      if (this.language === "ruby") return this.call(to, args);
      const rest = method === "apply" && second?.is === "list" ? second.items : args.all.slice(1);
      return method === "bind" ? { is: "bound", to, args: rest } : this.call(to, { all: rest, named: NO_NAMES });
    }
    if (/^(?:functools\.)?partial$/.test(name) && first !== undefined) return { is: "bound", to: first, args: args.all.slice(1) };
    if (/^(?:map|filter)$/.test(name) && first !== undefined && second !== undefined) {
      if (first.is === "name" && first.name === "chr" && second.is === "list")
        return { is: "list", items: second.items.map((one) => this.call(first, { all: [one], named: NO_NAMES })) };
      this.callEach(first, second);
      return UNKNOWN;
    }
    if (JOINS.has(name)) return args.all.reduce((a, b) => joined(a, b, "/"));
    if (PATH_CLASSES.has(name)) return args.all.length === 0 ? asPath(text(".")) : asPath(args.all.reduce((a, b) => joined(a, b, "/")));
    if (name === "os.path.expanduser" || name === "File.expand_path") return home(first);
    if (HOMES.has(name)) return name.includes("Path") ? { is: "path", text: HOME } : text(HOME);
    if (HERE.has(name)) return name.includes("Path") ? { is: "path", text: "." } : text(".");
    if (ENVIRONMENTS.has(name)) return this.environment(first);
    if (name === "shlex.split") return { is: "list", items: (given[0] ?? "").split(/\s+/).map(text) };
    if (/^(?:str|String|os\.fspath)$/.test(name) && first?.is === "path") return text(first.text);
    if (SAME.has(name)) return first ?? UNKNOWN;
    const effects = FUNCTIONS[this.language].get(this.language === "javascript" ? fileModule(name) : name);
    if (/^(?:\w+\.)?const_get$/.test(name) && given[0] !== undefined) return { is: "name", name: given[0] };
    if (this.language === "perl" && name.startsWith("POSIX::")) return this.callName(name.slice(7), args);
    if (EVALUATES.has(name) && !(this.language === "perl" && name === "exec")) this.evaluates(args.all);
    if (this.language === "perl" && name === "open") this.openPerl(args);
    else if (effects !== undefined) this.apply(effects, args, undefined);
    else this.handOver(args);
    if (effects?.some(({ is }) => is === "net") === true) return { is: "name", name: DOWNLOAD };
    if (READS.test(name)) return { is: "name", name: CONTENT };
    if (name === "compile" && first !== undefined) return first;
    // A name of each file, and of each folder below.
    if (LISTS.has(name)) return { is: "glob", text: "*" };
    if (/^os\.f?walk$/.test(name))
      return {
        is: "list",
        items: given.map((root): KnownValue => ({ is: "list", items: [{ is: "glob", text: `${root}/**` }, A_NAME, A_NAME] })),
      };
    return /^(?:glob\.i?glob|Dir\.glob|glob)$/.test(name) ? this.globbed(first) : UNKNOWN;
  }

  /** Code that is neither written here nor in a file can be anything. */
  private evaluates(given: readonly KnownValue[]): void {
    const isHidden = given.slice(0, 1).flatMap(alternatives).some(hidesCode);
    if (isHidden) this.findings.push({ does: "limit", why: "the code it runs is made of data" });
  }

  /** `find(sub { unlink $_ }, "/etc")`: names of all that is below. */
  private bindFound(folders: readonly KnownValue[]): void {
    const below = folders.flatMap(texts).map((folder): KnownValue => ({ is: "glob", text: `${folder.replace(/\/$/, "")}/**` }));
    for (const name of ["$_", "$File::Find::name"]) this.bindEach(name, { is: "list", items: below });
  }

  /** `Thread(target=os.remove, args=("x",))`, `atexit.register(os.remove, "x")`: whoever is given a function may call it with the rest. */
  private handOver(args: CallArguments): void {
    const given = [
      ...args.all.map((one, at) => ({ one, rest: args.all.slice(at + 1) })),
      ...[...args.named.values()].map((one) => ({ one, rest: [] })),
    ];
    const named = args.named.get("args") ?? UNKNOWN;
    for (const { one, rest } of given)
      for (const callee of alternatives(one)) {
        const isFunction = callee.is === "name" ? FUNCTIONS[this.language].has(callee.name) : callee.is === "bound";
        if (!isFunction) continue;
        const items = [...rest, named].flatMap((value) => (value.is === "list" ? value.items : value.is === "unknown" ? [] : [value]));
        this.call(callee, { all: items, named: NO_NAMES });
        if (items.length > 1) this.callEach(callee, { is: "list", items });
      }
  }

  protected callMethod(value: Extract<KnownValue, { readonly is: "method" }>, args: CallArguments): KnownValue {
    const { of, name } = value;
    const [first] = args.all;
    if (of.is === "any") return { is: "any", of: of.of.map((one) => this.callMethod({ ...value, of: one }, args)) };
    if (of.is === "path") {
      if (/^(?:joinpath|join|\+)$/.test(name)) return asPath(args.all.reduce((a, b) => joined(a, b, "/"), of as KnownValue));
      if (/^(?:resolve|absolute|realpath|expand_path|cleanpath)$/.test(name)) return of;
      if (name === "expanduser") return asPath(home(text(of.text)));
      if (/^(?:as_posix|to_s|to_path|__str__)$/.test(name)) return text(of.text);
      const effects = PATH_METHODS[this.language].get(name);
      if (effects !== undefined) this.apply(effects, args, of);
      if (/^read(?:_text|_bytes)?$/.test(name)) return { is: "name", name: CONTENT };
      return /^r?glob$/.test(name) && first?.is === "text"
        ? { is: "glob", text: `${of.text}/${name === "rglob" ? "**/" : ""}${first.text}` }
        : UNKNOWN;
    }
    if (of.is === "glob" && PATH_METHODS[this.language].has(name)) {
      this.apply(PATH_METHODS[this.language].get(name) ?? [], args, of);
      return UNKNOWN;
    }
    const meant = decodedByMethod(of, name, args);
    if (meant !== undefined) return meant;
    if (name === "join" && of.is === "text" && first?.is === "list")
      return first.items.length === 0 ? text("") : first.items.reduce((a, b) => joined(a, b, of.text));
    if (name === "join" && of.is === "list")
      return of.items.length === 0
        ? text("")
        : of.items.reduce((a, b) => joined(a, b, first?.is === "text" ? first.text : this.language === "ruby" ? "" : ","));
    if (name === "split" && of.is === "text") return { is: "list", items: of.text.split(/\s+/).map(text) };
    if (/^(?:strip|decode|encode|toString|trim|to_s|chomp|freeze|expanduser|concat|slice|to_sym)$/.test(name) && args.all.length === 0)
      return of;
    if (of.is === "text" && args.all.length === 0) {
      if (/^(?:lower|toLowerCase|downcase|casefold)$/.test(name)) return text(of.text.toLowerCase());
      if (/^(?:upper|toUpperCase|upcase)$/.test(name)) return text(of.text.toUpperCase());
      if (name === "reverse") return text([...of.text].toReversed().join(""));
    }
    const [, second] = args.all;
    if (/^(?:replace|replaceAll|gsub|sub)$/.test(name) && of.is === "text" && first?.is === "text" && second?.is === "text")
      return text(of.text.replaceAll(first.text, () => second.text));
    if (name === "concat" && of.is === "text") return args.all.reduce((a, b) => joined(a, b, ""), of as KnownValue);
    if (name === "format" && of.is === "text") return fill(of.text, args.all);
    if (/^(?:forEach|map|each)$/.test(name) && first !== undefined) this.callEach(first, of);
    if (/^(?:extractall|extract)$/.test(name) && this.language === "python")
      this.file("write", args.named.get("path") ?? first ?? UNKNOWN, true);
    this.bindParameters(this.parameters.get(name) ?? [], args);
    if (!EACH.test(name)) this.handOver(args);
    return UNKNOWN;
  }

  protected callEach(callee: KnownValue, list: KnownValue): void {
    const items = list.is === "list" ? list.items : list.is === "glob" ? [list] : [];
    for (const item of items) this.call(callee, { all: [item], named: NO_NAMES });
  }

  protected apply(effects: readonly LibraryEffect[], args: CallArguments, self: KnownValue | undefined): void {
    const at = (index: number): KnownValue => (index === SELF ? (self ?? UNKNOWN) : (args.all[index] ?? namedArgument(args, index)));
    for (const effect of effects) {
      switch (effect.is) {
        case "file": {
          const values = effect.rest ? args.all.slice(effect.from) : [at(effect.from)];
          for (const value of values)
            this.file(effect.operation, value, effect.tree || (effect.operation === "delete" && isRecursive(args)));
          break;
        }
        case "open":
          this.open(at(effect.from), at(effect.mode));
          break;
        case "run":
          this.run(args, effect.from);
          break;
        case "shell":
          this.decodedCommand(at(effect.from));
          for (const command of texts(at(effect.from))) this.shell(command, folderOf(args));
          break;
        case "argv":
          this.words(
            [...(effect.program === undefined ? [] : [at(effect.program)]), ...args.all.slice(effect.from)],
            effect.program !== undefined,
            args,
          );
          break;
        case "code":
          if (alternatives(at(effect.from)).some((one) => one.is === "name" && isDownload(one.name)))
            this.shell("curl -s https://downloaded.invalid | sh");
          if (this.nesting < DEEPEST)
            for (const code of texts(at(effect.from))) this.findings.push(...evaluate(this.language, code, this.nesting + 1, this.budget));
          break;
        case "net":
          for (const address of texts(at(effect.from))) this.connect(address);
          break;
        case "cd":
          for (const folder of texts(at(effect.from))) this.folders.add(folder);
          break;
        case "kill": {
          const signal = numberOf(at(effect.signal)) ?? "TERM";
          for (const value of [at(effect.pid)]) {
            const pid = numberOf(value);
            if (pid !== undefined) this.shell(`kill -${signal.replace(/^SIG|^-/, "")} -- ${pid}`);
          }
          break;
        }
      }
    }
  }

  protected file(operation: Extract<CodeFinding, { does: "file" }>["operation"], value: KnownValue, tree: boolean): void {
    for (const one of alternatives(value)) {
      if (one.is === "list") {
        for (const item of one.items) this.file(operation, item, tree);
        continue;
      }
      // Removing a folder that nobody can name is as `rm -r $x`.
      if (tree && operation === "delete" && HIDDEN.has(one.is))
        this.findings.push({ does: "file", operation, path: "", recursive: true, unknown: true });
      if ((one.is !== "text" && one.is !== "path" && one.is !== "glob") || one.text === "" || one.text.includes("\0")) continue;
      const more = { ...(tree ? { recursive: true as const } : {}), ...(one.is === "glob" ? { glob: true as const } : {}) };
      const path = one.text.replace(/^file:\/\//, "");
      this.findings.push({ does: "file", operation, path, ...more });
      if (!path.startsWith("/") && !path.startsWith(HOME))
        for (const folder of this.folders) this.findings.push({ does: "file", operation, path: `${folder}/${path}`, ...more });
    }
  }

  protected open(path: KnownValue, mode: KnownValue): void {
    const [given] = mode.is === "unknown" ? [""] : texts(mode);
    const [command] = texts(path);
    if (this.language === "ruby" && command?.startsWith("|") === true) return this.shell(command.slice(1));
    if (given === undefined || /[wax+]/.test(given)) this.file("write", path, false);
    if (given === undefined || !/^[wax]/.test(given) || given.includes("+")) this.file("read", path, false);
  }

  /** perlfunc(1), open: `open FH, MODE, PATH…`, or the mode in front of the path, or a pipe. */
  protected openPerl({ all }: CallArguments): void {
    const [, second, third] = all;
    const [given] = second === undefined ? [] : texts(second);
    if (given === undefined) return;
    if (third !== undefined) {
      if (/^\s*(?:-\||\|-)/.test(given)) return this.words(all.slice(2), false, { all: [], named: NO_NAMES });
      return this.file(/^\s*\+?>|^\s*\+</.test(given) ? "write" : "read", third, false);
    }
    const [, mode = "", path = ""] = /^\s*(\||\+?[<>]{0,2})\s*(.*?)\s*$/s.exec(given) ?? [];
    if (mode === "|" || path.endsWith("|")) this.shell(path.replace(/\|$/, ""));
    else this.file(/[>+]/.test(mode) ? "write" : "read", text(path), false);
  }

  private decodedCommand(value: KnownValue): void {
    const isDecoded = alternatives(value).some((one) => one.is === "name" && one.name.startsWith(DECODED_NAME));
    if (isDecoded) this.findings.push({ does: "limit", why: "the command it runs is made of data" });
  }

  protected run(args: CallArguments, from: number): void {
    this.decodedCommand(args.all[from] ?? UNKNOWN);
    const all = args.all.filter((one) => one.is !== "object").slice(from);
    const [first = namedArgument(args, 0)] = all;
    for (const one of alternatives(first)) {
      if (one.is === "list") {
        // With `shell=True` only the first is the command line.
        const [line] = one.items;
        if (line?.is === "text" && /\s/.test(line.text) && one.items.length === 1) this.shell(line.text, folderOf(args));
        else this.words(one.items, false, args);
      } else if (one.is === "text") {
        const more =
          this.language === "perl" || this.language === "ruby"
            ? all.slice(1).filter((two) => two.is !== "text" || !/^[rwab]\+?$/.test(two.text))
            : [];
        if (more.some((two) => texts(two).length > 0)) this.words([one, ...more], false, args);
        else this.shell(one.text, folderOf(args));
      }
    }
  }

  /** A program and its arguments; those that are not known are left out. */
  protected words(values: readonly KnownValue[], replaced: boolean, args: CallArguments): void {
    const known = values.flatMap((value) =>
      value.is === "object"
        ? [...(value.fields.get("args") === undefined ? [] : texts(value.fields.get("args") ?? UNKNOWN))]
        : value.is === "number"
          ? [value.text]
          : texts(value),
    );
    const [program, ...rest] = known;
    if (program === undefined || (values[0] !== undefined && texts(values[0]).length === 0)) return;
    const usesShell = values.some((value) => value.is === "object" && /shell:(?:true|!0|1|["'/])/.test(value.raw));
    const words = [program, ...(replaced ? rest.slice(1) : rest)];
    this.shell(usesShell ? words.join(" ") : words.map(quoted).join(" "), folderOf(args));
  }

  protected shell(command: string, folder?: string): void {
    const line = command.replaceAll(HOME, "$HOME");
    if (line.trim() === "") return;
    if (folder === undefined) this.findings.push({ does: "shell", command: line });
    for (const place of folder === undefined ? this.folders : [folder])
      this.findings.push({ does: "shell", command: `cd ${quoted(place).replaceAll(HOME, "$HOME")} && ${line}` });
  }

  protected connect(address: string): void {
    const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?(\[[^\]]+\]|[A-Za-z0-9.-]+)/i.exec(address)?.[1];
    if (/^file:/i.test(address)) this.file("read", text(address.replace(/^file:(?:\/\/)?/i, "")), false);
    else if (host !== undefined) this.findings.push({ does: "net", host: host.toLowerCase() });
  }
}
