import { NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Calculators, tables, identifiers and class files. dc(1) is not here: its `!` runs commands.

/** Of csvkit(1), all of its tools. */
const CSVKIT = rows(
  "-d --delimiter=text; -t --tabs; -q --quotechar=text; -u --quoting=text; -b --no-doublequote; -p --escapechar=text; -z --maxfieldsize=text; -e --encoding=text; -S --skipinitialspace",
  "-H --no-header-row; -K --skip-lines=text; -v --verbose; -l --linenumbers; --zero; -V --version -> stop; -h --help -> stop",
);

export const dataTools: readonly CommandSpec[] = [
  {
    names: "bc",
    summary: "calculates",
    options: rows(
      "-i --interactive -> terminal; -l --mathlib; -q --quiet; -s --standard; -w --warn; -e --expression=text; -f --file=read; -h --help -> stop; -v --version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["bc -l", "echo 1+2 | bc", "bc <<< 'scale=2; 10/3'"], ask: ["bc -i"], deny: ["bc .env", "bc -f .env"] },
  },
  {
    names: "csvcut csvlook csvstat csvgrep csvsort csvjson csvformat",
    summary: "looks at tables (csvkit)",
    style: "bsd",
    options: rows(
      CSVKIT,
      "-n --names; -c --columns=text; -C --not-columns=text; -x --delete-empty-rows; --max-rows=text; --max-columns=text; --max-column-width=text; -y --snifflimit=text; -I --no-inference",
      "--csv; --type; --nulls; --unique; --min; --max; --sum; --mean; --median; --stdev; --len; --freq; --freq-count=text; --count",
    ),
    operands: "read?",
    examples: {
      allow: ["csvcut -n a.csv", "csvstat a.csv", "cat a.csv | csvlook"],
      ask: ["csvjson --frobnicate a.csv"],
      deny: ["csvcut -c 1 .env"],
    },
  },
  {
    names: "uuidgen",
    reads: NO_OTHERS,
    summary: "makes an identifier",
    options: rows(
      "-r --random; -t --time; -n --namespace=text; -N --name=text; -m --md5; -s --sha1; -x --hex; -hdr; -h --help -> stop; -V --version -> stop",
    ),
    operands: "",
    // So that two made by the time are never the same: libuuid(3).
    upkeep: ["write /var/lib/libuuid/clock.txt"],
    examples: { allow: ["uuidgen", "uuidgen -r", "uuidgen -t"] },
  },
  {
    names: "javap",
    upkeep: ["write /tmp/hsperfdata_*/**"],
    summary: "shows what a class file holds",
    style: "words",
    // -J gives options to the virtual machine, agents too.
    options: rows(
      "-v -verbose; -l; -public; -protected; -package; -p -private; -c; -s; -sysinfo; -constants; -m -module=text; -module-path=list; -class-path -classpath -cp=list; -multi-release=text; -help -h -? -> stop; -version -> stop",
    ),
    operands: "read+",
    analyse: "response-file",
    examples: {
      allow: ["javap -c -p build/A.class", "javap -cp build com.example.A"],
      ask: ["javap -J-javaagent:x.jar A", "javap @args"],
      deny: ["javap .env"],
    },
  },
  {
    names: "jar",
    upkeep: ["write /tmp/hsperfdata_*/**"],
    summary: "archives of class files; only what lists one is known",
    style: "none",
    subcommands: {
      "tf|tvf|-tf|-tvf": {
        style: "bsd",
        operands: "read text*",
        analyse: "response-file",
        examples: {
          allow: ["jar tf a.jar", "jar -tvf a.jar META-INF"],
          ask: ["jar tf a.jar -J-javaagent:x.jar", "jar tf a.jar @args"],
          deny: ["jar tf .env"],
        },
      },
    },
    examples: { none: ["jar xf a.jar", "jar cf a.jar ."] },
  },
  {
    names: "jps",
    upkeep: ["write /tmp/hsperfdata_*/**"],
    summary: "lists Java processes",
    style: "bsd",
    options: rows("-q; -m; -l; -v; -V; -h --help -> stop"),
    operands: "",
    examples: { allow: ["jps -l"], ask: ["jps evil.example", "jps -J-javaagent:x.jar"] },
  },
  {
    names: "pkg-config pkgconf",
    summary: "how to compile against a library",
    style: "bsd",
    options: rows(
      "--list-all; --list-package-names; --modversion; --version -> stop; --help -> stop; --cflags; --cflags-only-I; --cflags-only-other; --libs; --libs-only-L; --libs-only-l; --libs-only-other; --exists; --validate",
      "--atleast-version=text; --exact-version=text; --max-version=text; --variable=text; --print-requires; --print-requires-private; --print-provides; --print-variables; --print-errors; --short-errors; --silence-errors",
      "--errors-to-stdout; --static; --shared; --uninstalled; --digraph; --path; --keep-system-cflags; --keep-system-libs; --no-cache",
    ),
    operands: "text*",
    examples: { allow: ["pkg-config --list-all", "pkg-config --cflags --libs gtk+-3.0"], ask: ["pkg-config --log-file=x openssl"] },
  },
];
