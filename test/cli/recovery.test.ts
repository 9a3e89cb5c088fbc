import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isConfinedCommand } from "@assent/core/action";
import { scratch, type Scratch } from "../scratch.ts";
import { hooked, start } from "./confined-start.ts";
import { lasting } from "./run-place.ts";

/** Something of the machine that the script can reach and that lies outside the project. Its words for the script. */
type Outside = (place: Scratch) => Promise<string> | string;

/** A service of somebody else's, on loopback. */
const listener: Outside = async () => {
  const server = createServer((client) => client.on("error", () => undefined).end("hello\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? String(address.port) : "";
};

const socket: Outside = async (place) => {
  const path = join(place.home, "service.sock");
  const server = createServer((client) => client.on("error", () => undefined).end("hello\n"));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return path;
};

const sleeper: Outside = () => {
  const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return String(child.pid);
};

const repository: Outside = (place) => {
  const at = join(place.home, "other");
  mkdirSync(at);
  spawnSync("git", ["init", "-q", at]);
  place.write("~/other/file", "x\n");
  return at;
};

const browser: Outside = (place) => {
  chmodSync(place.write("chrome", "#!/bin/sh\necho a page\n"), 0o755);
  return "";
};

const nothing: Outside = () => "";

/** What a script of the project wants outside, and may have if a person says so. `$1` is what `needs` gave. */
const WANTED: readonly (readonly [what: string, script: string, needs: Outside])[] = [
  ["a file beside the project", "echo out > ../beside.txt", nothing],
  ["a file in home", 'echo out > "$HOME/notes.txt"', nothing],
  ["a setting of a tool", 'mkdir -p "$HOME/.config/tool" && echo a=1 > "$HOME/.config/tool/conf"', nothing],
  ["a folder in home", 'mkdir "$HOME/data"', nothing],
  ["to delete a file of home", 'rm "$HOME/old.txt"', nothing],
  ["to move a file out", 'mv "$HOME/old.txt" "$HOME/new.txt"', nothing],
  ["to link a file out", 'ln -s "$PWD/a" "$HOME/a-link"', nothing],
  ["to change a mode outside", 'chmod 600 "$HOME/old.txt"', nothing],
  ["to change times outside", 'touch -d 2020-01-01 "$HOME/old.txt"', nothing],
  ["to add to a file outside", 'echo more >> "$HOME/old.txt"', nothing],
  ["another repository", 'git -C "$1" add file', repository],
  ["a program's own folder outside", 'python3 -c "import pathlib; pathlib.Path.home().joinpath(\\"made\\").mkdir()"', nothing],
  ["a copy in home", 'cp tool.sh "$HOME/tool.sh"', nothing],
  ["an archive in home", 'tar cf "$HOME/all.tar" tool.sh', nothing],
  ["a service on loopback", 'exec 3<>"/dev/tcp/127.0.0.1/$1" && cat <&3', listener],
  ["a socket of somebody else's", 'python3 -c "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])" "$1"', socket],
  ["to end another program", 'kill -TERM "$1"', sleeper],
  ["a browser, which would wait for ever", "./chrome --headless page.html", browser],
  ["a sandbox of its own", "unshare --user --map-root-user true", nothing],
];

const reasonOf = (place: Scratch): string => {
  const lines = readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8").trim().split("\n");
  return (JSON.parse(lines.findLast((line) => line.includes('"point":"hook"')) ?? "") as { readonly reason: string }).reason;
};

describe("what a confined command was refused is had by one question", () => {
  it.each(WANTED)("%s: %s", async (_what, script, needs) => {
    // What lies in a temporary folder may be written.
    vi.stubEnv("TMPDIR", lasting());
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "unknown": "confine" }');
    place.write("~/old.txt", "old\n");
    chmodSync(place.write("tool.sh", `#!/bin/bash\nset -e\n${script}\n`), 0o755);
    const given = await needs(place);
    const command = given === "" ? "./tool.sh" : `./tool.sh ${given}`;

    const confined = hooked(place, command) ?? "";
    expect(isConfinedCommand(place.home, confined)).toBe(true);
    expect(await start(place, confined)).not.toBe(0);

    // The same again is asked about, with what it was refused; after a yes the host starts it as it is.
    expect(hooked(place, command)).toBeUndefined();
    expect(reasonOf(place)).toMatch(/failed sandboxed|was refused/);
    expect(await start(place, command)).toBe(0);
  });

  it("a listener of this machine is asked about once: the question names the rule, and under it the command goes ahead sandboxed", async () => {
    vi.stubEnv("TMPDIR", lasting());
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "unknown": "confine" }');
    chmodSync(place.write("tool.sh", '#!/bin/bash\nexec 3<>"/dev/tcp/127.0.0.1/$1" && cat <&3\n'), 0o755);
    const command = `./tool.sh ${await listener(place)}`;
    expect(await start(place, hooked(place, command) ?? "")).not.toBe(0);
    expect(hooked(place, command)).toBeUndefined();
    const [, rule = ""] = /to allow it: assent allow '(Net\([^)]*\))'/.exec(reasonOf(place)) ?? [];
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ unknown: "confine", permissions: { allow: [rule] } }));
    // Another command of the project, about which nobody was asked.
    const other = `${command} && true`;
    expect(await start(place, hooked(place, other) ?? "")).toBe(0);
  });
});
