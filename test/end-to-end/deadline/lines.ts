/** Command lines made to take long: what each asks for, and the line. All of them end in a read of a private key. */
export type Line = readonly [what: string, line: string];

const times = (count: number, make: (at: number) => string, between = "\n"): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(between);
const nest = (open: string, close: string, depth: number, inside: string): string => open.repeat(depth) + inside + close.repeat(depth);

function quotedDeep(depth: number, word: string, start: string): string {
  let line = word;
  // Each level doubles the backslashes: as deep as a line may be long.
  for (let at = 0; at < depth && line.length < 100_000; at += 1) line = `${start} "${line.replaceAll(/[\\"$]/g, "\\$&")}"`;
  return line;
}

const CHARACTERS = [..." \t\n\\'\"$`(){}[]<>|&;#!*?~=%^,+@-/.:a0\u0001\u00a0\u{1f600}"];

const DOUBLING: readonly Line[] = [10, 18, 30, 200].flatMap((n): Line[] => [
  [`${n} aliases, each twice the next`, `shopt -s expand_aliases\n${times(n, (at) => `alias a${at}='a${at + 1} a${at + 1}'`)}\na0`],
  [`${n} aliases, each twice the next with ;`, `${times(n, (at) => `alias a${at}='a${at + 1}; a${at + 1}'`)}\na0`],
  [`${n} functions, each twice the next`, `${times(n, (at) => `f${at}() { f${at + 1}; f${at + 1}; }`)}\nf${n}() { ls; }\nf0`],
  [`${n} variables, each twice the last`, `v0=ab\n${times(n, (at) => `v${at + 1}=$v${at}$v${at}`)}\ncat $v${n}`],
  [`${n} variables in evals`, `v0=ls\n${times(n, (at) => `v${at + 1}="$v${at};$v${at}"`)}\neval "$v${n}"`],
  [`${n} arrays, each twice the last`, `v0=(a b)\n${times(n, (at) => `v${at + 1}=("\${v${at}[@]}" "\${v${at}[@]}")`)}\ncat "\${v${n}[@]}"`],
  [`${n} pairs in braces`, `cat ${"{a,b}".repeat(n)}`],
  [`${n} nested braces`, `cat ${nest("{a,", "}", n, "b")}`],
  [`${n} nested loops`, `${times(n, (at) => `for v${at} in 1 2 3 4 5 6 7 8 9; do`)} echo $v0 ${"; done".repeat(n)}`],
  [`${n} commands with two values`, times(n, (at) => `if test x; then w${at}=a; else w${at}=b; fi`)],
  [`${n} questions of which folder`, times(n, (at) => `test x && cd d${at}`)],
]);

const DEEP: readonly Line[] = [20, 300, 5000].flatMap((n): Line[] => [
  [`${n} evals`, `${"eval ".repeat(n)}ls`],
  [`${n} wrappers`, `${"env ".repeat(n)}ls`],
  [`${n} wrappers of several kinds`, `${"nice timeout 5 env A=1 nohup command ".repeat(n >> 2)}ls`],
  [`${n} subshells`, nest("(", ")", n, "ls")],
  [`${n} groups`, nest("{ ", "; }", n, "ls")],
  [`${n} substitutions`, nest("$(", ")", n, "ls")],
  [`${n} substitutions in quotes`, nest('"$(echo ', ')"', n, "ls")],
  [`${n} process substitutions`, `cat ${nest("<(cat ", ")", n, "x")}`],
  [`${n} parentheses of arithmetic`, `echo $((${nest("(", ")", n, "1")}))`],
  [`${n} conditions`, `${"if true; then ".repeat(n)}ls${"; fi".repeat(n)}`],
  [`${n} cases`, `${"case x in x) ".repeat(n)}ls${" ;; esac".repeat(n)}`],
  [`${n} tests`, `[[ ${nest("( ", " )", n, "a = a")} ]]`],
  [`${n} functions in functions`, `${times(n, (at) => `f${at}() { `, "")}ls${"; }".repeat(n)}; f0`],
  [`${n} defaults in defaults`, `echo ${times(n, (at) => `\${v${at}:-`, "")}x${"}".repeat(n)}`],
  [`${n} shells in quotes`, quotedDeep(n, "ls", "bash -c")],
  [`${n} evals in quotes`, quotedDeep(n, "ls", "eval")],
  [`${n} finds in finds`, `${"find . -exec ".repeat(n)}ls {} ${"\\; ".repeat(n)}`],
  [`${n} xargs of xargs`, `echo x | ${"xargs ".repeat(n)}cat`],
]);

const MANY: readonly Line[] = [400, 5000].flatMap((n): Line[] => [
  [`${n} commands`, times(n, (at) => `ls d${at}`)],
  [`${n} pipes`, `cat x ${times(n, () => "| cat", " ")}`],
  [`${n} ands`, times(n, (at) => `test -e x${at}`, " && ")],
  [`${n} words`, `echo ${times(n * 8, (at) => `w${at}`, " ")}`],
  [`${n} files`, `cat ${times(n, (at) => `deep/f${at}`, " ")}`],
  [`${n} globs`, `cat ${times(n, (at) => `/usr/share/*${at}*`, " ")}`],
  [`${n} globs over folders`, `cat ${times(n, (at) => `/usr/*/*/a${at}*`, " ")}`],
  [`${n} globs of a letter`, `cat ${times(n, (at) => `[a-${String.fromCharCode(98 + (at % 24))}]*${at}`, " ")}`],
  [`${n} searches of all`, times(n, (at) => `grep -r x${at} .`)],
  [`${n} searches of many folders`, times(n, (at) => `grep -r x wide/d${at}`)],
  [`${n} searches of the system`, times(n, (at) => `grep -r x${at} /usr/share`)],
  [`${n} searches over links`, times(n, (at) => `grep -R x links/l${at % 200}`)],
  [`${n} finds into cat`, times(n, (at) => `find . -name 'a${at}' | xargs cat`)],
  [`${n} copies of folders`, times(n, (at) => `cp -r wide out${at}`)],
  [`${n} archives`, times(n, (at) => `tar cf a${at}.tar wide links`)],
  [`${n} changes of folder`, times(n, (at) => `cd d${at}`)],
  [`${n} changes of a variable`, times(n, (at) => `export V${at}=x`)],
  [`${n} redirects`, `ls ${times(n, (at) => `> out${at}`, " ")}`],
  [`${n} heredocs`, times(n, (at) => `cat <<E${at}\n$x\nE${at}`)],
  [`${n} addresses`, `curl ${times(n, (at) => `https://h${at}.example/x`, " ")}`],
  [`${n} options`, `git ${times(n, (at) => `-c a.b${at}=c`, " ")} status`],
  [`${n} unknown options`, `grep ${times(n, (at) => `--x${at}=y`, " ")} a b`],
  [`${n} cases`, `case $x in ${times(n, (at) => `*a${at}*) ls ;;`, " ")} esac`],
  [`${n} homes`, `cat ${times(n, (at) => `~u${at}/x`, " ")}`],
  [`${n} programs nobody has`, times(n, (at) => `prog${at} x`)],
  [`${n} programs by path`, times(n, (at) => `./bin/prog${at} x`)],
  [`${n} background jobs`, times(n, () => "sleep 1 &", " ")],
  [`${n} deletions`, `rm -rf ${times(n, (at) => `wide/d${at}`, " ")}`],
  [`${n} terms`, `echo $((${times(n * 4, (at) => `${at}`, "+")}))`],
  [`${n} powers`, `echo $((${times(n, () => "2", "**")}))`],
  [`${n} traps`, times(n, (at) => `trap 'ls ${at}' EXIT`)],
  [`${n} fields`, `a=(${times(n * 4, (at) => `w${at}`, " ")}); cat "\${a[@]}" "\${a[@]}" "\${a[@]}"`],
]);

const FLOODS: readonly Line[] = CHARACTERS.flatMap((char): Line[] => [
  [`a hundred thousand ${JSON.stringify(char)}`, `echo ${char.repeat(100_000)}`],
  [`pairs of ${JSON.stringify(char)}`, `echo ${`${char}x`.repeat(30_000)} ${char}`],
]);

const PATTERNS: readonly Line[] = [
  ["a regular expression that doubles", `[[ ${"a".repeat(5000)} =~ ^(a+)+$ ]]`],
  ["a pattern with many stars", `case ${"a".repeat(5000)} in ${"*a".repeat(2000)}b) ls ;; esac`],
  ["an extended pattern", `shopt -s extglob; ls ${nest("+(", ")", 300, "a")}`],
  ["a replacement with stars", `x=${"a".repeat(5000)}; echo \${x//${"*a".repeat(500)}b/}`],
  ["a glob with many stars", `cat ${"*a".repeat(2000)}b`],
  ["globs in many folders", `cat ${"*/".repeat(500)}x`],
  ["doublestars", `shopt -s globstar; cat ${"**/".repeat(500)}x`],
  ["a million numbers in braces", "cat {1..1000000}"],
  ["a glob with braces", `cat ${"{a,b,c,d,e,f,g,h}*".repeat(6)}`],
  ["a path that goes up and down", `cat ${"a/../".repeat(20_000)}x`],
  ["a path of many folders", `cat ${"a/".repeat(50_000)}x`],
  ["a path over links that turn round", `cat ${"cycle/loop/".repeat(2000)}x`],
  ["many paths over links that turn round", `cat ${times(2000, (at) => `cycle/loop/cycle${at}/x`, " ")}`],
  ["escapes of a quoted string", `echo $'${"\\x41\\u0042\\101".repeat(8000)}'`],
  ["grep with a pattern", `grep -E '${"(a|b)*".repeat(3000)}' x`],
  ["options joined", `tar -${"z".repeat(50_000)} x`],
  ["a format", `printf '${"%s%q%d".repeat(10_000)}' ${"a ".repeat(20_000)}`],
];

const longText = "x".repeat(60_000);
const CODE: readonly (readonly [program: string, option: string, parts: readonly string[]])[] = [
  [
    "python3",
    "-c",
    ["print(1);", "((", "[[", "f(", "'a'+", "x=y=", "import os,sys;", '"""', "lambda:", "a.b", "{1:", "\\\n", "#", "if x:\n ", "not "],
  ],
  ["node", "-e", ["f(1);", "((", "[[", "`${", "a=>", "/a/+", "{", "require('fs').", "x?.", "'a'+", "//\n", "/*", "async ", "!", "a?b:"]],
  ["ruby", "-e", ["puts 1;", "((", "[[", '"#{', "%q(", "{|x|", "do ", "a.b", "`ls`;", "begin "]],
  ["perl", "-e", ["print 1;", "((", "{", "qq{", "s/a/b/;", "@{", "$$", "sub{", "`ls`;", "<<A;"]],
  ["awk", "", ["{print}", "((", "{{", "/a/", "a~b;", "$$", "system(", "if(x)", "getline<", "a b c "]],
  ["sed", "-e", ["s/a/b/;", "{", "y/a/b/;", "/a/,/b/p;", "a\\\n", "s/\\(/x/", "!", "b;", "w x\n", "1,"]],
  ["jq", "", [".a|", "((", "[[", '"\\(', ".[]?|", "if . then ", "def f:", "env.", "reduce .[] as $x(", "//"]],
  ["sqlite3 x.db", "", ["select 1;", "((", "'a'||", "/*", "--\n", "case when ", ".read x\n", "union ", "attach ", "with a as ("]],
  ["psql", "-c", ["select 1;", "((", "$$", "/*", "\\i x\n"]],
  ["php", "-r", ["echo 1;", "((", "{", "$$"]],
  ["bash", "-c", ["ls;", "((", "{ ", "$(", "`", "if ", "<<A\n"]],
];

const LANGUAGES: readonly Line[] = CODE.flatMap(([program, option, parts]) =>
  parts.map((part): Line => {
    const text = part.repeat(Math.floor(longText.length / part.length)).replaceAll("'", "'\\''");
    return [`${program} with ${JSON.stringify(part)}, again and again`, `${program} ${option} '${text}'`];
  }),
);

const HEREDOCS: readonly Line[] = [
  "bash",
  "python3",
  "node",
  "cat > x",
  "sqlite3 x.db",
  "git apply",
  "patch -p1",
  "ssh host",
  "psql",
  "sed -f -",
].map((program): Line => [`a long text for ${program}`, `${program} <<'EOF'\n${"line ( [ { $x `y` \\\n".repeat(5000)}EOF`]);

const HUGE: readonly Line[] = [
  ["a megabyte of one word", `echo ${"x".repeat(1_000_000)}`],
  ["ten megabytes of blanks", " ".repeat(10_000_000)],
  ["thirty megabytes of commands", "ls;".repeat(10_000_000)],
  ["a megabyte of quotes", `echo ${"'\"".repeat(500_000)}`],
];

export const LINES: readonly Line[] = [...DOUBLING, ...DEEP, ...MANY, ...FLOODS, ...PATTERNS, ...LANGUAGES, ...HEREDOCS, ...HUGE];
