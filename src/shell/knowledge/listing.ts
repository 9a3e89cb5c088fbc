import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Newer replacements of ls, du, df, ps, diff, sed and cut, and what picks or counts.

export const listing: readonly CommandSpec[] = [
  {
    names: "eza exa",
    summary: "lists folders",
    style: "bsd",
    options: rows(
      "-1 --oneline; -F --classify[=text]; -G --grid; -l --long; -R --recurse -> list becomes listtree; -T --tree -> list becomes listtree; -x --across; --color --colour=text; --color-scale --colour-scale[=text]; --icons[=text]",
      "--no-icons; -a --all; -A --almost-all; -d --list-dirs; -L --level=number; -r --reverse; -s --sort=text; -I --ignore-glob=text; --git-ignore; --group-directories-first; -D --only-dirs; -f --only-files; -b --binary; -B --bytes",
      "--changed; -g --group; -h --header; -H --links; -i --inode; -m --modified; -n --numeric; -S --blocksize --blocks; -t --time=text; --time-style=text; -u --accessed; -U --created; --no-permissions; --no-filesize; --no-user",
      "--no-time; --git; --git-repos; --no-git; --hyperlink; --no-quotes; -o --octal-permissions; -Z --context; -X --dereference; -w --width=number; --total-size; -M --mounts; -? --help -> stop; -v --version -> stop",
    ),
    operands: "list*=.",
    examples: {
      allow: ["eza", "eza -la --git src", "exa -T -L 2", "eza --tree --level=2 -I node_modules", "eza --icons=auto -lah"],
      ask: ["eza --frobnicate"],
    },
  },
  {
    names: "lsd",
    summary: "lists folders",
    style: "bsd",
    options: rows(
      "-a --all; -A --almost-all; -F --classify; -l --long; -1 --oneline; -R --recursive -> list becomes listtree; --tree -> list becomes listtree; -h --human-readable; --depth=number; -d --directory-only; --permission=text; --size=text",
      "--total-size; --date=text; -t --timesort; -S --sizesort; -X --extensionsort; -G --gitsort; -v --versionsort; --sort=text; -U --no-sort; -r --reverse; --group-dirs=text; --group-directories-first; --blocks=text; --classic",
      "--no-symlink; -I --ignore-glob=text; -i --inode; -g --git; -L --dereference; -Z --context; --hyperlink=text; --header; --color=text; --icon=text; --icon-theme=text; --icon-separator=text; --literal; --help -> stop; -V --version -> stop",
      "# names programs' colours only, but may lie anywhere: --config-file",
    ),
    operands: "list*=.",
    examples: { allow: ["lsd -la", "lsd --tree --depth 2 src"], ask: ["lsd --config-file x"] },
  },
  {
    names: "delta",
    summary: "shows a diff in colour",
    style: "bsd",
    options: rows(
      "-s --side-by-side; -n --line-numbers; --dark; --light; --color-only; --no-gitconfig; --paging=text; -w --width=text; --tabs=number; --syntax-theme=text; --keep-plus-minus-markers; --diff-highlight; --diff-so-fancy; --navigate",
      "--raw; --relative-paths; --show-config -> stop; --list-languages -> stop; --list-syntax-themes -> stop; --wrap-max-lines=text; --max-line-length=number; --true-color=text; --hyperlinks; -h --help -> stop; -V --version -> stop",
      "# run programs: --pager --diff-args --features --config",
    ),
    operands: "read*",
    examples: {
      allow: ["git diff | delta --paging=never", "delta a.txt b.txt", "delta --version"],
      ask: ["delta --pager ./evil a.txt b.txt", "delta --config evil a.txt b.txt"],
      deny: ["delta a.txt .env"],
    },
  },
  {
    names: "difft difftastic",
    summary: "compares by syntax",
    style: "bsd",
    options: rows(
      "--display=text; --color=text; --width=number; --tab-width=number; --syntax-highlight=text; --context=number; --skip-unchanged; --exit-code; --check-only; --ignore-comments; --background=text; --override=text; --strip-cr=text",
      "--language=text; --sort-paths; --byte-limit=number; --graph-limit=number; --parse-error-limit=number; --list-languages -> stop; -h --help -> stop; -V --version -> stop",
    ),
    operands: "tree*",
    examples: { allow: ["difft a.txt b.txt", "difft --display inline a.txt b.txt"], deny: ["difft .env a.txt"] },
  },
  {
    names: "fzf sk",
    summary: "picks lines by hand, or by -f without asking",
    style: "bsd",
    // `stop`: with -f nobody is asked. What runs commands is judged all the same.
    options: rows(
      "-f --filter=text -> stop; -e --exact; -i; -x --extended; -n --nth=text; --with-nth=text; -d --delimiter=text; --tac; --no-sort; -m --multi; -q --query=text; -1 --select-1; -0 --exit-0; --print-query; --read0; --print0; --ansi",
      "--preview=shell; --height=text; --reverse; --prompt=text; --header=text; --history=write; --version -> stop; --help -> stop",
      "# runs commands: --bind -c --cmd --listen --with-shell",
    ),
    operands: "",
    effects: "terminal",
    examples: {
      allow: ["git ls-files | fzf -f index", "fzf --version"],
      ask: ["fzf", "ls | fzf --bind 'enter:execute(id)'", "fzf --listen 80"],
      deny: ["ls | fzf -f x --preview 'rm -rf ~'"],
    },
  },
  {
    names: "sd",
    summary: "finds and replaces; changes the files it is given",
    style: "bsd",
    options: rows(
      "-p --preview -> edit becomes read; -F -s --fixed-strings --string-mode; -n --max-replacements=number; -f --flags=text; -A --across; -h --help -> stop; -V --version -> stop",
    ),
    operands: "text text edit*",
    examples: {
      allow: ["sd -p a b a.txt", "cat a.txt | sd a b", "sd --version"],
      ask: ["sd a b a.txt"],
      deny: ["sd a b ~/.bashrc", "sd a b .env", "sd -p a b .env"],
    },
  },
  {
    names: "choose",
    summary: "prints columns",
    style: "bsd",
    options: rows(
      "-c --character-wise; -d --debug; -x --exclusive; -n --non-greedy; --one-indexed; -f --field-separator=text; -i --input=read; -o --output-field-separator=text; -h --help -> stop; -V --version -> stop",
    ),
    operands: "text*",
    examples: { allow: ["cat a.txt | choose 0 2", "choose -f : -i a.txt 1:3"], deny: ["choose -i .env 0"] },
  },
  {
    names: "dust",
    summary: "sizes of folders",
    style: "bsd",
    options: rows(
      "-d --depth=number; -n --number-of-lines=number; -r --reverse; -s --apparent-size; -p --full-paths; -X --ignore-directory=text; -x --limit-filesystem; -L --dereference-links; -b --no-percent-bars; -B --bars-on-right; -z --min-size=text",
      "-f --filecount; -i --ignore_hidden; -v --invert-filter=text; -e --filter=text; -t --file_types; -w --terminal_width=number; -P --no-progress; -D --only-dir; -F --only-file; -o --output-format=text; -j --output-json; -c --no-colors; -R --screen-reader; -h --help -> stop; -V --version -> stop",
    ),
    operands: "listtree*=.",
    examples: { allow: ["dust", "dust -d 2 src", "dust -n 20"], ask: ["dust --config evil"] },
  },
  {
    names: "duf",
    summary: "free space",
    style: "words",
    options: rows(
      "-all; -json; -inodes; -hide=text; -hide-fs=text; -hide-mp=text; -only=text; -only-fs=text; -only-mp=text; -output=text; -sort=text; -style=text; -theme=text; -warnings; -width=number; -version -> stop; -h -help -> stop",
    ),
    operands: "list*",
    examples: { allow: ["duf", "duf --json", "duf -only local"] },
  },
  {
    names: "ncdu gdu dua broot ranger nnn lf yazi mc vifm",
    summary: "walks folders by hand, deletes on request",
    style: "bsd",
    options: "-h --help -> stop\n--version -> stop",
    operands: "listtree*=.",
    effects: "terminal",
    examples: { allow: ["ncdu --version"], ask: ["ncdu", "ncdu -o x .", "broot --cmd ':rm'", "mc"] },
  },
  {
    names: "procs",
    summary: "processes",
    style: "bsd",
    options: rows(
      "-a --and; -o --or; -d --nand; -r --nor; -l --list -> stop; --thread; -t --tree; -w --watch; -W --watch-interval=number; -i --insert=refuse; --only=refuse; --sorta=text; --sortd=text; -c --color=text; --theme=text; -p --pager=text; --interval=number; --no-header; --json; -h --help -> stop; -V --version -> stop",
      "# shows environments: --load-config --use-config",
    ),
    operands: "text*",
    examples: { allow: ["procs", "procs --tree", "procs node"], ask: ["procs -i Env node", "procs --use-config large"] },
  },
  {
    names: "jless visidata vd otree fx sc-im",
    summary: "looks at data by hand, or runs an expression on it",
    style: "bsd",
    options: "-h --help -> stop\n--version -> stop",
    operands: "read? code/javascript*",
    effects: "terminal",
    examples: { allow: ["jless --version"], ask: ["jless a.json", "fx a.json 'x => globalThis'", "vd a.csv"], deny: ["jless .env"] },
  },
  {
    names: "hexyl",
    summary: "bytes in hexadecimal",
    style: "bsd",
    options: rows(
      "-n --length=text; -c --bytes=text; -s --skip=text; --block-size=text; -v --no-squeezing; --color=text; --border=text; -p --plain; --no-characters; -C --characters; --panels=text; -g --group-size=text; -b --base=text; -h --help -> stop; -V --version -> stop",
    ),
    operands: "read?",
    examples: { allow: ["hexyl -n 64 a.out"], deny: ["hexyl .env"] },
  },
];
