import type { NativeContext, NativeRead, Scope } from "../../import/index.ts";
import type { Node } from "../../edit/json5/index.ts";
import { readAgentperm } from "./agentperm.ts";
import { isAutonomousDev, readAutonomousDev } from "./autonomous-dev.ts";
import { readClaude } from "./claude.ts";
import { readCodexConfig, readCodexRules } from "./codex.ts";
import { readCopilotApprovals, readCopilotSettings } from "./copilot.ts";
import { readCursor } from "./cursor.ts";
import { readDippy } from "./dippy.ts";
import { readGeminiPolicy, readGeminiSettings } from "./gemini.ts";
import { readOpenCode } from "./opencode.ts";
import { isPydantic, readPydantic } from "./pydantic.ts";
import { readQwen } from "./qwen.ts";
import { readSafetyNet } from "./safety-net.ts";

/** A file, or every file of a folder that ends so, in which a host keeps rules. */
export interface NativePlace {
  readonly path: string;
  /** The folder's files with this ending. */
  readonly all?: string;
  readonly scope: Scope;
  readonly read: (text: string, context: NativeContext) => NativeRead;
}

export interface Surroundings {
  readonly home: string;
  readonly project: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program whose rules can be taken over. */
export interface NativeFormat {
  readonly id: string;
  readonly name: string;
  readonly places: (around: Surroundings) => readonly NativePlace[];
  /** For files named on the command line; by their endings where there are several kinds. */
  readonly readerFor: (path: string) => NativePlace["read"];
  /** Of the places only the first that can be read counts. */
  readonly first?: true;
  /** A file named without `--agent` is known by what it holds. */
  readonly holds?: (root: Node) => boolean;
}

type Reader = NativePlace["read"];

const user = (path: string, read: Reader, more: Partial<NativePlace> = {}): NativePlace => ({ path, read, scope: "user", ...more });
const inProject = (project: string | undefined, read: Reader, ...paths: readonly string[]): readonly NativePlace[] =>
  project === undefined ? [] : paths.map((path) => ({ path: `${project}/${path}`, read, scope: "project" }));
const folder = (value: string | undefined, otherwise: string): string => (value?.startsWith("/") === true ? value : otherwise);

function openCodeLike(id: string, name: string, config: string, own: string, files: readonly string[]): NativeFormat {
  return {
    id,
    name,
    places: ({ home, project, env }) => [
      ...files.map((file) => user(`${folder(env["XDG_CONFIG_HOME"], `${home}/.config`)}/${config}/${file}`, readOpenCode)),
      ...inProject(project, readOpenCode, ...files, ...files.map((file) => `${own}/${file}`)),
    ],
    readerFor: () => readOpenCode,
  };
}

const AUTONOMOUS_DEV = [".claude/config/auto_approve_policy.json", "plugins/autonomous-dev/config/auto_approve_policy.json"];

export const NATIVE: readonly NativeFormat[] = [
  {
    id: "claude",
    name: "Claude Code",
    places: ({ home, project, env }) => [
      user("/etc/claude-code/managed-settings.json", readClaude),
      user("/etc/claude-code/managed-settings.d", readClaude, { all: ".json" }),
      user("/Library/Application Support/ClaudeCode/managed-settings.json", readClaude),
      user(`${folder(env["CLAUDE_CONFIG_DIR"], `${home}/.claude`)}/settings.json`, readClaude),
      ...inProject(project, readClaude, ".claude/settings.json", ".claude/settings.local.json"),
    ],
    readerFor: () => readClaude,
  },
  {
    id: "codex",
    name: "Codex",
    places: ({ home, project, env }) => {
      const own = folder(env["CODEX_HOME"], `${home}/.codex`);
      return [
        user(`${own}/rules`, readCodexRules, { all: ".rules" }),
        user(`${own}/config.toml`, readCodexConfig),
        ...inProject(project, readCodexRules, ".codex/rules").map((place) => ({ ...place, all: ".rules" })),
        ...inProject(project, readCodexConfig, ".codex/config.toml"),
      ];
    },
    readerFor: (path) => (path.endsWith(".toml") ? readCodexConfig : readCodexRules),
  },
  openCodeLike("opencode", "OpenCode", "opencode", ".opencode", ["opencode.json", "opencode.jsonc"]),
  openCodeLike("kilo", "Kilo", "kilo", ".kilo", ["kilo.json", "kilo.jsonc"]),
  {
    id: "gemini",
    name: "Gemini CLI",
    places: ({ home, project }) => [
      user("/etc/gemini-cli/policies", readGeminiPolicy, { all: ".toml" }),
      user("/etc/gemini-cli/settings.json", readGeminiSettings),
      user(`${home}/.gemini/policies`, readGeminiPolicy, { all: ".toml" }),
      user(`${home}/.gemini/settings.json`, readGeminiSettings),
      ...inProject(project, readGeminiPolicy, ".gemini/policies").map((place) => ({ ...place, all: ".toml" })),
      ...inProject(project, readGeminiSettings, ".gemini/settings.json"),
    ],
    readerFor: (path) => (path.endsWith(".toml") ? readGeminiPolicy : readGeminiSettings),
  },
  {
    id: "qwen",
    name: "Qwen Code",
    places: ({ home, project }) => [user(`${home}/.qwen/settings.json`, readQwen), ...inProject(project, readQwen, ".qwen/settings.json")],
    readerFor: () => readQwen,
  },
  {
    id: "copilot",
    name: "GitHub Copilot CLI",
    places: ({ home, project, env }) => {
      const own = folder(env["COPILOT_HOME"], `${home}/.copilot`);
      return [
        user(`${own}/settings.json`, readCopilotSettings),
        user(`${own}/config.json`, readCopilotSettings),
        { path: `${own}/permissions-config.json`, read: readCopilotApprovals, scope: "project" },
        ...inProject(project, readCopilotSettings, ".github/copilot/settings.json", ".github/copilot/settings.local.json"),
      ];
    },
    readerFor: (path) => (path.endsWith("permissions-config.json") ? readCopilotApprovals : readCopilotSettings),
  },
  {
    id: "cursor",
    name: "Cursor",
    places: ({ home, project }) => [
      user(`${home}/.cursor/cli-config.json`, readCursor),
      user(`${home}/.cursor/permissions.json`, readCursor),
      ...inProject(project, readCursor, ".cursor/cli.json", ".cursor/permissions.json"),
    ],
    readerFor: () => readCursor,
  },
  {
    id: "dippy",
    name: "Dippy",
    places: ({ home, project }) => [user(`${home}/.dippy/config`, readDippy), ...inProject(project, readDippy, ".dippy")],
    readerFor: () => readDippy,
  },
  {
    id: "cc-safety-net",
    name: "cc-safety-net",
    places: ({ home, project }) => [
      user(`${home}/.cc-safety-net/config.json`, readSafetyNet),
      ...inProject(project, readSafetyNet, ".safety-net.json"),
    ],
    readerFor: () => readSafetyNet,
  },
  {
    id: "autonomous-dev",
    name: "autonomous-dev",
    places: ({ home, project }) => [
      ...inProject(project, readAutonomousDev, ...AUTONOMOUS_DEV),
      ...[".claude/config", ".claude/plugins/autonomous-dev/config"].map((path) =>
        user(`${home}/${path}/auto_approve_policy.json`, readAutonomousDev),
      ),
    ],
    readerFor: () => readAutonomousDev,
    first: true,
    holds: isAutonomousDev,
  },
  // A ruleset is written in code; only files that are named can be read.
  { id: "pydantic-ai-backend", name: "pydantic-ai-backend", places: () => [], readerFor: () => readPydantic, holds: isPydantic },
  // Its files are where ours are: only others can be merged into them.
  { id: "agentperm", name: "agentperm", places: () => [], readerFor: () => readAgentperm },
];

export { formatOf, gather, type Gathered, type NativeFile } from "./gather.ts";
