import type { Generator } from "./generate.ts";

/** What commands of one line share beside variables: an input, descriptors, the end that one of them brings, evaluation in an order. */
export function sharedProgram(from: Generator): string {
  return from.pick([inputs, inputs, outputs, outputs, ends, orders, patterns, sums])(from);
}

const USES = [
  "$x",
  '"$x"',
  "${x:-NAME}",
  'NAME "$x"',
  'NAME "$x"',
  'NAME "$x"',
  'NAME "$x" "$y"',
  'NAME "$y"',
  'NAME "${x:-b}"',
  "${y:-NAME} $x",
];
const use = (from: Generator): string => from.pick(USES).replaceAll("NAME", from.name());

/** Several read one input: lines, pieces, in subshells and substitutions, beside others that may read it. */
function inputs(from: Generator): string {
  const n = from.name();
  const read = (): string =>
    from.pick([
      "read x",
      "read x",
      "read y",
      "read -r x",
      "(read z)",
      ": $(read z)",
      "read z | :",
      "mapfile z",
      "x=$(cat)",
      "x=$(cat)",
      "y=$( (cat) )",
      ": $(cat)",
      'eval "$(cat)"',
      "cat",
      `cat | { read x; ${use(from)}; }`,
      "read -n1 z",
      "read -d: x",
      "read x y",
      "read",
      "read x < /dev/stdin",
      "read x <&3",
      "exec < /dev/null",
      `exec <<< ${from.name()}`,
      "source /dev/stdin",
      "f",
      "eval 'read x'",
      "read x || :",
      "read x && :",
      `if read x; then ${use(from)}; fi`,
      `while read x; do ${use(from)}; done`,
      `until ! read x; do :; done`,
      `while read x; do read y; ${use(from)}; done`,
      `for v in a b; do read x; ${use(from)}; done`,
      "trap 'read z' EXIT",
      "{ read x; } < /dev/null",
      from.name(),
      ":",
    ]);
  const body = [read(), from.pick([":", read()]), use(from), from.pick([":", read()]), use(from)].join("; ");
  const text = from.pick([n, n, `$'${n}\\n${from.name()}'`, `a:${n}`, "''"]);
  const before = from.pick(["", `x=${from.name()}; `, "x=; ", "f() { read x; }; "]);
  return from.pick([
    `${before}{ ${body}; } <<< ${text}`,
    `${before}{ ${body}; } 3<&0 <<< ${text}`,
    `${before}echo ${text} | { ${body}; }`,
    `${before}printf %s ${text} | { ${body}; }`,
    `${before}(${body}) < <(echo ${text})`,
    `${before}{ ${body}\n} <<E\n${n}\nE`,
    `${before}g() { ${body}; }; g <<< ${text}`,
  ]);
}

/** What goes to other descriptors, comes late, or is told by the shell itself, beside what is printed. */
function outputs(from: Generator): string {
  const [n, m, other] = [from.name(), from.name(), from.name()];
  const to = from.pick([
    ">&2",
    ">&3",
    "> /dev/stdout",
    "> /dev/stderr",
    "> /dev/fd/3",
    "> /proc/self/fd/1",
    ">&4",
    "> out",
    "> /dev/null",
    ">> o1",
    ">&1",
  ]);
  const first = from.pick([
    `echo ${n} ${to}`,
    `echo ${n} ${to}`,
    `{ echo ${n}; } ${to}`,
    `echo ${n} &`,
    "set -x",
    "time :",
    "cd nowhere",
    `f() { echo ${n} ${to}; }; f`,
    `eval 'echo ${n} ${to}'`,
  ]);
  const body = `${first}${first.endsWith("&") ? " " : "; "}echo ${m}`;
  const by = from.pick(["", "2>&1", "3>&1", "3>&1 4>&3", "2>&1 3>&2", "3>&2", "4>&1"]);
  const group = from.pick([`{ ${body}; } ${by}`, `(${body}) ${by}`, `if :; then ${body}; fi ${by}`, `{ ${body}; wait; } ${by}`]);
  return from.pick([
    `$(${group}) ${other}`,
    `${group} | { read x; $x ${other}; }`,
    `${group.replace(/ [^ ]*$/, "")} |& { read x; $x ${other}; }`,
    `x=$(${group}); $x ${other}`,
    `${other} "$(${group})"`,
    `source /dev/stdin < <(${group})`,
  ]);
}

/** What ends a list, an \`eval\` or the output before its end. */
function ends(from: Generator): string {
  const [n, m] = [from.name(), from.name()];
  const end = from.pick([
    ": nope*",
    ": [z]",
    ": ~nouser",
    "y=(nope*)",
    "for v in nope*; do :; done",
    "set -n",
    "set -o noexec",
    "y=(a [0]=b)",
    "y[0]=b",
    "true && set -e; false",
    "unset 1x",
    ": > nope*/a",
    "set -u; : $nope",
  ]);
  return from.pick([
    `$(${end}; echo ${n}) ${m}`,
    `{ ${end}; echo ${n}; } | { read x; ${m} "$x"; }`,
    `x=${n}; eval '${end}; x=${m}'; $x`,
    `x=${n}; f() { ${end}; x=${m}; }; eval f; $x`,
    `x=${n}; eval '${end} || x=${m}'; $x`,
    `x=${n}; source /dev/stdin <<< '${end}; x=${m}'; $x`,
    `x=${n}; (${end}; x=${m}; $x); $x`,
  ]);
}

/** What is evaluated before what, and what is not evaluated at all. */
function orders(from: Generator): string {
  const [n, m] = [from.name(), from.name()];
  const handed = from
    .pick(["x=NAME y=$x", 'x=NAME y="$x" z=$y', "x= y=${x:-NAME}", "x=a x=${x}NAME", "x=NAME y=$(echo $x)"])
    .replaceAll("NAME", from.name());
  const word = from.pick(["a", "b", "$x", `\${x:=${n}}`]);
  const item = (): string =>
    `${from.pick(["a", "b", `\${x:=${from.name()}}`, `a|\${x:=${from.name()}}`, `\${y:=${from.name()}}|a`])}) ${from.pick([use(from), ":", "exit", "break", "return"])} ${from.pick([";;", ";;", ";&", ";;&"])}`;
  return from.pick([
    `x=${n}; ${handed} eval '${from.pick(["$x", "$y", '"$y" "$x"'])}'; $x`,
    `x=${n}; f() { $y; ${m} $x; }; ${handed} f; $x`,
    `x=; case ${word} in ${item()} ${item()} ${item()} esac; ${use(from)}`,
    `x=; for v in a b; do case $v in ${item()} ${item()} esac; ${use(from)}; done; ${use(from)}`,
  ]);
}

/** Patterns whose characters are quoted, or come out of a variable. */
function patterns(from: Generator): string {
  const n = from.name();
  const [text, pattern] = from.pick([
    [`'*${n}'`, '"*"'],
    [`'*${n}'`, "\\*"],
    [`'a*${n}'`, "a'*'"],
    [`'a*${n}'`, "*\\*"],
    [`a/b/${n}`, "*/"],
    [`${n}.c`, ".*"],
    [`'${n}*'`, "'*'"],
    [`'*${n}'`, '"$y"'],
    [`a${n}`, "$y"],
    [`a${n}`, '"$y"'],
    [`12${n}`, "<->"],
    [`a${n}`, "(a|b)"],
  ] as const);
  const operator = from.pick(["#", "##", "%", "%%"]);
  return `x=${text}; y='${from.pick(["*", "a", "a*"])}'; z=\${x${operator}${pattern}}; ${from.pick(['"$z"', "$z", `${from.name()} "$z"`])}`;
}

/** Texts that are evaluated as arithmetic, and set variables. */
function sums(from: Generator): string {
  const text = from.pick(["x=5", "x+=1", "x++", "--x", "z=x=5", "0 && (x=5)", "1 ? 2 : (x=5)", "x", "a[x=5]", "5"]);
  const where = from.pick([
    "((y))",
    ": $((y))",
    "let y",
    "[[ y -eq 1 ]]",
    "z[y]=1",
    "for ((;y;)); do break; done",
    ": ${s:y}",
    "declare -i z=y",
    `(( ${text.includes("a[") ? "1" : text} ))`,
    `let '${text}'`,
    `[[ '${text}' -eq 1 ]]`,
    ": $[y]",
  ]);
  return `s=abcdef; x=${from.name()}; y='${text}'; ${where}; ${from.pick([`${from.name()} "$x"`, "$x", '"$x" a'])}`;
}
