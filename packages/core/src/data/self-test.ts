/** The session of calls by which `assent doctor` tries hooks, and their commands: no agent's, though its hook is asked. */
export const SELF_TEST = "assent-doctor";
export const SELF_TEST_COMMANDS = { refused: "assent uninstall --yes", allowed: "pwd" } as const;
