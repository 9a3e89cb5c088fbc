import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// JSON, CSV, XML and TOML on the command line.

const CSVKIT = rows(
  "-d --delimiter=text; -t --tabs; -q --quotechar=text; -u --quoting=text; -b --no-doublequote; -p --escapechar=text; -z --maxfieldsize=text; -e --encoding=text; -S --skipinitialspace; -H --no-header-row; -K --skip-lines=text; -v --verbose",
  "-l --linenumbers; --zero; -h --help -> stop; -V --version -> stop",
);

export const records: readonly CommandSpec[] = [
  {
    names: "mlr miller",
    summary: "CSV, JSON and other records",
    style: "posix",
    // Verbs follow, joined by `then`: the analyser knows which only select and compute.
    options: rows(
      "--csv -c; --tsv -t; --json -j; --jsonl; --icsv; --itsv; --ijson; --ijsonl; --ixtab; --inidx; --idkvp; --ipprint; --ocsv; --otsv; --ojson; --ojsonl; --oxtab; --opprint; --omd; --onidx; --odkvp; --c2j; --c2t; --c2p; --c2m; --c2l; --c2d; --c2n",
      "--t2c; --t2j; --t2p; --j2c; --j2t; --j2p; --j2m; --l2c; --l2j; --xtab; --pprint; --nidx; --dkvp; --ifs --fs --ofs=text; --ips --ps --ops=text; --irs --rs --ors=text; --implicit-csv-header --headerless-csv-input --hi",
      "--headerless-csv-output --ho; --allow-ragged-csv-input --ragged; --barred; --right; --from=read; -n; -N; --no-color -M; --ofmt=text; --records-per-batch=number; --no-auto-flatten; --no-auto-unflatten; -S; -A; --version -> stop; -h --help -> stop",
      "# changes files or runs programs: -I -s --load --mload --prepipe --prepipex",
    ),
    operands: "text*",
    analyse: "miller",
    examples: {
      allow: [
        "mlr --icsv --ojson cat a.csv",
        "mlr --icsv --opprint sort -nr x then head -n 5 a.csv",
        "mlr --c2p count-distinct -f x a.csv",
        "mlr --version",
      ],
      ask: [
        "mlr --icsv put '$x = system(\"id\")' a.csv",
        "mlr -I --csv sort -f x a.csv",
        "mlr --csv --prepipe ./evil cat a.csv",
        "mlr --csv tee x then cat a.csv",
        "mlr --csv cat then split -n 2 a.csv",
      ],
      deny: ["mlr --icsv cat .env", "mlr --csv --from .env cat", "mlr --csv join -j x -f .env a.csv"],
    },
  },
  {
    names: "gron",
    summary: "makes JSON greppable",
    style: "bsd",
    options: rows(
      "-u --ungron; -v --values; -c --colorize; -m --monochrome; -s --stream; -k --insecure; -j --json; --no-sort; -h --help -> stop; --version -> stop",
    ),
    operands: "read?",
    examples: { allow: ["gron package.json", "cat a.json | gron -s"], ask: ["gron https://example.com/x.json"], deny: ["gron .env"] },
  },
  {
    names: "dasel",
    style: "bsd",
    options: "-h --help -> stop\n--version -> stop",
    subcommands: {
      version: { operands: "", examples: { allow: ["dasel version"] } },
      select: {
        options: rows(
          "-f --file=read; -r --read=text; -w --write=text; -p --parser=text; -s --selector=text; -m --multiple; -n --null; --plain; -c --compact; --pretty; --colour; -o --out=write",
        ),
        operands: "text?",
        examples: {
          allow: ["dasel select -f package.json .name"],
          ask: ["dasel select -f a.json -o x .a"],
          deny: ["dasel select -f .env .a"],
        },
      },
      "put|delete": {
        options: rows(
          "-f --file=edit; -r --read=text; -w --write=text; -p --parser=text; -s --selector=text; -t --type=text; -v --value=text; -o --out=write",
        ),
        operands: "text*",
        examples: { ask: ["dasel put -f a.json -t string -v x .a", "dasel delete -f a.json .a"] },
      },
    },
    examples: { allow: ["dasel --version"], none: ["dasel .a"], ask: ["dasel -f a.json .a"] },
  },
  {
    names: "jo",
    summary: "makes JSON of its words",
    style: "bsd",
    options: rows("-a; -B; -D; -d=text; -e; -n; -p; -s; -f=read; -v -> stop; -V -> stop; -h -> stop"),
    operands: "text*",
    // NAME=@FILE, NAME=%FILE and NAME=:FILE read it.
    analyse: "jo",
    examples: { allow: ["jo a=1 b=x", "jo -p -a 1 2"], deny: ["jo a=@.env", "jo a=%.env", "jo a=:.env"] },
  },
  {
    names: "jc",
    summary: "turns the output of a command into JSON; runs that command itself when asked to",
    style: "posix",
    options: rows(
      "--df; --du; --ls; --ps; --ls-s; --dig; --date; --free; --git-log; --ini; --csv; --yaml; --xml; --toml; --kv; --id; --ifconfig; --ip-address; --iostat; --lsblk; --lsof; --mount; --netstat; --ss; --stat; --uname; --uptime; --w; --who; --wc; --env; --file; --find; --hash; --hosts; --jwt; --passwd; --ping; --pip-list; --sysctl; --systemctl; --timestamp; --traceroute; --tree; --url; --vmstat; --x509-cert",
      "-p; -r; -q; -m; -C; -y; -d; -a -> stop; -h -> stop; -v -> stop",
    ),
    operands: "command:argv?=true",
    examples: { allow: ["df | jc --df", "jc -p ls -l"], deny: ["jc rm -rf ~", "jc -p cat .env"] },
  },
  {
    names: "datamash",
    summary: "statistics of columns",
    style: "gnu",
    options: rows(
      "-C --skip-comments; -f --full; -g --group=text; --header-in; --header-out; -H --headers; -i --ignore-case; -s --sort; --no-strict; --filler=text; -t --field-separator=text; --format=text; --output-delimiter=text; --narm; -R --round=text; -W --whitespace; -z --zero-terminated; --help -> stop; --version -> stop",
    ),
    operands: "text*",
    examples: { allow: ["datamash -t, sum 1 mean 2 < a.csv"] },
  },
  {
    names: "csvjoin csvstack",
    summary: "csvkit: CSV on the command line",
    style: "gnu",
    options: rows(
      CSVKIT,
      "-c --columns=text; -n --group-name=text; -y --snifflimit=text; -I --no-inference; --blanks; --date-format=text; --datetime-format=text; -L --locale=text",
      "--outer; --left; --right; --filenames; -g --groups=text",
    ),
    operands: "read*",
    examples: { allow: ["csvjoin -c id a.csv b.csv", "csvstack a.csv b.csv"], deny: ["csvstack a.csv .env"] },
  },
  {
    names: "in2csv",
    style: "gnu",
    options: rows(
      CSVKIT,
      "-f --format=text; -s --schema=read; -k --key=text; -n --names; --sheet=text; --write-sheets=text -> write .; --encoding-xls=text; -y --snifflimit=text; -I --no-inference",
    ),
    operands: "read?",
    examples: {
      allow: ["in2csv a.xlsx", "in2csv -f json a.json"],
      ask: ["in2csv --write-sheets - a.xlsx"],
      deny: ["in2csv -f fixed -s .env a.txt"],
    },
  },
  {
    names: "csvclean",
    summary: "older versions write what they found beside the file",
    style: "gnu",
    options: rows(CSVKIT, "-n --dry-run"),
    operands: "read?",
    effects: "write .",
    examples: { ask: ["csvclean a.csv"] },
  },
  {
    names: "csvsql",
    summary: "SQL over CSV files; in a database with --db",
    style: "gnu",
    options: rows(
      CSVKIT,
      "-i --dialect=text; --query=sql; --tables=text; --no-constraints; --no-create; -y --snifflimit=text; -I --no-inference; --db=refuse; --insert=refuse; --before-insert=refuse; --after-insert=refuse",
    ),
    operands: "read*",
    examples: {
      allow: ["csvsql --query 'select count(*) from a' a.csv", "csvsql -i postgresql a.csv"],
      ask: ["csvsql --db sqlite:///x.db --insert a.csv", "csvsql --query 'drop table a' a.csv"],
      deny: ["csvsql --query 'select 1' .env"],
    },
  },
  {
    names: "sql2csv csvpy textql q dsq zq super octosql clickhouse-local steampipe",
    summary: "queries files and databases in languages that are not read here",
    style: "none",
    operands: "code/query?=repl code/query*",
    subcommands: { "--version": { style: "none", operands: "", examples: { allow: ["textql --version"] } } },
    examples: { none: ["sql2csv --db x --query 'drop table x'", "q 'select * from a.csv'", "csvpy a.csv"] },
  },
  {
    names: "xsv qsv",
    summary: "CSV on the command line",
    style: "bsd",
    options: "-h --help -> stop\n--version -> stop\n--list -> stop",
    subcommands: {
      "cat|count|fixlengths|flatten|fmt|frequency|headers|input|join|sample|search|select|slice|sort|stats|table": {
        options: rows(
          "-d --delimiter=text; -n --no-headers; -o --output=write; -s --select=text; -i --ignore-case --index; -v --invert-match; -N --numeric; -R --reverse; -l --limit --len=text; -e --end=text; --everything; --mode; --cardinality; --median; --nulls; -j --jobs --just-names=text; -t --out-delimiter=text; --left; --right; --full; --cross; --no-case; -c --condense=text; -w --width=text; -p --pad=text; --asc; --start=text",
        ),
        // `cat rows`, `join COLUMNS FILE …`, `search REGEX FILE`: words among the files are read as names of files.
        operands: "read*",
        examples: {
          allow: ["xsv stats a.csv", "qsv select 1,2 a.csv", "xsv search x a.csv"],
          ask: ["xsv sort -o x a.csv"],
          deny: ["xsv table .env"],
        },
      },
      "split|index|partition|extsort|apply|luau|py|sqlp|fetch|fetchpost|snappy|to|foreach": {
        style: "none",
        operands: "refuse*",
        effects: "write .",
        examples: { ask: ["xsv split out a.csv", "qsv foreach x 'rm {}' a.csv", "qsv luau map x 'os.execute()' a.csv", "xsv index a.csv"] },
      },
    },
    examples: { allow: ["xsv --version"], none: ["xsv frobnicate"] },
  },
  {
    names: "tomlq",
    summary: "queries TOML",
    style: "bsd",
    options: rows(
      "-r --raw-output; -c; -e --exit-status; -n; -S; -i --in-place -> read becomes edit; -t --toml-output; -h --help -> stop; --version -> stop",
      "# one of two programs of the name hands jq what it does not know: -x -V",
    ),
    operands: "filter:jq? read*",
    examples: {
      allow: ["tomlq .package Cargo.toml", "tomlq -r .package Cargo.toml"],
      ask: ["tomlq -i .a a.toml", "tomlq -x 1 Cargo.toml"],
      deny: ["tomlq . .env"],
    },
  },
  {
    names: "xq",
    summary: "queries XML (two programs of this name: one takes a filter of jq and files, the other one file)",
    style: "bsd",
    options: rows(
      "-r --raw-output; -c; -e --exit-status; -S; -h --help -> stop; --version -> stop",
      "# with a value in one of them: -x -n -q -i",
    ),
    operands: "filter:jq? read*",
    analyse: "lone-file",
    examples: {
      allow: ["cat a.xml | xq .", "xq .a a.xml", "xq a.xml"],
      ask: ["xq env a.xml", "xq -x //a a.xml"],
      deny: ["xq . .env", "xq .env"],
    },
  },
  {
    names: "taplo",
    summary: "TOML; checks against schemas it fetches",
    style: "bsd",
    options: rows("-c --config=read; --colors=text; -V --version -> stop; -h --help -> stop; --verbose"),
    subcommands: {
      get: {
        options: rows("-f --file-path=read; -o --output-format=text; -s --strip-newline"),
        operands: "text?",
        examples: { allow: ["taplo get -f Cargo.toml package.name"] },
      },
      "fmt|format": {
        options: rows(
          "--check -> writetree becomes tree; --diff -> writetree becomes tree; -f --force; -o --option=text; --stdin-filepath=text",
        ),
        operands: "writetree*=.",
        examples: { allow: ["taplo fmt --check Cargo.toml"], ask: ["taplo fmt", "taplo fmt a.toml"] },
      },
      "lint|check|validate": {
        options: "--default-schema-catalogs\n--no-schema",
        operands: "read*",
        effects: "net",
        examples: { ask: ["taplo lint"] },
      },
    },
    examples: { allow: ["taplo --version"], none: ["taplo lsp stdio"] },
  },
];
