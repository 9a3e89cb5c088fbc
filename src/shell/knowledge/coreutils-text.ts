import { GNU_HELP, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// `--files0-from` names files that only another file knows: refused everywhere.

const DIGEST = rows("-b --binary; -c --check; --tag; -t --text; -z --zero; --ignore-missing; --quiet; --status; --strict; -w --warn", GNU_HELP);

const reader = (deny: string): readonly string[] => [`${deny} .env`, `${deny} ~/.ssh/id_rsa`];

export const coreutilsText: readonly CommandSpec[] = [
  {
    names: "cat",
    summary: "prints files",
    options: rows(
      "-A --show-all; -b --number-nonblank; -e; -E --show-ends; -n --number; -s --squeeze-blank; -t; -T --show-tabs; -u; -v --show-nonprinting",
      GNU_HELP,
    ),
    operands: "read*",
    output: "input",
    examples: {
      allow: ["cat", "cat a.txt b.txt", "cat -n package.json", "cat - < a.txt", "cat *", "cat src/*.ts"],
      ask: ["cat --nonsense a.txt", 'cat "$FILE"'],
      deny: [...reader("cat"), "cat /proc/self/environ", "cat ./.env", "cat -A .env", "cat -- .env"],
    },
  },
  {
    names: "tac",
    summary: "prints lines in reverse",
    options: rows("-b --before; -r --regex; -s --separator=text", GNU_HELP),
    operands: "read*",
    examples: { allow: ["tac a.txt", "tac -s , a.txt"], deny: reader("tac") },
  },
  {
    names: "nl",
    summary: "numbers lines",
    options: rows(
      "-b --body-numbering=text; -d --section-delimiter=text; -f --footer-numbering=text; -h --header-numbering=text; -i --line-increment=text",
      "-l --join-blank-lines=text; -n --number-format=text; -p --no-renumber; -s --number-separator=text; -v --starting-line-number=text",
      "-w --number-width=text",
      GNU_HELP,
    ),
    operands: "read*",
    examples: { allow: ["nl a.txt", "nl -ba a.txt"], deny: reader("nl") },
  },
  {
    names: "od",
    summary: "dumps bytes",
    options: rows(
      "-A --address-radix=text; --endian=text; -j --skip-bytes=text; -N --read-bytes=text; -S=text; --strings[=text]; -t --format=text",
      "-v --output-duplicates; -w --width[=text]; --traditional; -a; -b; -c; -d; -f; -i; -l; -o; -s; -x; -B; -D; -e; -F; -h; -H; -I; -L; -O; -X",
      GNU_HELP,
    ),
    operands: "read*",
    examples: { allow: ["od -c a.txt", "od -A x -t x1z -v a.txt"], deny: reader("od") },
  },
  {
    names: "base32 base64",
    summary: "encodes and decodes",
    options: rows("-d --decode; -D; -i --ignore-garbage; -w --wrap=text", GNU_HELP),
    operands: "read?",
    examples: { allow: ["base64 a.txt", "base64 -d <<< aGVsbG8=", "base64 -w0 a.txt"], ask: ["base64 -o out a.txt"], deny: reader("base64") },
  },
  {
    names: "basenc",
    summary: "encodes and decodes",
    options: rows(
      "--base64; --base64url; --base58; --base32; --base32hex; --base16; --base2msbf; --base2lsbf; -d --decode; -i --ignore-garbage; -w --wrap=text; --z85",
      GNU_HELP,
    ),
    operands: "read?",
    examples: { allow: ["basenc --base16 a.txt"], deny: ["basenc --base64 .env"] },
  },
  {
    names: "fmt",
    summary: "reformats paragraphs",
    // BSD -p is a flag and a file may follow it.
    options: rows(
      "-c --crown-margin; -p --prefix=read; -s --split-only; -t --tagged-paragraph; -u --uniform-spacing; -w --width=text; -g --goal=text; -1..-9",
      GNU_HELP,
    ),
    operands: "read*",
    examples: { allow: ["fmt a.txt", "fmt -w 72 a.txt", "fmt -80 a.txt"], deny: reader("fmt") },
  },
  {
    names: "fold",
    summary: "wraps long lines",
    options: rows("-b --bytes; -c --characters; -s --spaces; -w --width=text; -1..-9", GNU_HELP),
    operands: "read*",
    examples: { allow: ["fold -s -w 80 a.txt", "fold -80 a.txt"], deny: reader("fold") },
  },
  {
    names: "pr",
    summary: "paginates for printing",
    options: rows(
      "-1..-9; --columns=text; -a --across; -c --show-control-chars; -d --double-space; -D --date-format=text; -e --expand-tabs[=text]",
      "-F -f --form-feed; -h --header=text; -i --output-tabs[=text]; -J --join-lines; -l --length=text; -m --merge; -n --number-lines[=text]",
      "-N --first-line-number=text; -o --indent=text; -r --no-file-warnings; -s --separator[=text]; -S --sep-string[=text]; -t --omit-header",
      "-T --omit-pagination; -v --show-nonprinting; -w --width=text; -W --page-width=text; --pages=text",
      GNU_HELP,
    ),
    operands: "read*",
    examples: { allow: ["pr -2 -l 60 a.txt", "pr -m a.txt b.txt"], deny: reader("pr") },
  },
  {
    names: "head",
    summary: "prints the first lines",
    options: rows("-c --bytes=text; -n --lines=text; -q --quiet --silent; -v --verbose; -z --zero-terminated; -1..-9", GNU_HELP),
    operands: "read*",
    output: "input",
    examples: { allow: ["head a.txt", "head -20 a.txt", "head -n 5 a.txt b.txt", "head -c100 a.txt", "ls | head"], deny: [...reader("head"), "head -n1 .env"] },
  },
  {
    names: "tail",
    summary: "prints the last lines",
    options: rows(
      "-c --bytes=text; -f; --follow[=text]; -F; -n --lines=text; --max-unchanged-stats=text; --pid=text; -q --quiet --silent; --retry",
      "-s --sleep-interval=text; -v --verbose; -z --zero-terminated; --debug; -r; -1..-9",
      GNU_HELP,
    ),
    operands: "read*",
    examples: { allow: ["tail a.txt", "tail -f a.txt", "tail -n +2 a.txt", "tail -5 a.txt"], deny: [...reader("tail"), "tail -f ~/.aws/credentials"] },
  },
  {
    names: "split",
    summary: "cuts a file into pieces",
    // The pieces are named PREFIX and a suffix: of a prefix of one's own the whole name is not known (`~/.bashr` + `c`).
    options: rows(
      "-a --suffix-length=text; -b --bytes=text; -C --line-bytes=text; -d; --numeric-suffixes[=text]; -x; --hex-suffixes[=text]; -e --elide-empty-files",
      "--filter=shell; -l --lines=text; -n --number=text; -t --separator=text; -u --unbuffered; --verbose; -1..-9; --help; --version",
      "# --additional-suffix is left out: it lets `.bash` become `.bashrc`",
    ),
    operands: "read?=- prefix:refuse?",
    effects: "write xaa",
    examples: {
      ask: ["split a.txt", "split -b 1M a.txt part-", "split --filter=./evil a.txt", "split --additional-suffix=rc a.txt ~/.bash", "split -a 1 a.txt ~/.bashr"],
      deny: ["split --filter='rm -rf ~' a.txt", "split .env part-"],
    },
  },
  {
    names: "csplit",
    summary: "cuts a file at patterns",
    // As split.
    options: rows(
      "-f --prefix=refuse; -k --keep-files; --suppress-matched; -n --digits=text; -s --quiet --silent; -z --elide-empty-files; --help; --version",
      "# -b is left out: a suffix format can end in anything",
    ),
    operands: "read text*",
    effects: "write xx00",
    examples: { ask: ["csplit a.txt /x/", "csplit -f part a.txt 10 20", "csplit -b rc a.txt 1"], deny: ["csplit .env 1"] },
  },
  {
    names: "wc",
    summary: "counts lines, words, bytes",
    options: rows("-c --bytes; -m --chars; -l --lines; --files0-from=refuse; -L --max-line-length; -w --words; --total=text; --debug", GNU_HELP),
    operands: "read*",
    examples: { allow: ["wc -l a.txt", "wc -l src/*.ts", "ls | wc -l"], ask: ["wc --files0-from=a.txt"], deny: reader("wc") },
  },
  {
    names: "sum",
    summary: "prints checksums",
    options: rows("-r; -s --sysv", GNU_HELP),
    operands: "read*",
    examples: { allow: ["sum a.txt"], deny: ["sum .env"] },
  },
  {
    names: "cksum",
    summary: "prints checksums",
    options: rows("-a --algorithm=text; -l --length=text; --untagged; --debug; --base64; --raw", DIGEST),
    operands: "read*",
    examples: { allow: ["cksum a.txt", "cksum -a sha256 a.txt"], deny: ["cksum .env"] },
  },
  {
    names: "b2sum",
    summary: "prints checksums",
    options: rows("-l --length=text", DIGEST),
    operands: "read*",
    examples: { allow: ["b2sum -l 256 a.txt"], deny: ["b2sum .env"] },
  },
  {
    names: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum md5sum.textutils",
    summary: "prints or checks checksums",
    options: DIGEST,
    operands: "read*",
    examples: { allow: ["md5sum package.json", "sha256sum -c sums.txt", "sha1sum < a.txt"], deny: ["md5sum .env", "sha256sum ~/.ssh/id_rsa"] },
  },
  {
    names: "shasum",
    summary: "prints checksums",
    options: rows("-a --algorithm=text; -b --binary; -c --check; -s --status; -t --text; -U --UNIVERSAL; -0 --01; -w --warn; --quiet; --ignore-missing; --strict; --tag; -h --help -> stop; -v --version -> stop"),
    operands: "read*",
    examples: { allow: ["shasum -a 256 a.txt", "shasum -c sums.txt"], deny: ["shasum .env"] },
  },
  {
    names: "md5",
    summary: "prints checksums (BSD)",
    options: rows("-p; -q; -r; -s=text; -t; -x"),
    operands: "read*",
    examples: { allow: ["md5 a.txt", "md5 -q -s hello"], deny: ["md5 .env"] },
  },
  {
    names: "sort",
    summary: "sorts lines",
    options: rows(
      "-b --ignore-leading-blanks; -d --dictionary-order; -f --ignore-case; -g --general-numeric-sort; -i --ignore-nonprinting; -M --month-sort",
      "-h --human-numeric-sort; -n --numeric-sort; -R --random-sort; --random-source=read; -r --reverse; --sort=text; -V --version-sort",
      "--batch-size=text; -c; --check[=text]; -C; --compress-program=shell; --debug; --files0-from=refuse; -k --key=text; -m --merge",
      "-o --output=write; -s --stable; -S --buffer-size=text; -t --field-separator=text; -T --temporary-directory=writetree; --parallel=text",
      "-u --unique; -z --zero-terminated; -y[=text]",
      GNU_HELP,
    ),
    operands: "read*",
    output: "input",
    upkeep: ["write /tmp/**", "delete /tmp/**"],
    examples: {
      allow: ["sort a.txt", "sort -u -k2,2n -t: a.txt", "sort -rn", "sort --reverse a.txt", "comm -12 <(sort a.txt) <(sort b.txt)", "sort --rev a.txt"],
      ask: ["sort -o c.txt a.txt", "sort --outp=x a.txt", "sort a.txt -oc.txt", "sort --files0-from=a.txt", "sort -T src a.txt"],
      none: ["sort --compress-program=./evil a.txt", "sort --compress-pro ./evil a.txt"],
      deny: ["sort .env", "sort -o ~/.bashrc a.txt", "sort --compress-program='rm -rf ~' a.txt"],
    },
  },
  {
    names: "shuf",
    summary: "shuffles lines",
    options: rows(
      "-e --echo -> read becomes text; -i --input-range=text; -n --head-count=text; -o --output=write; --random-source=read; -r --repeat; -z --zero-terminated",
      GNU_HELP,
    ),
    // Not `output: "input"`: with -e and -i it prints its arguments.
    operands: "read*",
    examples: { allow: ["shuf a.txt", "shuf -n 1 a.txt", "shuf -e a b c", "shuf -i 1-10"], ask: ["shuf -o c.txt a.txt"], deny: ["shuf .env", "shuf -o ~/.bashrc a.txt"] },
  },
  {
    names: "uniq",
    summary: "drops repeated lines",
    options: rows(
      "-c --count; -d --repeated; -D; --all-repeated[=text]; -f --skip-fields=text; --group[=text]; -i --ignore-case; -s --skip-chars=text",
      "-u --unique; -z --zero-terminated; -w --check-chars=text; -1..-9",
      GNU_HELP,
    ),
    operands: "read? write?",
    output: "input",
    examples: { allow: ["uniq a.txt", "sort a.txt | uniq -c", "uniq -", "uniq -f 1 a.txt"], ask: ["uniq a.txt c.txt", "uniq - out"], deny: ["uniq .env", "uniq a.txt ~/.bashrc"] },
  },
  {
    names: "comm",
    summary: "compares sorted files",
    options: rows("-1; -2; -3; -i; --check-order; --nocheck-order; --output-delimiter=text; --total; -z --zero-terminated", GNU_HELP),
    operands: "read read",
    examples: { allow: ["comm -12 a.txt b.txt", "comm -3 a.txt -"], deny: ["comm .env a.txt"] },
  },
  {
    names: "ptx",
    summary: "makes a permuted index",
    options: rows(
      "-A --auto-reference; -F --flag-truncation=text; -M --macro-name=text; -O; -R --right-side-refs; -S --sentence-regexp=text; -T; --format=text",
      "-W --word-regexp=text; -b --break-file=read; -f --ignore-case; -g --gap-size=text; -i --ignore-file=read; -o --only-file=read",
      "-r --references; -t --typeset-mode; -w --width=text",
      "# -G is left out: its second operand is an output file",
      GNU_HELP,
    ),
    operands: "read*",
    examples: { allow: ["ptx a.txt"], ask: ["ptx -G a.txt out"], deny: ["ptx .env", "ptx -o .env a.txt"] },
  },
  {
    names: "tsort",
    summary: "sorts topologically",
    options: rows("-w", GNU_HELP),
    operands: "read?",
    examples: { allow: ["tsort a.txt"], deny: ["tsort .env"] },
  },
  {
    names: "cut",
    summary: "prints parts of lines",
    options: rows(
      "-b --bytes=text; -c --characters=text; -d --delimiter=text; -f --fields=text; -n; --complement; -s --only-delimited; --output-delimiter=text; -w; -z --zero-terminated",
      GNU_HELP,
    ),
    operands: "read*",
    examples: { allow: ["cut -d: -f1 a.txt", "cut -c1-10 a.txt"], deny: reader("cut -f1") },
  },
  {
    names: "paste",
    summary: "joins lines side by side",
    options: rows("-d --delimiters=text; -s --serial; -z --zero-terminated", GNU_HELP),
    operands: "read*",
    examples: { allow: ["paste a.txt b.txt", "paste -sd, -"], deny: ["paste a.txt .env"] },
  },
  {
    names: "join",
    summary: "joins lines on a field",
    options: rows(
      "-a=text; -e=text; -i --ignore-case; -j=text; -o=text; -t=text; -v=text; -1=text; -2=text; --check-order; --nocheck-order; --header; -z --zero-terminated",
      GNU_HELP,
    ),
    operands: "read read",
    examples: { allow: ["join -t , -1 2 -2 1 a.txt b.txt"], deny: ["join a.txt .env"] },
  },
  {
    names: "tr",
    summary: "replaces characters",
    style: "posix",
    options: rows("-c -C --complement; -d --delete; -s --squeeze-repeats; -t --truncate-set1; -u", GNU_HELP),
    operands: "text text?",
    examples: { allow: ["tr a-z A-Z < a.txt", "tr -d '\\r' < a.txt", "tr -cd '[:alnum:]'", "tr -- - _"], ask: ["tr --nonsense a"], deny: ["tr a b < .env"] },
  },
  {
    names: "expand unexpand",
    summary: "turns tabs into blanks and back",
    options: rows("-i --initial; -a --all; --first-only; -t --tabs=text; -1..-9", GNU_HELP),
    operands: "read*",
    examples: { allow: ["expand -t 4 a.txt", "unexpand --first-only a.txt", "expand -4 a.txt"], deny: ["expand .env"] },
  },
  {
    names: "tee",
    summary: "copies its input to files",
    options: rows("-a --append; -i --ignore-interrupts; -p; --output-error[=text]", GNU_HELP),
    operands: "write*",
    output: "input",
    examples: {
      allow: ["tee < a.txt", "tee /dev/null < a.txt", "ls | tee /dev/stderr"],
      ask: ["tee out.txt < a.txt", "echo x | tee -a a.txt", "ls | tee log"],
      deny: ["echo x | tee ~/.bashrc", "tee -a ~/.ssh/authorized_keys < a.txt", "echo x | tee .git/hooks/pre-commit", "tee .env < a.txt", "tee /dev/sda < a.txt"],
    },
  },
  {
    names: "numfmt",
    summary: "reformats numbers",
    options: rows(
      "--debug; -d --delimiter=text; --field=text; --format=text; --from=text; --from-unit=text; --grouping; --header[=text]; --invalid=text; --padding=text",
      "--round=text; --suffix=text; --to=text; --to-unit=text; --unit-separator=text; -z --zero-terminated",
      GNU_HELP,
    ),
    operands: "text*",
    examples: { allow: ["numfmt --to=iec 1048576", "numfmt --field=2 --from=si < a.txt"] },
  },
];
