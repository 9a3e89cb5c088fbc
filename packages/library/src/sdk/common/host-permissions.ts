// Forms of @anthropic-ai/claude-agent-sdk 0.3 that a guard of any kind may name: no type of Node or of a terminal is behind them.

/** A change of the host's own permissions, as it suggests them and takes them. */
export type PermissionChange =
  | {
      type: "addRules" | "replaceRules" | "removeRules";
      rules: { toolName: string; ruleContent?: string }[];
      behavior: "allow" | "deny" | "ask";
      destination: PermissionPlace;
    }
  | { type: "setMode"; mode: PermissionMode; destination: PermissionPlace }
  | { type: "addDirectories" | "removeDirectories"; directories: string[]; destination: PermissionPlace };

/** Where a change is kept. */
export type PermissionPlace = "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";

/** The host's modes. */
export type PermissionMode = "default" | "acceptEdits" | "bypassPermissions" | "plan" | "dontAsk" | "auto";
