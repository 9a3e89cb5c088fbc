import { GNU_HELP, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Sorting, cutting, joining and copying lines.

export const coreutilsLines: readonly CommandSpec[] = [
  {
    names: "split",
    summary: "cuts a file into pieces",
    // The pieces are named PREFIX and a suffix: the analyser makes the prefix a pattern.
    options: rows(
      "-a --suffix-length=text; -b --bytes=text; -C --line-bytes=text; -d; --numeric-suffixes[=text]; -x; --hex-suffixes[=text]; -e --elide-empty-files",
      "--filter=shell; -l --lines=text; -n --number=text; -t --separator=text; -u --unbuffered; --verbose; -1..-9; --help; --version",
      "# --additional-suffix is left out: it lets `.bash` become `.bashrc`",
    ),
    operands: "read?=- prefix:text?",
    analyse: "prefix",
    examples: {
      ask: ["split a.txt", "split -b 1M a.txt part-", "split --additional-suffix=rc a.txt ~/.bash", "split -a 1 a.txt ~/.bashr"],
      none: ["split --filter=./evil a.txt"],
      deny: ["split --filter='rm -rf ~' a.txt", "split .env part-"],
    },
  },
  {
    names: "csplit",
    summary: "cuts a file at patterns",
    // As split.
    options: rows(
      "-f --prefix=text; -k --keep-files; --suppress-matched; -n --digits=text; -s --quiet --silent; -z --elide-empty-files; --help; --version",
      "# -b is left out: a suffix format can end in anything",
    ),
    operands: "read text*",
    analyse: "prefix",
    examples: {
      ask: ["csplit a.txt /x/", "csplit -f part a.txt 10 20", "csplit -b rc a.txt 1", "csplit -f ~/.bashr a.txt 1"],
      deny: ["csplit .env 1"],
    },
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
      allow: [
        "sort a.txt",
        "sort -u -k2,2n -t: a.txt",
        "sort -rn",
        "sort --reverse a.txt",
        "comm -12 <(sort a.txt) <(sort b.txt)",
        "sort --rev a.txt",
      ],
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
    examples: {
      allow: ["shuf a.txt", "shuf -n 1 a.txt", "shuf -e a b c", "shuf -i 1-10"],
      ask: ["shuf -o c.txt a.txt"],
      deny: ["shuf .env", "shuf -o ~/.bashrc a.txt"],
    },
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
    examples: {
      allow: ["uniq a.txt", "sort a.txt | uniq -c", "uniq -", "uniq -f 1 a.txt"],
      ask: ["uniq a.txt c.txt", "uniq - out"],
      deny: ["uniq .env", "uniq a.txt ~/.bashrc"],
    },
  },
  {
    names: "comm",
    closed: true,
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
    closed: true,
    summary: "sorts topologically",
    options: rows("-w", GNU_HELP),
    operands: "read?",
    examples: { allow: ["tsort a.txt"], deny: ["tsort .env"] },
  },
  {
    names: "cut",
    closed: true,
    summary: "prints parts of lines",
    options: rows(
      "-b --bytes=text; -c --characters=text; -d --delimiter=text; -f --fields=text; -n; --complement; -s --only-delimited; --output-delimiter=text; -w; -z --zero-terminated",
      GNU_HELP,
    ),
    operands: "read*",
    examples: { allow: ["cut -d: -f1 a.txt", "cut -c1-10 a.txt"], deny: ["cut -f1 .env", "cut -f1 ~/.ssh/id_rsa"] },
  },
  {
    names: "paste",
    closed: true,
    summary: "joins lines side by side",
    options: rows("-d --delimiters=text; -s --serial; -z --zero-terminated", GNU_HELP),
    operands: "read*",
    examples: { allow: ["paste a.txt b.txt", "paste -sd, -"], deny: ["paste a.txt .env"] },
  },
  {
    names: "join",
    closed: true,
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
    closed: true,
    summary: "replaces characters",
    style: "posix",
    options: rows("-c -C --complement; -d --delete; -s --squeeze-repeats; -t --truncate-set1; -u", GNU_HELP),
    operands: "text text?",
    examples: {
      allow: ["tr a-z A-Z < a.txt", "tr -d '\\r' < a.txt", "tr -cd '[:alnum:]'", "tr -- - _"],
      ask: ["tr --nonsense a"],
      deny: ["tr a b < .env"],
    },
  },
  {
    names: "expand unexpand",
    closed: true,
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
      deny: [
        "echo x | tee ~/.bashrc",
        "tee -a ~/.ssh/authorized_keys < a.txt",
        "echo x | tee .git/hooks/pre-commit",
        "tee .env < a.txt",
        "tee ~/.bashrc --help < a.txt",
        "tee /dev/sda < a.txt",
      ],
    },
  },
  {
    names: "numfmt",
    closed: true,
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
