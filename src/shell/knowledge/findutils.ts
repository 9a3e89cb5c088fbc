import { GNU_HELP, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

export const findutils: readonly CommandSpec[] = [
  {
    names: "find",
    summary: "walks folders",
    // An expression language of its own: the analyser reads starting points, tests and actions.
    style: "none",
    operands: "text*",
    analyse: "find",
    output: "paths",
    examples: {
      allow: [
        "find",
        "find . -name '*.ts'",
        "find . -type f -name '*.py' | head -20",
        "find src -mtime -1 -size +10k -print0",
        "find . \\( -name a -o -name b \\) -prune -o -print",
        "find src -type f -exec wc -l {} +",
        "find . -maxdepth 1 -printf '%f\\n'",
        "find . ! -path './node_modules/*' -name x",
        "find src -type f | xargs wc -l",
      ],
      ask: [
        "find . -name '*.o' -delete",
        "find . -fprintf x %p",
        "find . -fprint out.txt",
        "find . -fls out.txt",
        "find . $OPTS",
        "find . -nonsense",
        "find -files0-from a.txt",
        "find . -type f -exec rm {} +",
        "find . -name '*.ts' -exec sed -i s/a/b/ {} \\;",
      ],
      none: ["find . -execdir ./x {} \\;", "find . -name x -ok ./x {} \\;"],
      deny: [
        "find . -dele''te",
        "find . $'-del\\x65te'",
        "find ~ -delete",
        "find ~ -exec rm -rf {} +",
        "find / -delete",
        "find . -name a -exec rm -rf ~ \\;",
        "find . -fprint ~/.bashrc",
      ],
    },
  },
  {
    names: "fd fdfind",
    summary: "finds files by name",
    style: "bsd",
    // fd --help of 8.6. What follows -x and -X is a command: the analyser runs it.
    options: rows(
      "-H --hidden; --no-hidden; -I --no-ignore; --ignore; --no-ignore-vcs; --ignore-vcs; --no-ignore-parent; --no-require-git; --require-git; -u --unrestricted; -s --case-sensitive; -i --ignore-case; -g --glob; --regex",
      "-F --fixed-strings --literal; --and=text; -a --absolute-path; --relative-path; -l --list-details; -L --follow; --no-follow; -p --full-path; -0 --print0; -d --max-depth --maxdepth=text; --min-depth=text; --exact-depth=text",
      "-E --exclude=text; --prune; -t --type=text; -e --extension=text; -S --size=text; --changed-within --change-newer-than --newer --changed-after=text; --changed-before --change-older-than --older=text; -o --owner=text",
      "-x --exec -X --exec-batch=text -> rest; --batch-size=text; --ignore-file=read; -c --color=text; -j --threads=text; --max-results=text; -1; -q --quiet; --show-errors; --base-directory=dir; --path-separator=text",
      "--search-path=listtree; --strip-cwd-prefix[=text]; --one-file-system --mount --xdev; -h --help -> stop; -V --version -> stop",
    ),
    operands: "pattern:text? listtree*=.",
    analyse: "fd",
    examples: {
      allow: [
        "fd",
        "fd -e ts",
        "fd '\\.test\\.ts$' src",
        "fd -t f -H x",
        "fd -e ts -x wc -l",
        "fd -e ts . src --exec-batch wc -l {}",
        "fd -e ts | xargs wc -l",
        "fd x -x echo {/.}",
      ],
      ask: ["fd -e ts -x rm", "fd --nonsense", "fd x -x sed -i s/a/b/ {}", "fd x -X rm ';' -H", "fd -e ts -x wc {} ';' -x rm"],
      none: ["fd x -x ./x", "fd x --exec=./x"],
      deny: ["fd x ~ -x rm -rf ~", "fd -H . ~/.ssh -x cat"],
    },
  },
  {
    names: "locate plocate mlocate slocate",
    summary: "looks file names up in a database",
    options: rows(
      "-A --all; -b --basename; -c --count; -d --database=read; -e --existing; -L --follow; -P -H --nofollow; -i --ignore-case; -p --ignore-spaces",
      "-l -n --limit=text; -0 --null; -N --literal; -q --quiet; -r --regexp=text; --regex; -S --statistics; -w --wholename; -s --stdio; -m --mmap",
      "-h; -V; -t --transliterate",
      GNU_HELP,
    ),
    operands: "text*",
    effects: "listtree /",
    examples: { allow: ["locate passwd", "locate -i -c foo"], deny: ["locate -d .env x"] },
  },
  {
    names: "updatedb updatedb.plocate updatedb.mlocate",
    summary: "rebuilds the file name database",
    options: rows("-h --help -> stop; -V --version -> stop"),
    operands: "",
    effects: "listtree /, danger host-effect",
    examples: { ask: ["updatedb", "updatedb -o db"] },
  },
];
