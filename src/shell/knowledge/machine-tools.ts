import { NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Programs, libraries, the terminal and the desktop.

export const machineTools: readonly CommandSpec[] = [
  {
    names: "getconf locale lsb_release sw_vers",
    summary: "system settings",
    options: rows(
      "-a --all; -c --category-name; -k --keyword-name; -m --charmaps; -v --verbose; -d --description; -i --id; -r --release; -s --short; -productName; -productVersion; -buildVersion; -h --help -> stop; -V --version -> stop; --usage -> stop",
    ),
    operands: "text*",
    examples: { allow: ["locale -a", "getconf PAGE_SIZE", "lsb_release -a", "sw_vers -productVersion"] },
  },
  {
    names: "which whereis",
    reads: NO_OTHERS,
    closed: true,
    summary: "finds programs",
    options: rows(
      "-a --all; -s; -i --read-alias; -v; -b; -m; -l; -g; -u; --skip-alias; --skip-dot; --skip-tilde; --show-dot; --show-tilde; --tty-only; -h --help -> stop; -V --version -> stop",
    ),
    operands: "text*",
    examples: { allow: ["which node", "which -a python3", "whereis ls"] },
  },
  {
    names: "ldd",
    summary: "libraries a program needs; may run that program",
    options: rows("-d --data-relocs; -r --function-relocs; -u --unused; -v --verbose; --help -> stop; --version -> stop"),
    operands: "script/program+",
    examples: { allow: ["ldd --version"], none: ["ldd ./untrusted"] },
  },
  {
    names: "nm objdump readelf size addr2line c++filt otool dwarfdump llvm-nm llvm-objdump llvm-readelf",
    summary: "looks into binaries",
    // binutils: an operand `@FILE` holds more arguments: the analyser refuses it. Plugins load code.
    options: rows(
      "-a --all --debug-syms --all-headers --archive-headers; -A --print-file-name --arch-specific; -B --format=text; -C --demangle[=text]; -c --archive-index; -d --disassemble --dynamic; -D --disassemble-all --dynamic-syms",
      "--use-dynamic; --disassemble-zeroes; -e --headers; -f --file-headers; -g --extern-only; -h --file-header; --section-headers; -l --line-numbers --program-headers; -L; -n --numeric-sort --notes; -o; -p --no-sort",
      "--private-headers; -P --portability; -r --reloc --relocs; -R --dynamic-reloc; -S --sections; -s --syms --symbols; --full-contents; --dyn-syms; -t --section-details; -T; -u --undefined-only --unwind; -V --version-info",
      "-W --wide; -w --debug-dump[=text]; -x; -j --section=read; -M --disassembler-options=text; -m --architecture=text; --start-address=text; --stop-address=text; --no-show-raw-insn; --show-raw-insn; --source; --print-size",
      "--size-sort; --defined-only; --no-demangle; --dwarf[=text]; --dwarf-depth=text; -I --histogram; -i; -z; -H; --help -> stop; -v; --version -> stop",
      "# load code: --plugin",
    ),
    operands: "read*=a.out",
    analyse: "response-file",
    examples: {
      allow: ["nm", "nm a.out", "objdump -d a.out", "readelf -h a.out", "readelf -a a.out", "size a.out"],
      ask: ["nm --plugin ./evil.so a.out", "objdump @args"],
      deny: ["nm .env"],
    },
  },
  {
    names: "ldconfig",
    summary: "library cache",
    options: rows("-p --print-cache -> stop; -N; -X; -v --verbose; -? --help -> stop; --usage -> stop; -V --version -> stop"),
    operands: "",
    effects: "system packages, danger host-effect",
    examples: { allow: ["ldconfig -p"], ask: ["ldconfig", "ldconfig -n ."] },
  },
  {
    names: "nvidia-smi",
    otherwise: "host-effect",
    summary: "graphics processors; what sets something is not listed",
    style: "bsd",
    options: rows(
      "-L --list-gpus; -q --query; -i --id=text; -d --display=text; -l --loop=text; --query-gpu=text; --query-compute-apps=text; --format=text; -h --help -> stop; --version -> stop",
    ),
    operands: "",
    examples: {
      allow: ["nvidia-smi", "nvidia-smi --query-gpu=name,memory.used --format=csv"],
      ask: ["nvidia-smi -pm 1", "nvidia-smi -q -f x", "nvidia-smi -r"],
    },
  },
  {
    names: "clear reset",
    summary: "clears the terminal",
    options: rows("-x; -V -> stop"),
    operands: "",
    examples: { allow: ["clear", "reset"] },
  },
  {
    names: "tput",
    summary: "terminal capabilities",
    options: rows("-V -> stop; -x"),
    operands: "text*",
    examples: { allow: ["tput cols", "tput setaf 1"], ask: ["tput -S", "tput -T evil init"] },
  },
  {
    names: "pbcopy pbpaste xclip xsel wl-copy wl-paste",
    summary: "the clipboard",
    // What a person copied may be a secret; what is put there a person may paste.
    options: rows("-Prefer=text; -selection=text; -sel=text; -i; -o; -b; -p; -n; -t=text; --clipboard; --input; --output; --primary"),
    style: "words",
    operands: "refuse*",
    effects: "terminal",
    examples: { ask: ["pbpaste", "pbcopy < a.txt", "xclip -o", "wl-paste"], deny: ["pbcopy < .env"] },
  },
  {
    names: "say afplay beep notify-send osd",
    summary: "tells a person something",
    options: rows(
      "-v=text; -r=text; -u --urgency=text; -t --expire-time=text; -i --icon=text; -a --app-name=text; -c --category=text",
      "# write or read files: -o -f -h",
    ),
    operands: "text*",
    examples: { allow: ["say done", "notify-send -u low build done"], ask: ["say -f a.txt -o x.aiff"] },
  },
  {
    names: "open xdg-open wslview",
    summary: "opens a file or address in whatever program it belongs to",
    operands: "refuse*",
    effects: "terminal",
    examples: { ask: ["open a.html", "xdg-open https://example.com", "open -a Terminal evil.sh", "xdg-open a.txt"] },
  },
  {
    names: "code codium code-insiders cursor windsurf",
    summary: "editors with windows",
    style: "none",
    operands: "refuse*=.",
    subcommands: {
      "--version|-v|--help|-h|--list-extensions": {
        style: "none",
        operands: "",
        examples: { allow: ["code --version", "code --list-extensions"], ask: ["code --version ."] },
      },
    },
    examples: { none: ["code ."], ask: ["code --install-extension evil"] },
  },
  {
    names: "cloc tokei scc",
    summary: "counts lines of code",
    options: rows(
      "--json; --csv; --yaml; --quiet; --vcs=shell; --exclude-dir=text; --include-lang=text; --by-file; --sum-one; -f; -s=text; -e=text; --sort=text; --no-complexity; -h --help -> stop; -V; --version -> stop",
      "# run programs or write: -o --output --extract-with --out --report-file --config --read-lang-def",
    ),
    style: "bsd",
    operands: "listtree*=.",
    examples: {
      allow: ["cloc src", "tokei", "cloc --json ."],
      ask: ["cloc --extract-with=./evil a.gz", "cloc --out=x src", "scc -o x src"],
      deny: ["cloc --vcs='rm -rf ~' ."],
    },
  },
];
