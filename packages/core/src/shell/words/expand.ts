import type { ArithmeticExpression, ParsedScript, Word, WordPart } from "unbash";
import { spend } from "../../action/index.ts";
import { readArithmetic } from "./arithmetic.ts";
import { bracesOf } from "./brace.ts";
import type { Context } from "./context.ts";
import { hasZshDollar, isNul, isZshEscape, isZshLength, readParameter, type Fields } from "./parameter.ts";
import type { ShellState } from "./state.ts";
import {
  concat,
  isEndless,
  isNetwork,
  isHole,
  isWildcard,
  join,
  literal,
  NOTHING,
  nul,
  onePath,
  patternAtoms,
  patternOf,
  printedNames,
  textOf,
  unknown,
  withoutNames,
  type Atom,
  type Hole,
  type Stream,
  type Value,
} from "./value.ts";
import { inputAround } from "./input.ts";

/** Walks a script in a subshell and returns what it prints; given by the walker to avoid a circular import. */
export type RunScript = (cx: Context, state: ShellState, script: ParsedScript, stdin: Stream) => Stream;

/** What expansion needs: the collector, the state (changed by `${x:=…}` and arithmetic), the walker. */
export interface Expansion {
  readonly cx: Context;
  readonly state: ShellState;
  readonly run: RunScript;
}

/** A word in a place where bash splits and globs: any number of fields. */
export function expandFields(ex: Expansion, word: Word): readonly Value[] {
  return bracesOf(ex, word).flatMap((one) => new FieldBuilder(ex, true).build(one));
}

/** The operand of an unquoted `${x:-…}`: blanks that stand bare in it part words (bash(1), Word Splitting). */
export function expandSplit(ex: Expansion, word: Word): readonly Value[] {
  return bracesOf(ex, word).flatMap((one) => new FieldBuilder(ex, true, true).build(one));
}

/** A word in a place without splitting: an assignment, a here-string, `case` and `[[` operands. */
export function expandText(ex: Expansion, word: Word, assignment = false): Value {
  const fields = new FieldBuilder(ex, false).build(word, assignment);
  // `x=$*` puts the first character of IFS between them, where `x=$@` puts a blank.
  if (fields.length > 1 && ex.state.variables.has("IFS")) return unknown("words joined by IFS");
  return fields.reduce((a, b) => concat(concat(a, literal(" ")), b), fields.shift() ?? literal(""));
}

/** The operand of `${x:-…}`: inside double quotes a `~` is only a character. */
export function expandOperand(ex: Expansion, word: Word, quoted: boolean): Value {
  if (!quoted || !word.text.startsWith("~")) return expandText(ex, word);
  return word.parts === undefined ? literal(word.value) : expandParts(ex, word.parts);
}

/** A here-document body or any list of parts that is text. */
export function expandParts(ex: Expansion, parts: readonly WordPart[]): Value {
  const builder = new FieldBuilder(ex, false);
  parts.forEach((part, i) => builder.add(part, true, parts[i + 1]));
  return builder.finish().reduce(concat, literal(""));
}

class FieldBuilder {
  private readonly ex: Expansion;
  private readonly splitting: boolean;
  /** Blanks outside quotes part words. */
  private readonly bare: boolean;
  private readonly fields: Value[] = [];
  private atoms: Atom[] = [];
  private many = false;
  /** A quoted or literal part was seen: the field exists even when empty. */
  private present = false;
  /** The field ends with words of unknown number: what follows in the same word may belong to another. */
  private loose = false;

  constructor(ex: Expansion, splitting: boolean, bare = false) {
    this.ex = ex;
    this.splitting = splitting;
    this.bare = bare;
  }

  build(word: Word, assignment = false): Value[] {
    const parts = word.parts;
    if (this.bare && (parts ?? [word]).some((part) => part.text !== "" && isBlank(part))) {
      // A blank at an end parts the word from its neighbours.
      if (/^\s|\s$/.test(word.text) || (parts ?? [word]).some((part) => isBlank(part) && /[\\~]/.test(part.text)))
        return [unknown("words with blanks between them", true)];
      if (parts === undefined) this.expansion(literal(word.value), false);
      for (const [i, part] of (parts ?? []).entries())
        if (part.type === "Literal") this.expansion(literal(part.value), false);
        else this.add(part, false, parts?.[i + 1]);
      return this.finish();
    }
    if (parts === undefined) {
      this.zshDollar(word, false);
      this.text(expandTilde(this.ex, word.text, word.value, true, assignment));
      this.present = true;
      this.zshWord(word, assignment);
      return this.finish();
    }
    parts.forEach((part, i) => {
      if (part.type === "Literal" && (i === 0 || assignment)) {
        this.zshDollar(part, parts.length > i + 1);
        this.addValue(expandTilde(this.ex, part.text, part.value, parts.length === 1, assignment, i === 0));
        if (part.value !== "") this.present = true;
      } else {
        // zsh looks for `~` after it has expanded parameters: an empty one leaves it at the start.
        if (part.type === "Literal" && part.text.startsWith("~")) this.zshTilde(word);
        this.add(part, false, parts[i + 1]);
      }
    });
    if (/^~[^/]/.test(word.text) && (parts.length > 1 || word.text.startsWith("~~"))) this.zshTilde(word);
    this.zshWord(word, assignment);
    return this.finish();
  }

  private zshDollar(part: WordPart | Word, following: boolean): void {
    if (this.ex.cx.maybeZsh && part.text.includes("$") && hasZshDollar(part.text, following)) this.zshReads(part.text, part);
  }

  private zshReads(text: string, part: WordPart | Word): void {
    this.ex.cx.unknown(`bash and zsh read the \`$\` in \`${text}\` differently`, {
      span: this.ex.cx.span(part),
      help: "write ${name} with braces, or quote the $",
    });
  }

  private zshTilde(word: Word): void {
    if (this.ex.cx.maybeZsh && !/^~[\w.-]*\//.test(word.text))
      this.ex.cx.unknown("bash and zsh expand this `~` differently", { span: this.ex.cx.span(word), help: "write $HOME" });
  }

  /** zsh reads an unquoted `=name` and `~name[…]` in its own way. */
  private zshWord(word: Word, assignment: boolean): void {
    if ((!this.splitting && !assignment) || !this.ex.cx.maybeZsh) return;
    if (/^=[A-Za-z_(./]/.test(word.text))
      this.ex.cx.unknown("zsh replaces a word like `=name` by the path of a program", {
        span: this.ex.cx.span(word),
        help: "quote the word",
      });
    if (/^~[^/]*\[/.test(word.text)) this.ex.cx.unknown("zsh runs code for a word like `~name[…]`", { span: this.ex.cx.span(word) });
  }

  add(part: WordPart, quoted: boolean, following?: WordPart): void {
    const { cx } = this.ex;
    switch (part.type) {
      case "Literal":
        this.zshDollar(part, following !== undefined);
        this.text(part.value);
        if (part.value !== "" || quoted) this.present = true;
        return;
      case "AnsiCQuoted":
        if (cx.maybeZsh && isZshEscape(part.text))
          cx.unknown("an escape that bash and zsh read differently", { span: cx.span(part), help: "write the character itself" });
        this.text(cx.maybeZsh && isNul(part.text) ? nul() : part.value);
        this.present = true;
        return;
      case "SingleQuoted":
        this.text(part.value);
        this.present = true;
        return;
      case "LocaleString":
        // A message catalogue says what it is (bash(1), QUOTING); zsh takes the `$` for itself.
        if (cx.maybeZsh || this.ex.state.variables.has("TEXTDOMAIN") || cx.world.env("TEXTDOMAIN") !== undefined)
          cx.unknown('$"…" is replaced by its translation', { span: cx.span(part), help: "leave the $ out" });
        this.present = true;
        part.parts.forEach((child, i) => this.add(child, true, part.parts[i + 1]));
        return;
      case "DoubleQuoted":
        this.quoted(part.parts);
        return;
      case "Glob":
        // A pattern that matches nothing.
        if (this.splitting) cx.mayGiveUp(this.ex.state);
        this.addValue({ atoms: [this.bracket(part.text, part.parts ?? [])], many: this.splitting });
        this.present = true;
        return;
      case "ExtendedGlob":
        for (const inner of part.parts ?? []) new FieldBuilder(this.ex, false).add(inner, true);
        if (cx.maybeZsh && this.splitting)
          cx.unknown("zsh reads an extended pattern as a glob qualifier, which can run code", { span: cx.span(part) });
        this.addValue(unknown("what an extended pattern matches", this.splitting));
        this.present = true;
        return;
      case "BraceExpansion":
        for (const inner of part.parts ?? []) new FieldBuilder(this.ex, false).add(inner, true);
        this.text(part.text);
        this.present = true;
        return;
      case "CommandExpansion":
        this.expansion(substitution(this.ex, part), quoted);
        return;
      case "ArithmeticExpansion":
        if (part.expression !== undefined) readArithmetic(this.ex, part.expression satisfies ArithmeticExpression);
        else cx.mayFail(this.ex.state);
        this.addValue({ atoms: [{ hole: true, why: "the result of arithmetic", number: true }], many: false });
        this.present = true;
        return;
      case "ProcessSubstitution": {
        const out =
          part.script === undefined
            ? NOTHING
            : this.ex.run(
                cx,
                this.ex.state.fork(),
                part.script,
                part.operator === ">"
                  ? { is: "unknown", why: "what is written to a process substitution", network: false }
                  : inputAround(cx),
              );
        if (part.operator === ">" && out.is !== "none") cx.leaked.push(out);
        this.addValue({
          atoms: [{ hole: true, why: "a pipe to a process substitution", pipe: part.operator === "<" ? out : NOTHING }],
          many: false,
        });
        this.present = true;
        return;
      }
      case "SimpleExpansion":
      case "ParameterExpansion":
        if (cx.maybeZsh && isZshLength(part, following)) this.zshReads(part.text, part);
        this.zshSubscript(part, following);
        this.parameter(readParameter(this.ex, part, quoted), quoted);
        return;
    }
  }

  /** `[$x]` ends where the text of `$x` has a bracket; where it matches nothing it is that text. */
  private bracket(text: string, parts: readonly WordPart[]): Atom {
    const inner = parts.length === 0 ? literal("") : expandParts(this.ex, parts);
    if (parts.every((part) => part.type === "Literal")) return { glob: text };
    if (inner.atoms.every((atom) => typeof atom === "string" && /^\w*$/.test(atom))) return { glob: `[${textOf(inner) ?? ""}]` };
    const number = inner.atoms.every((atom) =>
      typeof atom === "string" ? /^[\w+-]*$/.test(atom) : "hole" in atom && atom.number === true,
    );
    return number ? { glob: "?" } : { hole: true, why: "a pattern with an expansion in its brackets" };
  }

  /** `"$@"` is no word at all where there are none; what bash makes of it beside other empty text differs. */
  private quoted(parts: readonly WordPart[]): void {
    const before = [this.atoms.length, this.fields.length].join();
    const lists = parts.filter(isList).length;
    if (lists === 0 || parts.length > 1) this.present = true;
    parts.forEach((child, i) => this.add(child, true, parts[i + 1]));
    if (lists > 0 && parts.length > 1 && [this.atoms.length, this.fields.length].join() === before)
      this.addValue(unknown("an empty word, or none", true));
  }

  /** `$x[…]` and `$x:h` are a subscript and a modifier in zsh, plain text in bash. */
  private zshSubscript(part: WordPart, following: WordPart | undefined): void {
    if (part.type !== "SimpleExpansion" || following === undefined || !this.ex.cx.maybeZsh) return;
    if (/^(\[|:[a-zA-Z&])/.test(following.text)) {
      this.ex.cx.unknown(`bash and zsh read \`${part.text}${following.text.slice(0, 2)}\` differently`, {
        span: this.ex.cx.span(part),
        help: "write ${name} with braces",
      });
    }
  }

  private parameter(found: Fields, quoted: boolean): void {
    if (found.fields !== undefined) this.spliceFields(found.fields, quoted || found.split === true);
    else this.expansion(found.value, quoted);
  }

  /** `"$@"` and `"${a[@]}"`: the first joins what is before, the last what follows. */
  private spliceFields(values: readonly Value[], quoted: boolean): void {
    // Where words of unknown number begin or end a word with other text in it, that text may land on either neighbour.
    if (values.length > 1 && values[0]?.many === true && this.atoms.length > 0) this.looseEnd();
    values.forEach((value, i) => {
      if (i > 0) this.endField();
      if (quoted) {
        this.addValue(value);
        if (!value.many) this.present = true;
      } else this.expansion(value, false);
    });
    this.loose = values.length > 1 && values.at(-1)?.many === true;
  }

  /** The result of an expansion, split and globbed where that happens. */
  private expansion(value: Value, quoted: boolean): void {
    if (quoted || !this.splitting) {
      this.addValue(value.many && quoted && value.atoms.some((a) => typeof a !== "string") ? { atoms: value.atoms, many: false } : value);
      if (quoted) this.present = true;
      return;
    }
    if (this.ex.state.variables.has("IFS")) {
      this.addValue(unknown("a word that is split after IFS was changed", true));
      return;
    }
    for (const atom of value.atoms) {
      if (typeof atom === "string") this.split(atom);
      else if ("glob" in atom) this.addValue({ atoms: [atom], many: true });
      else this.addValue({ atoms: [atom], many: atom.number !== true && atom.pipe === undefined && !(atom.below === true && !value.many) });
    }
    if (value.many) this.many = true;
  }

  private split(text: string): void {
    if (this.ex.cx.maybeZsh && /[ \t\n*?[]/.test(text)) {
      this.ex.cx.unknown("an unquoted variable holds blanks or wildcards: bash splits it, zsh does not", {
        help: "quote it, or write the words out",
      });
    }
    const pieces = text.split(/[ \t\n]+/);
    pieces.forEach((piece, i) => {
      if (i > 0) this.endField();
      if (piece === "") return;
      this.present = true;
      // A backslash quotes there in bash, not in zsh; with extglob the bracket opens a pattern (bash(1), Pattern Matching); ksh93 and mksh
      // expand braces there.
      if (/[\\]|[@?*+!]\(/.test(piece) || (this.ex.state.portable && piece.includes("{")))
        this.addValue(unknown("a pattern in the text of a variable", true));
      else {
        const atoms = patternAtoms(piece);
        this.addValue({ atoms, many: atoms.some(isWildcard) });
      }
    });
  }

  private text(value: string | Value): void {
    this.addValue(typeof value === "string" ? literal(value) : value);
  }

  private looseEnd(): void {
    this.ex.cx.unknown("text is joined to positional parameters whose number is only known at run time");
  }

  private addValue(value: Value): void {
    if (this.loose && value.atoms.length > 0) this.looseEnd();
    // A line can double a text, or a list, with each of its commands.
    for (const atom of value.atoms) spend(typeof atom === "string" ? 1 + (atom.length >> 4) : 1);
    this.atoms.push(...value.atoms);
    if (value.many) this.many = true;
  }

  private endField(): void {
    spend();
    this.loose = false;
    // Without splitting a pattern stays what it is.
    if (this.splitting && this.atoms.some(isWildcard)) {
      const at = this.ex.state.places;
      const of = patternOf({ atoms: this.atoms, many: false });
      this.atoms = this.atoms.map((atom) => (isWildcard(atom) && atom.at === undefined ? { ...atom, at, of } : atom));
    }
    // Alone it is a word with this text, or none.
    const [only] = this.atoms;
    if (this.splitting && this.many && this.atoms.length === 1 && only !== undefined && isHole(only) && only.perhaps !== undefined)
      this.atoms = [only.perhaps];
    if (this.splitting && this.many && withoutNames({ atoms: join(this.atoms), many: true })?.atoms.length === 0)
      this.atoms = this.atoms.map((atom) => (typeof atom !== "string" && isHole(atom) ? namesAtLeast(atom) : atom));
    if (this.atoms.length > 0 || this.present) this.fields.push({ atoms: join(this.atoms), many: this.many });
    this.atoms = [];
    this.many = false;
    this.present = false;
  }

  finish(): Value[] {
    this.endField();
    if (this.fields.length === 0 && !this.splitting) return [literal("")];
    return this.fields;
  }
}

function namesAtLeast(hole: Hole): Hole {
  const { lead: _, told, ...named } = hole;
  return told === true ? named : { ...named, missing: true };
}

const isBlank = (part: WordPart | Word): boolean => (part.type === "Word" || part.type === "Literal") && /[ \t\n]/.test(part.text);

/** `$@`, `${@}`, `${a[@]}`: as many words as there are, in double quotes, too. */
const isList = (part: WordPart): boolean =>
  part.type === "SimpleExpansion"
    ? part.text === "$@"
    : part.type === "ParameterExpansion" && (part.parameter === "@" || part.index?.value === "@");

/** Replaces a leading unquoted `~`, and in assignments every one after `:`. */
function expandTilde(ex: Expansion, raw: string, value: string, whole: boolean, assignment: boolean, atStart = true): Value {
  if (!raw.includes("~")) return literal(value);
  // bash expands `~` in any word that looks like an assignment: `dd of=~/x` (bash(1), Tilde Expansion).
  const name = assignment || !atStart ? null : /^[A-Za-z_]\w*\+?=/.exec(raw);
  if (name !== null && value.startsWith(name[0]))
    return concat(literal(name[0]), expandTilde(ex, raw.slice(name[0].length), value.slice(name[0].length), whole, true));
  if (assignment && raw.includes(":") && raw === value) {
    const parts = value.split(":");
    return parts
      .map((part, i) => (i === 0 && !atStart ? literal(part) : tildePrefix(ex, part, part, whole || i < parts.length - 1)))
      .reduce((a, b) => concat(concat(a, literal(":")), b));
  }
  return atStart ? tildePrefix(ex, raw, value, whole) : literal(value);
}

function tildePrefix(ex: Expansion, raw: string, value: string, whole: boolean): Value {
  const match = /^~([^/\\'"$`]*)(\/|$)/.exec(raw);
  if (match === null) return literal(value);
  const [, user = "", slash = ""] = match;
  if (slash === "" && !whole) return literal(value);
  const rest = literal(value.slice(1 + user.length));
  if (user === "") return concat(homeOf(ex), rest);
  if (user === "+") return concat(workingDirectory(ex.state), rest);
  ex.cx.mayGiveUp(ex.state);
  // zsh: `~x` is what the variable x holds, when that is a path (zshexpn(1), Static named directories).
  if (ex.cx.maybeZsh && (ex.state.variables.has(user) || !/^[A-Za-z_][\w.-]*$/.test(user)))
    ex.cx.unknown(`bash and zsh read \`~${user}\` differently`, { help: "write the folder out" });
  return concat(unknown(`the home directory of ${user}`), rest);
}

export function homeOf(ex: Expansion): Value {
  const home = ex.state.variables.get("HOME");
  if (home === undefined) return literal(ex.cx.world.home);
  return "atoms" in home ? home : unknown("$HOME, which the line changes");
}

export function workingDirectory(state: ShellState): Value {
  const [place] = state.places;
  if (state.places.length !== 1 || place === undefined || place.is === "unknown") return unknown("the working directory");
  if (place.is === "at") return literal(place.path);
  return { atoms: [`${place.path}/`, { hole: true, why: "the working directory", below: true }], many: false };
}

/** What `$(…)` becomes: the text printed, trailing newlines dropped. */
function substitution(ex: Expansion, part: Extract<WordPart, { type: "CommandExpansion" }>): Value {
  if (part.script === undefined) return unknown("a substitution that cannot be read", true);
  const { cx } = ex;
  const outer = cx.outerSpan;
  // Escaped backticks own their decoded source: positions inside do not point into the request.
  if (part.script.source !== undefined) cx.outerSpan = cx.span(part);
  // It has the input of the command around it (bash(1), Command Execution Environment).
  const before = cx.actions.length;
  const { collects } = cx;
  cx.collects = "output";
  const out = ex.run(cx, ex.state.fork(), part.script, inputAround(cx));
  cx.collects = collects;
  cx.outerSpan = outer;
  // The shell keeps all of it.
  const exec = cx.actions.findLastIndex(({ kind }, at) => at >= before && kind === "exec");
  if (isEndless(out) && exec >= 0) cx.addDanger(exec, "resource-bomb");
  else if (isEndless(out)) cx.unknown("the shell keeps what has no end", { span: cx.span(part), help: "take a part: `head -c 1K FILE`" });
  return streamText(
    ex.state.pendingTraps.prints && out.is !== "unknown"
      ? { is: "unknown", why: "what is printed beside a trap", network: isNetwork(out) }
      : out,
    `the output of ${brief(part.text)}`,
  );
}

const brief = (text: string): string => (text.length <= 40 ? text : `${text.slice(0, 39)}…`);

export function streamText(out: Stream, why: string): Value {
  switch (out.is) {
    case "none":
      return literal("");
    case "text": {
      const atoms = [...out.value.atoms];
      const last = atoms.at(-1);
      if (typeof last === "string") atoms[atoms.length - 1] = last.replace(/\n+$/, "");
      return { atoms: join(atoms), many: out.value.many };
    }
    case "paths": {
      const one = onePath(out.values);
      const text = one === undefined ? undefined : textOf(one);
      if (text !== undefined) {
        const below = !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(text);
        return { atoms: [{ hole: true, why: `\`${text}\`, or nothing`, perhaps: text, ...(below ? { below } : {}) }], many: true };
      }
      if (one === undefined) return unknown(why, true);
      const atoms = printedNames(one);
      return { atoms: out.told === true ? atoms.map((atom) => (isHole(atom) ? { ...atom, told: true } : atom)) : atoms, many: true };
    }
    case "unknown":
      return {
        atoms: [
          {
            hole: true,
            why,
            ...(out.network ? { network: true } : {}),
            ...(out.number === true ? { number: true } : {}),
            ...(out.jobs === true ? { jobs: true } : {}),
          },
        ],
        many: out.number !== true || out.several === true,
      };
  }
}
