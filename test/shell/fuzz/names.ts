import type { Generator } from "./generate.ts";

/** Builtins, special ones of them, a program, and a name that nothing has. */
const NAMES =
  "cd echo ls : command eval test [ exec true source . unset export printf read q9 q9 q9 local set shift trap type let declare pwd exit return false alias hash".split(
    " ",
  );

/** What a name is: a function, an alias, a builtin or a program, defined, taken away and called in every way. */
export function nameProgram(from: Generator): string {
  const n = from.pick(NAMES),
    m = from.pick(NAMES);
  const steps = Array.from({ length: 1 + from.upTo(3) }, () => step(from, from.pick([n, n, n, m])));
  return [
    ...(from.upTo(3) === 0 ? ["shopt -s expand_aliases"] : []),
    ...steps,
    use(from, from.pick([n, n, m])),
    from.pick(["", use(from, from.pick([n, m])), from.name()]),
  ]
    .filter((one) => one !== "")
    .join(from.pick(["\n", "\n", "; "]));
}

function body(from: Generator, n: string): string {
  const q = from.name();
  return from.pick([
    `${q} "$@"`,
    `${q} "$1"`,
    `command ${n} "$@"`,
    `builtin ${n} "$@"`,
    `unset -f ${n}; ${n} "$@"`,
    "return",
    "return 1",
    `${n}() { ${q} x; }`,
    `${from.pick(NAMES)} "$@"`,
    `${q}; return; ${from.name()}`,
    `"$@"`,
    `shift; ${q} "$@"`,
    `local x=${q}; $x`,
    `x=${q}`,
    `eval "$1"`,
    `exit`,
    `unset -f ${n}; ${q}`,
    `set -- ${q}; "$@"`,
    `alias q9=${q}`,
    `trap ${q} EXIT`,
    `trap ${q} RETURN`,
    `cd d; ${q} "$PWD"`,
  ]);
}

function step(from: Generator, n: string): string {
  const q = from.name();
  return from.pick([
    () => `${n}() { ${body(from, n)}; }`,
    () => `${n}() { ${body(from, n)}; }`,
    () => `${n}() { ${body(from, n)}; }`,
    () => `function ${n} { ${body(from, n)}; }`,
    () => `${n}() (${body(from, n)})`,
    () => `alias ${n}='${from.pick([q, `${q} `, `${q} x`, `command ${n}`, `${from.pick(NAMES)}`, `${q};`, "command ", "eval "])}'`,
    () => `alias ${n}=${q}`,
    () => `unset -f ${n}`,
    () => `unset ${n}`,
    () => `unalias ${n}`,
    () => "unalias -a",
    () => `readonly -f ${n}`,
    () => `declare -ft ${n}`,
    () => `x=${n}`,
    () => `x='${n} ${q}'`,
    () => `${n}=${q}`,
    () => `if ${from.name()}; then ${n}() { ${body(from, n)}; }; fi`,
    () => `(${n}() { ${body(from, n)}; })`,
    () => `{ ${n}() { ${body(from, n)}; }; } | ${from.name()}`,
    () => `eval '${n}() { ${body(from, n).replaceAll("'", "")}; }'`,
    () => `g() { ${n}() { ${body(from, n)}; }; }; g`,
    () => `g() { ${n}() { ${body(from, n)}; }; }`,
    () => "g",
    () => `${use(from, n)}`,
  ])();
}

function use(from: Generator, n: string): string {
  const a = from.pick(["a", "q9", "$x", '"$x"', "", "-p q9", "q9 a", "x=1", "cd", "-- q9", "echo q9", "'q9 a'"]);
  const q = from.name();
  return from.pick([
    `${n} ${a}`,
    `${n} ${a}`,
    `${n} ${a}`,
    `command ${n} ${a}`,
    `builtin ${n} ${a}`,
    `\\${n} ${a}`,
    `"${n}" ${a}`,
    `eval ${n} ${a}`,
    `eval '${n} ${a.replaceAll("'", "")}'`,
    `$(echo ${n}) ${a}`,
    `$x ${a}`,
    `exec ${n} ${a}`,
    `${n} ${a} | ${q}`,
    `${q} "$(${n} ${a})"`,
    `(${n} ${a})`,
    `h() { ${n} ${a}; }; h`,
    `h() { ${n} ${a}; }`,
    "h",
    `/bin/${n} ${a}`,
    `command -v ${n}`,
    `command -p ${n} ${a}`,
    `type ${n}`,
    `time ${n} ${a}`,
    `! ${n} ${a}`,
    `/bin/bash -c '${n} ${a.replaceAll("'", "")}'`,
    `A=1 ${n} ${a}`,
    `${n} ${a} > /dev/null`,
    `> /dev/null ${n} ${a}`,
    `if ${n} ${a}; then ${q}; fi`,
    `${n} ${a} && ${q}`,
    `${n} ${a} &`,
    `trap '${n} ${a.replaceAll("'", "")}' EXIT`,
    `command command ${n} ${a}`,
    `coproc ${n} ${a}`,
    `${q} <(${n} ${a})`,
  ]);
}
