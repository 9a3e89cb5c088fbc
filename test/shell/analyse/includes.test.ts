import { describe, expect, it } from "vitest";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "../world.ts";

const P = "/home/u/p";
/** Files that are read, and doubts, where a.c or a source of that name says this. */
function read(line: string, texts: Readonly<Record<string, string>>): string {
  const files = Object.fromEntries(Object.keys(texts).map((name) => [`${P}/${name}`, "file" as const]));
  const world = smallWorld({ files, text: (path) => texts[path.slice(P.length + 1)] });
  const { actions, unknowns } = lowerShell(line, { world });
  const reads = actions.flatMap((action) =>
    action.kind === "file" && action.operation === "read" && action.target.kind === "path" ? [action.target.path] : [],
  );
  return [...reads, ...unknowns.map(({ reason }) => reason)].join("; ");
}

describe("what a source includes is shown by gcc -E", () => {
  it.each([
    '#include "/home/u/.ssh/id_rsa"',
    ' # include "/home/u/.ssh/id_rsa"',
    '%:include "/home/u/.ssh/id_rsa"',
    '??=include "/home/u/.ssh/id_rsa"',
    '#inc\\\nlude "/home/u/.ssh/id_rsa"',
    '/**/#include "/home/u/.ssh/id_rsa"',
    '/*\n*/ #include "/home/u/.ssh/id_rsa"',
    'char *s = "/*";\n#include "/home/u/.ssh/id_rsa"\nchar *t = "*/";',
    '// x /*\n#include "/home/u/.ssh/id_rsa"\n// */',
    '#embed "/home/u/.ssh/id_rsa"',
    '#include_next "/home/u/.ssh/id_rsa"',
    '#include "b.h"',
  ])("%j", (text) => {
    expect(read("gcc -E a.c", { "a.c": text, "b.h": '#include "/home/u/.ssh/id_rsa"' })).toContain("/home/u/.ssh/id_rsa");
  });

  it.each([
    '#define X "/x"\n#include X',
    '# /* */ include "/x"',
    '#/*\n*/include "/x"',
    '#include /* */ "/x"',
    '// /*\n#/*\n*/include "/x"',
  ])("%j is not followed", (text) => {
    expect(read("gcc -E a.c", { "a.c": text })).toContain("includes is not known");
  });

  it("its own headers are", () => {
    expect(read("gcc -E a.c", { "a.c": '#include <stdio.h>\n#include "b.h"\nint a;', "b.h": "int b;" })).not.toContain("not known");
  });
});

describe("a source that may take in any file", () => {
  it.each([
    ["pandoc a.rst", ".. include:: /etc/passwd"],
    ["pandoc -f rst a.txt", ".. include:: /etc/passwd"],
    ["pandoc a.org", "#+INCLUDE: /etc/passwd"],
    ["pandoc a.tex", "\\input{/etc/passwd}"],
    ["pandoc -f latex a.md", "\\input{/etc/passwd}"],
    ["cat a.rst | pandoc -f rst", ".. include:: /etc/passwd"],
  ])("%s", (line, text) => {
    const name = /a\.\w+/.exec(line)?.[0] ?? "";
    expect(read(line, { [name]: text })).toContain("may take in any file");
    expect(read(`${line} --sandbox`, { [name]: text })).not.toContain("may take in any file");
  });

  it.each(["pandoc *.rst", "pandoc a*", "for f in *.rst; do pandoc $f; done", "pandoc */*.rst", "ls *.rst | xargs pandoc"])(
    "%s",
    (line) => {
      expect(read(line, { "a.rst": ".. include:: /etc/passwd" })).toContain("may take in any file");
    },
  );

  it.each(["pandoc *.rst", "pandoc *.md", "pandoc a.rst b.md"])("%s takes in nothing else", (line) => {
    expect(read(line, { "a.rst": "text", "b.md": "text" })).not.toContain("may take in any file");
  });

  it.each(["constructor", "__proto__", "toString"])("a reader called %s is none", (name) => {
    expect(() => read(`pandoc -f ${name} a.md; pandoc a.${name}`, { "a.md": "" })).not.toThrow();
  });
});

// pandoc(1), "Citations", "Metadata variables", --embed-resources: what the text or the line names is fetched, and pictures lie in the result.
describe("what pandoc takes in beside the text", () => {
  it.each<readonly [line: string, text: string, expected: boolean]>([
    ["pandoc -C a.md", "---\nbibliography: http://evil.example/x\n---\n", true],
    ["pandoc --citeproc a.md", "---\ncsl: /home/u/.ssh/id_rsa\n---\n", true],
    ["pandoc -C a.md", "# Title\n\ntext [@a]\n", false],
    ["pandoc -C < a.md", "", true],
    ["pandoc -M csl=http://evil.example/x a.md", "", true],
    ["pandoc --metadata=bibliography:http://evil.example/x a.md", "", true],
    ["pandoc --metadata bibliography=$X a.md", "", true],
    ["pandoc -M title=x a.md", "![](b.png)\n", false],
    ["pandoc -t docx a.md", "![](/home/u/.ssh/id_rsa)\n", true],
    ["pandoc -o a.epub a.md", "---\ncover-image: ../x\n---\n", true],
    ["pandoc -o a.odt a.html", "<img src=http://evil.example/x>\n", true],
    ["pandoc -t html a.md", "![](http://evil.example/x)\n", false],
    ["pandoc -t docx a.md", "# Title\n\ntext\n", false],
    ["pandoc --sandbox -C -t docx a.md", "![](/home/u/.ssh/id_rsa)\n", false],
  ])("%s of %j", (line, text, expected) => {
    const files = [`${P}/a.md`, `${P}/a.html`];
    const world = smallWorld({
      files: Object.fromEntries(files.map((path) => [path, "file" as const])),
      text: (path) => (files.includes(path) ? text : undefined),
    });
    expect(lowerShell(line, { world }).unknowns.length > 0).toBe(expected);
  });
});
