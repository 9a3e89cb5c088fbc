import { isGitConfig, isPersistence } from "../../policy/index.ts";

/**
 * Files that run later, outside the run, with the user's own rights: what a supervised program changes there it hands on
 * to whoever runs the tool next. The receipt names them.
 */
const HANDED_ON: readonly (readonly [pattern: RegExp, runs: string])[] = [
  [/\/\.git\/hooks\/[^/]+$/, "git runs it"],
  [/\/(?:\.git\/(?:.*\/)?config(?:\.worktree)?|\.gitmodules|\.gitattributes)$/, "git is steered by it"],
  [/\/\.husky\/[^/]+$/, "git runs it"],
  [/\/\.envrc$/, "direnv runs it"],
  [/\/(?:package\.json|\.npmrc|\.pnpmfile\.cjs|\.yarnrc(?:\.yml)?)$/, "npm scripts and settings"],
  [/\/(?:[Mm]akefile|GNUmakefile|[^/]+\.mk|[Jj]ustfile|\.justfile|Taskfile\.ya?ml|Rakefile)$/, "make, just, task or rake runs it"],
  [
    /\/(?:CMakeLists\.txt|build\.rs|build\.gradle(?:\.kts)?|setup\.py|conftest\.py|noxfile\.py|tox\.ini|\.pre-commit-config\.yaml)$/,
    "a build or test runs it",
  ],
  [/\/\.vscode\/(?:tasks|launch|settings|extensions)\.json$/, "the editor runs it"],
  [/\/\.idea\/(?:runConfigurations\/[^/]+|workspace\.xml)$/, "the editor runs it"],
  [/\/\.devcontainer(?:\/[^/]+)*\/?(?:devcontainer\.json|Dockerfile|[^/]+\.sh)$/, "the container is built by it"],
  [
    /\/(?:\.claude\/(?:settings(?:\.local)?\.json|hooks\/.+|agents\/.+|commands\/.+|skills\/.+)|\.mcp\.json|CLAUDE\.md|AGENTS\.md|\.cursor\/.+|\.codex\/.+|\.gemini\/settings\.json)$/,
    "an agent is steered by it",
  ],
  [
    /\/(?:\.github\/workflows\/[^/]+|\.github\/actions\/.+|\.gitlab-ci\.yml|\.circleci\/config\.yml|Jenkinsfile|azure-pipelines\.yml|\.drone\.yml|\.woodpecker(?:\.yml|\/.+))$/,
    "CI runs it",
  ],
  [/\/node_modules\/\.bin\/[^/]+$/, "npx and npm scripts run it"],
  [/\/(?:bin|Scripts)\/(?:python[\d.]*|activate(?:\.\w+)?|pip[\d.]*)$/, "the virtual environment runs it"],
  [/\/[^/]+\.pth$/, "python runs it at its start"],
  [/\/sitecustomize\.py$/, "python runs it at its start"],
];

/** What runs the file at `path` later, or undefined. `home`: of the user. */
export function handedOn(path: string, home: string): string | undefined {
  // What packages bring along runs as the package does; their links in `.bin` are run by name.
  if (/\/node_modules\/(?!\.bin\/)/.test(path) || path.endsWith(".sample")) return undefined;
  const found = HANDED_ON.find(([pattern]) => pattern.test(path));
  if (found !== undefined) return found[1];
  if (isGitConfig(path)) return "git is steered by it";
  return isPersistence(path, { home: [home], project: [], temp: [] }) ? "it runs at a start or a login" : undefined;
}
