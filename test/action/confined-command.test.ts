import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { confinedCommand, confineLauncher, isConfinedCommand, singleQuoted } from "@assent/core/action";

const TICKET = "0123456789abcdef";
const COMMANDS = [
  "npm test",
  "echo 'it''s'",
  "'",
  "''",
  "a'b'c'",
  "echo \\'",
  'echo "$(cat x)" `y` ${z} !! \\\\ \t',
  "cat <<'E'\nit's\nE\n",
  "x; y & z | w > v # t",
  "é\u{1f600}",
  "-n",
  " leading and trailing ",
  "\n",
];

describe("a command in one word of the shell", () => {
  const shells = ["sh", "bash", "zsh", "dash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);
  it.each(shells)("%s hands it on as it is", (shell) => {
    for (const command of COMMANDS)
      expect(execFileSync(shell, ["-c", `printf %s ${singleQuoted(command)}`], { encoding: "utf8" })).toBe(command);
  });
});

describe("what a host starts in the place of a command", () => {
  it.each(["/home/you", "/home/a b'c", "/"])("is recognised when it comes back: home %s", (home) => {
    for (const command of COMMANDS) {
      expect(isConfinedCommand(home, confinedCommand(home, TICKET, command))).toBe(true);
      // Nothing of it is expanded: the launcher gets exactly these words.
      const words = execFileSync("bash", ["-c", `set -- ${confinedCommand(home, TICKET, command)}; printf '%s\\0' "$@"`], {
        encoding: "utf8",
      });
      expect(words).toBe([confineLauncher(home), TICKET, command, ""].join("\0"));
    }
  });

  const START = "/home/you/.local/share/assent/confine";
  const OTHERS = [
    "ls",
    `${START}`,
    `${START} ${TICKET}`,
    `${START} ${TICKET} ls`,
    `${START} ${TICKET} "ls"`,
    `${START} ${TICKET} 'ls'; rm x`,
    `${START} ${TICKET} 'ls' rm`,
    `${START} ${TICKET} 'ls'\nrm x`,
    `${START} ${TICKET} 'ls'$(rm x)`,
    `${START} ${TICKET} 'ls''rm'x`,
    `${START} ${TICKET} 'ls'\\''`,
    `${START} $(rm x) 'ls'`,
    `${START} ${TICKET.slice(1)} 'ls'`,
    `X=1 ${START} ${TICKET} 'ls'`,
    `/home/me/.local/share/assent/confine ${TICKET} 'ls'`,
    `${START}2 ${TICKET} 'ls'`,
    ` ${START} ${TICKET} 'ls'`,
  ];
  it.each(OTHERS)("is no other: %s", (text) => {
    expect(isConfinedCommand("/home/you", text)).toBe(false);
  });
});
