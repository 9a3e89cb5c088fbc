import { rows } from "./rows.ts";
import type { CommandSpec, SubcommandSpec } from "./spec.ts";

/** What every npm command takes; npm demands full names but takes them anywhere. `--prefix` is another project. */
const NPM = `
  -C --prefix=dir; --registry=url; --cache=write; -w --workspace=text; --workspaces; --include-workspace-root; --loglevel=text; -s --silent; -q --quiet; -d; --verbose
  --json; --long -l; -p --parseable; -g --global; --depth=text; -a --all; --color[=text]; --no-color; --no-progress; --no-fund; --no-audit; --no-update-notifier
  --omit=text; --include=text; --only=text; --production; --offline; --prefer-offline; --prefer-online; --unicode; --no-unicode; --tag=text
  --userconfig=foreign/npmrc; --globalconfig=foreign/npmrc; --script-shell=foreign/command; --node-options=foreign/javascript`;

const NPM_READ: SubcommandSpec = {
  operands: "text*",
  effects: "remote.read npm",
  upkeep: ["write ~/.npm/_cacache/**", "write ~/.npm/_logs/**"],
};

const INSTALL: SubcommandSpec = {
  options: rows(`
    -D --save-dev; -P --save-prod; -O --save-optional; -E --save-exact; -B --save-bundle; --save-peer; -S --save; --no-save; -f --force; --legacy-peer-deps; --strict-peer-deps; --ignore-scripts; --dry-run
    --no-optional; --package-lock-only; --no-package-lock; --install-links; --foreground-scripts; --prefer-dedupe; --install-strategy=text; --cpu=text; --os=text`),
  operands: "text*",
  effects: "code.project, remote.read npm, write node_modules, edit package.json, edit package-lock.json",
};

/** Scripts of package.json with whatever arguments. */
const RUN: SubcommandSpec = { style: "none", operands: "text*", effects: "code.project" };

/** Runs a program from a registry or from node_modules: nobody has seen it. */
const EXECUTE: SubcommandSpec = {
  style: "posix",
  options: rows(
    "-y --yes; --no; --no-install; -p --package=text; -c --call --shell-mode=shell; -q --quiet; --prefer-offline; --ignore-existing; -w --workspace=text; --silent; --allow-build=text; -r --recursive; --parallel",
  ),
  operands: "text*",
  effects: "code.project, remote.read npm",
};

const PUBLISH: SubcommandSpec = {
  options: rows(
    "--access=text; --otp=text; --dry-run; --provenance; --tag=text; --no-git-checks; --publish-branch=text; -r --recursive; --force; --report-summary; --new-version=text; --ignore-scripts; --tolerate-republish",
  ),
  operands: "list*",
  effects: "code.project, remote.publish npm, danger publish",
};

export const node: readonly CommandSpec[] = [
  {
    names: "npm",
    summary: "packages and scripts of a Node project",
    style: "bsd",
    options: rows(NPM, "-h --help -> stop; -v --version -> stop; -?"),
    abbreviates: true,
    examples: { allow: ["npm --version", "npm"], none: ["npm frobnicate"], ask: ["npm $(echo publish) test"] },
    subcommands: {
      "view|info|show|v": {
        ...NPM_READ,
        options: rows("--package-lock-only"),
        operands: "name? text*",
        examples: {
          allow: [
            "npm view react version",
            "npm info react dist-tags --json",
            "npm v @types/node versions",
            "npm --loglevel warn view x",
            "npm view .",
          ],
          ask: [
            "npm view x --frobnicate",
            "npm --registry=https://evil.example view x",
            "npm view http://evil.example/x.tgz",
            "npm view evil/x",
            "npm view $(cat a.txt)",
          ],
        },
      },
      "search|find|s|se|outdated|ping|whoami|explain|why|fund|sbom|stars|profile get|owner ls|dist-tag ls|dist-tags ls|access list|org ls|team ls|token list|doctor":
        {
          ...NPM_READ,
          options: rows("--searchlimit=text; --browser=refuse; --no-browser; --sbom-format=text; --sbom-type=text; --package-lock-only"),
          examples: {
            allow: ["npm outdated", "npm whoami"],
            ask: ["npm outdated --frobnicate"],
          },
        },
      "ls|list|ll|la|query|root|prefix|bin|help|help-search|config get|config list|config ls|get|c get|c list|pkg get|completion|version --json":
        {
          options: rows("--package-lock-only; --link; --expect-results; --no-expect-results"),
          operands: "text*",
          effects: "list .",
          examples: {
            allow: [
              "npm ls",
              "npm ls --depth=0 --json",
              "npm root -g",
              "npm prefix",
              "npm config get registry",
              "npm help install",
              "npm pkg get version",
            ],
          },
        },
      // Alone it lists the scripts.
      "run|run-script|rum|urn": {
        style: "none",
        operands: "code/project? text*",
        analyse: "npm-run",
        examples: {
          ask: ["npm run build --node-options='--require ./evil.js'"],
          allow: ["npm run"],
          none: ["npm run build", "npm run test-and-publish", "npm --prefix src run x", "npm run --if-present x"],
        },
      },
      // `npm-run` (analyser): npm takes its own options behind the script's name, too.
      "test|tst|t|start|stop|restart|install-test|it|cit": {
        ...RUN,
        analyse: "npm-run",
        examples: {
          none: ["npm test", "npm start", "npm t -- --watch", "npm test --coverage"],
          ask: ["npm test --script-shell=./evil", "npm test --prefix /tmp/x"],
        },
      },
      "exec|x": {
        ...EXECUTE,
        examples: { none: ["npm exec evil-pkg", "npm x -- evil"], deny: ["npm exec -c 'rm -rf ~'", "npm x --call='rm -rf ~'"] },
      },
      "install|i|in|ins|add|isntall|ci|clean-install|ic|update|up|upgrade|uninstall|un|rm|remove|r|unlink|link|ln|dedupe|ddp|prune|rebuild|rb|install-clean":
        { ...INSTALL, examples: { ask: ["npm install", "npm i react", "npm ci", "npm uninstall x", "npm install -g x", "npm update"] } },
      audit: {
        ...NPM_READ,
        options: rows("--audit-level=text; --package-lock-only"),
        operands: "signatures:text?",
        examples: { allow: ["npm audit", "npm audit --json"] },
      },
      "audit fix": { ...INSTALL, examples: { ask: ["npm audit fix", "npm audit fix --force"] } },
      "create|init|innit": {
        ...EXECUTE,
        effects: "code.project, remote.read npm, write package.json",
        examples: { ask: ["npm init -y", "npm create vite"] },
      },
      publish: { ...PUBLISH, examples: { ask: ["npm publish", "npm publish --access public", "npm publish --dry-run"] } },
      "unpublish|deprecate": {
        options: "-f --force\n--dry-run",
        operands: "text*",
        effects: "remote.destroy npm, danger remote-destroy",
        examples: { ask: ["npm unpublish x@1", "npm deprecate x old"] },
      },
      "dist-tag add|dist-tag rm|dist-tags add|access set|access grant|access revoke|owner add|owner rm|star|unstar|team create|team destroy|team add|team rm|org set|org rm|profile set|token create|token revoke|hook add|hook rm|login|adduser|logout":
        {
          options: "--otp=text\n--read-only\n--cidr=text\n--scope=text\n--auth-type=text",
          operands: "text*",
          effects: "remote.change npm",
          examples: { ask: ["npm dist-tag add x@1 latest", "npm owner add me x", "npm login"] },
        },
      pack: {
        options: "--dry-run\n--pack-destination=write\n--ignore-scripts",
        operands: "text*",
        effects: "code.project, write .",
        examples: { ask: ["npm pack"] },
      },
      version: {
        options: "--no-git-tag-version\n--preid=text\n-m --message=text\n--allow-same-version\n--force\n-f",
        operands: "text?",
        effects: "code.project, edit package.json",
        examples: { ask: ["npm version patch"] },
      },
      "pkg set|pkg delete|pkg fix|shrinkwrap": {
        operands: "text*",
        effects: "edit package.json",
        examples: { ask: ["npm pkg set scripts.x='rm -rf ~'"] },
      },
      // Keys such as script-shell, git and editor name programs.
      "config set|config delete|config edit|config fix|set|c set|c delete|c edit": {
        options: "--location -L=text",
        operands: "foreign/npmrc*",
        effects: "danger host-effect",
        examples: { ask: ["npm config set script-shell ./evil", "npm set x y"] },
      },
      "cache ls|cache verify|cache npx ls": { operands: "text*", examples: { allow: ["npm cache ls"] } },
      "cache clean|cache add|cache rm": {
        options: "--force\n-f",
        operands: "text*",
        effects: "delete ~/.npm/_cacache",
        examples: { ask: ["npm cache clean --force"] },
      },
      "explore|edit": {
        style: "posix",
        options: "--shell=foreign/command",
        operands: "text shell?",
        effects: "code.project, terminal",
        examples: { ask: ["npm explore x -- ls"], deny: ["npm explore x 'rm -rf ~'"] },
      },
    },
  },
  {
    names: "npx bunx pnpx",
    summary: "runs a package's program",
    ...EXECUTE,
    options: `${EXECUTE.options ?? ""}\n-h --help -> stop\n--version -> stop`,
    examples: {
      allow: ["npx --version"],
      none: ["npx evil-pkg", "npx -y create-x app", "npx tsc --noEmit"],
      deny: ["npx -c 'rm -rf ~'", "npx --call='rm -rf ~'"],
    },
  },
  {
    names: "yarn yarnpkg",
    style: "bsd",
    options: rows(
      "--cwd=dir; --silent -s; --json; --non-interactive; --offline; --verbose; --frozen-lockfile; --immutable; --production; --ignore-scripts; --no-progress; --network-timeout=text; -h --help -> code.project; -v --version -> code.project",
    ),
    subcommands: {
      "why|info|list|outdated|licenses list|licenses ls|audit|config get|config list|versions|workspaces info|workspaces list|npm info|npm audit|npm whoami|bin|global list|global bin|cache dir|cache list|explain|owner list|tag list|team list":
        {
          options: rows("--depth=text; --pattern=text; --recursive -R; --all -A; --level=text; --groups=text; --severity=text"),
          operands: "text*",
          effects: "code.project, remote.read npm",
          // The project's .yarnrc.yml names the yarn that runs (yarnPath) and its plugins.
          examples: { none: ["yarn why react", "yarn list", "yarn info react"] },
        },
      "install|add|remove|up|upgrade|upgrade-interactive|import|link|unlink|dedupe|rebuild|global add|global remove|global upgrade|set version|plugin import|policies set-version|pack|version|init|autoclean|patch|patch-commit|unplug":
        {
          ...INSTALL,
          options: rows(
            INSTALL.options ?? "",
            "-W --ignore-workspace-root-check; --dev; --peer; --optional; --exact; --mode=text; --check-cache; --latest",
          ),
          examples: { ask: ["yarn install", "yarn add react", "yarn up x"] },
        },
      "run|test|start|build|workspace|workspaces run|workspaces foreach|node|exec|dlx|create": {
        ...RUN,
        examples: { none: ["yarn test", "yarn run build", "yarn dlx evil", "yarn workspace a build"] },
      },
      "publish|npm publish": { ...PUBLISH, examples: { ask: ["yarn publish", "yarn npm publish"] } },
      "config set|config delete|config unset": {
        operands: "foreign/yarnrc*",
        effects: "edit .yarnrc.yml",
        examples: { ask: ["yarn config set yarnPath ./evil"] },
      },
      "npm login|npm logout|npm tag add|npm tag remove|login|logout|owner add|owner remove|tag add|tag remove|team create|team add": {
        operands: "text*",
        effects: "remote.change npm",
        examples: { ask: ["yarn npm login"] },
      },
    },
    // yarn alone installs.
    effects: "code.project",
    operands: "refuse?=install",
    // The project's .yarnrc.yml names the yarn that runs.
    examples: { ask: ["yarn"], none: ["yarn lint"] },
  },
  {
    names: "pnpm",
    style: "bsd",
    options: rows(
      "-C --dir=dir; -w --workspace-root; -r --recursive; -F --filter=text; --filter-prod=text; --json; --silent -s; --reporter=text; --loglevel=text; --color; --no-color; -g --global; --depth=text; --long; --parseable; --only-projects; -P --prod; -D --dev; --no-optional; --stream; --aggregate-output; --use-node-version=foreign/node; --config=foreign/npmrc; -h --help -> stop, code.project; -v --version -> stop, code.project",
    ),
    subcommands: {
      // pnpm loads .pnpmfile.cjs, and hands over to the version that package.json names.
      "ls|list|la|ll|why|outdated|root|bin|licenses list|licenses ls|audit|config get|config list|view|info|show|search|store path|store status|env list|cat-file|cat-index|find-hash":
        {
          options: rows(
            "--compatible; --format=text; --sort-by=text; --audit-level=text; --package-lock-only; --lockfile-only; --only-registry",
          ),
          operands: "text*",
          effects: "code.project, remote.read npm",
          examples: { none: ["pnpm ls --depth 0", "pnpm why react", "pnpm -r outdated", "pnpm root"] },
        },
      "install|i|add|remove|rm|uninstall|un|update|up|upgrade|import|link|unlink|dedupe|prune|rebuild|rb|fetch|patch|patch-commit|patch-remove|install-test|it|deploy|approve-builds|self-update|setup|env use|env add|env remove|store prune|store add|audit --fix|pack|init":
        {
          ...INSTALL,
          options: rows(
            INSTALL.options ?? "",
            "--frozen-lockfile; --no-frozen-lockfile; --lockfile-only; --fix-lockfile; --shamefully-hoist; --latest; -L; -i --interactive -> terminal; --allow-build=text",
          ),
          examples: { ask: ["pnpm install", "pnpm add x", "pnpm -F a add x"] },
        },
      "run|test|t|tst|start|stop|restart|exec|dlx|create": {
        ...RUN,
        examples: { none: ["pnpm test", "pnpm run build", "pnpm -r exec rm x", "pnpm dlx evil"] },
      },
      publish: { ...PUBLISH, examples: { ask: ["pnpm publish", "pnpm -r publish"] } },
      "config set|config delete|set": {
        operands: "foreign/npmrc*",
        effects: "danger host-effect",
        examples: { ask: ["pnpm config set script-shell ./evil"] },
      },
      "login|logout|owner|deprecate|unpublish|dist-tag add": {
        operands: "text*",
        effects: "remote.change npm",
        examples: { ask: ["pnpm login"] },
      },
    },
    operands: "code/project?=help",
    examples: { none: ["pnpm lint", "pnpm --version", "pnpm"] },
  },
  {
    names: "bun",
    style: "posix",
    options: rows(
      "--cwd=dir; --silent; -e --eval=code/javascript; -p --print=code/javascript; --watch; --hot; -r --preload=script/javascript; --env-file=read; -b --bun; -F --filter=text; --smol; --help -> stop; --version --revision -> stop",
    ),
    subcommands: {
      "pm ls|pm bin|pm hash|pm cache|outdated|why|info|pm view|audit|pm whoami": {
        style: "bsd",
        options: "-g --global\n--all\n-a\n--json",
        operands: "text*",
        effects: "remote.read npm",
        examples: { allow: ["bun pm ls", "bun outdated"] },
      },
      "install|i|add|a|remove|rm|update|link|unlink|create|c|init|upgrade|patch|pm trust|pm pack|pm cache rm": {
        ...INSTALL,
        style: "bsd",
        options: rows(
          "-d -D --dev; --exact -E; -g --global; --frozen-lockfile; --no-save; --ignore-scripts; --trust; --production -p; --force -f; -y --yes; --latest; --dry-run",
        ),
        examples: { ask: ["bun install", "bun add x"] },
      },
      "run|test|x|build|exec|repl": { ...RUN, examples: { none: ["bun test", "bun run dev", "bun x evil", "bun build x.ts"] } },
      publish: { ...PUBLISH, style: "bsd", examples: { ask: ["bun publish"] } },
    },
    // A file or a script of package.json.
    examples: { allow: ["bun --version"], none: ["bun x.ts", "bun dev"] },
  },
];
