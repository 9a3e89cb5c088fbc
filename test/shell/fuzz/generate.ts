import { builtinProgram } from "./builtins.ts";
import { flowProgram } from "./flow.ts";
import { nameProgram } from "./names.ts";
import { sharedProgram } from "./shared.ts";
import { valueProgram } from "./values.ts";

/** A generator of random shell programs: every syntactic way we know to make bash start a command. */
export class Generator {
  private state: number;
  private count = 0;
  private functions: string[] = [];

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** mulberry32 */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  upTo(n: number): number {
    return Math.floor(this.random() * n);
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.upTo(list.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** A fresh command name that exists nowhere. */
  name(): string {
    return `q${this.count++}`;
  }

  program(): string {
    this.count = 0;
    this.functions = [];
    const alone = this.upTo(36);
    if (alone < 6) return new StateGenerator(this).program();
    if (alone < 8) return this.multios();
    if (alone < 11) return sharedProgram(this);
    if (alone < 14) return builtinProgram(this);
    if (alone < 17) return valueProgram(this);
    if (alone < 19) return nameProgram(this);
    if (alone < 23) return flowProgram(this);
    const lines = 1 + this.upTo(2);
    return (
      Array.from({ length: lines }, () => this.list(this.pick([1, 1, 2, 2, 3])))
        .join("\n")
        // After a here-document only a new line can follow.
        .replace(/\n(; | & | && | \|\| | \| | \|& )/g, "\n")
    );
  }

  private list(depth: number): string {
    const parts = 1 + this.upTo(2);
    let text = this.pipeline(depth);
    for (let i = 1; i < parts; i++)
      text +=
        this.pick([" && ", " || ", "; ", "\n", "; ", "\n", this.pick(["; ", "\n", " & ", " # c\n", ' # c) "d\n'])]) + this.pipeline(depth);
    return text;
  }

  private pipeline(depth: number): string {
    const prefix = this.pick(["", "", "", "", "", "", "", "", "! ", "! ", "time "]);
    const count = this.pick([1, 1, 1, 2, 3]);
    return prefix + Array.from({ length: count }, () => this.command(depth)).join(this.pick([" | ", " | ", " |& "]));
  }

  private command(depth: number): string {
    if (depth <= 0) return this.simple(0);
    const d = depth - 1;
    switch (this.upTo(25)) {
      case 14:
        return new StateGenerator(this).program();
      case 15:
        return this.multios();
      case 0:
        return `(${this.list(d)})`;
      case 1:
        return `{ ${this.list(d)}; }`;
      case 2:
        return `if ${this.list(d)}; then ${this.list(d)}; ${this.pick(["", `else ${this.list(d)}; `, `elif ${this.list(d)}; then ${this.list(d)}; `])}fi`;
      case 3:
        return `for v in ${this.words(d)}; do ${this.list(d)}; done`;
      case 4:
        return `${this.pick(["while", "until"])} ${this.list(d)}; do ${this.list(d)}; break; done`;
      case 5:
        return `case ${this.word(d)} in ${this.pick(["a", "*", `$(${this.list(d)})`, "a|b"])}) ${this.list(d)}${this.pick([";;", ";&", ";;&"])} *) ${this.simple(d)};; esac`;
      case 6: {
        const f = `f${this.functions.length}`;
        this.functions.push(f);
        const body = this.pick([`{ ${this.list(d)}; }`, `(${this.list(d)})`]);
        const ways = [
          `${f}() ${body}; ${f} ${this.words(d)}`,
          `function ${f} ${body}\n${f}`,
          `function ${f} ${this.pick(["if :; then :; fi", "[[ a ]]", "((1))", "for v in a; do :; done"])}; ${this.list(d)}`,
        ];
        // What no shell is trusted to read alike is refused: a few of them are enough.
        return this.upTo(8) === 0 ? this.pick(ways) : this.pick(ways.slice(0, this.upTo(4) === 0 ? 2 : 1));
      }
      case 7:
        return `[[ ${this.word(d)} ${this.pick(["==", "!=", "=~", "<"])} ${this.word(d)} ]] && ${this.simple(d)}`;
      case 8:
        return `(( ${this.arithmetic(d)} )); ${this.simple(d)}`;
      case 9:
        return `{ ${this.list(d)}; } ${this.redirect(d)}`;
      case 10:
        return `for ((i=0; i<1; i++)); do ${this.list(d)}; done`;
      case 11:
        return `coproc ${this.pick([this.simple(0), `{ ${this.list(0)}; }`])}; wait`;
      case 12:
        return `select v in ${this.words(d)}; do ${this.list(d)}; break; done <<< 1`;
      case 13:
        return this.special(d);
      default:
        return this.simple(depth);
    }
  }

  /** Output that goes to a file and down a pipe, input from a pipe and from elsewhere: bash and zsh differ. */
  private multios(): string {
    const [n, m] = [this.name(), this.name()];
    const says = this.pick([`echo ${n}`, `printf '%s\\n' ${n}`, `{ echo ${n}; }`, `(echo ${n})`, `if :; then echo ${n}; fi`, `<<< ${n}`]);
    const away = this.pick(["> /dev/null", "> out", ">> out", "&> out", "> out > o1", "2> out", ">| out", "2>&1 > out", ""]);
    const reads = this.pick(["{ read x; $x; }", "source /dev/stdin", "while read x; do $x; done", `{ read x; ${m} "$x"; }`, `${m}`]);
    const from = this.pick(["", "", `<<< ${this.name()}`, "< /dev/null", `<<< ''`, `<<< ${this.name()} <<< ${this.name()}`]);
    const separator = this.pick(["", "-0", "-d,", "-d '\\n'", "-n1", "-d:", "-I{}", "-0 -n1", "-L1", "-d x"]);
    if (this.upTo(4) === 0)
      return `printf '${this.pick(["a b", "a,b c", "a\\0b c", "a\\nb", "-l a:b", "axb"])}' | /usr/bin/xargs ${separator} /bin/bash -c '${n} "$@"' _${separator === "-I{}" ? " {}" : ""}`;
    return `${says} ${away} | ${reads} ${from}`.trimEnd();
  }

  private special(d: number): string {
    const n = this.name();
    const inner = this.simple(0).replaceAll("\n", " ");
    const quoted = `'${inner.replaceAll("'", "'\\''")}'`;
    switch (this.upTo(24)) {
      case 22:
        return this.early();
      case 21:
        return this.joined();
      case 0:
        return `eval ${quoted}`;
      case 1:
        return `x=${n}; $x ${this.word(d)}`;
      case 2:
        return `set -- ${n} a; "$@"`;
      case 3:
        return `trap ${quoted} EXIT`;
      case 4:
        return `a=(${n} ${this.word(d)}); "\${a[@]}"`;
      case 5:
        return `shopt -s expand_aliases\nalias ${n}='${this.name()} z'\n${n} y\n`;
      case 6:
        return `command ${n} ${this.words(d)}`;
      case 7:
        return `exec ${n} ${this.words(d)}`;
      case 8:
        return this.pick([
          `source /dev/stdin <<< ${quoted}`,
          `source /dev/stdin ${n} <<< '"$1"'`,
          `/bin/bash -s ${n} <<< '"$1"'`,
          `source /dev/stdin <<E\n${n}; \\$x\nE\n`,
          `export x={${n},b}; $x`,
          `: $${this.pick(["~", "=", "#", "+", "^"])}x`,
        ]);
      case 9:
        return `mapfile -C '${n} ' -c 1 <<< ${this.word(d)}`;
      case 10:
        return `${n}() { ${inner}; }; ${n} 1; unset -f ${n}; ${n} 2`;
      case 11:
        return `if ${this.name()}; then ${n}() { :; }; fi; ${n}`;
      case 12:
        return `printf -v y %s ${n}; $y`;
      case 13:
        return `read y <<< ${n}; $y`;
      case 14:
        return `eval "$(echo ${n}) ${this.name()}"`;
      case 15:
        return `IFS=:; z=${n}:a; $z`;
      case 16:
        return `z='${n} b c'; $z`;
      case 17:
        return `while read l; do $l; done <<< ${n}`;
      case 18:
        return `builtin eval ${n}`;
      case 19:
        return `export Q=$(${inner}); ${n} "$Q"`;
      case 20:
        return `declare w=${n}; "$w" 1`;
      default:
        return `: \${u:=${n}}; $u`;
    }
  }

  /** Commands whose output ends before the list does, or goes elsewhere. */
  private early(): string {
    const [n, m] = [this.name(), this.name()];
    const end = this.pick([
      "exit",
      "true && exit",
      ": ${nope:?}",
      "exec > /dev/null",
      "set -e; false",
      "return",
      "f() { return; echo x; }; f",
    ]);
    return this.pick([`$(${end}; echo ${n}) ${m}`, `{ ${end}; echo ${n}; } | { read x; ${m} "$x"; }`, `${m} "$(${end}; echo ${n})"`]);
  }

  /** Lists of words and what stands between them. */
  private joined(): string {
    const n = this.name();
    const list = this.pick(["set --", `set -- ${n}`, `set -- ${n} b`, `set -- ${n} ''`]);
    const array = this.pick(["a=()", `a=(${n})`, `a=(${n} b)`, `read -a a <<< '${n} b'`]);
    const separator = this.pick(["", "", "", "", "IFS=; ", "IFS=:; "]);
    return `${this.pick([list, array])}; ${separator}${this.name()} ${this.pick(['"$*"', '"$@"', '"${a[*]}"', '"${a[@]}"', '"$@""$@"', '"${@:1}"', '"x$@"', "${x-a b}c", "${a[1]}", "x=$*"])}`;
  }

  private simple(depth: number): string {
    const assignment = this.pick(["", "", "", "", "A=1 ", `B=${this.word(depth)} `]);
    const redirect = this.pick(["", "", "", this.redirect(depth)]);
    const early = this.pick([false, false, true]);
    const words = this.words(depth);
    return `${assignment}${early && redirect !== "" && !redirect.includes("\n") ? `${redirect} ` : ""}${this.commandName()}${words === "" ? "" : ` ${words}`}${early && !redirect.includes("\n") ? "" : redirect === "" ? "" : ` ${redirect}`}`;
  }

  private commandName(): string {
    if (this.functions.length > 0 && this.upTo(5) === 0) return this.pick(this.functions);
    if (this.upTo(6) === 0)
      return this.pick(["echo", "printf %s", ":", "true", "test", "cd .", "pwd", "echo -n", "local x 2>/dev/null; :", "shift", "type"]);
    const n = this.name();
    const [head = "q", ...tail] = n;
    const rest = tail.join("");
    switch (this.upTo(18)) {
      case 16:
        return this.upTo(12) === 0 ? `{${head}..${head}}${rest}` : n;
      case 17:
        // The shells differ, so no program with it is understood: a few are enough.
        return this.upTo(8) === 0 ? `${head}$'\\${this.pick(["c", "q", "d"])}${rest}'` : n;
      case 0:
        return `"${n}"`;
      case 1:
        return `'${n}'`;
      case 2:
        return `${head}\\${rest}`;
      case 3:
        return `${head}''${rest}`;
      case 4:
        return `${head}\\\n${rest}`;
      case 5:
        return `$'${n}'`;
      case 6:
        return `${head}$@${rest}`;
      case 7:
        return this.upTo(12) > 0 ? n : `{${n},z}`;
      case 8:
        return `$(echo ${n})`;
      case 9:
        return `\${9:-${n}}`;
      default:
        return n;
    }
  }

  private words(depth: number): string {
    return Array.from({ length: this.upTo(3) }, () => this.word(depth)).join(this.upTo(30) === 0 ? " \\\n  " : " ");
  }

  private word(depth: number): string {
    if (this.upTo(14) === 0 && depth > 0) return `${this.pick(["<", ">"])}(${this.list(depth - 1)})`;
    if (this.upTo(12) === 0) return "~";
    const count = this.pick([1, 1, 1, 2]);
    const text = Array.from({ length: count }, () => this.part(depth)).join("");
    // Behind other text the shells expand it differently, too.
    return this.upTo(6) === 0 ? text : text.replace(/(?<=.)~\/k/g, "k");
  }

  private part(depth: number): string {
    if (depth <= 0) return this.pick(["a", "b1", "'c d'", '"e f"', "$'g\\th'", "$HOME", "$1", "~/k", "*", "{i,j}", "\\$k", "-l"]);
    const d = depth - 1;
    switch (this.upTo(24)) {
      case 0:
        return `$(${this.list(d)})`;
      case 1:
        return `"$(${this.list(d)})"`;
      case 2:
        return `\`${this.simple(0).replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("$", "\\$")}\``;
      case 5:
        return `\${x:-${this.operand(d)}}`;
      case 6:
        return `"\${y:+${this.operand(d)}}"`;
      case 7:
        return `"\${HOME:+${this.operand(d)}}"`;
      case 8:
        return `$((${this.arithmetic(d)}))`;
      case 9:
        return `\${x#${this.operand(d)}}`;
      case 10:
        return `\${x%%${this.inner()}}`;
      case 11:
        return `\${x/${this.pick(["a", "a", "a", `$(${this.simple(0)})`])}/${this.pick(["b", "$1", "'c d'"])}}`;
      case 12:
        return `\${HOME:${this.pick(["1", "2", this.inner()])}:1}`;
      case 13:
        return `\${x^${this.inner()}}`;
      case 14:
        return `{${this.part(d)},${this.part(d)}}`;
      case 15:
        return `"${this.pick(["a", '\\"', "\\$("])}${this.part(0).replaceAll('"', "")}"`;
      case 16:
        return `\${x:=${this.operand(d)}}`;
      case 17:
        return `$[${this.arithmetic(d)}]`;
      default:
        return this.part(0);
    }
  }

  /** Parts that every shell reads alike inside `${…}`; now and then one that they do not. */
  private operand(depth: number): string {
    if (this.upTo(12) === 0) return this.part(depth);
    return this.pick(["a", "'c d'", '"e"', "$HOME", "$1", this.inner(), `\`${this.name()}\``]);
  }

  /** A substitution for the inside of `${…}`, where `$'…'` is never understood: a few are enough. */
  private inner(): string {
    const command = this.simple(0);
    return `$(${this.upTo(6) === 0 ? command : command.replaceAll("$'g\\th'", "'g h'")})`;
  }

  private arithmetic(depth: number): string {
    return this.pick(["1+1", "i++", "x=2", `$(${this.simple(depth > 0 ? depth - 1 : 0)}) + 0`, "1 ? 2 : 3"]);
  }

  private redirect(depth: number): string {
    // Commands behind a here-document inside a substitution are never understood (parse.ts), so there are fewer of those.
    switch (this.pick([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8])) {
      case 0:
        return "> out";
      case 1:
        return "2>&1";
      case 2:
        return "< /dev/null";
      case 3:
        return `> ${this.pick(["o1", `"o$(${this.simple(0)})"`, `>(${this.list(0)})`])}`;
      case 4:
        return `<<< ${this.word(depth)}`;
      case 5:
        return `<<EOF\n${this.pick(["x", "$(" + this.simple(0) + ")", `\`${this.name()}\``, "${z:-$(" + this.simple(0) + ")}", "\\$(no)", "\\$x"])}\nEOF\n`;
      case 6:
        return `<<'EOF'\n$(${this.name()})\nEOF\n`;
      case 7:
        return `<<-EOF\n\t$(${this.simple(0)})\n\tEOF\n`;
      default:
        return "&> out";
    }
  }
}

/** Lines about what the shell keeps: variables and their attributes, scopes, traps, folders, tables, names by indirection. */
class StateGenerator {
  private readonly from: Generator;
  private functions = 0;

  constructor(from: Generator) {
    this.from = from;
  }

  program(): string {
    const { from } = this;
    const steps = Array.from({ length: 1 + from.upTo(4) }, () => this.step(2));
    return [...steps, this.use()].join(from.pick(["; ", "; ", "; ", "\n"]));
  }

  private variable(): string {
    return this.from.pick(["x", "x", "x", "y", "z"]);
  }

  private value(): string {
    const n = this.from.name();
    return this.from.pick([
      n,
      n,
      n,
      n,
      n,
      n,
      this.text(n),
      "5",
      "''",
      n.toUpperCase(),
      `"$${this.variable()}"`,
      `$(echo ${n})`,
      `"\${${this.variable()}:-${n}}"`,
    ]);
  }

  /** Text that is code where the shell reads it a second time. */
  private text(n: string): string {
    return this.from.pick([`'path[$(${n})]'`, `'($(${n}))'`, `'([$(${n})]=1)'`, `'a[$(${n})]'`, `'$(${n})'`]);
  }

  private steps(depth: number): string {
    return Array.from({ length: 1 + this.from.upTo(3) }, () => this.step(depth)).join("; ");
  }

  private step(depth: number): string {
    const { from } = this;
    const v = this.variable();
    switch (from.upTo(depth > 0 ? 26 : 12)) {
      case 0:
      case 1:
        return `${v}=${this.value()}`;
      case 2: {
        const flags = from.pick(["", "", "-i ", "-u ", "-l ", "-r ", "-x ", "-a ", "-A ", "-g ", "-ai ", "-ga ", "-rx ", "+x "]);
        return `${from.pick(["declare", "declare", "typeset", "local"])} ${flags}${v}${from.pick(["=", "=", "=", ""])}`.replace(
          /=$/,
          `=${this.value()}`,
        );
      }
      case 3:
        return from.pick([
          `export ${v}`,
          `readonly ${v}`,
          `readonly ${v}=${this.value()}`,
          `export ${v}=${this.value()}`,
          `unset ${v}`,
          `unset -v ${v}`,
        ]);
      case 4:
        return from.pick([`read ${v} <<< ${this.value()}`, `read -r ${v} <<< ${this.value()}`, `printf -v ${v} %s ${this.value()}`]);
      case 5:
        return from.pick([
          `${v}+=${this.value()}`,
          `${v}=(${this.value()} ${this.value()})`,
          `${v}[0]=${this.value()}`,
          `${from.pick(["", "declare ", "declare -a ", "declare -A ", "readonly "])}${v}=(${this.value()} [${from.pick(["0", "1", "i=0", "k", "'0'"])}]${from.pick(["=", "+="])}${this.value()})`,
          `${v}+=(${this.value()} [0]=${this.value()})`,
          `let ${v}=2`,
          `((${v}++))`,
        ]);
      case 6:
        return this.move();
      case 7:
        return this.use();
      case 8:
        return from.pick([
          `set -- ${this.value()} ${this.value()}`,
          `shift`,
          `${from.pick(["x", "y"])}=${this.value()} eval '${this.use()}'`,
          `${v}=${this.value()} :`,
          `${v}=${this.value()} export ${v}`,
          from.pick([":", ":", ":", "OLDPWD=$PWD/d cd - > /dev/null"]),
        ]);
      case 9:
        if (from.upTo(3) > 0) return `${v}=${this.value()}`;
        return from.pick([
          `BASH_ALIASES[${from.name()}]=${this.value()}`,
          `alias ${v}=${this.value()}`,
          `PWD=$PWD/d`,
          `hash -d ${v}=$PWD/d`,
          `shopt -s ${from.pick(["cdable_vars", "lastpipe", "nullglob", "expand_aliases", "xpg_echo", "localvar_inherit"])}`,
          `set ${from.pick(["-a", "-e", "-f", "-k", "-u", "-P", "-T", "-E", "-o posix"])}`,
          `functions[${v}]=${this.value()}`,
          `aliases[${v}]=${this.value()}`,
          `_=${this.value()}`,
        ]);
      case 10:
        return from.pick([
          `(${this.step(0)})`,
          `: $(${this.step(0)})`,
          `${this.step(0)} | ${from.name()}`,
          `${from.name()} | ${this.step(0)}`,
        ]);
      case 11:
        return from.pick([
          `: \${${v}:=${from.name()}}`,
          `echo \${!${v}} > /dev/null`,
          `: \${!${v}:-d}`,
          `[[ ${v} -eq 0 ]]`,
          `: \${${v}@P}`,
          `echo >&"$${v}"`,
          `test -v $${v}`,
          `[[ -t ${v} ]]`,
          `printf %d ${v} > /dev/null`,
          `shift ${v}`,
          `: {${v}[0]}< /dev/null`,
          `${from.pick(["KEYTIMEOUT", "ERRNO", "SECONDS", "MAILCHECK"])}="$${v}"`,
        ]);
      case 12:
      case 13: {
        const f = `f${this.functions++}`;
        const call = from.pick([f, `${f} ${this.value()}`, `${v}=${this.value()} ${f}`, `${f} && ${this.step(0)}`, `(${f})`]);
        return `${f}() { ${this.steps(depth - 1)}; ${from.pick(["", "", `return; ${this.step(0)}; `, `${from.name()} && return; ${this.step(0)}; `])}}; ${call}`;
      }
      case 14:
      case 15: {
        const when = from.pick(["EXIT", "EXIT", "DEBUG", "ERR", "RETURN", "USR1", "EXIT INT"]);
        const code = this.step(0).replaceAll("'", "'\\''");
        return `trap '${code}' ${when}; ${this.steps(depth - 1)}${when === "USR1" ? "; kill -USR1 $$; :" : ""}`;
      }
      case 16:
        return `if ${from.name()}; then ${this.steps(depth - 1)}; else ${this.steps(depth - 1)}; fi`;
      case 17:
        return `${from.name()} ${from.pick(["&&", "||"])} { ${this.steps(depth - 1)}; }`;
      case 18:
        return `for ${v} in ${this.value()} ${this.value()}; do ${this.steps(depth - 1)}; ${from.pick(["break", "continue", ":", `${from.name()} && break`])}; ${this.step(0)}; done`;
      case 19:
        return `while :; do ${this.steps(depth - 1)}; break; ${this.step(0)}; done`;
      case 20:
        return `case $${v} in '') ${this.steps(depth - 1)};; *) ${this.steps(depth - 1)};; esac`;
      case 21:
        return `eval '${this.step(0).replaceAll("'", "'\\''")}${from.pick(["", "; return", "; break"])}'`;
      case 22:
        return `source /dev/stdin <<< '${this.step(0).replaceAll("'", "'\\''")}${from.pick(["", "; return"])}; ${v}=${from.name()}'`;
      case 23:
        return this.rounds(depth);
      case 24:
        return this.inTrap(depth);
      default:
        return `{ ${this.steps(depth - 1)}; }`;
    }
  }

  /** A loop of several rounds, in each of which one name hands on to the next. */
  private rounds(depth: number): string {
    const { from } = this;
    const head = from.pick(["k=0; while ((k++ < 8))", "k=0; until ((k++ > 8))", "for ((k=0; k<8; k++))", "for k in {1..18}"]);
    const chain = from.pick([
      `x=$y; y=$z; z=$w; w=$u; u=$t; t=${from.name()}`,
      `${from.pick(["$x", "g a", '"$1"'])}; ${this.step(0)}; g() { $x; }; x=$y; y=$z; z=${this.value()}`,
      `${this.use()}; shift`,
      this.steps(depth - 1),
    ]);
    return `t=: u=: w=:; ${head}; do ${this.use()}; ${chain}; done`;
  }

  /** A trap that is sprung later, inside functions, when names have become something else. */
  private inTrap(depth: number): string {
    const { from } = this;
    const v = this.variable();
    const code = `${this.step(0)}; ${from.pick([`${v} ${from.name()}`, this.use(), this.use(), `unset ${v}; ${this.use()}`])}`;
    const made = from.pick([`alias ${v}=${from.pick(["eval", "command", from.name()])}`, this.step(0), this.steps(depth - 1)]);
    const spring = from.pick([
      "kill -USR1 $$; :",
      `f() { local ${v}=${this.value()}; kill -USR1 $$; :; }; f`,
      `f() { ${from.pick(["local", "declare -l", "declare -i"])} ${v}; g; }; g() { kill -USR1 $$; :; }; f`,
      `${v}=${this.value()} eval 'kill -USR1 $$; :'`,
    ]);
    return `shopt -s expand_aliases; trap '${code.replaceAll("'", "'\\''")}' USR1; ${made}; ${spring}`;
  }

  /** Only below the folder the program starts in. */
  private move(): string {
    const { from } = this;
    return from.pick([
      "cd d",
      "cd d",
      "cd ./d",
      "cd d/d",
      'cd "$PWD/d"',
      "cd d && cd ..",
      "cd d && cd -P ..",
      "cd -P l && cd ..",
      "cd -L l && cd -",
      "cd - > /dev/null",
      "cd nowhere",
      "builtin cd d",
      "command cd d",
      "pushd d > /dev/null",
      "pushd -n d > /dev/null",
      "popd > /dev/null",
      "cd d d",
      "cd ''",
      "cd d; cd - > /dev/null",
      "CDPATH=d cd d > /dev/null",
      `cd $${this.variable()}`,
      "cd d || cd l",
    ]);
  }

  private use(): string {
    const { from } = this;
    const v = this.variable();
    const n = from.name();
    return from.pick([
      `$${v}`,
      `$${v} a`,
      `"$${v}"`,
      `"$${v}" a`,
      `${n} "$${v}"`,
      `${n} "$(pwd)"`,
      `${n} "$PWD"`,
      `${n} ~+`,
      `${n} "$OLDPWD"`,
      `"\${${v}[@]}"`,
      `${n} "\${${v}[0]}"`,
      `"$@"`,
      `${n} "$1"`,
      `\${!${v}}`,
      `eval "$${v}"`,
      `${n} "$(echo "$${v}")"`,
    ]);
  }
}
