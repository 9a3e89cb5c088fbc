import { NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Viewers, dumpers and converters.

export const textView: readonly CommandSpec[] = [
  {
    names: "less zless xzless",
    summary: "pages through files",
    // `+COMMAND` runs a command of the pager (`+!id`): the analyser refuses operands that begin with `+`.
    options: rows(
      "-a; -A; -B; -c; -C; -d; -e; -E; -f; -F; -g; -G; -i; -I; -J; -K; -L; -m; -M; -n; -N; -q; -Q; -r; -R; -s; -S; -u; -U; -V -> stop; -w; -W; -X; -l; -p=text; -P=text",
      "-b=number; -h=number; -j=number; -x=number; -y=number; -z=number; --quit-at-eof; --QUIT-AT-EOF; --quit-if-one-screen; --no-init; --raw-control-chars; --RAW-CONTROL-CHARS",
      "--chop-long-lines; --line-numbers; --LINE-NUMBERS; --ignore-case; --IGNORE-CASE; --squeeze-blank-lines; --quiet; --silent; --use-color; --no-keypad",
      "--mouse; --tabs=number; --pattern=text; --prompt=text; --follow-name; --quit-on-intr; --wordwrap; --header=text; --force; -1..-9",
      "# the help comes before the files, not in their place",
      "-? --help; --version -> stop",
      "# write or run: -o -O --log-file --LOG-FILE -k --lesskey-file -t --tag -T --tag-file -D",
    ),
    operands: "read*",
    output: "input",
    analyse: "plus",
    examples: {
      allow: ["less a.txt", "git log | less -FRX", "less -N a.txt", "less --help"],
      ask: ["less -b1kevil a.txt", "less '-Px$-kevil' a.txt", "less '+!id' a.txt", "less -o out a.txt", "less -k evil a.txt"],
      deny: ["less .env", "less ~/.ssh/id_rsa", "less --help .env"],
    },
  },
  {
    names: "zmore xzmore bzmore bzless",
    summary: "pages through compressed files",
    // Scripts without options: every word is a file, one that begins with a dash as well.
    style: "none",
    operands: "read*",
    output: "input",
    analyse: "plus",
    examples: { allow: ["bzless a.txt", "xzmore a.txt", "bzmore --help"], deny: ["bzless -p .env", "bzmore -V .env", "xzmore -V .env"] },
  },
  {
    names: "more pg",
    summary: "pages through files",
    // Options mean different things in each of them: only flags they share.
    options: rows("-d; -f; -l; -c; -u; -s; -1..-9; -V --version -> stop; --help -> stop", "# -p takes a value in some"),
    operands: "read*",
    output: "input",
    analyse: "plus",
    examples: { allow: ["more a.txt", "ls | more"], ask: ["more '+!id' a.txt", "more -p a.txt"], deny: ["more .env"] },
  },
  {
    names: "most",
    summary: "pages through files",
    style: "bsd",
    // most(1): an option that it does not know is passed over.
    options: rows("-1; -4; -b; -C; -d; -k; -M; -r; -s; -u; -v; -w; -z"),
    operands: "read*",
    output: "input",
    analyse: "plus",
    examples: { allow: ["most a.txt", "most -w a.txt"], ask: ["most -V a.txt"], deny: ["most .env", "most -w .env"] },
  },
  {
    names: "man",
    summary: "shows manual pages",
    // A page name with a slash is a file that is shown.
    options: rows(
      "-f --whatis; -k --apropos; -K --global-apropos; -l --local-file; -w --where --path --location; -W --where-cat --location-cat; -L --locale=text; -S -s --sections=text",
      "-e --extension=text; -i --ignore-case; -I --match-case; --regex; --wildcard; --names-only; -a --all; --no-subpages; -7 --ascii",
      "-E --encoding=text; -R --recode=text; --no-hyphenation --nh; --no-justification --nj; -? --help -> stop; --usage -> stop; -V --version -> stop; -d --debug",
      "-P --pager=shell -> terminal",
      "# run programs, or read configuration: -H --html -C --config-file -p --preprocessor -t --troff -T --troff-device -X --gxditview -Z --ditroff",
      "# -M --manpath -r --prompt -m --systems -D --default -u --update -c --catman --warnings",
    ),
    operands: "read*",
    upkeep: ["write /var/cache/man/**", "write ~/.cache/man/**"],
    examples: {
      allow: ["man ls", "man 2 open", "man -k socket", "man --where ls", "man git-log | head -40"],
      ask: ["man -P 'sh -c evil' ls", "man --pager=./evil ls", "man -H./evil ls", "man -C evil ls"],
      deny: ["man ./.env", "man -l ~/.ssh/id_rsa", "man -P 'rm -rf ~' ls"],
    },
  },
  {
    names: "apropos whatis",
    summary: "searches the manual",
    options: rows(
      "-d --debug; -v --verbose; -e --exact; -r --regex; -w --wildcard; -a --and; -l --long; -s --sections --section=text; -L --locale=text; -? --help -> stop; --usage -> stop; -V --version -> stop",
    ),
    operands: "text*",
    examples: { allow: ["apropos socket", "whatis ls"], ask: ["apropos -C evil x"] },
  },
  {
    names: "info",
    summary: "shows Info pages",
    options: rows("-k --apropos=text; -w --where --location; -a --all; --help -> stop; --version -> stop"),
    operands: "read*",
    examples: { allow: ["info ls"], ask: ["info -o out ls", "info --init-file=evil ls"], deny: ["info ./.env"] },
  },
  {
    names: "bat batcat",
    summary: "prints files with colours",
    style: "bsd",
    options: rows(
      "-A --show-all; --nonprintable-notation=text; --binary=text; -p --plain; -l --language=text; -H --highlight-line=text; --file-name=text; -d --diff; --diff-context=text",
      "--tabs=text; --wrap=text; -S --chop-long-lines; --terminal-width=text; -n --number; --color=text; --italic-text=text; --decorations=text; -f --force-colorization",
      "--paging=text; -P --no-paging; -m --map-syntax=text; --ignored-suffix=text; --theme=text; --theme-light=text; --theme-dark=text; --list-themes -> stop; -s --squeeze-blank",
      "--squeeze-limit=text; --strip-ansi=text; --style=text; -r --line-range=text; -L --list-languages -> stop; -u --unbuffered; --config-file -> stop; --config-dir -> stop",
      "--cache-dir -> stop; --diagnostic -> stop; --acknowledgements -> stop; --no-config; -h --help -> stop; -V --version -> stop",
      "# run a program, or write: --pager --generate-config-file",
    ),
    operands: "read*",
    output: "input",
    examples: {
      allow: ["bat a.txt", "bat -p --line-range 1:10 a.txt", "bat --color=always package.json"],
      ask: ["bat --pager=./evil a.txt", "bat cache --build"],
      deny: ["bat .env"],
    },
  },
  {
    names: "file",
    reads: NO_OTHERS,
    summary: "says what a file is",
    options: rows(
      "-m --magic-file=read; -z --uncompress; -Z --uncompress-noreport; -b --brief; -c --checking-printout; -e --exclude=text; --exclude-quiet=text; -F --separator=text",
      "-i --mime; -I; --apple; --extension; --mime-type; --mime-encoding; -k --keep-going; -l --list; -L --dereference; -h --no-dereference; -n --no-buffer",
      "-N --no-pad; -0 --print0; -P --parameter=text; -r --raw; -s --special-files; -S --no-sandbox; -d --debug; -E; -v --version -> stop; --help -> stop",
      "# write, or name files: -C --compile -f --files-from",
    ),
    operands: "list*",
    examples: {
      allow: ["file a.txt", "file -b --mime-type *", "file -L src/x"],
      ask: ["file -C -m a.txt", "file -f a.txt"],
      deny: ["file -m .env a.txt"],
    },
  },
  {
    names: "strings",
    reads: NO_OTHERS,
    summary: "prints the text in a binary",
    // binutils: an operand `@FILE` holds more arguments: the analyser refuses it.
    options: rows(
      "-a --all; -d --data; -f --print-file-name; -n --bytes=text; -t --radix=text; -w --include-all-whitespace; -o; -T --target=text; -e --encoding=text; -U --unicode=text",
      "-s --output-separator=text; -1..-9; -h --help -> stop; -v -V --version -> stop",
    ),
    operands: "read*",
    analyse: "response-file",
    examples: { allow: ["strings a.out", "strings -n 8 a.out", "strings -20 a.out"], ask: ["strings @args"], deny: ["strings .env"] },
  },
  {
    names: "xxd",
    reads: NO_OTHERS,
    summary: "dumps bytes, or turns a dump back",
    // Its parser stops at the first operand: `xxd a -p` writes a file called `-p`.
    style: "posix",
    options: rows(
      "-a -autoskip; -b -bits; -c -cols=text; -C -capitalize; -d; -e; -E -EBCDIC; -g -groupsize=text; -h -help -> stop; -i -include; -l -len=text; -n -name=text; -o -offset=text",
      "-p -ps -plain -postscript; -r -revert; -R=text; -s -seek -skip=text; -u -uppercase; -v -version -> stop",
    ),
    operands: "read? write?",
    examples: {
      allow: ["xxd a.txt", "xxd -l 16 -c8 a.txt", "xxd -p < a.txt", "xxd -ps a.txt"],
      ask: ["xxd a.txt out", "xxd -r dump out", "xxd a.txt -p"],
      deny: ["xxd .env", "xxd -r dump ~/.bashrc"],
    },
  },
  {
    names: "hexdump hd",
    closed: true,
    summary: "dumps bytes",
    options: rows(
      "-b --one-byte-octal; -c --one-byte-char; -C --canonical; -d --two-bytes-decimal; -o --two-bytes-octal; -x --two-bytes-hex; -X --one-byte-hex; -L --color[=text]",
      "-e --format=text; -f --format-file=read; -n --length=text; -s --skip=text; -v --no-squeezing; -h --help -> stop; -V --version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["hexdump -C a.txt", "hd -n 16 a.txt"], deny: ["hexdump -C .env", "hexdump -f .env a.txt"] },
  },
  {
    names: "iconv",
    reads: NO_OTHERS,
    summary: "converts encodings",
    options: rows(
      "-f --from-code=text; -t --to-code=text; -l --list -> stop; -c; -o --output=write; -s --silent; --verbose; -? --help -> stop; --usage -> stop; -V --version -> stop",
    ),
    operands: "read*",
    examples: {
      allow: ["iconv -f latin1 -t utf8 a.txt", "iconv -l"],
      ask: ["iconv -f utf8 -t utf16 -o x y"],
      deny: ["iconv -f utf8 .env", "iconv -o ~/.bashrc a.txt"],
    },
  },
  {
    names: "column",
    reads: NO_OTHERS,
    closed: true,
    summary: "aligns columns",
    // BSD -n is a flag and a file may follow it.
    options: rows(
      "-t --table; -C --table-column=text; -N --table-columns=text; -l --table-columns-limit=text; -E --table-noextreme=text; -d --table-noheadings; -m --table-maxout; -e --table-header-repeat",
      "-H --table-hide=text; -R --table-right=text; -T --table-truncate=text; -W --table-wrap=text; -K --table-header-as-columns; -L --keep-empty-lines; -J --json; -n --table-name=read",
      "-O --table-order=text; -r --tree=text; -i --tree-id=text; -p --tree-parent=text; -c --output-width=text; -o --output-separator=text; -s --separator=text; -x --fillrows",
      "-S --use-spaces=text; --table-empty-lines; -h --help -> stop; -V --version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["column -t a.txt", "column -s, -t < a.txt", "ls | column"], deny: ["column -t .env"] },
  },
  {
    names: "col colcrt",
    reads: NO_OTHERS,
    summary: "leaves out what moves the cursor back",
    options: rows(
      "-b --no-backspaces; -f --fine; -p --pass; -h --tabs; -x --spaces; -l --lines=number; -H --help -> stop; -v -V --version -> stop",
    ),
    operands: "",
    examples: { allow: ["man ls | col -b", "col -bx < a.txt"] },
  },
  {
    names: "tree",
    reads: NO_OTHERS,
    summary: "lists folders as a tree",
    options: rows(
      "-a; -d; -l; -f; -x; -L=text; -P=text; -I=text; --gitignore; --gitfile=read; --ignore-case; --matchdirs; --metafirst; --prune; --noreport",
      "--charset=text; --filelimit=text; -q; -N; -Q; -p; -u; -g; -s; -h; --si; --du; -D; --timefmt=text; -F; --inodes; --device; -v; -t; -c; -U; -r; --dirsfirst; --filesfirst",
      "--sort=text; -i; -A; -S; -n; -C; -X; -J; -H=text; -T=text; --nolinks; --hintro=read; --houtro=read; -o=write; --fromfile -> listtree becomes read",
      "--fromtabfile -> listtree becomes read; --fflinks; --opt-toggle; --hyperlink; --scheme=text; --authority=text; --version -> stop; --help -> stop",
      "# -R writes 00Tree.html files, --info --infofile print what files called .info say",
    ),
    operands: "listtree*=.",
    examples: {
      allow: ["tree", "tree -L 2 src", "tree -a -I node_modules"],
      ask: ["tree -o out.txt", "tree -R -H . -L 1", "tree --info src"],
      deny: ["tree -o ~/.bashrc", "tree --fromfile .env"],
    },
  },
  {
    names: "xmllint",
    summary: "checks and prints XML",
    // The analyser: an operand may be an address. Entities and DTDs stay off.
    style: "words",
    options: rows(
      "--format; --noout; --xpath=text; --pretty=text; --encode=text; --output -o=write; --html; --xmlout; --nonet; --noblanks; --nocdata; --nowarning; --quiet; --timing",
      "--recover; --huge; --nowrap; --htmlout; --c14n; --c14n11; --exc-c14n; --nsclean; --schema=read; --relaxng=read; --schematron=read; --stream; --memory; --push; --debug",
      "--nodefdtd; --dropdtd; --pattern=text; --copy; --repeat; --noenc; --nocompact; --sax; --sax1; --version",
    ),
    analyse: "url-or-path",
    examples: {
      allow: ["xmllint a.xml", "xmllint --nonet --noout a.xml", "xmllint --nonet --format a.xml", "xmllint --nonet --xpath //a a.xml"],
      ask: [
        "xmllint --nonet --output x.xml a.xml",
        "xmllint --nonet --noent a.xml",
        "xmllint --nonet --shell a.xml",
        "xmllint http://evil.example/x.xml",
      ],
      deny: ["xmllint --nonet .env", "xmllint --nonet --version .env", "xmllint --nonet -o ~/.bashrc a.xml"],
    },
  },
  {
    names: "dos2unix unix2dos mac2unix unix2mac",
    summary: "converts line ends in place",
    // dos2unix(1): an option is for the files behind it, and a file may be followed by options.
    style: "posix",
    options: rows(
      "--allow-chown; --no-allow-chown; -ascii; -iso; -7; -1252; -437; -850; -860; -863; -865; -b --keep-bom; -c --convmode=text; -f --force; -i --info[=text] -> edit becomes read",
      "-k --keepdate; -l --newline; -m --add-bom; -O --to-stdout -> edit becomes read; -e --add-eol; --no-add-eol; -q --quiet; -r --remove-bom; -s --safe",
      "-u --keep-utf16; -ul --assume-utf16le; -ub --assume-utf16be; -v --verbose; -F --follow-symlink; -R --replace-symlink; -S --skip-symlink",
      "-h --help -> stop; -V --version -> stop; -L --license -> stop",
      "# pairs of names, or writes although -i was said: -n --newfile -o --oldfile",
    ),
    operands: "edit*",
    analyse: "late-options",
    examples: {
      allow: ["dos2unix < a.txt", "dos2unix -i a.txt", "unix2dos -O a.txt", "dos2unix --info=h a.txt b.txt"],
      ask: [
        "dos2unix a.txt",
        "dos2unix -n a.txt c.txt",
        "dos2unix a.txt -i",
        "unix2dos a.txt --info",
        "mac2unix a.txt -O",
        "dos2unix -i a.txt -o b.txt",
        "dos2unix -i -o a.txt",
        "dos2unix -i a.txt -n b.txt c.txt",
      ],
      deny: ["dos2unix ~/.bashrc", "dos2unix .env"],
    },
  },
  {
    names: "sponge",
    summary: "writes a file after reading all input",
    options: rows("-a; -h -> stop"),
    operands: "write?",
    output: "input",
    examples: { allow: ["sponge < a.txt"], ask: ["sort a.txt | sponge a.txt"], deny: ["cat a.txt | sponge ~/.bashrc"] },
  },
  {
    names: "pv",
    summary: "shows progress of a pipe",
    options: rows(
      "-p --progress; -t --timer; -e --eta; -I --fineta; -r --rate; -a --average-rate; -b --bytes; -T --buffer-percent; -F --format=text; -n --numeric; -q --quiet; -W --wait",
      "-D --delay-start=text; -s --size=text; -l --line-mode; -0 --null; -i --interval=text; -w --width=text; -H --height=text; -N --name=text; -f --force; -c --cursor",
      "-L --rate-limit=text; -B --buffer-size=text; -C --no-splice; -h --help -> stop; -V --version -> stop",
    ),
    operands: "read*",
    output: "input",
    examples: { allow: ["pv a.txt | wc -c"], ask: ["pv -d 1"], deny: ["pv .env"] },
  },
];
