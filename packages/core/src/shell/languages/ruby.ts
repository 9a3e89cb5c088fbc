import { plainVariable } from "./environment.ts";
import { distinct, refusedText, type CodeFinding } from "./finding.ts";

const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
const OPERATOR =
  /\*\*=|<=>|===|\|\|=|&&=|\.\.\.|\.\.|\*\*|==|!=|=~|!~|>=|<=|&&|\|\||<<|>>|=>|&\.|\+=|-=|\*=|\/=|%=|\|=|&=|[-+*/%<>=!~?:,;&|^.]/y;

/**
 * What Ruby given to `ruby -e` does besides computing and printing. A whitelist without definitions, constants of the
 * program, or anything that reads differently in another context.
 *
 *     readRuby("puts 1")                        // []
 *     readRuby("puts File.read('a')")           // file read a
 *     readRuby("system 'id'")                   // code: uses system
 */
export function readRuby(source: string): CodeFinding[] {
  const refused = refusedText(source);
  if (refused !== undefined) return [{ does: "code", language: "ruby", detail: refused }];
  const reader = new RubyReader(source, new Set());
  reader.read();
  return distinct(reader.findings);
}

class RubyReader {
  readonly findings: CodeFinding[] = [];
  failed = false;
  private readonly source: string;
  private readonly variables: Set<string>;
  private at = 0;
  /** What may come next; `argument` is after a method without brackets, where blanks decide. */
  private expect: "term" | "operator" | "argument" = "term";
  private readonly open: string[] = [];

  constructor(source: string, variables: Set<string>) {
    this.source = source;
    this.variables = variables;
  }

  read(): void {
    while (!this.failed && this.at < this.source.length) this.next();
    if (this.open.length > 0) this.fail("has brackets that do not match");
  }

  private fail(detail: string): undefined {
    if (!this.failed) this.findings.push({ does: "code", language: "ruby", detail });
    this.failed = true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source)?.[0];
  }

  private rest(length = 120): string {
    return this.source.slice(this.at, this.at + length);
  }

  private next(): void {
    const c = this.source.charAt(this.at);
    if (c === " " || c === "\t") this.at += 1;
    else if (c === "\n" || c === ";") {
      this.at += 1;
      if (/^(?:=|__END__)/.test(this.rest())) return this.fail("has documentation or data in it");
      // A line that starts with `.` goes on.
      if (c === ";" || !/^\s*&?\.[a-z]/.test(this.rest(200))) this.expect = "term";
    } else if (c === "#") this.at += this.match(/.*/y)?.length ?? 1;
    else if (/[A-Za-z_]/.test(c)) this.word();
    else if (/[0-9]/.test(c)) {
      if (this.expect === "operator") return this.fail("has a number where an operator belongs");
      this.at += this.match(/0[xX][0-9a-fA-F_]+|0[bB][01_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9]+)?/y)?.length ?? 1;
      if (/^[A-Za-z_]/.test(this.rest())) return this.fail("has an unusual number");
      this.expect = "operator";
    } else if (c === '"' || c === "'") this.string(c);
    else if (c === "$" || c === "@") this.special();
    else if (c === "(" || c === "[" || c === "{") this.opening(c);
    else if (c === ")" || c === "]" || c === "}") {
      if (this.open.pop() !== CLOSES[c]) return this.fail("has brackets that do not match");
      this.at += 1;
      this.expect = "operator";
    } else if (c === "/" && this.expect === "term") this.pattern();
    else if (c === ":" && this.expect !== "operator" && /^:(?:[a-z_]\w*[?!]?|[-+*|&])/.test(this.rest())) this.symbol();
    else this.operator();
  }

  private opening(c: string): void {
    const previous = this.source.charAt(this.at - 1);
    if (c === "(" && this.expect === "operator") return this.fail("calls a variable");
    if (this.expect === "argument" && c !== "{" && previous === " " && c === "(") this.expect = "term";
    this.open.push(c);
    this.at += 1;
    this.expect = "term";
    if (c === "{") this.parameters();
  }

  /** `|a, (b, c)|` after `{` or `do`. */
  private parameters(): void {
    const text = this.match(/\s*\|[\w\s,*()]*\|/y);
    if (text === undefined) return;
    for (const name of text.match(/\w+/g) ?? []) this.assign(name);
    this.at += text.length;
  }

  private assign(name: string): void {
    if (TAKEN.has(name) || FUNCTIONS.has(name) || !/^[a-z_]/.test(name)) this.fail(`gives \`${name}\` another meaning`);
    this.variables.add(name);
  }

  private word(): void {
    const word = this.match(/[A-Za-z_]\w*/y) ?? "";
    this.at += word.length;
    const rest = this.rest();
    if (/^:(?!:)/.test(rest) && this.expect !== "operator" && !this.variables.has(word)) {
      if (TAKEN.has(word) || /create_additions|_class$/.test(word)) this.fail(`gives the option ${word}`);
      this.at += 1;
      this.expect = "term";
    } else if (KEYWORDS.has(word)) {
      this.expect = word === "end" ? "operator" : "term";
      if (word === "do") this.parameters();
      if (/^(?:rescue)$/.test(word)) {
        const name = /^[\w\s,]*=>\s*([a-z_]\w*)/.exec(rest)?.[1];
        if (name !== undefined) this.assign(name);
      }
    } else if (this.expect === "operator") this.fail(`has \`${word}\` where an operator belongs`);
    else if (/^\s*(?:=(?![=~>])|[-+*/|&%]=|\*\*=|\|\|=|&&=)/.test(rest) && /^[a-z_]/.test(word)) {
      this.assign(word);
      this.expect = "operator";
    } else if (this.variables.has(word)) {
      if (/^[!?(]/.test(rest) && !/^(?:!=|!~|\? )/.test(rest)) return this.fail(`calls ${word}`);
      this.expect = "operator";
    } else if (CONSTANTS.has(word) && !/^(?:::|\.new)/.test(rest)) this.expect = rest.startsWith("(") ? "argument" : "operator";
    else if (/^[A-Z]/.test(word)) this.constant(word, rest);
    else if (word === "require") {
      const library = /^\s*\(?\s*(?:"(\w+)"|'(\w+)')\s*\)?(?=\s*(?:;|\n|$))/.exec(rest);
      if (!LIBRARIES.has(library?.[1] ?? library?.[2] ?? "")) return this.fail("requires something that is not known");
      this.at += library?.[0].length ?? 0;
      this.expect = "operator";
    } else if (FUNCTIONS.has(word) && !/^[!?]/.test(rest)) this.expect = "argument";
    else this.fail(`uses ${word}`);
  }

  private constant(word: string, rest: string): void {
    this.expect = "operator";
    if (word === "ENV") {
      const key = /^(?:\[|\.fetch\()\s*(?:"(\w+)"|'(\w+)')\s*[\]),]/.exec(rest);
      const plain = plainVariable(key?.[1] ?? key?.[2] ?? "") && !/^\s*(?:=(?![=~>])|\|\|=|\+=)/.test(rest.slice(key?.[0].length));
      if (!plain) this.findings.push({ does: "environment" });
      return;
    }
    if (word === "ARGV") {
      if (!/^\[-?[0-9]+\](?!\s*(?:=(?![=~>])|<<|\|\|=|\+=))/.test(rest)) this.fail("changes ARGV");
      return;
    }
    if (word === "Math" && /^::(?:PI|E)\b/.test(rest)) {
      this.at += rest.startsWith("::PI") ? 4 : 3;
      return;
    }
    const file = /^\.(read|readlines|exist\?|file\?|size)\(\s*(?:"([^"\\#|][^"\\#]*)"|'([^'\\|][^'\\]*)')\s*\)/.exec(rest);
    if (word === "File" && file !== null) {
      this.findings.push({ does: "file", operation: "read", path: file[2] ?? file[3] ?? "" });
      this.at += file[0].length;
      return;
    }
    const member = /^\.([a-z_]\w*)(?![\w?!])/.exec(rest)?.[1];
    if (member === undefined || !MEMBERS.has(`${word}.${member}`))
      return this.fail(`uses ${word}${member === undefined ? "" : `.${member}`}`);
    this.at += member.length + 1;
    this.expect = "argument";
  }

  private special(): void {
    const text = this.match(/\$(?:stdin|stdout|stderr|_|[0-9])\b|@[a-z_]\w*/y);
    if (text === undefined || this.expect === "operator") return this.fail("uses a special variable");
    this.at += text.length;
    if (text.startsWith("$std") && /^\s*(?:=(?![=~>])|\|\|=)/.test(this.rest())) this.fail(`replaces ${text}`);
    this.expect = "operator";
  }

  private symbol(): void {
    const text = this.match(/:(?:[a-z_]\w*[?!]?|[-+*|&])/y) ?? "";
    // A symbol may become a method call wherever it ends up.
    if (!/^:[-+*|&]$/.test(text) && !METHODS.has(text.slice(1))) this.fail(`uses the symbol ${text}`);
    this.at += text.length;
    this.expect = "operator";
  }

  private string(quote: string): void {
    if (this.expect === "operator") return this.fail("has a string where an operator belongs");
    for (this.at += 1; this.at < this.source.length; this.at += 1) {
      const c = this.source.charAt(this.at);
      if (c === "\\") this.at += 1;
      else if (c === quote) {
        this.at += 1;
        // `"a": 1` is a label.
        if (/^:(?!:)/.test(this.rest()) && this.open.at(-1) !== undefined) return this.fail("has a label in quotes");
        this.expect = "operator";
        return;
      } else if (c === "#" && quote === '"' && /^#[{$@]/.test(this.rest(2))) {
        const inner = this.match(/#\{[^{}"'`\\#]*\}/y);
        if (inner === undefined) return this.fail("has an expression inside a string that is not read");
        const reader = new RubyReader(inner.slice(2, -1), this.variables);
        reader.read();
        this.findings.push(...reader.findings);
        this.failed ||= reader.failed;
        this.at += inner.length - 1;
      }
    }
    this.fail("has a string without its end");
  }

  private pattern(): void {
    const text = this.match(/\/(?:[^/\\\n]|\\.)*\/[imx]*(?!\w)/y);
    if (text === undefined || /#[{$@]/.test(text)) return this.fail("has a pattern that is not read");
    this.at += text.length;
    this.expect = "operator";
  }

  private operator(): void {
    const words =
      this.expect === "term" || (this.expect === "argument" && this.source.charAt(this.at - 1) === " ")
        ? this.match(/%[wi](?:\[[^\]\\]*\]|\([^)\\]*\))/y)
        : undefined;
    if (words !== undefined) {
      if (words.startsWith("%i")) return this.fail("has a list of symbols");
      this.at += words.length;
      this.expect = "operator";
      return;
    }
    const text = this.match(OPERATOR);
    if (text === undefined) return this.fail(`uses \`${this.source.charAt(this.at)}\``);
    const after = this.source.charAt(this.at + text.length);
    if (text === "." || text === "&.") {
      this.at += text.length;
      return this.method();
    }
    if (this.expect === "term") {
      if (text === "&" && after === ":") this.at += 1;
      else if (/^(?:[-+!~,]|\*\*?|=>|\|)$/.test(text)) this.at += text.length;
      else this.fail(`has a \`${text}\` that is not certainly an operator`);
      return;
    }
    // Blanks decide whether these start an argument, a pattern, a heredoc or a character.
    const delicate = /^(?:\/|%|<<|\?|:|<|&|\*|-|\+|\*\*|=)$/.test(text);
    if (text === "&" && after === ":" && this.expect === "argument") {
      this.at += 1;
      this.expect = "term";
      return;
    }
    if (delicate && !/\s/.test(after) && (this.expect === "argument" || /^(?:<<|\?|:)$/.test(text)))
      return this.fail(`has a \`${text}\` that is not certainly an operator`);
    if (text === "=" && this.expect === "argument") return this.fail("assigns to something that is not a variable");
    if (text === "?" && this.expect === "argument") return this.fail("has a `?` that is not certainly an operator");
    this.at += text.length;
    this.expect = "term";
  }

  private method(): void {
    const name = this.match(/\s*[a-z_]\w*(?:[?!](?!=))?/y);
    const method = name?.trim() ?? "";
    if (name === undefined || !METHODS.has(method)) return this.fail(`calls the method ${method}`);
    this.at += name.length;
    const rest = this.rest();
    if (/^(?:reduce|inject)$/.test(method) && !/^\s*(?:\(\s*:[-+*|&]\s*\)|(?:\(\s*[0-9.]+\s*\))?\s*(?:\{|do\b))/.test(rest))
      return this.fail(`calls ${method} with a name`);
    if (/^\s*(?:=(?![=~>])|\|\|=|[-+*/]=)/.test(rest)) return this.fail("assigns to something that is not a variable");
    this.expect = "argument";
  }
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const KEYWORDS = words(
  "if unless while until else elsif end then do begin rescue ensure and or not in return break next case when BEGIN END",
);
/** Words that are values by themselves. */
const CONSTANTS = words(
  "nil true false Integer Float String Array Hash Numeric NilClass RUBY_VERSION RUBY_PLATFORM RUBY_ENGINE RUBY_PATCHLEVEL " +
    "StandardError ArgumentError KeyError TypeError ZeroDivisionError",
);
const FUNCTIONS = words("puts print p pp format sprintf rand sleep exit raise loop lambda proc");
/** Libraries of Ruby that define nothing that acts by itself. */
const LIBRARIES = words("json set time date bigdecimal digest securerandom");
/** What of the constants may be called. */
const MEMBERS = words(
  `JSON.parse JSON.generate JSON.pretty_generate Time.now Time.at Time.parse Date.today Date.parse Date.new Math.sqrt Math.log Math.log2 Math.log10
  Math.sin Math.cos Math.tan Math.atan Math.exp Math.hypot Math.cbrt STDIN.read STDIN.gets STDIN.each_line STDIN.readlines STDOUT.puts STDOUT.print
  STDOUT.write STDERR.puts STDERR.print Set.new Hash.new Array.new Integer.sqrt Dir.pwd Process.pid File.basename File.extname File.dirname File.join
  SecureRandom.hex SecureRandom.uuid Random.rand`,
);
/** Methods that are harmless on every value that code of this subset can get hold of. */
const METHODS = words(
  `map flat_map filter_map select filter reject find detect find_index sort sort_by group_by partition each each_with_index each_with_object
  each_slice each_cons each_pair each_key each_value each_char each_line each_byte with_index with_object zip flatten uniq compact first last
  min max min_by max_by minmax sum count size length empty? nil? any? all? none? one? include? member? reverse rotate shuffle sample join split
  strip lstrip rstrip chomp chop chars bytes lines codepoints upcase downcase capitalize swapcase sub gsub tr delete squeeze match match? scan
  start_with? end_with? index rindex slice insert prepend concat replace center ljust rjust ord chr hex oct to_s to_i to_f to_r to_c to_a to_h
  to_set inspect keys values key? has_key? value? fetch dig merge update transform_values transform_keys invert store values_at
  sort! map! uniq! compact! reverse! take drop take_while drop_while tally cycle lazy force floor ceil round truncate abs divmod modulo pow
  even? odd? zero? positive? negative? succ pred next upto downto step times gcd lcm digits bit_length push pop shift unshift append
  delete_if delete_at keep_if clear dup freeze frozen? is_a? kind_of? respond_to? equal? eql? hash between? clamp product combination
  permutation transpose assoc year month day hour minute second sec wday yday strftime iso8601 utc localtime to_date to_time
  puts print write read gets readlines reduce inject message full_message captures named_captures pre_match post_match begin_with? then tap
  encoding force_encoding encode unicode_normalize valid_encoding? ascii_only? unpack1 hexdigest call`,
);
/** Methods that every object has without being asked: a variable of that name would still be a call somewhere else. */
const TAKEN = words(
  `system exec eval instance_eval instance_exec class_eval class_exec module_eval module_exec open fork spawn load require require_relative send
  public_send __send__ binding gets readline readlines syscall trap test select autoload method methods public_method singleton_method define_method
  irb abort at_exit callcc set_trace_func trace_var caller catch throw warn putc printf srand exit! object_id instance_variable_get instance_variable_set
  extend singleton_class define_singleton_method display gem pry debugger using include prepend`,
);
