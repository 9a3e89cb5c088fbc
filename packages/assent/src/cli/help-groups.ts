import { type Command, Help, type Option } from "commander";

/** What `assent --help` lists, by what a person wants to do. Every other command works as well: `assent help --all` lists it. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Begin:": ["install", "uninstall", "doctor", "status", "demo"],
  "Say what goes ahead:": ["allow", "ask", "deny", "auto", "trust", "edit", "rules", "explain"],
  "Questions and decisions:": ["why", "approvals", "log", "open"],
  "Run, look, take back:": ["run", "receipt", "diff", "undo"],
  "In front of tools, on many machines:": ["mcp", "team"],
};

const NAMED = Object.values(GROUPS).flat();

class GroupedHelp extends Help {
  readonly #which: "named" | "all";

  constructor(which: "named" | "all") {
    super();
    this.#which = which;
  }

  override groupItems<T extends Command | Option>(_all: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
    const isShown = (item: T): boolean => !("commands" in item) || this.#which === "all" || NAMED.includes(item.name());
    const placeOf = (item: T): number => (NAMED.includes(item.name()) ? NAMED.indexOf(item.name()) : NAMED.length);
    const shown = visible.filter(isShown).toSorted((a, b) => placeOf(a) - placeOf(b));
    return super.groupItems(shown, shown, groupOf);
  }
}

/** Shows the commands of `assent` in groups: those that `GROUPS` names, or all. */
export function groupCommands(assent: Command, which: "named" | "all"): void {
  for (const command of assent.commands) {
    const [group] = Object.entries(GROUPS).find(([, names]) => names.includes(command.name())) ?? ["Others:"];
    command.helpGroup(group);
  }
  assent.createHelp = () => Object.assign(new GroupedHelp(which), assent.configureHelp());
}
