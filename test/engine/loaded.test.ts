import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide } from "@assent/guard/engine";
import { reader, scratch, type Scratch } from "../scratch.ts";

const LOOSE = '{ "permissions": { "allow": ["Bash(*)", "Edit(**)", "Write(**)", "Read(**)", "Delete(**)"] } }';

/** A project into which Assent was installed. `linked`: its package is a link to a clone, as `npm link` makes it. */
function installed(linked: boolean): { readonly place: Scratch; readonly folder: string } {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", LOOSE);
  const root = linked ? join(place.home, "clone") : join(place.project, "node_modules/assent");
  for (const file of ["bin/assent.cjs", "dist/bin.cjs", "dist/hook.cache", "package.json", "src/x.ts", "packages/core/src/x.ts"])
    place.write(join(root, file), "{}");
  const packages = linked ? join(root, "node_modules") : join(place.project, "node_modules");
  place.write(join(packages, "@koromix/koffi-linux-x64/linux_x64/koffi.node"), "");
  place.write(join(packages, "@koromix/koffi-linux-x64/index.js"), "");
  place.write("node_modules/other/index.js", "");
  mkdirSync(join(place.project, "node_modules/.bin"), { recursive: true });
  if (linked) symlinkSync(root, join(place.project, "node_modules/assent"));
  if (linked) mkdirSync(join(packages, "@assent"));
  if (linked) symlinkSync("../../packages/core", join(packages, "@assent/core"));
  symlinkSync("../assent/bin/assent.cjs", join(place.project, "node_modules/.bin/assent"));
  return { place, folder: join(root, "dist") };
}

function told(place: Scratch, folder: string, command: string): string {
  const payload = { hook_event_name: "PreToolUse", cwd: place.project, tool_name: "Bash", tool_input: { command } };
  const reading = claude.read({ payload, event: undefined, env: {}, folder: place.project });
  if (reading.is !== "request") throw new Error(reading.why);
  const { verdict } = decide(reading.request, { machine: place.machine, reader, own: [folder], audit: false });
  return verdict.decision;
}

/** In the project, where the package is installed there. */
const REFUSED = [
  "echo x >> node_modules/@koromix/koffi-linux-x64/index.js",
  "echo x > node_modules/@koromix/koffi-linux-x64/package.json",
  "echo x > node_modules/@koromix/koffi-linux-x64/lib/native/new.js",
  "echo x > node_modules/@koromix/koffi-linux-x64/linux_x64/koffi.node",
  "echo x > node_modules/assent/package.json",
  "echo x > node_modules/assent/dist/hook.cache",
  "echo x > node_modules/assent/dist/new.cjs",
  "echo x > node_modules/assent/bin/assent.cjs",
  "echo x > node_modules/assent/node_modules/@koromix/koffi-linux-x64/index.js",
  "mkdir -p node_modules/assent/dist/node_modules/koffi",
  "echo x > node_modules/assent/dist/node_modules/@koromix/koffi-linux-x64/index.js",
  "echo x > ../node_modules/@koromix/koffi-linux-x64/index.js",
  "mv node_modules/@koromix node_modules/k",
  "mv node_modules/assent node_modules/a",
  "mv node_modules old",
  "rm -rf node_modules",
  "rm -rf node_modules/@koromix/koffi-linux-x64",
  "rm -r node_modules/@koromix",
  "ln -sfn /tmp/x node_modules/@koromix",
  "ln -sf /tmp/x node_modules/.bin/assent",
  "cp /tmp/x node_modules/@koromix/koffi-linux-x64/index.js",
  "sed -i s/a/b/ node_modules/@koromix/koffi-linux-x64/index.js",
  "truncate -s 0 node_modules/assent/package.json",
  "chmod 777 node_modules/@koromix/koffi-linux-x64/index.js",
  "cd node_modules && mv @koromix k",
  "cd node_modules/@koromix/koffi-linux-x64 && tee index.js < /tmp/x",
];

/** Where the package is a link to a clone. */
const REFUSED_LINKED = [
  "echo x >> ../clone/node_modules/@koromix/koffi-linux-x64/index.js",
  "echo x > ../clone/package.json",
  "echo x > node_modules/assent/package.json",
  "echo x > node_modules/assent/dist/bin.cjs",
  "echo x >> node_modules/assent/bin/assent.cjs",
  "rm ../clone/bin/assent.cjs",
  "echo x >> node_modules/assent/node_modules/@koromix/koffi-linux-x64/index.js",
  "mv ../clone ../old",
  "rm -rf ../clone/node_modules",
  // A workspace's link: what a build would take through it.
  "rm ../clone/node_modules/@assent/core",
  "rm -r ../clone/node_modules/@assent",
  "mv ../clone/node_modules/@assent ../clone/node_modules/a",
  "mkdir -p ../clone/node_modules/@assent/guard",
  "cp -r /tmp/x ../clone/node_modules/@assent/guard",
  "unlink ../clone/node_modules/@assent/core",
  "ln -sfnT /tmp/x ../clone/node_modules/@assent/core",
  "cd ../clone/node_modules/@assent && mv core old",
];

/** Its sources are a person's to change, as any project's: what is built of them is closed. */
const HARMLESS_LINKED = [
  "echo x > ../clone/packages/core/src/x.ts",
  "echo x > ../clone/src/x.ts",
  "mkdir -p ../clone/packages/guard",
  "cat ../clone/node_modules/@assent/core/src/x.ts",
  "ls -la ../clone/node_modules/@assent",
  "mkdir -p node_modules/@assent-other",
];

const HARMLESS = [
  "echo x > node_modules/other/index.js",
  "cat node_modules/@koromix/koffi-linux-x64/index.js node_modules/assent/package.json",
  "ls -la node_modules/@koromix node_modules/assent/dist",
  "echo x > package.json",
  "echo x > @koromix/index.js",
  "mkdir -p node_modules/@koromix-other",
  "rm -rf node_modules/other",
];

describe("T5: all that is loaded with the program", () => {
  it.each(REFUSED)("is closed: %s", (command) => {
    const { place, folder } = installed(false);
    expect(told(place, folder, command)).toBe("deny");
  });
  it.each(REFUSED_LINKED)("is closed where it is linked: %s", (command) => {
    const { place, folder } = installed(true);
    expect(told(place, folder, command)).toBe("deny");
  });
  it.each(HARMLESS_LINKED)("and nothing else of a clone: %s", (command) => {
    const { place, folder } = installed(true);
    expect(told(place, folder, command)).not.toBe("deny");
  });
  it.each(HARMLESS)("and nothing else: %s", (command) => {
    const { place, folder } = installed(false);
    expect(told(place, folder, command)).not.toBe("deny");
  });
});
