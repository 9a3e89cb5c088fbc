import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// XML and HTML.

export const markup: readonly CommandSpec[] = [
  {
    names: "xsltproc",
    summary: "runs a stylesheet, which can read, write and fetch",
    style: "words",
    options: rows(
      "-o -output=write; -nonet; -novalid; -noout; -nowrite; -html; -xinclude; -param -stringparam=text+text; -maxdepth=number; -V -version -> stop",
    ),
    operands: "script/xslt read*",
    examples: { allow: ["xsltproc --version"], none: ["xsltproc a.xsl a.xml"], ask: ["xsltproc -o x a.xsl a.xml"] },
  },
  {
    names: "xmlstarlet",
    style: "posix",
    options: "--version -> stop\n--help -> stop",
    subcommands: {
      "el|elements": {
        style: "gnu",
        options: "-a\n-v\n-u\n-d=text",
        operands: "read*",
        examples: { allow: ["xmlstarlet el -u a.xml"], deny: ["xmlstarlet el .env"] },
      },
      "val|validate": {
        style: "gnu",
        options: rows("-w --well-formed; -q --quiet; -b --list-bad; -g --list-good; -e --err"),
        operands: "read*",
        examples: { allow: ["xmlstarlet val -w a.xml"] },
      },
      "fo|format": {
        style: "gnu",
        options: rows(
          "-n --noindent; -t --indent-tab; -s --indent-spaces=number; -o --omit-decl; -R --recover; -D --dropdtd; -C --nocdata; -N --nsclean; -e --encode=text; -H --html; -Q --quiet",
        ),
        operands: "read*",
        examples: { allow: ["xmlstarlet fo a.xml"] },
      },
      // Queries are stylesheets: document() reads and fetches.
      "sel|select|tr|transform|ed|edit": {
        style: "none",
        operands: "code/xslt*",
        examples: { none: ["xmlstarlet sel -t -v //a a.xml", "xmlstarlet ed -L -u //a -v x a.xml"] },
      },
    },
    examples: { allow: ["xmlstarlet --version"] },
  },
  {
    names: "html2text html2markdown",
    style: "words",
    options: rows(
      "-nometa; -ascii; -utf8; -check; -nobs; -o=write; -style=text; -unparse; -width=number; -ignore-links; -ignore-images; -body-width=number; -b=number; -help -h -> stop; -version -> stop",
    ),
    operands: "read*",
    examples: {
      allow: ["html2text a.html", "cat a.html | html2text -utf8"],
      ask: ["html2text https://example.com", "html2text -o x a.html"],
      deny: ["html2text .env"],
    },
  },
  {
    names: "tidy",
    summary: "checks and formats HTML",
    style: "words",
    options: rows(
      "-output -o=write; -f -file=write; -modify -m -> read becomes edit; -indent -i; -wrap -w=number; -upper -u; -clean -c; -bare -b; -numeric -n; -errors -e; -quiet -q; -omit; -xml; -asxml -asxhtml; -ashtml; -utf8; -ascii; -raw; -latin1; -version -v -> stop; -help -h -? -> stop",
      "# may name files to write: -config --output-file --error-file --write-back",
    ),
    operands: "read*",
    examples: {
      allow: ["tidy -q -e a.html", "tidy -xml a.xml"],
      ask: ["tidy -m a.html", "tidy -im a.html", "tidy -config x a.html", "tidy --write-back yes a.html"],
      deny: ["tidy -xml .env"],
    },
  },
];
