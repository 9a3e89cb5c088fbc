import { GNU_HELP, NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// `--files0-from` names files that only another file knows: refused everywhere.

const DIGEST = rows(
  "-b --binary; -c --check; --tag; -t --text; -z --zero; --ignore-missing; --quiet; --status; --strict; -w --warn",
  GNU_HELP,
);

const reader = (deny: string): readonly string[] => [`${deny} .env`, `${deny} ~/.ssh/id_rsa`];

export const coreutilsText: readonly CommandSpec[] = [
  {
    names: "cat",
    reads: NO_OTHERS,
    closed: true,
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
      deny: [...reader("cat"), "cat /proc/self/environ", "cat ./.env", "cat -A .env", "cat -- .env", "cat .env --help"],
    },
  },
  {
    names: "tac",
    reads: NO_OTHERS,
    closed: true,
    summary: "prints lines in reverse",
    options: rows("-b --before; -r --regex; -s --separator=text", GNU_HELP),
    operands: "read*",
    examples: { allow: ["tac a.txt", "tac -s , a.txt"], deny: reader("tac") },
  },
  {
    names: "nl",
    reads: NO_OTHERS,
    closed: true,
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
    reads: NO_OTHERS,
    closed: true,
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
    reads: NO_OTHERS,
    summary: "encodes and decodes",
    options: rows("-d --decode; -D; -i --ignore-garbage; -w --wrap=text", GNU_HELP),
    operands: "read?",
    examples: {
      allow: ["base64 a.txt", "base64 -d <<< aGVsbG8=", "base64 -w0 a.txt"],
      ask: ["base64 -o out a.txt"],
      deny: reader("base64"),
    },
  },
  {
    names: "basenc",
    reads: NO_OTHERS,
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
    reads: NO_OTHERS,
    closed: true,
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
    reads: NO_OTHERS,
    closed: true,
    summary: "wraps long lines",
    options: rows("-b --bytes; -c --characters; -s --spaces; -w --width=text; -1..-9", GNU_HELP),
    operands: "read*",
    examples: { allow: ["fold -s -w 80 a.txt", "fold -80 a.txt"], deny: reader("fold") },
  },
  {
    names: "pr",
    reads: NO_OTHERS,
    closed: true,
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
    reads: NO_OTHERS,
    closed: true,
    summary: "prints the first lines",
    options: rows("-c --bytes=text; -n --lines=text; -q --quiet --silent; -v --verbose; -z --zero-terminated; -1..-9", GNU_HELP),
    operands: "read*",
    output: "input",
    examples: {
      allow: ["head a.txt", "head -20 a.txt", "head -n 5 a.txt b.txt", "head -c100 a.txt", "ls | head"],
      deny: [...reader("head"), "head -n1 .env"],
    },
  },
  {
    names: "tail",
    reads: NO_OTHERS,
    closed: true,
    summary: "prints the last lines",
    options: rows(
      "-c --bytes=text; -f; --follow[=text]; -F; -n --lines=text; --max-unchanged-stats=text; --pid=text; -q --quiet --silent; --retry",
      "-s --sleep-interval=text; -v --verbose; -z --zero-terminated; --debug; -r; -1..-9",
      GNU_HELP,
    ),
    operands: "read*",
    examples: {
      allow: ["tail a.txt", "tail -f a.txt", "tail -n +2 a.txt", "tail -5 a.txt"],
      deny: [...reader("tail"), "tail -f ~/.aws/credentials"],
    },
  },
  {
    names: "wc",
    reads: NO_OTHERS,
    closed: true,
    summary: "counts lines, words, bytes",
    options: rows(
      "-c --bytes; -m --chars; -l --lines; --files0-from=refuse; -L --max-line-length; -w --words; --total=text; --debug",
      GNU_HELP,
    ),
    operands: "read*",
    output: "number",
    examples: { allow: ["wc -l a.txt", "wc -l src/*.ts", "ls | wc -l"], ask: ["wc --files0-from=a.txt"], deny: reader("wc") },
  },
  {
    names: "sum",
    reads: NO_OTHERS,
    closed: true,
    summary: "prints checksums",
    options: rows("-r; -s --sysv", GNU_HELP),
    operands: "read*",
    examples: { allow: ["sum a.txt"], deny: ["sum .env"] },
  },
  {
    names: "cksum",
    reads: NO_OTHERS,
    closed: true,
    summary: "prints checksums",
    options: rows("-a --algorithm=text; -l --length=text; --untagged; --debug; --base64; --raw", DIGEST),
    operands: "read*",
    examples: { allow: ["cksum a.txt", "cksum -a sha256 a.txt"], deny: ["cksum .env"] },
  },
  {
    names: "b2sum",
    reads: NO_OTHERS,
    closed: true,
    summary: "prints checksums",
    options: rows("-l --length=text", DIGEST),
    operands: "read*",
    examples: { allow: ["b2sum -l 256 a.txt"], deny: ["b2sum .env"] },
  },
  {
    names: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum md5sum.textutils",
    reads: NO_OTHERS,
    closed: true,
    summary: "prints or checks checksums",
    options: DIGEST,
    operands: "read*",
    examples: {
      allow: ["md5sum package.json", "sha256sum -c sums.txt", "sha1sum < a.txt"],
      deny: ["md5sum .env", "sha256sum ~/.ssh/id_rsa"],
    },
  },
  {
    names: "shasum",
    reads: "*=any",
    closed: true,
    summary: "prints checksums",
    options: rows(
      "-a --algorithm=text; -b --binary; -c --check; -s --status; -t --text; -U --UNIVERSAL; -0 --01; -w --warn; --quiet; --ignore-missing; --strict; --tag; -h --help -> stop; -v --version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["shasum -a 256 a.txt", "shasum -c sums.txt"], deny: ["shasum .env"] },
  },
  {
    names: "md5",
    reads: NO_OTHERS,
    closed: true,
    summary: "prints checksums (BSD)",
    options: rows("-p; -q; -r; -s=text; -t; -x"),
    operands: "read*",
    examples: { allow: ["md5 a.txt", "md5 -q -s hello"], deny: ["md5 .env"] },
  },
];
