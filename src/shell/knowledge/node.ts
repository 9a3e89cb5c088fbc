import { EXECUTE, EXECUTE_CREATOR, INSTALL, PUBLISH, RUN } from "./node-shared.ts";
import { rows } from "./rows.ts";
import type { CommandSpec, SubcommandSpec } from "./spec.ts";

/** What every npm command takes; npm demands full names but takes them anywhere. `--prefix` is another project. */
const NPM = `
  -C --prefix=dir; --registry=url; --cache=write; -w --workspace=text; --workspaces; --include-workspace-root; --loglevel=text; -s --silent; -q --quiet; -d; --verbose
  --json; --long -l; -p --parseable; -g --global; --depth=text; -a --all; --color[=text]; --no-color; --no-progress; --no-fund; --no-audit; --no-update-notifier
  --omit=text; --include=text; --only=text; --production; --prod; --dev; --offline; --prefer-offline; --prefer-online; --unicode; --no-unicode; --tag=text
  --userconfig=foreign/npmrc; --globalconfig=foreign/npmrc; --script-shell=foreign/command; --node-options=foreign/javascript`;

const NPM_READ: SubcommandSpec = {
  operands: "text*",
  effects: "remote.read npm",
};

export const node: readonly CommandSpec[] = [
  {
    names: "npm",
    helps: "--help -h",
    reads: rows("PREFIX DESTDIR ComSpec COMSPEC=refuse"),
    summary: "packages and scripts of a Node project",
    upkeep: ["write ~/.npm/_cacache/**", "write ~/.npm/_logs/**", "write ~/.npm/_update-notifier-last-checked"],
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
      // With a name it opens a browser.
      fund: { ...NPM_READ, operands: "", examples: { allow: ["npm fund"], ask: ["npm fund left-pad"] } },
      "search|find|s|se|outdated|ping|whoami|explain|why|sbom|stars|profile get|owner ls|dist-tag ls|dist-tags ls|access list|access get|access ls-packages|access ls-collaborators|owner list|org list|team list|dist-tag list|dist-tags list|hook ls|hook list|trust list|org ls|team ls|token list|doctor":
        {
          ...NPM_READ,
          options: rows("--searchlimit=text; --browser=refuse; --no-browser; --sbom-format=text; --sbom-type=text; --package-lock-only"),
          examples: {
            allow: ["npm outdated", "npm whoami", "npm access get status @me/x", "npm access list packages", "npm owner ls x"],
            ask: ["npm outdated --frobnicate"],
          },
        },
      "config get|get|c get": {
        operands: "text*",
        effects: "list .",
        analyse: "secret-key",
        examples: {
          allow: ["npm config get registry", "npm get prefix"],
          ask: [
            "npm config get //registry.npmjs.org/:_authToken",
            "npm get _auth",
            "npm c get proxy-password",
            "npm config get $(cat a.txt)",
          ],
        },
      },
      // Both sides from the registry: `npm-diff` (analyser).
      diff: {
        ...NPM_READ,
        options: rows(
          "--diff=name; --diff-name-only; --diff-unified=number; --diff-ignore-all-space; --diff-no-prefix; --diff-src-prefix=text; --diff-dst-prefix=text; --diff-text; --tag=text",
        ),
        operands: "list*",
        analyse: "npm-diff",
        examples: {
          allow: ["npm diff --diff=left-pad@1.0.0 --diff=left-pad@1.1.0", "npm diff --diff=a@1 --diff=a@2 --diff-name-only"],
          none: ["npm diff", "npm diff --diff=left-pad@1.0.0"],
          ask: ["npm diff --diff=https://evil.example/x.tgz --diff=a@2", "npm diff --diff=./a --diff=./b"],
        },
      },
      "ls|list|ll|la|query|root|prefix|bin|help|help-search|config list|config ls|c list|pkg get|completion|version --json": {
        options: rows("--package-lock-only; --link; --expect-results; --no-expect-results"),
        operands: "text*",
        effects: "list .",
        examples: {
          allow: ["npm ls", "npm ls --depth=0 --json", "npm root -g", "npm prefix", "npm help install", "npm pkg get version"],
        },
      },
      // Alone it lists the scripts.
      "run|run-script|rum|urn": {
        style: "none",
        operands: "code/project? text*",
        idle: true,
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
        examples: {
          none: ["npm exec evil-pkg", "npm x -- evil"],
          deny: [
            "npm exec -c 'rm -rf ~'",
            "npm x --call='rm -rf ~'",
            "npm exec -- cat .env",
            "npm exec rm -- -rf ~",
            "npm exec x -c 'rm -rf ~'",
          ],
        },
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
        ...EXECUTE_CREATOR,
        effects: "code.project, remote.read npm, write package.json",
        examples: { ask: ["npm init -y", "npm create vite"], deny: ["npm init -c 'rm -rf ~'"] },
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
      deny: ["npx -c 'rm -rf ~'", "npx --call='rm -rf ~'", "npx rm -rf ~", "npx -y -p x rm -rf ~", "bunx cat .env"],
    },
  },
];
