import { EXECUTE, INSTALL, PUBLISH, RUN } from "./node-shared.ts";
import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

/** yarn, pnpm and bun: their configuration files are code, so most reads have no opinion. */
export const nodeManagers: readonly CommandSpec[] = [
  {
    names: "yarn yarnpkg",
    style: "bsd",
    // The project's .yarnrc.yml names the yarn that runs (yarnPath) and its plugins.
    before: "node-manager-config",
    options: rows(
      "--cwd=dir; --silent -s; --json; --non-interactive; --offline; --verbose; --frozen-lockfile; --immutable; --production; --ignore-scripts; --no-progress; --network-timeout=text; -h --help -> stop; -v --version -> stop",
    ),
    subcommands: {
      "why|info|list|outdated|licenses list|licenses ls|audit|config get|config list|versions|workspaces info|workspaces list|npm info|npm audit|npm whoami|bin|global list|global bin|cache dir|cache list|explain|owner list|tag list|team list":
        {
          options: rows("--depth=text; --pattern=text; --recursive -R; --all -A; --level=text; --groups=text; --severity=text"),
          operands: "text*",
          effects: "remote.read npm",
          analyse: "secret-key",
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
      "test|start|build|workspace|workspaces run|workspaces foreach|node|create": {
        ...RUN,
        examples: { none: ["yarn test", "yarn workspace a build"] },
      },
      run: { ...RUN, analyse: "script-or-package", examples: { none: ["yarn run build", "yarn run test"], deny: ["yarn run rm -rf ~"] } },
      dlx: { ...EXECUTE, examples: { none: ["yarn dlx evil", "yarn dlx -p x evil"], deny: ["yarn dlx rm -rf ~"] } },
      exec: {
        style: "posix",
        operands: "command:argv?",
        effects: "code.project",
        examples: { none: ["yarn exec vitest"], deny: ["yarn exec rm -rf ~"] },
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
    operands: "code/project?=install",
    examples: { none: ["yarn lint", "yarn", "yarn --version"] },
  },
  {
    names: "pnpm",
    upkeep: ["write ~/.cache/pnpm/**", "write ~/.local/state/pnpm/**"],
    style: "bsd",
    // It loads .pnpmfile.cjs, and hands over to the version that package.json names, whatever it is asked.
    before: "node-manager-config",
    options: rows(
      "-C --dir=dir; -w --workspace-root; -r --recursive; -F --filter=text; --filter-prod=text; --json; --silent -s; --reporter=text; --loglevel=text; --color; --no-color; -g --global; --depth=text; --long; --parseable; --only-projects; -P --prod; -D --dev; --no-optional; --stream; --aggregate-output; --use-node-version=foreign/node; --config=foreign/npmrc; -h --help -> stop; -v --version -> stop",
    ),
    subcommands: {
      "ls|list|la|ll|why|outdated|root|bin|licenses list|licenses ls|audit|config get|config list|view|info|show|search|store path|store status|env list|cat-file|cat-index|find-hash":
        {
          options: rows(
            "--compatible; --format=text; --sort-by=text; --audit-level=text; --package-lock-only; --lockfile-only; --only-registry; --exclude-peers; --find-by=text; --ignore-registry-errors; --no-table",
          ),
          operands: "text*",
          effects: "remote.read npm",
          analyse: "secret-key",
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
      "run|test|t|tst|start|stop|restart|create": {
        ...RUN,
        examples: { none: ["pnpm test", "pnpm run build"] },
      },
      dlx: { ...EXECUTE, examples: { none: ["pnpm dlx evil"], deny: ["pnpm dlx rm -rf ~", "pnpm --package=x dlx cat .env"] } },
      exec: {
        style: "posix",
        options: "-c --shell-mode -> command becomes shell\n-r --recursive\n--parallel",
        operands: "command:argv?",
        effects: "code.project",
        examples: { none: ["pnpm exec vitest"], ask: ["pnpm -r exec rm x"], deny: ["pnpm exec rm -rf ~", "pnpm exec -c 'rm -rf ~'"] },
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
      "# bunfig.toml names files that run first: -e and -p, too",
      "--cwd=dir; --silent; -e --eval=code/javascript -> code.project; -p --print=code/javascript -> code.project; --watch; --hot; -r --preload=script/javascript; --env-file=read; -b --bun; -F --filter=text; --smol; --help -> stop; --version --revision -> stop",
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
      "test|build|repl": { ...RUN, examples: { none: ["bun test", "bun build x.ts"] } },
      exec: { ...RUN, operands: "shell", examples: { none: ["bun exec 'evil x'"], deny: ["bun exec 'rm -rf ~'"] } },
      run: { ...RUN, analyse: "script-or-package", examples: { none: ["bun run dev"], deny: ["bun run rm -rf ~"] } },
      x: { ...EXECUTE, examples: { none: ["bun x evil"], deny: ["bun x rm -rf ~"] } },
      publish: { ...PUBLISH, style: "bsd", examples: { ask: ["bun publish"] } },
    },
    // A file or a script of package.json.
    examples: { allow: ["bun --version"], none: ["bun x.ts", "bun dev", "bun -e 1"] },
  },
];
