import { plainVariable } from "./environment.ts";
import { distinct, refusedText, type CodeFinding } from "./finding.ts";

const PAIRS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const OPERATOR =
  /<=>|\*\*=|\|\|=|&&=|\/\/=|\.\.\.|\.\.|=>|==|!=|=~|!~|<=|>=|<<|>>|&&|\|\||\/\/|\+\+|--|\*\*|\+=|-=|\*=|\/=|\.=|%=|x=|[-+*/%.<>=!~?:,;&|^]/y;
/** Strings inside these replacements, and no deeper. */
const MAX_NESTING = 3;

/**
 * What Perl given to `perl -e`, `-n` or `-p` does besides computing and printing. A whitelist without references,
 * files, or anything that reads differently in another context.
 *
 *     readPerl("print 1+1")            // []
 *     readPerl("s/a/b/g; print if /x/")// []
 *     readPerl("unlink 'x'")           // code: uses unlink
 */
export function readPerl(source: string): CodeFinding[] {
  const refused = refusedText(source);
  if (refused !== undefined) return [{ does: "code", language: "perl", detail: refused }];
  const reader = new PerlReader(source, 0);
  reader.read();
  return distinct(reader.findings);
}

class PerlReader {
  readonly findings: CodeFinding[] = [];
  private readonly source: string;
  private readonly nesting: number;
  private at = 0;
  private failed = false;
  /** What may come next: a term, an operator, or, after a `}` that may be a block or a value, only what is the same in both. */
  private expect: "term" | "operator" | "either" = "term";
  /** The word before, when it is the last thing read. */
  private word = "";
  private readonly open: { readonly close: string; readonly subscript: boolean }[] = [];
  private readonly own = new Set<string>();

  constructor(source: string, nesting: number) {
    this.source = source;
    this.nesting = nesting;
  }

  read(): void {
    while (!this.failed && this.at < this.source.length) this.next();
    if (!this.failed && this.open.length > 0) this.fail("has brackets that do not match");
  }

  private fail(detail: string): undefined {
    if (!this.failed) this.findings.push({ does: "code", language: "perl", detail });
    this.failed = true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source)?.[0];
  }

  private next(): void {
    const space = this.match(/\s+|#.*/y);
    if (space !== undefined) {
      this.at += space.length;
      if (space.endsWith("\n") && /^=[a-z]/.test(this.source.slice(this.at, this.at + 2))) this.fail("has documentation in it");
      return;
    }
    const c = this.source.charAt(this.at);
    const before = this.word;
    const term = this.expect !== "operator" && !(this.expect === "either" && /[/?<%&*.]/.test(c));
    if (this.expect === "either" && /[/?<%&*]/.test(c)) return this.fail(`has a \`${c}\` that is not certainly an operator`);
    this.word = "";
    if (/[A-Za-z_]/.test(c)) return this.readWord(before);
    if (/[0-9]/.test(c) || (c === "." && term && /[0-9]/.test(this.source.charAt(this.at + 1)))) {
      this.at += this.match(/0[xX][0-9a-fA-F_]+|0[bB][01_]+|\.?[0-9][0-9_]*(?:\.(?!\.)[0-9_]*)?(?:[eE][-+]?[0-9]+)?/y)?.length ?? 1;
      if (!term) return this.fail("has a number where an operator belongs");
      this.expect = "operator";
    } else if (c === '"' || c === "'") {
      if (!term) return this.fail("has a string where an operator belongs");
      const text = this.quoted();
      if (text !== undefined && c === '"') this.interpolated(text, false);
      this.expect = "operator";
    } else if (c === "$" || c === "@" || (c === "%" && term)) this.variable(c, before);
    else if (c === "/" && term) {
      const text = before === "" || BEFORE_TERM.has(before) ? this.quoted() : this.fail("has a `/` that is not certainly a pattern");
      if (text !== undefined) this.pattern(text, this.flags());
    } else if (c === "<" && term) {
      if (this.match(/<STDIN>/y) === undefined) return this.fail("reads files or lists names with `<…>`");
      this.at += 7;
      this.expect = "operator";
    } else if (c === "(" || c === "[" || c === "{") {
      this.open.push({ close: PAIRS[c] ?? "", subscript: false });
      this.at += 1;
      this.expect = "term";
    } else if (c === ")" || c === "]" || c === "}") {
      const opened = this.open.pop();
      if (opened?.close !== c) return this.fail("has brackets that do not match");
      this.at += 1;
      // A second subscript would follow a reference, which may be a name.
      if (opened.subscript && /^\s*(?:->\s*)?[[{(]/.test(this.source.slice(this.at, this.at + 20))) return this.fail("follows references");
      this.expect = c === "}" && !opened.subscript ? "either" : "operator";
    } else this.operator(term);
  }

  private operator(term: boolean): void {
    const text = this.match(OPERATOR);
    if (text === undefined) return this.fail(`uses \`${this.source.charAt(this.at)}\``);
    const rest = this.source.slice(this.at + text.length, this.at + text.length + 4);
    if (this.source.startsWith("->", this.at)) return this.fail("follows references");
    const infix = this.expect === "either" && /^(?:\|\||==|!=|>=?|=~|!~|=|\.\.?|\|\|=)$/.test(text);
    if (this.expect === "operator" || infix || /^[;,:]$|^=>$/.test(text)) {
      this.at += text.length;
      this.expect = text === "++" || text === "--" ? "operator" : "term";
    } else if (term && /^(?:[-+!~]|\+\+|--)$/.test(text)) {
      // `-e` asks the file system.
      if (text === "-" && /^[A-Za-z]/.test(rest)) return this.fail("tests files");
      this.at += text.length;
    } else this.fail(`has a \`${text}\` that is not certainly an operator`);
  }

  private readWord(before: string): void {
    const word = this.match(/[A-Za-z_]\w*(?:::\w+)*/y) ?? "";
    const start = this.at;
    this.at += word.length;
    const rest = this.source.slice(this.at, this.at + 200);
    // `'` separates packages as `::` does.
    if (rest.startsWith("'")) return this.fail(`uses ${word}'`);
    if (/^[ \t]*=>/.test(rest)) {
      this.expect = "operator";
      return;
    }
    if (this.expect === "operator" || (this.expect === "either" && INFIX.has(word) && word !== "x")) {
      const repeat = /^x[0-9]+$/.test(word);
      if (!repeat && !INFIX.has(word)) return this.fail(`has \`${word}\` where an operator belongs`);
      this.expect = repeat ? "operator" : "term";
      this.word = repeat ? "" : word;
      return;
    }
    if (this.open.at(-1)?.subscript === true && this.source.charAt(start - 1) === "{" && rest.startsWith("}")) {
      this.expect = "operator";
      return;
    }
    this.expect = "term";
    if (/^(?:q|qq|qw|m|qr|s|tr|y)$/.test(word)) return this.quoteLike(word);
    this.word = word;
    if (word === "use" || word === "no") this.use();
    else if (word === "do" || word === "eval") {
      if (!/^\s*\{/.test(rest)) this.fail(`uses ${word}`);
    } else if (word === "STDERR" || word === "STDOUT") {
      if (!/^(?:print|printf|say)$/.test(before)) this.fail(`uses ${word}`);
      this.word = "print";
    } else if (!FUNCTIONS.has(word) && !this.own.has(word)) this.fail(`uses ${word}`);
    else if (/^\s*[?%&*<]/.test(rest) && !/^(?:time|wantarray)$/.test(word) && !BEFORE_TERM.has(word)) {
      this.fail(`has something after ${word} that is not certainly an operator`);
    } else if (/^(?:time|wantarray)$/.test(word)) this.expect = "operator";
    else if (/^(?:shift|pop|eof)$/.test(word) && !/^\s*[@(]/.test(rest)) this.expect = "either";
  }

  private use(): void {
    const text = this.match(/\s+(?:v?[0-9][0-9._]*|[A-Za-z:]+)(?:\s+(?:qw\s*\(([\w\s]*)\)|'[\w]*'|"[\w]*"))?\s*(?=;|$)/y);
    const [module = "", ...names] =
      text
        ?.replaceAll(/\bqw\b|[()'"]/g, " ")
        .trim()
        .split(/\s+/) ?? [];
    if (
      text === undefined ||
      !(/^v?[0-9]/.test(module) || (MODULES[module] !== undefined && names.every((name) => MODULES[module]?.has(name) === true)))
    )
      return this.fail(`uses the module ${module}`);
    if (module === "POSIX" && names.length === 0) return this.fail("uses the module POSIX");
    this.at += text.length;
    for (const name of names) this.own.add(name);
    this.expect = "operator";
  }

  /** Reads a quoted text from its opening delimiter; brackets nest. */
  private quoted(open = this.source.charAt(this.at)): string | undefined {
    const close = PAIRS[open] ?? open;
    const start = this.at + 1;
    let depth = 0;
    for (this.at = start; this.at < this.source.length; this.at += 1) {
      const c = this.source.charAt(this.at);
      if (c === "\\") this.at += 1;
      else if (c === close && depth === 0) {
        this.at += 1;
        return this.source.slice(start, this.at - 1);
      } else if (c === close) depth -= 1;
      else if (c === open) depth += 1;
    }
    return this.fail("has a quoted text without its end");
  }

  private flags(): string {
    const flags = this.match(/[a-z]*/y) ?? "";
    this.at += flags.length;
    return flags;
  }

  private quoteLike(word: string): void {
    const blank = this.match(/\s*/y) ?? "";
    this.at += blank.length;
    const open = this.source.charAt(this.at);
    if (
      /[\w\s\\)\]}>]/.test(open) ||
      open === "" ||
      (open === "#" && blank !== "") ||
      (open === "'" && word !== "q") ||
      (open === "=" && blank !== "")
    ) {
      return this.fail(`quotes with \`${word}\` in an unusual way`);
    }
    const text = this.quoted();
    if (text === undefined) return;
    if (word === "qq") this.interpolated(text, false);
    if (word === "m" || word === "qr") return this.pattern(text, this.flags());
    if (word === "s" || word === "tr" || word === "y") {
      if (PAIRS[open] !== undefined) this.at += (this.match(/\s*/y) ?? "").length;
      else this.at -= 1;
      const second = this.quoted();
      const flags = this.flags();
      if (second === undefined) return;
      if (word !== "s") {
        if (!/^[cdsr]*$/.test(flags)) this.fail("has flags that are not known");
      } else {
        this.pattern(text, flags.replace("e", ""));
        if (flags.includes("e")) this.replacement(second);
        else this.interpolated(second, false);
      }
    }
    this.expect = "operator";
  }

  /** `s///e`: the replacement is Perl. */
  private replacement(text: string): void {
    if (this.nesting >= MAX_NESTING || text.includes("\\")) return this.fail("runs a replacement that is not read");
    const reader = new PerlReader(text, this.nesting + 1);
    reader.read();
    this.findings.push(...reader.findings);
    this.failed ||= reader.failed;
  }

  private pattern(text: string, flags: string): void {
    if (!/^[gimsxocadlunpr]*$/.test(flags)) this.fail("has flags of a pattern that are not known");
    if (/\(\?\??p?\{|\(\*\{/.test(text)) this.fail("runs code inside a pattern");
    this.interpolated(text, true);
    this.expect = "operator";
  }

  /** Variables in a string or pattern; anything that could hold an expression is refused. */
  private interpolated(text: string, pattern: boolean): void {
    for (let i = 0; i < text.length && !this.failed; i += 1) {
      const c = text.charAt(i);
      if (c === "\\" && text.charAt(i + 1) === "c") return this.fail("has a control escape");
      if (c === "\\") i += 1;
      if (c !== "$" && c !== "@") continue;
      const after = text.slice(i + 1, i + 120);
      const name = /^(?:[A-Za-z_]\w*|[0-9]+|\{\w+\})/.exec(after)?.[0];
      if (name === undefined) {
        // `$)` and `$|` end a group; other punctuation is a variable that says something about Perl.
        if (/^[\s#]*[${[]/.test(after) && !(c === "@" && pattern && after.startsWith("["))) this.fail("has an expression inside a string");
        if (c === "$" && /^[:^-]/.test(after)) this.fail("uses a special variable");
        continue;
      }
      const rest = after.slice(name.length);
      if (/^(?:::|'\w|->)/.test(rest)) return this.fail("has an expression inside a string");
      const subscript = /^\[(?:-?[0-9]+|\$\w+)\]|^\{(?:\w+|'\w*'|\$\w+|[0-9,]+)\}/.exec(rest)?.[0];
      if (subscript === undefined && /^[[{]/.test(rest)) return this.fail("has an expression inside a string");
      if (subscript !== undefined && /^(?:\[|\{|->)/.test(rest.slice(subscript.length)))
        return this.fail("follows references inside a string");
      const plain = name.replaceAll(/[{}]/g, "");
      if (plain === "ENV" && !(subscript !== undefined && plainVariable(subscript.slice(1, -1))))
        this.findings.push({ does: "environment" });
      i += name.length + (subscript?.length ?? 0);
    }
  }

  private variable(sigil: string, before: string): void {
    if (this.expect === "operator" || (sigil === "%" && before !== "" && !BEFORE_TERM.has(before)))
      return this.fail(`has \`${sigil}\` where an operator belongs`);
    const text = this.match(/\$#[A-Za-z_]\w*|[$@%][A-Za-z_]\w*|\$[0-9]+|\$[_.&,/\\|!@$](?![\w{$[:'])|\$\{[A-Za-z_]\w*\}/y);
    if (text === undefined) return this.fail("uses a special variable or a reference");
    this.at += text.length;
    const name = text.replaceAll(/[$@%#{}]/g, "");
    const rest = this.source.slice(this.at, this.at + 80);
    if (rest.startsWith("::") || rest.startsWith("->") || rest.startsWith("'") || CONTROLLING.has(name)) return this.fail(`uses ${text}`);
    if (name === "ENV") {
      const key = /^\{\s*(?:(\w+)|'(\w+)'|"(\w+)")\s*\}/.exec(rest);
      if (!plainVariable(key?.[1] ?? key?.[2] ?? key?.[3] ?? "") || /^\s*=[^=~]/.test(rest.slice(key?.[0].length)))
        this.findings.push({ does: "environment" });
    }
    this.expect = "operator";
    if (/^[[{]/.test(rest) && sigil !== "%") {
      this.open.push({ close: rest.startsWith("[") ? "]" : "}", subscript: true });
      this.at += 1;
      this.expect = "term";
    }
  }
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Operators and statement words after which a term follows. */
const BEFORE_TERM = words(
  "and or not xor x eq ne lt gt le ge cmp if elsif unless while until for foreach return split grep map sort join push " +
    "unshift print say printf reverse keys values my our local lc uc defined scalar",
);
/** Words that may stand where an operator is expected. */
const INFIX = words("and or xor x eq ne lt gt le ge cmp if unless while until for foreach");
/** Functions and statement words that compute, print, or stop. */
const FUNCTIONS = words(`
  print say printf sprintf length substr index rindex uc lc ucfirst lcfirst reverse join split sort map grep keys values each exists delete
  defined undef scalar push pop shift unshift splice wantarray abs int sqrt sin cos atan2 exp log hex oct ord chr rand srand time localtime
  gmtime sleep chomp chop pos quotemeta die warn exit my our local if elsif else unless while until for foreach last next redo return not
  BEGIN END eof`);
/** What these modules export only computes. */
const MODULES: Readonly<Record<string, ReadonlySet<string>>> = {
  strict: words(""),
  warnings: words(""),
  integer: words(""),
  utf8: words(""),
  feature: words("say state fc"),
  "List::Util": words("sum sum0 max min first maxstr minstr product uniq shuffle any all none"),
  POSIX: words("floor ceil fmod strftime"),
};
/** Variables through which Perl is controlled: which files it reads, where it looks for code, what runs on a signal. */
const CONTROLLING = words("ARGV ARGVOUT INC SIG ISA EXPORT EXPORT_OK STDIN STDOUT STDERR DATA");
