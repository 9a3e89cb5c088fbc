import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Documents: converting them, looking into them, typesetting.

const PDF = "-f=number; -l=number; -opw=text; -upw=text; -q; -v -> stop; -h -help --help -> stop";

export const documents: readonly CommandSpec[] = [
  {
    names: "pandoc",
    summary: "converts documents",
    style: "gnu",
    // `-f`, `-t`: a file name there is a Lua program: the analyser.
    options: rows(
      "-f -r --from --read=text; -t -w --to --write=text; -o --output=write; -s --standalone; -p --preserve-tabs; --tab-stop=number; --wrap=text; --columns=number; --toc --table-of-contents; --toc-depth=number; --no-highlight; -N --number-sections",
      "--shift-heading-level-by=text; -M --metadata=text; --metadata-file=read; -V --variable=text; --strip-comments; --ascii; --reference-links; --markdown-headings=text; --eol=text; --dpi=number; --section-divs; --id-prefix=text; --mathjax; --mathml; --listings; -i --incremental",
      "--log=write; --extract-media=writetree; --bibliography=read; --csl=read; -C --citeproc; --sandbox; --quiet; --verbose; --trace; --list-input-formats -> stop; --list-output-formats -> stop; --list-extensions[=text] -> stop; --list-highlight-languages -> stop; -v --version -> stop; -h --help -> stop",
      "# run programs or read whatever a file names: -F --filter -L --lua-filter -d --defaults --data-dir --pdf-engine --template --include-in-header --self-contained --embed-resources --reference-doc --css",
    ),
    operands: "read*",
    analyse: "pandoc",
    examples: {
      allow: ["pandoc -f markdown -t html a.md", "pandoc a.md", "pandoc --version", "pandoc --list-output-formats"],
      ask: [
        "pandoc a.md -o a.html",
        "pandoc -t ./evil.lua a.md",
        "pandoc --lua-filter evil.lua a.md",
        "pandoc -F ./evil a.md",
        "pandoc https://evil.example",
        "pandoc --pdf-engine=./evil a.md -o a.pdf",
      ],
      deny: ["pandoc .env", "pandoc --metadata-file .env a.md", "pandoc a.md -o ~/.bashrc", "pandoc --extract-media ~ a.md"],
    },
  },
  {
    names: "pdftotext pdftohtml",
    summary: "text of a PDF; beside it when no output is named",
    style: "words",
    options: rows(
      PDF,
      "-r=number; -x=number; -y=number; -W=number; -H=number; -layout; -fixed=number; -raw; -nodiag; -htmlmeta; -bbox; -bbox-layout; -tsv; -cropbox; -colspacing=number; -enc=text; -listenc -> stop; -eol=text; -nopgbrk",
    ),
    operands: "read out:write?=a.txt",
    examples: {
      allow: ["pdftotext a.pdf -", "pdftotext -layout -f 1 -l 2 a.pdf - | head", "pdftotext -v"],
      ask: ["pdftotext a.pdf", "pdftotext a.pdf x.txt"],
      deny: ["pdftotext a.pdf ~/.bashrc", "pdftotext .env -"],
    },
  },
  {
    names: "pdfinfo pdffonts",
    summary: "what a PDF is",
    style: "words",
    options: rows(
      PDF,
      "-box; -meta; -custom; -js; -struct; -struct-text; -url; -isodates; -rawdates; -dests; -enc=text; -listenc -> stop; -subst",
    ),
    operands: "read?",
    examples: { allow: ["pdfinfo a.pdf", "pdffonts a.pdf"], deny: ["pdfinfo .env"] },
  },
  {
    names: "pdftoppm pdftocairo pdfimages pdfseparate",
    summary: "pictures or pages of a PDF",
    style: "words",
    options: rows(
      PDF,
      "-list -> drop out; -png; -jpeg; -tiff; -svg; -pdf; -r=number; -rx=number; -ry=number; -scale-to=number; -scale-to-x=number; -scale-to-y=number; -x=number; -y=number; -W=number; -H=number; -singlefile; -mono; -gray; -j; -all; -p; -cropbox",
    ),
    operands: "read out:write=a",
    examples: {
      allow: ["pdfimages -list a.pdf", "pdftoppm -v"],
      ask: ["pdftoppm -png a.pdf out", "pdfseparate a.pdf p%d.pdf"],
      deny: ["pdfimages .env x"],
    },
  },
  {
    names: "pdfunite",
    style: "words",
    options: "-v -> stop\n-h -> stop",
    operands: "read+ out:write",
    examples: { ask: ["pdfunite a.pdf b.pdf c.pdf"], allow: ["pdfunite -v"], deny: ["pdfunite a.pdf b.pdf ~/.bashrc"] },
  },
  {
    names: "qpdf",
    summary: "changes the structure of a PDF",
    style: "words",
    options: rows(
      "-check -> drop out; -show-npages -> drop out; -show-pages -> drop out; -show-xref -> drop out; -show-encryption -> drop out; -list-attachments -> drop out; -is-encrypted -> drop out; -requires-password -> drop out; -check-linearization -> drop out; -password=text; -version -> stop; -help -> stop",
    ),
    operands: "read out:write?=-",
    analyse: "response-file",
    examples: {
      allow: ["qpdf --check a.pdf", "qpdf --show-npages a.pdf"],
      ask: ["qpdf a.pdf b.pdf", "qpdf --replace-input a.pdf", "qpdf --check @args"],
      deny: ["qpdf --check .env"],
    },
  },
  {
    names:
      "pdftk mutool pdfjam pdfcrop ocrmypdf img2pdf wkhtmltopdf weasyprint prince libreoffice soffice unoconv antiword catdoc docx2txt ebook-convert calibredb gs ps2pdf pdf2ps epstopdf latexml",
    summary: "changes or prints documents; PostScript and macros are programs",
    style: "none",
    operands: "code/document* read?",
    subcommands: { "--version": { style: "none", operands: "", examples: { allow: ["gs --version"] } } },
    examples: { none: ["gs -dNOSAFER a.ps", "libreoffice --headless --convert-to pdf a.docx", "wkhtmltopdf https://example.com a.pdf"] },
  },
  {
    names: "tesseract",
    summary: "text in a picture",
    style: "words",
    options: rows(
      "-l=text; -psm=number; -oem=number; -dpi=number; -list-langs -> stop; -version -v -> stop; -help -h -> stop; -help-psm -> stop; -print-parameters -> stop",
      "# may name files to write: -c",
    ),
    // Its options take no `=`: such a word is the picture to it, and the next what it writes.
    operands: "read out:write config:read*",
    examples: {
      allow: ["tesseract --list-langs", "tesseract a.png -"],
      ask: ["tesseract a.png out", "tesseract a.png - -c debug_file=x", "tesseract --dpi=1 a.png"],
      deny: ["tesseract .env -", "tesseract a.png ~/.bashrc"],
    },
  },
  {
    names: "dot neato fdp sfdp circo twopi osage patchwork",
    upkeep: ["write ~/.cache/fontconfig/**"],
    summary: "draws graphs",
    style: "bsd",
    options: rows(
      "-T=text; -o=write; -O -> write .; -K=text; -G=text; -N=text; -E=text; -l=read; -q[=text]; -s[=text]; -v; -V -> stop; -? -> stop; -y; -n[=text]",
      "# may configure plugins: -c -P",
    ),
    operands: "read*",
    examples: {
      allow: ["dot -Tsvg a.dot", "dot -V", "echo 'digraph{a->b}' | dot -Tdot"],
      ask: ["dot a.dot -Tpng -o a.png", "dot -Tpng -o a.png a.dot", "dot -Tpng -oa.png a.dot", "dot -O -Tpng a.dot", "dot -c"],
      deny: ["dot .env", "dot -o ~/.bashrc a.dot"],
    },
  },
  {
    names:
      "plantuml mmdc d2 asciidoctor asciidoctor-pdf asciidoc rst2html rst2pdf doxygen mdbook hugo jekyll zola hexo gatsby eleventy antora gitbook pelican sphinx-autobuild sphinx-quickstart typedoc-cli jsdoc javadoc rustdoc ghp-import marp slidev quarto bookdown",
    summary: "builds documents from the project, whose configuration and templates run",
    style: "none",
    operands: "code/project?=default code/project*",
    subcommands: { "--version": { style: "none", operands: "", examples: { allow: ["hugo --version"] } } },
    examples: { none: ["hugo", "plantuml a.puml", "asciidoctor -r ./evil.rb a.adoc", "jekyll build"] },
  },
  {
    names:
      "tex latex pdflatex xelatex lualatex luatex pdftex latexmk tectonic context bibtex biber makeindex dvips dvipdfmx texi2any texi2pdf mktexlsr tlmgr arara texcount chktex lacheck latexindent typst",
    summary: "typesets; documents are programs that write files and, with -shell-escape, run commands",
    style: "words",
    options: "-version -> stop\n-help -> stop",
    operands: "code/tex?=default code/tex*",
    effects: "write .",
    examples: {
      allow: ["pdflatex --version"],
      ask: [
        "pdflatex a.tex",
        "pdflatex -shell-escape a.tex",
        "latexmk -e 'system(\"id\")' a.tex",
        "typst compile a.typ",
        "tlmgr install x",
      ],
    },
  },
  {
    names: "kpsewhich",
    style: "words",
    options: rows(
      "-var-value=text; -format=text; -path=list; -progname=text; -engine=text; -show-path=text; -help -> stop; -version -> stop",
      "# makes files: -mktex -must-exist",
    ),
    operands: "text*",
    examples: { allow: ["kpsewhich article.cls", "kpsewhich -var-value TEXMFHOME"], ask: ["kpsewhich -mktex=pk x"] },
  },
];
