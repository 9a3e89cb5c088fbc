import { PROJECT_TOOL, VERSIONED_TOOL } from "./project-tool.ts";
import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

/** Compilers, linters, test runners and bundlers of Node projects. */
export const nodeTools: readonly CommandSpec[] = [
  {
    names: "tsc",
    summary: "TypeScript compiler",
    style: "words",
    // Plugins in tsconfig.json are for editors only. Without --noEmit it writes next to the sources.
    options: rows(`
      -noEmit; -p -project=read; -w -watch; -pretty[=text]; -noErrorTruncation; -listFiles; -listFilesOnly; -showConfig
      -skipLibCheck; -strict; -target -t=text; -module -m=text; -moduleResolution=text; -jsx=text; -lib=text; -types=text; -esModuleInterop; -allowJs; -checkJs; -incremental[=text]
      -traceResolution; -explainFiles; -diagnostics; -extendedDiagnostics; -noUnusedLocals; -noUnusedParameters; -allowImportingTsExtensions; -resolveJsonModule; -isolatedModules
      -outDir=writetree; -outFile=write; -declaration -d; -declarationDir=writetree; -tsBuildInfoFile=write; -emitDeclarationOnly; -sourceMap; -rootDir=list; -locale=text
      -b -build; -clean -> deletetree dist; -force -f; -dry; -verbose; -init -> write tsconfig.json; -generateTrace=writetree; -generateCpuProfile=write; -h -help -> stop; -v -version -> stop; -all -> stop`),
    operands: "read*",
    // `@file` holds more arguments; what is written follows from the sources and --outDir.
    analyse: "tsc",
    examples: {
      allow: ["tsc --noEmit", "tsc --noEmit -p tsconfig.json", "tsc --version", "tsc --showConfig"],
      ask: ["tsc", "tsc --init", "tsc -p .", "tsc --outDir lib", "tsc -b --clean", "tsc src/index.ts", "tsc --target es2022 src/index.ts"],
      deny: ["tsc .env --noEmit"],
    },
  },
  {
    names: "eslint stylelint jest vitest vite mocha webpack rollup esbuild tsup playwright",
    summary: "Node tools that load code from the project (configuration, plugins, tests)",
    ...VERSIONED_TOOL,
    examples: {
      allow: ["eslint --version"],
      none: ["eslint .", "vitest run", "jest -t x", "vite build", "webpack", "jest -v"],
    },
  },
  {
    names: "prettier",
    summary: "formats; its configuration may be code or name plugins",
    style: "bsd",
    options: rows(
      "-c --check -> edit becomes read; -l --list-different -> edit becomes read; -w --write -> tree becomes writetree; --stdin-filepath=text; --parser=text; --no-config; --no-editorconfig; --ignore-path=read; --ignore-unknown -u; --no-error-on-unmatched-pattern; --log-level=text; --loglevel=text; --color; --no-color; --support-info -> stop; --file-info=read; --find-config-path=list",
      "--print-width=number; --tab-width=number; --use-tabs; --no-semi; --single-quote; --jsx-single-quote; --quote-props=text; --trailing-comma=text; --no-bracket-spacing; --bracket-same-line; --arrow-parens=text; --prose-wrap=text; --end-of-line=text; --check-ignore-pragma; --require-pragma; --insert-pragma; --cache -> write node_modules/.cache/prettier; --with-node-modules; -h --help -> stop; -v --version -> stop",
    ),
    operands: "tree*",
    walks:
      "*.js *.jsx *.mjs *.cjs *.ts *.tsx *.mts *.cts *.json *.json5 *.jsonc *.css *.scss *.less *.html *.vue *.md *.markdown *.mdx *.yaml *.yml *.graphql *.gql *.hbs",
    analyse: "prettier-config",
    examples: {
      allow: ["prettier --version"],
      none: ["prettier --check ."],
      ask: ["prettier --write .", "prettier --plugin ./evil.js .", "prettier --config evil.js a.txt"],
      deny: ["prettier .env"],
    },
  },
  {
    // Several hand over to a copy of themselves in the project.
    names:
      "ava tap c8 nyc turbo nx lerna lint-staged husky next nuxt astro svelte-check ng vue-tsc cypress storybook tsd knip size-limit changeset semantic-release parcel gulp grunt ember react-scripts expo metro remix xo standard markdownlint commitlint depcheck madge syncpack ts-prune api-extractor typedoc",
    ...PROJECT_TOOL,
    examples: { none: ["turbo run build", "nx --version", "knip", "gulp"] },
  },
  {
    names: "oxlint",
    summary: "a linter whose configuration is data",
    style: "bsd",
    options: "-h --help -> stop\n-V --version -> stop",
    operands: "tree*",
    examples: { allow: ["oxlint src"], ask: ["oxlint --fix src"] },
  },
  {
    names: "biome",
    summary: "a linter and formatter whose configuration is data",
    style: "bsd",
    options: "-h --help -> stop\n-V --version -> stop",
    subcommands: {
      "check|lint|format|ci": {
        options:
          "--verbose\n--colors=text\n--reporter=text\n--diagnostic-level=text\n--max-diagnostics=text\n--changed\n--staged\n--no-errors-on-unmatched",
        operands: "tree*",
        examples: { allow: ["biome check src", "biome ci src"], ask: ["biome check --write ."] },
      },
      "version|explain|rage": { operands: "text*", examples: { allow: ["biome version"] } },
      "init|migrate": { operands: "text*", effects: "write biome.json", examples: { ask: ["biome init", "biome migrate eslint"] } },
    },
    examples: { allow: ["biome --version"], none: ["biome start"] },
  },
  {
    names: "oxfmt",
    summary: "a formatter that rewrites files unless told to check",
    style: "bsd",
    options: "--check -> writetree becomes tree\n--list-different -> writetree becomes tree\n-h --help -> stop\n-V --version -> stop",
    operands: "writetree*=src",
    examples: { allow: ["oxfmt --check src"], ask: ["oxfmt", "oxfmt src", "oxfmt --init"] },
  },
  {
    // Its plugins are programs that the configuration names.
    names: "dprint",
    ...PROJECT_TOOL,
    examples: { none: ["dprint check", "dprint fmt"] },
  },
  {
    names: "fnm n",
    style: "bsd",
    options: "-h --help -> stop\n-V --version -> stop",
    operands: "text*",
    effects: "remote.read node, write ~/.local",
    examples: { allow: ["fnm --version"], ask: ["fnm use 20"] },
  },
  {
    names: "corepack",
    style: "bsd",
    options: "-h --help -> stop\n-v --version -> stop",
    operands: "text*",
    effects: "code.project, remote.read npm, system packages",
    analyse: "corepack-run",
    examples: { allow: ["corepack --version"], ask: ["corepack enable"] },
  },
  {
    // Each word is a command line of its own, or names scripts (`npm:dev`).
    names: "concurrently",
    style: "bsd",
    options: "-n --names=text\n-c --prefix-colors=text\n-k --kill-others\n-p --prefix=text\n-r --raw\n-s --success=text\n-g --group",
    operands: "shell shell? shell? shell? shell? shell? shell? shell?",
    effects: "code.project",
    examples: {
      none: ["concurrently 'npm:dev' 'npm run build'"],
      ask: ["concurrently ls 'rm x'"],
      deny: ["concurrently -k 'npm:dev' 'rm -rf ~'"],
    },
  },
  {
    names: "run-p run-s npm-run-all npm-run-all2",
    style: "bsd",
    options: "-n --names=text\n-c --prefix-colors=text\n-k --kill-others",
    operands: "text*",
    effects: "code.project",
    examples: { none: ["npm-run-all build test"] },
  },
];
