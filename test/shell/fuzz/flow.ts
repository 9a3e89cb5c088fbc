import type { Generator } from "./generate.ts";

/** Which commands run, how often and in which scope: loops that are left from within, functions that call each other, what a status decides. */
export function flowProgram(from: Generator): string {
  return new Flow(from).program();
}

const FUNCTIONS = ["f", "g", "h"];

class Flow {
  private readonly from: Generator;
  /** What every `sh` knows alone. */
  private readonly isPlain: boolean;
  private counters = 0;
  private called: readonly string[] = [];

  constructor(from: Generator) {
    this.from = from;
    this.isPlain = from.upTo(3) === 0;
  }

  program(): string {
    const set = ["x", "y", "z"].slice(0, 1 + this.from.upTo(3)).map((name) => `${name}=${this.from.name()}`);
    // One calls those that were defined before it.
    const defined = Array.from({ length: this.from.upTo(4) }, (_, at) => {
      this.called = FUNCTIONS.slice(0, at);
      return `${FUNCTIONS[at] ?? ""}() { ${this.steps(1)}; }`;
    });
    this.called = FUNCTIONS.slice(0, defined.length);
    return [...set, ...defined, this.steps(2), this.use(), this.use()].join(this.from.pick(["\n", "\n", "; "]));
  }

  /** A function, or a program where there is none. */
  private call = (): string => (this.called.length === 0 ? this.from.name() : this.from.pick(this.called));

  private name = (): string => this.from.pick(["x", "x", "y", "z"]);
  private steps = (depth: number): string => Array.from({ length: 1 + this.from.upTo(3) }, () => this.step(depth)).join("; ");

  private step(depth: number): string {
    if (depth <= 0 || this.from.upTo(3) === 0) return this.plain();
    const inner = (): string => this.steps(depth - 1);
    const n = `n${this.counters++}`;
    return this.from.pick([
      () => `if ${this.condition(depth)}; then ${inner()}; fi`,
      () => `if ${this.condition(depth)}; then ${inner()}; else ${inner()}; fi`,
      () => `if ${this.condition(depth)}; then ${inner()}; elif ${this.condition(depth)}; then ${inner()}; fi`,
      () => `${n}=0; while [ $${n} -lt 2 ]; do ${n}=$((${n}+1)); ${inner()}; done`,
      () => `${n}=0; until [ $${n} = 2 ]; do ${n}=$((${n}+1)); ${inner()}; done`,
      () => `for v in a b; do ${inner()}; done`,
      () => `for ${this.name()} in ${this.from.name()} ${this.value()}; do ${inner()}; done`,
      () => `for v; do ${inner()}; done`,
      () => `${n}=0; while [ $${n} -lt 3 ] && ${this.condition(0)}; do ${n}=$((${n}+1)); ${inner()}; ${this.leave()}; done`,
      () => `case ${this.value()} in ${this.from.pick(["''", "q*", "*", '"$x"', "$y"])}) ${inner()};; *) ${inner()};; esac`,
      () => `${this.condition(depth)} && ${this.plain()}`,
      () => `${this.condition(depth)} || ${this.plain()}`,
      () => `${this.condition(depth)} && ${this.plain()} || ${this.plain()}`,
      () => `{ ${inner()}; }${this.from.pick(["", "", ` || ${this.plain()}`, " > /dev/null", " | :", " &"])}`.replace(/ &$/, " & wait"),
      () => `( ${inner()} )${this.from.pick(["", "", ` || ${this.plain()}`, ` && ${this.plain()}`])}`,
      () => `g() { ${this.plain()}; }`,
      () => `g() ( ${this.plain()}; ${this.plain()} )`,
      () => `! { ${inner()}; }`,
      () => `: | { ${inner()}; }`,
      () => `${this.name()}=$(${inner()}; echo ${this.value()})`,
      () => `eval '${inner().replaceAll("'", "'\\''")}'`,
      () => `trap '${inner().replaceAll("'", "'\\''")}' ${this.from.pick(this.isPlain ? ["EXIT"] : ["EXIT", "ERR", "RETURN", "DEBUG"])}`,
    ])();
  }

  private condition(depth: number): string {
    const more = depth > 1 && this.from.upTo(6) === 0 ? this.from.pick([" && ", " || ", "; "]) + this.condition(depth - 1) : "";
    const one = this.from.pick([
      "true", "false", ":", this.from.name(), this.from.name(), `[ -n "$${this.name()}" ]`, `[ -z "$${this.name()}" ]`, "[ $? = 0 ]", "(exit 1)", "! false", "! true",
      this.call(), this.call(), this.call(), `[ "$x" = "$y" ]`, `test "$#" -gt 1`, "eval false", "shift", "unset y", 'x=$(false)', `x= ${this.call()}`, "command false", "{ false; }", "(exit)",
      ...(this.isPlain ? [] : [`[[ $x == $y ]]`, "((0))", "((n++))", `[[ -v ${this.name()} ]]`, "local x", "local x=$(false)", "let 0", "builtin false"]),
    ]); // prettier-ignore
    return one + more;
  }

  private leave = (): string =>
    this.from.pick([
      "break",
      "break",
      "break 2",
      "continue 2",
      "return",
      "return 1",
      "exit",
      "exit 1",
      `return $?`,
      "break 1",
      "eval break",
    ]);

  private value(): string {
    return this.from.pick([
      this.from.name(),
      this.from.name(),
      '"$x"',
      '"$y"',
      '"$1"',
      "''",
      '"$*"',
      "$#",
      `"\${x:-${this.from.name()}}"`,
      '"${y-a}"',
    ]);
  }

  private plain(): string {
    const v = this.name();
    const common = [
      () => `${v}=${this.value()}`,
      () => `${v}=${this.value()}`,
      () => `${v}=${this.value()}`,
      () => this.use(),
      () => this.use(),
      () => this.leave(),
      () => this.from.pick(["continue", "break", "return"]),
      () => `unset ${v}`,
      () => `set -- ${this.value()} ${this.value()}`,
      () => this.from.pick(["shift", "shift 2", "set -e", "set +e", "set -u", "set -f", ":", "true", "false"]),
      () => `${this.call()} ${this.value()}`,
      () => this.call(),
      () => `${v}=${this.value()} ${this.call()}`,
      () => `${v}=${this.value()} ${this.from.pick(["eval", "eval", "command eval", ":", "export y"])} '${this.use()}'`,
      () => `export ${v}=${this.value()}`,
      () => `: "\${${v}:=${this.from.name()}}"`,
      () => `${v}=$?`,
      () => (this.from.upTo(4) === 0 ? `readonly ${v}` : `unset -f ${this.call()}`),
      () => `exec ${this.from.name()}`,
    ];
    const own = [
      () => `local ${v}=${this.value()}`,
      () => `local ${v}`,
      () => `local ${v}; ${v}=${this.value()}`,
      () => `declare -g ${v}=${this.value()}`,
      () => `declare ${v}=${this.value()}`,
      () => (this.from.upTo(4) === 0 ? `local -n r=${v}; r=${this.value()}` : `local ${v}=${this.value()}`),
      () => `${v}+=${this.value()}`,
      () => `shopt -s ${this.from.pick(["lastpipe", "inherit_errexit", "expand_aliases"])}`,
      () => `set -o ${this.from.pick(["pipefail", "errexit", "functrace", "errtrace"])}`,
      () => `builtin ${this.from.pick(["return", "break", `eval ${this.use()}`, "exit"])}`,
    ];
    return this.from.pick(this.isPlain ? common : [...common, ...own])();
  }

  private use(): string {
    const n = this.from.name();
    return this.from.pick([
      `${n} "$x"`,
      `${n} "$y"`,
      `${n} "$z"`,
      '"$x"',
      `${n} $y$z`,
      `${n} "$1"`,
      `${n} "$@"`,
      `"$@"`,
      `${n} $?`,
      n,
      `${n} $#`,
    ]);
  }
}
