import { describe, expect, test } from "vitest";
import { verdictFor } from "./knowledge/decide.ts";

// What never ends, and who keeps it: by a pipe, a file under whatever name, `<(…)`, a loop, a program of awk, perl or jq.

describe("what keeps a text without end asks", () => {
  test.each([
    "x=$(</dev/zero)",
    ': "$(< "/dev/urandom")"',
    'p=/dev/zero; x=$(<"$p")',
    "x=`</dev/./full`",
    "read -d '' x < <(yes)",
    "yes | { read -rd '' x; }",
    "yes | while read -N 99999999999 x; do :; done",
    "sort <(yes)",
    "sort -R --random-source=/dev/urandom /dev/urandom",
    "sort -m <(yes) a.txt",
    "cat <(yes) | tac",
    "diff <(yes) a.txt",
    "sdiff a.txt <(cat /dev/zero)",
    "comm <(cat /dev/zero) a.txt",
    "x=$(cat <(yes))",
    "dd if=/dev/zero bs=1M | sort",
    "dd if=/dev/urandom | sponge",
    "p=/dev/zero; sort < $p",
    "p=/dev/zero; sort $p",
    "sort < /dev/../dev/zero",
    "sort /dev//zero",
    "cd /dev && sort zero",
    "cd /dev; sort < zero",
    "iconv -f utf8 -t utf8 /dev/zero",
    "tsort < /dev/zero",
    "yes | jq -s .",
    "yes 1 | jq -Rs .",
    "yes | perl -0777 -ne 1",
    "yes | sed -nz p",
    "yes | grep -zc y",
    "yes | nice sort",
    "f() { yes; }; x=$(f)",
    "while :; do echo a; done | sort",
    "until false; do printf 'a\\n'; done | tac",
    "for ((;;)); do echo a; done | sort",
    "x=$(while true; do echo a; done)",
    `awk 'BEGIN{while(1)x=x "a"}'`,
    "mawk 'BEGIN{for(;;)a[i++]}'",
    "gawk 'BEGIN { for (i = 0;; i++) a[i] }'",
    "perl -e 'while(1){push @a,1}'",
    "perl -e 'push @a,1 while 1'",
    "perl -e 'until (0) { $x .= 1 }'",
    "perl -e 'for(;;){$x.=1}'",
    "jq -n '[range(infinite)]'",
    "jq -n '[repeat(1)]'",
    "jq -n 'reduce range(1e12) as $i ([]; .+[$i])'",
  ])("%s", (line) => {
    expect(verdictFor(line).decision).toBe("ask");
  });
});

describe("what takes a part of it, or meets an end, goes ahead", () => {
  test.each([
    "x=$(<a.txt)",
    "x=$(</dev/null)",
    "x=$(head -c 16 /dev/urandom | base64)",
    "head -c 16 /dev/urandom | xxd -p",
    "od -An -N16 -tx1 /dev/urandom | sort",
    "dd if=/dev/urandom bs=16 count=1 | xxd",
    "dd if=/dev/zero bs=1M count=10 | md5sum",
    "tr -dc a-z < /dev/urandom | head -c 16",
    "sort <(yes | head -5)",
    "yes | head -5 | sort",
    "diff <(sort a.txt) <(sort b.txt)",
    "read -r -d '' x < a.txt",
    `while IFS= read -r -d '' f; do echo "$f"; done < <(find . -print0)`,
    "cat a.txt | jq -s .",
    "sed -z 's/a/b/' a.txt",
    "grep -z x a.txt",
    "iconv -f utf8 -t latin1 a.txt",
    "while :; do echo a; sleep 1; done",
    "while true; do read x || break; echo $x; done",
    "awk 'BEGIN{while(1){ if (i++>3) break; print i}}'",
    "awk 'BEGIN{for(;;){if(i++>3)exit}}'",
    "awk '{for(i=1;i<=NF;i++) print $i}' a.txt",
    "perl -ne 'print while s/a/b/' a.txt",
    "perl -e 'for(my $i=0;$i<3;$i++){print $i}'",
    "jq -n '[limit(3; repeat(1))]'",
    "jq -n 'first(range(10;infinite))'",
    "jq '[range(10)]' a.json",
  ])("%s", (line) => {
    expect(verdictFor(line).decision).toBe("allow");
  });
});
