import type { Arguments } from "./options.ts";

/** Options with which a walk enters folders that links lead to; true: it does so unless an option says no. */
const FOLLOWING: Readonly<Record<string, readonly string[] | { readonly unless: readonly string[] }>> = {
  grep: ["-R", "--dereference-recursive"],
  rg: ["-L", "--follow"],
  ripgrep: ["-L", "--follow"],
  ag: ["-f", "--follow"],
  ack: ["--follow"],
  fd: ["-L", "--follow"],
  tar: ["-h", "--dereference"],
  cp: ["-L", "--dereference"],
  rsync: ["-L", "--copy-links", "-k", "--copy-dirlinks"],
  zip: { unless: ["-y", "--symlinks"] },
  diff: { unless: ["--no-dereference"] },
};

const ALIASES: Readonly<Record<string, string>> = {
  egrep: "grep",
  fgrep: "grep",
  ggrep: "grep",
  gtar: "tar",
  bsdtar: "tar",
  colordiff: "diff",
  gdiff: "diff",
  fdfind: "fd",
  "ack-grep": "ack",
};

/** Whether this command's walks follow the links they come to. */
export function followsLinks(inv: { readonly name: string; readonly args: Arguments }): boolean {
  const name = ALIASES[inv.name] ?? inv.name;
  const fact = Object.hasOwn(FOLLOWING, name) ? FOLLOWING[name] : undefined;
  if (fact === undefined) return false;
  const given = (names: readonly string[]): boolean =>
    inv.args.options.some(({ option }) => option?.names.some((one) => names.includes(one)) === true);
  return "unless" in fact ? !given(fact.unless) : given(fact);
}
