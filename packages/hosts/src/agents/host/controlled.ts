/** What files of a repository, or the user's own, do to a host: the facts that its file declares. `control-files.ts` looks for them. */

/** What a setting does, worst first. */
export type Does = "off" | "controls" | "skips" | "starts";

/** A key, and when it counts. `*` in a path is any key. */
export interface Sign {
  readonly at: readonly string[];
  /** `there`: any value but an empty one. `environment`: names of variables that count. */
  readonly when: "there" | "environment" | boolean | RegExp;
  readonly does: Does;
  /** What to say behind the key; for a value that is one of a kind it can be left out. */
  readonly so: string;
  /** In the user's own file this is the user's own choice. */
  readonly projectOnly?: true;
  /** In a project's it does nothing. */
  readonly userOnly?: true;
  /** Said when a session starts, too. */
  readonly told?: true;
}

/** Signs, and those of plugins and of places to take them from in the form of Claude Code, and of keys that name a program. */
export const withPlugins = (signs: readonly Sign[], programs: readonly string[] = []): readonly Sign[] => [
  ...signs,
  { at: ["enabledPlugins", "*"], when: "there", does: "starts", so: "plugins bring hooks and servers", projectOnly: true, told: true },
  { at: ["extraKnownMarketplaces", "*"], when: "there", does: "starts", so: "plugins come from there", projectOnly: true, told: true },
  ...programs.map((name): Sign => ({ at: [name], when: "there", does: "starts", so: "a program that the host starts", projectOnly: true })),
];

export interface Controlled {
  /** Files in a folder the host is started in, and what they are called. */
  readonly project: readonly string[];
  /** The same keys in the home folder (`~/`), or for the machine. */
  readonly user?: readonly string[];
  readonly signs: readonly Sign[];
  /** Below which keys its files list MCP servers; `true`: `mcpServers`. */
  readonly servers?: true | readonly (readonly string[])[];
  /** Files of variables that the host takes over from the folder. */
  readonly dotenv?: readonly string[];
  /** Scripts that set variables. */
  readonly scripts?: readonly string[];
  /** Variables by which it calls no hook, not even an administrator's. */
  readonly unhooking?: readonly string[];
  /** Folders of Markdown that may bring hooks in its front matter, and the name of a folder there that makes a plugin of what lies beside. */
  readonly bringing?: { readonly folders: readonly string[]; readonly plugin?: string };
  /** Folders of texts of which a person types the name, and what the shell runs in them then, as the first group: no hook hears of it. */
  readonly typed?: { readonly folders: readonly string[]; readonly runs: RegExp };
  /** Folders whose files are hooks, plugins or extensions that run beside Assent's, or in its process. */
  readonly folders?: readonly string[];
  /** What docs/agents.md says of it. */
  readonly said: string;
}
