import type { Generator } from "./generate.ts";

/** What bash alone knows; a third of the programs do without, for what `sh` may be. */
const BASH =
  /\$'|<<<|\$\{[!a]|\$\{\w+(?:[:/^,~@](?![-+=?]))|\$\{[@*][^}]|\[\[|\+=|^a=|^a\[|\ba\[|printf -v|mapfile|read -[^r]|declare|shopt|pipefail|\{q|\{[xyz],|\(\(.*(?:\+\+|#|\*\*|=|,)/;

/** How a text becomes another one before it is a command or a word of one: cut, replaced, split, joined, formatted, matched, counted. */
export function valueProgram(from: Generator): string {
  const isPlain = from.upTo(3) === 0;
  const drawn = (draw: (from: Generator) => string): string => {
    for (;;) {
      const one = draw(from);
      if (!isPlain || !BASH.test(one)) return one;
    }
  };
  const steps = Array.from({ length: 1 + from.upTo(3) }, () => drawn(step));
  const last = from.upTo(3) === 0 ? [drawn(use)] : [];
  return [`x=${drawn(text)}`, ...steps, drawn(use), ...last].join("\n");
}

/** A name, and texts with characters that something may cut at or take for a pattern, an escape or an option. */
function text(from: Generator): string {
  const [n, m] = [from.name(), from.name()];
  return from.pick([
    n,
    n,
    `'${n} ${m}'`,
    `' ${n}  ${m} '`,
    `'${n}:${m}:'`,
    `':${n}'`,
    `a/b/${n}`,
    `${n}.tar.gz`,
    `'${n}*'`,
    `'${n}\\\\ ${m}'`,
    `'${n}\\t${m}\\n'`,
    `'\\${n}'`,
    `$'${n}\\n${m}'`,
    `$'${n}\\t${m}\\n'`,
    `"-n ${n}"`,
    `'-e ${n}\\c${m}'`,
    `'%s ${n}'`,
    `'${n},${m}'`,
    `'"${n} a" ${m}'`,
    `"'${n} a' ${m}"`,
    `'$x${n}'`,
    `'~/${n}'`,
    `'[${n}]'`,
    `'${n}?'`,
    `'&${n}'`,
    `'{${n},${m}}'`,
    `${n.toUpperCase()}`,
    `'é${n}'`,
    "''",
    "' '",
    "007",
    "0x1f",
    "'1 + 2'",
  ]);
}

const name = (from: Generator): string => from.pick(["x", "x", "y", "z"]);

function piece(from: Generator): string {
  const n = from.name();
  return from.pick([
    "q", "q", "?", "*", "[0-9]", "[!q]", "[^a-z]", "[[:space:]]", "[[:alnum:]]", "[a-]", "[]a]", "' '", '" "', ":", "\\*", '"*"', "'q'*",
    "q*", "*q", "*[0-9]", "?*", "$y", '"$y"', "a", ",", "\\\\", "'\\'", "t", "%", "q?", "?q", "+(q|a)", "@(q)*", "!(q*)", "*(?)", "\\q", "[q", "{q", "[\\q]", "['q']", "[$y]", n,
  ]); // prettier-ignore
}

const put = (from: Generator): string =>
  from.pick(["", "", "b", "'b c'", '"b c"', "&", "'&'", "\\&", "$y", '"$y"', "\\\\", "[&]", "''", "/", "\\/", "${y}b", from.name()]);

/** One expansion, as it stands in a word. */
function expansion(from: Generator): string {
  const v = name(from);
  const n = from.upTo(4);
  return from.pick([
    () => `\${${v}${from.pick(["#", "##", "%", "%%"])}${piece(from)}}`,
    () => `\${${v}${from.pick(["#", "##", "%", "%%"])}${piece(from)}}`,
    () => `\${${v}${from.pick(["/", "//", "/#", "/%"])}${piece(from)}/${put(from)}}`,
    () => `\${${v}${from.pick(["/", "//", "/#", "/%"])}${piece(from)}/${put(from)}}`,
    () => `\${${v}${from.pick(["/", "//"])}${piece(from)}}`,
    () => `\${${v}:${n}}`,
    () => `\${${v}:${n}:${from.upTo(4)}}`,
    () => `\${${v}: -${n + 1}}`,
    () => `\${${v}: -${n + 1}:${from.upTo(3)}}`,
    () => `\${${v}:0:-${n}}`,
    () => `\${${v}${from.pick(["^", "^^", ",", ",,", "~", "~~"])}${from.pick(["", "", "", piece(from)])}}`,
    () => `\${#${v}}`,
    () => `\${${v}@${from.pick(["Q", "E", "U", "u", "L", "A", "a", "K"])}}`,
    () =>
      `\${${v}${from.pick([":-", "-", ":+", "+", ":=", "="])}${from.pick([put(from), "$y", `"$y"`, `\${y${from.pick(["#", "%"])}?}`])}}`,
    () => `\${!${v}}`,
    () => `\${a[${from.pick(["0", "1", "-1", "@", "*", "n", "${#a[@]}-1", "2"])}]}`,
    () => `\${a[@]${from.pick(["#", "%", "/", "//", "^", ":1", ":0:1", ": -1", "##"])}${from.pick(["", piece(from)])}}`,
    () => `\${a[*]${from.pick(["#", "%", "/", "//", "^^", ":1", ":0:1"])}${from.pick(["", piece(from)])}}`,
    () => `\${${from.pick(["@", "*"])}${from.pick([":1", ":2", ":0:1", "#?", "%?", "/q/b", ": -1", "^", ""])}}`,
    () =>
      `$((${from.pick(["1+1", "n+1", "x", "010", "0x10", "2**3", "7/2", "-7%3", "n++", "1<2", "~0", "1?n:2", "16#ff", "'1'", "n=3", "1,2", "!n", "3&1"])}))`,
    () => `$(echo ${from.pick(["", "-n ", "-e ", "-E ", "-ne ", "-nx ", "-- "])}${from.pick([`"$${v}"`, `$${v}`, text(from)])})`,
    () => `$(printf ${format(from)} ${from.pick([`"$${v}"`, `$${v}`, text(from), '"${a[@]}"', ""])})`,
    () => `$(${from.pick([`echo "$${v}"`, `printf '%s\\n\\n' "$${v}"`, `f "$${v}"`, "f", "cat <<< $x", "pwd", ":", `<<< "$${v}" cat`])})`,
    () => `$${v}`,
    () => `{${v},${from.name()}}`,
    () => `$'${from.pick(["\\x71", "\\161", "\\u0071", "\\t", "\\\\", "\\'", "\\q", "\\e", "\\0"])}'`,
  ])();
}

function format(from: Generator): string {
  return from.pick([
    "%s", "'%s'", "'%s\\n'", "'%s '", "'%b'", "'%q'", "'%c'", "'%.2s'", "'%5s'", "'%-5s|'", "'%05d'", "'%d'", "'%x'", "'%%'", "'%s%s'", "'\\161%s'", "'\\x71'", "'%*s'", "'%.*s'",
    "'%i'", "'%o'", "'%u'", "'%e'", "'%s\\c'", "'%b\\c'", "'%(%s)T'", "'%-q'", "'%2$s'", "-- '%s'", "'q1'", "'%s:'", "'%.0s'", "'%+d'", "'%#x'", "'\\u71'", "'%ls'", "'%Q'", "'\\\"%s'",
  ]); // prettier-ignore
}

function word(from: Generator): string {
  const one = expansion(from);
  return from.pick([one, `"${one}"`, `"${one}"`, `b${one}`, `"${one}"${expansion(from)}`, `"b ${one}"`, `${one}/c`]);
}

function step(from: Generator): string {
  const v = name(from);
  return from.pick([
    () => `${v}=${word(from)}`,
    () => `${v}=${word(from)}`,
    () => `${v}=${word(from)}`,
    () => `${v}+=${word(from)}`,
    () => `y=${text(from)}`,
    () => `a=(${word(from)} ${word(from)} ${text(from)})`,
    () => `a+=(${word(from)})`,
    () => `a[${from.pick(["0", "1", "3", "n", "-1", "1+1"])}]=${word(from)}`,
    () => `set -- ${word(from)} ${text(from)}`,
    () => `n=${from.upTo(3)}`,
    () => `IFS=${from.pick([":", ",", "''", "$' \\t\\n'", "q", "': '", "/", "\\\\", "'.'"])}`,
    () => `unset ${from.pick(["IFS", "x", "y", "a[0]", "a"])}`,
    () => `printf -v ${v} ${format(from)} ${word(from)}`,
    () =>
      `${from.pick(["", "IFS=: ", "IFS= ", "IFS=, "])}read ${from.pick(["", "-r ", "-r ", "-a a ", "-d : ", "-n 2 ", "-N 3 ", "-rd '' "])}${from.pick(["x", "x y", "y x z", "", "-r x"])} <<< ${word(from)}`,
    () => `read ${from.pick(["", "-r "])}${from.pick(["x", "x y"])} <<E\n${expansion(from)} \\\nb ${expansion(from)}\nE\n`,
    () => `mapfile ${from.pick(["", "-t ", "-d : ", "-td, ", "-n1 -t ", "-s1 -t ", "-O1 "])}a <<< ${word(from)}`,
    () =>
      `case ${word(from)} in ${piece(from)}) x=${from.name()};; ${piece(from)}|${piece(from)}) y=${from.name()};; *) z=${from.name()};; esac`,
    () => `[[ $${v} ${from.pick(["==", "!=", "=", "<", ">"])} ${piece(from)} ]] && x=${from.name()}`,
    () =>
      `[[ $${v} =~ ${from.pick(["q([0-9]+)", "^(.)(.*)$", "(.*)[:,](.*)", "$y", '"q"', "(q)?", "[[:space:]](.*)", "\\\\", "q."])} ]] && x=\${BASH_REMATCH[${from.upTo(3)}]}`,
    () => `[ ${from.pick(["-n", "-z", "!", "a =", "-n a -a", "-d", "-e"])} "$${v}" ] && x=${from.name()}`,
    () => `test ${from.pick([`"$${v}" = "$y"`, `"$${v}"`, `"$${v}" -a q`, `! "$${v}"`, `"$n" -eq 1`])} || x=${from.name()}`,
    () => `for w in ${word(from)} ${text(from)}; do ${v}=${from.pick(["$w", "$x$w", "$w:$y", '"$w "'])}; done`,
    () =>
      `f() { ${from.pick(['echo "$1"', 'echo "$@"', "echo $1", "local x=$1; echo $x b", "printf '%s ' \"$@\"", "x=$1", "echo a; echo $2", 'shift; echo "$*"'])}; }`,
    () => `f ${word(from)}`,
    () => `declare ${from.pick(["-u", "-l", "-a", "-x", "-i", "-n r; r"])} ${v}; ${v}=${word(from)}`,
    () => `declare -A a=([k]=${word(from)} [${from.pick(["j", '"$y"', "q k"])}]=${text(from)}); y=\${a[k]}`,
    () => `while getopts ${from.pick(["ab:", ":a", "x"])} o ${from.pick(["-a", "-b q1", "-ab x", "$x", "-x -a"])}; do ${v}=$o$OPTARG; done`,
    () => `shopt -s ${from.pick(["extglob", "nocasematch", "nullglob", "xpg_echo"])}`,
    () => `set ${from.pick(["-f", "-u", "-o pipefail", "-a"])}`,
    () => `{ ${v}=${word(from)}; } 2> /dev/null`,
    () => `echo ${word(from)} | { read x; ${use(from)}; }`,
    () => `${v}=$(<<< ${word(from)} cat)`,
    () => `((n=${from.pick(["x", "${#x}", "1+1", "$n", "y=2", "0"])})); y=$n`,
  ])();
}

function use(from: Generator): string {
  const v = name(from);
  const n = from.name();
  return from.pick([
    () => `${n} "$${v}"`,
    () => `${n} "$${v}"`,
    () => `${n} $${v}`,
    () => `${n} ${word(from)}`,
    () => `${n} ${word(from)}`,
    () => `${n} "\${a[@]}"`,
    () => `${n} \${a[*]}`,
    () => `${n} "$@"`,
    () => `${n} $*`,
    () => `$${v}`,
    () => `"$${v}"`,
    () => word(from),
    () => `eval "$${v}"`,
    () => `eval ${n} ${word(from)}`,
    () => `"\${a[@]}"`,
    () => `$${v} a`,
    () => `/bin/bash -c ${word(from)} "$x"`,
  ])();
}
