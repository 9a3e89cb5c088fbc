import { PROJECT_TOOL, VERSIONED_TOOL } from "./project-tool.ts";
import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Checkers and formatters of many languages. Those whose configuration is code or names programs are project code.

export const checks: readonly CommandSpec[] = [
  {
    names: "codespell",
    summary: "common misspellings",
    style: "bsd",
    options: rows(
      "-d --disable-colors; -c --enable-colors; -w --write-changes -> tree becomes writetree; -D --dictionary=read; --builtin=text; --ignore-regex=text; -I --ignore-words=read; -L --ignore-words-list=text; --uri-ignore-words-list=text; -r --regex=text; --uri-regex=text; -s --summary; --count",
      "-S --skip=text; -x --exclude-file=read; -i --interactive=text -> terminal; -q --quiet-level=text; -e --hard-encoding-detection; -f --check-filenames; -H --check-hidden; -A --after-context=number; -B --before-context=number; -C --context=number; --config=read; --toml=read; -h --help -> stop; --version -> stop",
    ),
    // It leaves out files whose own names begin with a dot, but looks into such folders.
    operands: "tree*=.",
    examples: {
      allow: ["codespell src", "codespell -L ba,fo a.txt"],
      ask: ["codespell -w src", "codespell", "codespell -w -H src"],
      deny: ["codespell .env", "codespell -w ~/.bashrc", "codespell -H -w ~/.bashrc"],
    },
  },
  {
    names: "typos",
    summary: "misspellings in code",
    style: "bsd",
    options: rows(
      "-w --write-changes -> visibletree becomes writetree, tree becomes writetree; --diff; --format=text; --color=text; --exclude=without; --hidden -> visibletree becomes tree; --sort; --files; --identifiers; --words; --isolated; --locale=text; -q --quiet; -v --verbose; -h --help -> stop; -V --version -> stop",
    ),
    operands: "visibletree*=.",
    examples: { allow: ["typos src", "typos --diff src"], ask: ["typos -w src"], deny: ["typos .env"] },
  },
  {
    names: "shfmt",
    summary: "formats shell scripts",
    style: "words",
    options: rows(
      "-l -list; -w -write -> tree becomes writetree; -d -diff; -s -simplify; -mn -minify; -ln -language-dialect=text; -p -posix; -filename=text; -i -indent=number; -bn -binary-next-line; -ci -case-indent; -sr -space-redirects; -kp -keep-padding; -fn -func-next-line; -f -find; -to-json -tojson; -from-json; -version -> stop; -h -help -> stop",
    ),
    operands: "tree*",
    examples: {
      allow: ["shfmt -d a.sh", "shfmt -l src", "shfmt -i 2 < a.sh"],
      ask: ["shfmt -w a.sh", "shfmt -l -w src"],
      deny: ["shfmt .env", "shfmt -w ~/.bashrc"],
    },
  },
  {
    names: "pycodestyle pydocstyle",
    summary: "checks Python's style; all below the folder it is in when nothing is named",
    options: "-h --help -> stop\n--version -> stop\n-v --verbose\n-q --quiet",
    operands: "tree*=.",
    walks: "*.py",
    before: "python-walks",
    examples: { allow: ["pycodestyle src", "pydocstyle", "pycodestyle -q src"], deny: ["pycodestyle .env"] },
  },
  {
    names: "cpplint pyflakes vulture eradicate proselint woke alex write-good markdown-link-check-lite yapf3 checkbashisms",
    summary: "checks what it reads",
    style: "gnu",
    options: "-h --help -> stop\n--version -> stop\n-v --verbose\n-q --quiet",
    operands: "tree*",
    examples: {
      allow: ["checkbashisms a.sh", "pyflakes src"],
      ask: ["cpplint --config=x a.cc"],
      deny: ["pyflakes .env"],
    },
  },
  {
    names: "hlint ormolu fourmolu stylish-haskell",
    summary: "Haskell style",
    style: "bsd",
    options: rows(
      "-m --mode=refuse; -i -> tree becomes writetree; --inplace -> tree becomes writetree; --json; --no-exit-code; -c --config=read; -h --help -> stop; -v --version -> stop",
      "# runs a program: --refactor",
    ),
    operands: "tree*",
    examples: { allow: ["hlint src"], ask: ["hlint --refactor src", "ormolu --mode inplace a.hs", "stylish-haskell -i a.hs"] },
  },
  {
    names:
      "stylua gersemi cmake-format beautysh nixfmt nixpkgs-fmt alejandra google-java-format ktfmt scalafmt ocamlformat elm-format purs-tidy fprettify swiftformat dfmt crystal-fmt mdformat pyproject-fmt sqlformat sql-formatter pg_format xmlformat djlint-reformat",
    summary: "formats in place",
    style: "bsd",
    options: "-h --help -> stop\n--version -> stop\n--check -> writetree becomes tree\n--lint -> writetree becomes tree",
    operands: "writetree*=.",
    examples: {
      allow: ["stylua --check src", "nixfmt --version", "swiftformat --lint src"],
      ask: ["stylua src", "swiftformat src"],
      deny: ["nixfmt ~/.bashrc"],
    },
  },
  {
    names:
      "pyright basedpyright ty pyrefly swc lessc sass postcss tailwindcss terser uglifyjs clippy-driver cargo-clippy cargo-fmt cargo-audit cargo-deny markdownlint-cli2 tfsec terrascan kics ktlint detekt swiftlint sqlfluff protolint prototool spectral redocly gitlint commitizen cz ansible-lint djlint rstcheck doc8 vale nuclio-lint perlcritic bats shunit2 shellspec roundup license-checker publint attw lighthouse pa11y ncu npm-check-updates",
    summary: "checks or builds with plugins, configuration or interpreters of the project",
    ...VERSIONED_TOOL,
    examples: { allow: ["pyright --version"], none: ["pyright", "swc src -d lib", "swiftlint --fix", "sqlfluff fix", "bats test"] },
  },
  {
    names:
      "trivy grype syft cosign checkov dockle clair semgrep codeql osv-scanner safety pip-audit govulncheck bearer horusec dependency-check scancode licensee fossa",
    summary: "looks for weaknesses with data it fetches; some upload what they find",
    style: "bsd",
    options: "--version -> stop\n-h --help -> stop",
    operands: "tree* code/project?=plugins",
    effects: "net",
    examples: { allow: ["trivy --version"], ask: ["trivy fs .", "semgrep --config=auto .", "cosign sign x", "pip-audit", "grype ."] },
  },
  {
    names:
      "pyinstaller build flit setuptools cookiecutter copier 2to3 hypercorn rq mkvirtualenv huey dramatiq wandb mlflow luigi spark-submit pyspark spark-shell sqlc dbt airbyte meltano great_expectations feast bentoml ray accelerate torchrun deepspeed tensorboard gradio chainlit mojo marimo voila nbdime jupytext",
    summary: "runs or builds Python of the project",
    ...PROJECT_TOOL,
    examples: { none: ["cookiecutter gh:x/y", "dbt run", "spark-submit x.py", "torchrun x.py", "2to3 -w x.py"] },
  },
  {
    names:
      "pm2 forever wireit lage rush standard-version release-it create-react-app create-next-app create-vite degit react-native detox vue unbuild vitepress docusaurus graphql-codegen prisma drizzle-kit sequelize typeorm knex migrate-mongo 0x clinic tsd-lite rspack rolldown farm wxt plasmo electron electron-builder electron-forge tauri capacitor cap ionic nativescript ns lit-element stencil qwik solid-start vinxi nitro nuxi payload strapi directus keystone medusa sanity contentful",
    summary: "runs or builds Node projects",
    ...VERSIONED_TOOL,
    examples: {
      allow: ["prisma --version"],
      none: ["prisma migrate reset --force", "pm2 start x.js", "release-it", "knex migrate:rollback", "drizzle-kit push"],
    },
  },
  {
    names:
      "carthage mill luarocks gleam v clisp cpan cpanm perltidy goenv jenv sdk sdkman flatc capnp avro-tools openapi-generator openapi-generator-cli swagger-codegen gn waf3 jshell mkdocs-material typst-preview hardhat forge cast anvil truffle anchor solana starkli scarb sui aptos move near stellar snarkjs",
    summary: "builds, generates or installs",
    ...PROJECT_TOOL,
    examples: { none: ["cpanm evil", "luarocks install x", "openapi-generator generate", "forge test", "cast send x"] },
  },
];
