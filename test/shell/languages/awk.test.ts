import { afterAll, describe, expect, it } from "vitest";
import { readAwk } from "../../../packages/core/src/shell/languages/awk.ts";
import type { CodeFinding } from "../../../packages/core/src/shell/languages/finding.ts";
import { canIsolate, random, ROUNDS, seedOr, Scratch, which } from "./scratch.ts";
import { workedSince } from "../../worked.ts";

const write = (path: string): CodeFinding => ({ does: "file", operation: "write", path });
const read = (path: string): CodeFinding => ({ does: "file", operation: "read", path });
const shell = (command: string): CodeFinding => ({ does: "shell", command });
const unknown = (why: string): CodeFinding => ({ does: "unknown", why });

describe("harmless awk programs", () => {
  it.each([
    "$3 > 100 {print $1}",
    "{print $1, $NF}",
    "NR>1 && $2>5",
    "{print (a > b) ? 1 : 2}",
    "{s += $1} END {print s/NR}",
    "{ if ($1 > max) max = $1 } END { print max }",
    '{printf "%s > %s | %s\\n", $1, $2, "system("}',
    "/a>b|c/ {n++} END {print n+0}",
    "!seen[$0]++",
    'BEGIN{FS=":"; OFS="\\t"} {$1=$1} 1',
    "function f(x, y) { return x > y } {print f($1, $2)}",
    '{print > "/dev/stderr"}',
    'BEGIN{while ((getline l < "-") > 0) n++; print n}',
    "FILENAME==ARGV[1]{a[$1]; next} $1 in a",
    '{gsub(/[^a-z]/, ""); print length($0) > 3}'.replace("> 3", ""),
    "{print toupper(substr($0,1,1)) substr($0,2)}",
    'BEGIN{print ENVIRON["HOME"]}',
    "{a = $1 / 2; b = a / 3; print a, b}",
    '$1 ~ /x/ {print; next}\n{print "-"}',
    'BEGIN{system("")}',
    '{print "id" "|" "sh"}',
    "NR==FNR{a[$1]=$2;next}($1 in a){print $0,a[$1]}",
    '# print > "out"\n1',
    "",
  ])("%j", (program) => expect(readAwk(program)).toEqual([]));
});

describe("awk programs that do more", () => {
  it.each<[string, CodeFinding[]]>([
    ['BEGIN{system("rm -rf ~")}', [shell("rm -rf ~")]],
    ['{system("echo " $1)}', [unknown("it runs a command made while it runs")]],
    ['{print > "out"}', [write("out")]],
    ['{print $1, $2 >> "out"; close("out")}', [write("out")]],
    ['{print (1)(2) > "out"}', [write("out")]],
    ['{printf("%s", $1) > "out"}', [write("out")]],
    ["{print $0 > $1}", [unknown("it writes a file named while it runs")]],
    ['{print > "a" "b"}', [unknown("it writes a file named while it runs")]],
    ['{print $1,\n$2 > "out"}', [write("out")]],
    ['{print | "sort -u"}', [shell("sort -u")]],
    ['BEGIN{"date" | getline d; print d}', [shell("date")]],
    ['BEGIN{while (("id" | getline l) > 0) print l}', [shell("id")]],
    ['BEGIN{"a" "b" | getline}', [unknown("it runs a command made while it runs")]],
    ['BEGIN{c="id"; c | getline}', [unknown("it runs a command made while it runs")]],
    ['BEGIN{print "x" |& "cat"}', [shell("cat")]],
    ['BEGIN{s="/inet/tcp/0/evil.example/80"; print "x" |& s}', [unknown("it runs a command made while it runs")]],
    ['BEGIN{"/inet/tcp/0/evil.example/80" |& getline x}', [{ does: "net", host: "evil.example" }]],
    ['BEGIN{while ((getline l < "/etc/shadow") > 0) print l}', [read("/etc/shadow")]],
    ["{getline x < $1}", [unknown("it reads a file named while it runs")]],
    ["BEGIN{for (k in ENVIRON) print ENVIRON[k]}", [{ does: "environment" }]],
    ['BEGIN{print ENVIRON["GITHUB_TOKEN"]}', [{ does: "environment" }]],
    ['@load "filefuncs"\nBEGIN{}', [{ does: "code", language: "awk", detail: '@load "filefuncs"' }]],
    ['@include "x.awk"', [{ does: "code", language: "awk", detail: '@include "x.awk"' }]],
    [
      'BEGIN{f="system"; @f("id")}',
      [unknown("it calls a function by a name made while it runs (`@`)"), unknown("it calls the unknown function f")],
    ],
    ['BEGIN{ARGV[1]="/etc/shadow"; ARGC=2} 1', [unknown("it may change which files awk reads (ARGV)")]],
    ['BEGIN{SYMTAB["x"]=1}', [unknown("it reaches every variable through SYMTAB")]],
    ['BEGIN{chdir("/")}', [unknown("it calls the unknown function chdir")]],
    ["/[/]/ {print}", [unknown("an awk program with a pattern that implementations end at different places")]],
    ["{print length / 2}", [unknown("an awk program with a `/` that is a division to some and a pattern to others")]],
    ['{print "a}', [unknown("an awk program with a string without its closing quote")]],
    ["{print", [unknown("an awk program with brackets that do not match")]],
  ])("%j", (program, findings) => expect(readAwk(program)).toEqual(findings));

  it("is quick about hostile input", () => {
    const start = process.cpuUsage();
    for (const part of ["print ,\n", "getline ", "\n", "(", "a[", "/[", '"\\', "x=1;", "|", "{"]) readAwk(part.repeat(10_000));
    readAwk(`{${"print ,\n\n\n".repeat(5000)}}`);
    expect(workedSince(start)).toBeLessThan(30_000);
  });
});

const awks = ["mawk", "gawk", "original-awk"].map(which).filter((path) => path !== undefined);

describe.skipIf(awks.length === 0 || !canIsolate())("against real awks", () => {
  const scratch = new Scratch();
  afterAll(() => scratch.remove());

  const EXPRESSIONS =
    `$1 ~1 ~"id" ~"o1" ~x ~$0 ~1 > 2 ~(1 > 2) ~x = "id" ~a["x"] ~a[1 > 0] ~/a/ ~/a>b/ ~/[^a]/ ~length ~length($0) ~x++ ~-1 ~!x ~f(1) ~"id" | getline ~("id" | getline x) ~"i" "d" | getline ~getline ~getline x < "key" ~(getline < "key") ~system("id") ~system("i" "d") ~1 ? 2 : 3 ~x ? "a" > "b" : "c" ~1 in a ~(1,2) in a ~x /2/ 1 ~1 /2 ~"a" /b/ ~$NF/2 ~substr("id", 1) ~"key" ~a ~sprintf("id") ~x ~ "id" ~x !~ /b/ ~NR==1 ~x += 2 ~x /= 2 ~(x)/2/1 ~@f(1)`.split(
      " ~",
    );
  const OUTPUTS =
    `~~~ > "o1"~ > x~ >> "o1"~ | "id"~ | x~ > ("o" 1)~ > "o" 1~ |& "id"~ >= "o1"~ > "/dev/stderr"~ > $1~, 2 > "o1"~,\n"x" > "o1"~ ? 1 : 2 > "o1"~ || 1 > "o1"~ ||\n1 > "o1"~ (2) > "o1"~ # x\n > "o1"`.split(
      "~",
    );
  const JUNK = [
    "/",
    ">",
    "|",
    "getline",
    '"',
    "\\\n",
    "#",
    "(",
    ")",
    "\n",
    ";",
    "<",
    '"key"',
    "[",
    "]",
    "print",
    "++",
    " ",
    "{",
    "}",
    "if (x)",
    "&&",
    "length",
  ];

  it(`sees every effect of ${ROUNDS} random programs`, () => {
    const { below, pick } = random(seedOr(11));
    const expression = (depth: number): string => {
      const one = pick(EXPRESSIONS);
      if (depth > 2 || below(3) > 0) return one;
      return `${one}${pick([" ", " > ", " && ", ", ", " | ", "/", " + ", " ~ ", " < ", " ? 1 : ", "\n"])}${expression(depth + 1)}`;
    };
    const statement = (): string => {
      switch (below(7)) {
        case 0:
          return `if (${expression(1)}) print ${expression(1)}${pick(OUTPUTS)}`;
        case 1:
          return `while ((${expression(1)}) && n++ < 2) ${expression(1)}`;
        case 2:
          return `x = ${expression(0)}`;
        case 3:
          return expression(0);
        case 4:
          return `printf(${expression(1)}, ${expression(1)})${pick(OUTPUTS)}`;
        default:
          return `print ${expression(0)}${pick(OUTPUTS)}`;
      }
    };
    const missed: string[] = [];
    let valid = 0;
    let acted = 0;
    let harmless = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      let body = "";
      for (let n = 1 + below(3); n > 0; n -= 1) body += statement() + pick(["; ", "\n", ";;", " "]);
      let program = `${pick(["BEGIN", "", "END", "/a/", "$1 > 0"])} {${body}} ${pick(["", "function f(x) { return x }", "1", '{print > "o1"}'])}`;
      if (below(4) === 0) {
        const cut = below(program.length);
        program = program.slice(0, cut) + pick(JUNK) + program.slice(cut + below(2));
      }
      const silent = readAwk(program).length === 0;
      harmless += Number(silent);
      for (const awk of awks) {
        const { did, ok } = scratch.effect(awk, [program, "in"]);
        valid += Number(ok);
        acted += Number(did !== undefined);
        if (did !== undefined && silent) missed.push(`${awk} ${JSON.stringify(program)} ${did}`);
      }
    }
    expect(missed).toEqual([]);
    expect(valid).toBeGreaterThan(ROUNDS / 10);
    expect(acted).toBeGreaterThan(ROUNDS / 20);
    expect(harmless).toBeGreaterThan(ROUNDS / 50);
  }, 3_600_000);
});
