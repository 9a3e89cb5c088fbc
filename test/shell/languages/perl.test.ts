import { afterAll, describe, expect, it } from "vitest";
import type { CodeFinding } from "../../../packages/core/src/shell/languages/finding.ts";
import { readPerl } from "../../../packages/core/src/shell/languages/perl.ts";
import { canIsolate, random, ROUNDS, seedOr, Scratch, which } from "./scratch.ts";
import { workedSince } from "../../worked.ts";

const code = (detail: string): CodeFinding => ({ does: "code", language: "perl", detail });

describe("harmless Perl", () => {
  it.each([
    "print 1+1",
    'print "hello\\n"',
    "s/a/b/g",
    "print if /x/ and $. > 3",
    "s{a}{b}gx; tr/a-z/A-Z/; y,a,b,",
    "s/(\\d+)/$1 + 1/ge",
    'my @a = split /,/, $_; print join("-", map { $_ * 2 } grep { $_ > 1 } @a), "\\n"',
    '$h{$_}++; END { print "$_ $h{$_}\\n" for sort keys %h }'.replace("END", "END"),
    'print $F[0], " ", $F[-1], "\\n"',
    'for my $i (1..10) { print $i x 3, "\\n" if $i % 2 == 0 }',
    "use strict; use warnings; use List::Util qw(sum max); print sum(1, 2, 3)",
    'print STDERR "x"',
    'print $ENV{HOME}, "$ENV{USER}"',
    'while (my $line = <STDIN>) { chomp $line; print length($line), "\\n" }',
    "print 'system(\"id\")', q(unlink), qq{a $b}, qw(a b)",
    "%h = (system => 1, b => 2); print $h{system}",
    "$_ = uc; print; # unlink 'x'",
    'print "a@b.com $1 ${x}y"',
    'printf("%d %s\\n", 3 / 2, time / 60)',
    "",
  ])("%j", (source) => expect(readPerl(source)).toEqual([]));
});

describe("Perl that does more", () => {
  it.each<[string, CodeFinding[]]>([
    ['unlink "x"', [code("uses unlink")]],
    ['system("id")', [code("uses system")]],
    ["print `id`", [code("uses ```")]],
    ["print qx(id)", [code("uses qx")]],
    ['open F, "x"', [code("uses open")]],
    ['eval "1"', [code("uses eval")]],
    ['do "x.pl"', [code("uses do")]],
    ["require POSIX", [code("uses require")]],
    ["use POSIX", [code("uses the module POSIX")]],
    ["use Socket", [code("uses the module Socket")]],
    ["print while <>", [code("reads files or lists names with `<…>`")]],
    ["print <*.c>", [code("reads files or lists names with `<…>`")]],
    ['@ARGV = ("id|")', [code("uses @ARGV")]],
    ["$x->[0] = 1", [code("uses $x")]],
    ["$h{a}[0] = 1", [code("follows references")]],
    ["@$x = 1", [code("uses a special variable or a reference")]],
    ['$^I = ".bak"', [code("uses a special variable or a reference")]],
    ["&f", [code("has a `&` that is not certainly an operator")]],
    ["*f = 1", [code("has a `*` that is not certainly an operator")]],
    ['print -e "x"', [code("tests files")]],
    ["\"@{[system 'id']}\"", [code("has an expression inside a string")]],
    ["\"${\\ system 'id'}\"", [code("has an expression inside a string")]],
    ["\"$x[system('id')]\"", [code("has an expression inside a string")]],
    ["/(?{system 'id'})/", [code("runs code inside a pattern")]],
    ["s/a/system 'id'/e", [code("uses system")]],
    ["s/a/1/ee", [code("has flags of a pattern that are not known")]],
    ["sub f { 1 } f()", [code("uses sub")]],
    ["# sub unlink {\nunlink 1", [code("uses unlink")]],
    ["$a'b; system('id'); #'", [code("uses $a")]],
    ["$h{ y }; system('id'); }x}", [code("quotes with `y` in an unusual way")]],
    ["length < 3; $x = '> ; system(1); #'", [code("has something after length that is not certainly an operator")]],
    ["print shift / 2; '/; system(1); #'", [code("has a `/` that is not certainly an operator")]],
    ["print length / 2; #/ ", [code("has a `/` that is not certainly a pattern")]],
    ["print $ENV{API_KEY}", [{ does: "environment" }]],
    ["print %ENV", [{ does: "environment" }]],
    ["$SIG{ALRM} = 1", [code("uses $SIG")]],
    ["print <<X\nX", [code("reads files or lists names with `<…>`")]],
    ['print "a', [code("has a quoted text without its end")]],
    ["{ print", [code("has brackets that do not match")]],
  ])("%j", (source, findings) => expect(readPerl(source)).toEqual(findings));

  it("is quick about hostile input", () => {
    const start = process.cpuUsage();
    for (const part of ["(", '"$', "s{", "$a[", "print ", "{", "/", "use ", "sub a", "q(", "- ", "s/a/b/e;"]) readPerl(part.repeat(8000));
    expect(workedSince(start)).toBeLessThan(6000);
  });
});

const perl = which("perl");

describe.skipIf(perl === undefined || !canIsolate())("against the real perl", () => {
  const scratch = new Scratch();
  afterAll(() => scratch.remove());

  const PIECES =
    `print ~"a" ~'b' ~system("id") ~\`id\` ~open(F, ">o1") ~$x ~$h{a} ~$h{ y } ~$a[0] ~@a ~%h ~"$x" ~"@{[system 'id']}" ~"\${\\ system 'id'}" ~s/a/b/ ~s/a/system "id"/e ~s{a}{b} ~y/a/b/ ~m#a# ~/a/ ~/(?{system "id"})/ ~qw(a b) ~q'id' ~<STDIN> ~<> ~shift ~time ~length ~uc ~/ 2 ~< 3 ~> 1 ~? 1 : 2 ~% 2 ~* 2 ~& 1 ~; ~; ~, ~. ~( ~) ~{ ~} ~[ ~] ~' ~" ~/ ~# ~\n ~=> ~-e ~do ~eval ~sub f { ~f() ~if ~for ~map { ~1 ~= ~=~ ~x 3 ~$a'b ~-> ~$ ~@ ~\\ ~y ~s ~q ~=cut\n ~<<X ~\nX\n ~__END__`.split(
      " ~",
    );

  it(`sees every effect of ${ROUNDS} random programs`, () => {
    const { below, pick } = random(seedOr(17));
    const TAILS = [
      "",
      `; system("id")`,
      `'; system("id"); #'`,
      `"; system("id"); #"`,
      `/; system("id"); #/`,
      `}; system("id"); #}`,
      `>; system("id"); #>`,
    ];
    expect(scratch.effect(perl!, ["-e", "system 'id'"]).did).toBe("ran a command");
    const missed: string[] = [];
    let harmless = 0;
    for (let round = 0, tries = 0; round < ROUNDS && tries < ROUNDS * 500; tries += 1) {
      let program = "";
      for (let n = 1 + below(6); n > 0; n -= 1) program += pick(PIECES) + pick(["", " ", " ", "; "]);
      program += pick(TAILS);
      const silent = readPerl(program).length === 0;
      // What is refused needs no check.
      if (!silent || !program.includes("id")) continue;
      round += 1;
      harmless += 1;
      const { did } = scratch.effect(perl!, ["-e", program]);
      if (did !== undefined) missed.push(`${JSON.stringify(program)} ${did}`);
    }
    expect(missed).toEqual([]);
    expect(harmless).toBeGreaterThan(ROUNDS / 4);
  }, 3_600_000);
});
