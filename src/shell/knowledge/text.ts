import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Searching and comparing. Languages with code of their own (sed, awk, jq, editors) are in `text-languages.ts`,
// viewers and converters in `text-view.ts`.

const GREP = rows(
  "-E --extended-regexp; -F --fixed-strings; -G --basic-regexp; -P --perl-regexp; -e --regexp=text -> drop pattern; -f --file=read -> drop pattern",
  "-i -y --ignore-case; --no-ignore-case; -w --word-regexp; -x --line-regexp; -z --null-data; -s --no-messages; -v --invert-match; -V --version -> stop",
  "--help -> stop; -m --max-count=text; -b --byte-offset; -n --line-number; --line-buffered; -H --with-filename; -h --no-filename; --label=text",
  "-o --only-matching -> drop output; -q --quiet --silent; --binary-files=text; -a --text; -I; -D --devices=text",
  "# `-d recurse` is -r: taken for it whatever the value",
  "-d --directories=text -> read becomes tree, default .; -r --recursive -> read becomes tree, default .",
  "-R --dereference-recursive -> read becomes tree, default .; --include=text; --exclude=text; --exclude-from=read; --exclude-dir=text",
  "-L --files-without-match; -l --files-with-matches; -c --count; -T --initial-tab; -Z --null; -B --before-context=text; -A --after-context=text",
  "-C --context=text; --group-separator=text; --no-group-separator; --color --colour[=text]; -U --binary; -u --unix-byte-offsets; -1..-9",
);

const DIFF = rows(
  "--normal; -q --brief; -s --report-identical-files; -c; -C=text; --context[=text]; -u; -U=text; --unified[=text]; -e --ed; -n --rcs; -y --side-by-side",
  "-W --width=text; --left-column; --suppress-common-lines; -p --show-c-function; -F --show-function-line=text; --label=text; -t --expand-tabs",
  "-T --initial-tab; --tabsize=text; --suppress-blank-empty; -l --paginate; -r --recursive; --no-dereference; -N --new-file",
  "--unidirectional-new-file; --ignore-file-name-case; --no-ignore-file-name-case; -x --exclude=text; -X --exclude-from=read; -S --starting-file=text",
  "--from-file=tree; --to-file=tree; -i --ignore-case; -E --ignore-tab-expansion; -Z --ignore-trailing-space; -b --ignore-space-change; -w --ignore-all-space",
  "-B --ignore-blank-lines; -I --ignore-matching-lines=text; -a --text; --strip-trailing-cr; -D --ifdef=text; --GTYPE-group-format=text",
  "--old-group-format=text; --new-group-format=text; --unchanged-group-format=text; --changed-group-format=text; --line-format=text; --old-line-format=text",
  "--new-line-format=text; --unchanged-line-format=text; -d --minimal; --horizon-lines=text; --speed-large-files; --color[=text]; --palette=text; -1..-9; -L=text",
  "--binary; -P; -h; -H; --help -> stop; -v --version -> stop",
);

export const text: readonly CommandSpec[] = [
  {
    names: "grep egrep fgrep ggrep",
    summary: "searches files",
    options: GREP,
    operands: "pattern:text read*",
    output: "input",
    examples: {
      allow: [
        "grep foo a.txt",
        "grep -rn useState src --include=*.tsx",
        "grep -c foo a.txt || true",
        "grep -e foo -e bar a.txt",
        "ls | grep foo",
        "! grep -q foo a.txt",
        "grep -A3 -B 2 foo a.txt b.txt",
        "grep -2 foo a.txt",
        'grep "$PATTERN" a.txt',
        "grep -f a.txt b.txt",
        "grep -- -x a.txt",
        "grep -rl foo src",
      ],
      ask: ["grep --nonsense foo a.txt", "grep -r foo .", "grep -r foo", "grep foo $FILES"],
      deny: ["grep foo .env", "grep -r password ~/.aws", "grep -f .env a.txt", "grep -h '' ~/.ssh/id_rsa", "grep --rec x ~/.ssh"],
    },
  },
  {
    names: "zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep zstdgrep lzgrep",
    summary: "searches compressed files",
    options: GREP,
    operands: "pattern:text read*",
    examples: { allow: ["zgrep foo log.gz", "xzgrep -c foo a.xz"], deny: ["zgrep x .env", "zgrep -f .env a.txt"] },
  },
  {
    names: "rg ripgrep",
    summary: "searches folders",
    // Hidden files, skipped unless --hidden, -. or -uu, are taken to be read: a tree cannot say otherwise yet.
    style: "bsd",
    options: rows(
      "-e --regexp=text -> drop pattern; -f --file=read -> drop pattern; --files -> drop pattern, tree becomes listtree; --type-list -> stop; -V --version -> stop",
      "-h --help -> stop; --pcre2-version -> stop; --generate=text -> stop; -A --after-context=text; -B --before-context=text; -C --context=text",
      "--auto-hybrid-regex; --no-auto-hybrid-regex; --binary; --no-binary; --block-buffered; --no-block-buffered; -b --byte-offset; -s --case-sensitive",
      "--color=text; --colors=text; --column; --no-column; --context-separator=text; --no-context-separator; -c --count; --count-matches; --crlf; --no-crlf",
      "--debug; --trace; --dfa-size-limit=text; -E --encoding=text; --no-encoding; --engine=text; --field-context-separator=text; --field-match-separator=text",
      "-l --files-with-matches; --files-without-match; -F --fixed-strings; --no-fixed-strings; -L --follow; --no-follow; -g --glob=text; --glob-case-insensitive",
      "--no-glob-case-insensitive; --heading; --no-heading; -. --hidden; --no-hidden; --hyperlink-format=text; --iglob=text; -i --ignore-case; --ignore-file=read",
      "--ignore-file-case-insensitive; --no-ignore-file-case-insensitive; --include-zero; --no-include-zero; -v --invert-match; --no-invert-match; --json; --no-json",
      "--line-buffered; --no-line-buffered; -n --line-number; -N --no-line-number; -x --line-regexp; -M --max-columns=text; --max-columns-preview",
      "--no-max-columns-preview; -m --max-count=text; -d --max-depth --maxdepth=text; --max-filesize=text; --mmap; --no-mmap; -U --multiline; --no-multiline",
      "--multiline-dotall; --no-multiline-dotall; --no-config; --no-ignore; --ignore; --no-ignore-dot; --ignore-dot; --no-ignore-exclude; --ignore-exclude",
      "--no-ignore-files; --ignore-files; --no-ignore-global; --ignore-global; --no-ignore-messages; --ignore-messages; --no-ignore-parent; --ignore-parent",
      "--no-ignore-vcs; --ignore-vcs; --no-messages; --messages; --no-pcre2-unicode; --pcre2-unicode; --no-require-git; --require-git; --no-unicode; --unicode",
      "-0 --null; --null-data; --one-file-system; --no-one-file-system; -o --only-matching; --path-separator=text; --passthru --passthrough; -P --pcre2; --no-pcre2",
      "-p --pretty; -q --quiet; --regex-size-limit=text; -r --replace=text; -S --smart-case; --sort=text; --sortr=text; --sort-files; --no-sort-files; --stats",
      "--no-stats; --stop-on-nonmatch; -a --text; --no-text; -j --threads=text; --trim; --no-trim; -t --type=text; -T --type-not=text; --type-add=text",
      "--type-clear=text; -u --unrestricted; --vimgrep; -H --with-filename; -I --no-filename; -w --word-regexp; --no-pre; --no-search-zip",
      "# run programs: --pre --pre-glob --hostname-bin -z --search-zip",
    ),
    operands: "pattern:text tree*=.",
    examples: {
      allow: [
        "rg foo src",
        "rg --files | head",
        "rg -n -i foo src -g '*.ts'",
        "rg foo a.txt",
        "rg -e foo -e bar src",
        "rg -tjs -A2 foo src",
        "rg --version",
      ],
      ask: [
        "rg --pre ./evil x",
        "rg --pre=./evil x src",
        "rg {--pre,./evil} x",
        "rg --hostname-bin ./evil x",
        "rg -z foo src",
        "rg -uuu foo .",
        "rg --hidden foo",
        "rg --pre{=,=sh} pattern payload.sh",
      ],
      deny: ["rg foo .env", "rg -f .env src", "rg . ~/.ssh"],
    },
  },
  {
    names: "ag",
    summary: "searches folders",
    options: rows(
      "--ackmate; -A --after[=text]; -B --before[=text]; -C --context[=text]; --break; --nobreak; -c --count; --color; --nocolor; --color-line-number=text",
      "--color-match=text; --color-path=text; --column; --filename; --nofilename; -H --heading; --noheading; -l --files-with-matches; -L --files-without-matches",
      "--print-all-files; --numbers; --nonumbers; -o --only-matching; --print-long-lines; --passthrough; --silent; --stats; --stats-only; --vimgrep; -0 --null --print0",
      "-a --all-types; -D --debug; --depth=text; -f --follow; -F --fixed-strings --literal; -Q; -G --file-search-regex=text; --hidden; -i --ignore-case; --ignore=text",
      "--ignore-dir=text; -m --max-count=text; --one-device; -p --path-to-ignore=read; -s --case-sensitive; -S --smart-case; --search-binary; -t --all-text",
      "-u --unrestricted; -U --skip-vcs-ignores; -v --invert-match; -w --word-regexp; -W --width=text; -g -> drop pattern; -V --version -> stop; -h --help -> stop; --list-file-types -> stop",
      "# run programs: --pager --search-zip -z",
    ),
    operands: "pattern:text tree*=.",
    examples: {
      allow: ["ag foo src", "ag -i foo src"],
      ask: ["ag --pager './evil' x", "ag --pager=./evil foo src", "ag --hidden foo"],
      deny: ["ag foo .env"],
    },
  },
  {
    names: "ack ack-grep",
    summary: "searches folders",
    options: rows(
      "-i --ignore-case; -S --smart-case; --no-smart-case; -I --no-ignore-case; -v --invert-match; -w --word-regexp; -Q --literal; -l --files-with-matches",
      "-L --files-without-matches; -o; --passthru; -m --max-count=text; -1; -H --with-filename; -h --no-filename; -c --count; -A --after-context[=text]",
      "-B --before-context[=text]; -C --context[=text]; --print0; -s; --color --colour; --nocolor --nocolour; --column; --group; --nogroup; --heading; --noheading",
      "--break; --nobreak; --sort-files; -r -R --recurse; -n --no-recurse; --follow; --nofollow; -t --type=text; -k --known-types; --ignore-dir --ignore-directory=text",
      "--ignore-file=text; --help -> stop; --version -> stop; --help-types -> stop; --noenv; --nopager; --match=text -> drop pattern",
      "# run programs or code, or name files: --pager --ackrc --output --env -x --files-from -g -f",
    ),
    operands: "pattern:text tree*=.",
    examples: {
      allow: ["ack foo src", "ack -l foo src"],
      ask: ["ack --pager=./evil foo src", "ack --ackrc=evil foo src"],
      deny: ["ack foo .env"],
    },
  },
  {
    names: "diff colordiff gdiff",
    summary: "compares files or folders",
    // Two folders are compared file by file even without -r.
    options: DIFF,
    operands: "tree*",
    examples: {
      allow: [
        "diff -u a.txt b.txt",
        "diff -r src src",
        "diff --brief a.txt b.txt",
        "diff -3 a.txt b.txt",
        "diff a.txt - < b.txt",
        "colordiff a.txt b.txt",
      ],
      ask: ["diff --nonsense a.txt b.txt", "diff -r . src"],
      deny: ["diff a.txt .env", "diff --from-file=.env a.txt", "diff <(rm -rf ~) x", "diff -X .env a.txt b.txt"],
    },
  },
  {
    names: "cmp",
    summary: "compares bytes",
    options: rows(
      "-b --print-bytes; -i --ignore-initial=text; -l --verbose; -n --bytes=text; -s --quiet --silent; -x; -h; -z; --help -> stop; -v --version -> stop",
    ),
    operands: "read read? text? text?",
    examples: { allow: ["cmp a.txt b.txt", "cmp -s a.txt b.txt"], deny: ["cmp -l a.txt .env"] },
  },
  {
    names: "diff3",
    summary: "compares three files",
    options: rows(
      "-A --show-all; -e --ed; -E --show-overlap; -3 --easy-only; -x --overlap-only; -X; -i; -m --merge; -a --text; --strip-trailing-cr; -T --initial-tab; -L --label=text",
      "--help -> stop; -v --version -> stop",
      "# runs a program: --diff-program",
    ),
    operands: "read read read",
    examples: {
      allow: ["diff3 a.txt b.txt package.json"],
      ask: ["diff3 --diff-program=./evil a.txt b.txt package.json"],
      deny: ["diff3 a.txt b.txt .env"],
    },
  },
  {
    names: "sdiff",
    summary: "compares side by side, merges with -o",
    options: rows(
      "-o --output=write -> terminal; -i --ignore-case; -E --ignore-tab-expansion; -Z --ignore-trailing-space; -b --ignore-space-change; -W --ignore-all-space",
      "-B --ignore-blank-lines; -I --ignore-matching-lines=text; --strip-trailing-cr; -a --text; -w --width=text; -l --left-column; -s --suppress-common-lines",
      "-t --expand-tabs; --tabsize=text; -d --minimal; -H --speed-large-files; --help -> stop; -v --version -> stop",
      "# runs a program: --diff-program",
    ),
    operands: "tree tree",
    examples: {
      allow: ["sdiff a.txt b.txt"],
      ask: ["sdiff -o c.txt a.txt b.txt", "sdiff --diff-program=./evil a.txt b.txt"],
      deny: ["sdiff a.txt .env"],
    },
  },
  {
    names: "patch gpatch",
    summary: "applies a diff",
    // What it changes is named in the patch, which is data.
    options: rows(
      "-p --strip=text; -F --fuzz=text; -l --ignore-whitespace; -c --context; -e --ed -> code.stdin ed; -n --normal; -u --unified; -N --forward; -R --reverse",
      "-i --input=read; -o --output=write; -r --reject-file=write; -D --ifdef=text; --merge[=text]; -E --remove-empty-files; -Z --set-utc; -T --set-time",
      "--quoting-style=text; -b --backup; --backup-if-mismatch; --no-backup-if-mismatch; -t --batch; -f --force; -s --quiet --silent; --verbose; --dry-run",
      "--posix; -d --directory=dir; --reject-format=text; --binary; --read-only=text; --follow-symlinks; --help -> stop; -v --version -> stop",
      "# name other files to write: -V --version-control -g --get -B --prefix -Y --basename-prefix -z --suffix",
    ),
    operands: "edit? read? named:refuse?=the-files-that-the-patch-names",
    examples: {
      ask: ["patch -p1 < fix.patch", "patch a.txt fix.patch", "patch -p1 -i fix.patch", "patch -o c.txt a.txt fix.patch"],
      deny: ["patch ~/.bashrc fix.patch", "patch -o ~/.bashrc a.txt fix.patch"],
    },
  },
  {
    names: "look",
    summary: "lines beginning with a word",
    options: rows(
      "-a --alternative; -d --alphanum; -f --ignore-case; -t --terminate=text; -b --binary; -h --help -> stop; -V --version -> stop",
    ),
    operands: "text read?",
    examples: { allow: ["look app", "look -f app a.txt"], deny: ["look '' .env"] },
  },
  {
    names: "rev",
    summary: "reverses lines",
    options: rows("-0 --zero; -h --help -> stop; -V --version -> stop"),
    operands: "read*",
    examples: { allow: ["rev a.txt", "echo abc | rev"], deny: ["rev .env"] },
  },
  {
    names: "diffstat",
    summary: "counts changed lines",
    options: rows(
      "-b; -c; -C; -d; -D=listtree; -e=write; -E; -f=text; -k; -K; -l; -m; -n=text; -N=text; -o=write; -p=text; -q; -r=text; -R; -s; -S=listtree; -t; -T; -u; -v; -w=text",
      "-h -> stop; -V -> stop",
    ),
    operands: "read*",
    examples: {
      allow: ["diffstat fix.patch", "diff a.txt b.txt | diffstat -s"],
      ask: ["diffstat -o c.txt fix.patch"],
      deny: ["diffstat -o ~/.bashrc fix.patch", "diffstat .env"],
    },
  },
];
