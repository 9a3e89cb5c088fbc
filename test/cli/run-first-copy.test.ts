import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { here } from "./run-place.ts";

/** What stands in the file afterwards; undefined: it is not there. */
function after(
  command: string,
  made: string,
  { before, policy = {} }: { readonly before?: string; readonly policy?: object } = {},
): string | undefined {
  const place = here();
  for (const name of [".env.example", "sub/.env.example", "conf/secrets.sample.yml"]) place.write(name, "KEY=\n");
  place.write("plain", "PLAIN\n");
  mkdirSync(join(place.project, ".ssh"));
  if (before !== undefined) place.write(made, before);
  place.write("~/.agent-permissions.jsonc", JSON.stringify(policy));
  place.run(["-q", "-P", "--", "sh", "-c", command]);
  const file = join(place.project, made);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

describe("the first copy of a template is an ordinary file to a run, too", () => {
  it.each([
    ["the first step of many READMEs", "cp .env.example .env", ".env"],
    ["in a folder below", "cd sub && cp .env.example .env", "sub/.env"],
    ["with the template's times and mode", "cp -p .env.example .env", ".env"],
    ["by the program's path", "/bin/cp -nv -- .env.example .env", ".env"],
    ["from one folder to another", "cp .env.example sub/.env", "sub/.env"],
    ["under a longer name", "cp .env.example .env.local", ".env.local"],
    ["of other settings", "cp conf/secrets.sample.yml conf/secrets.yml", "conf/secrets.yml"],
  ])("%s", (_, command, made) => {
    expect(after(command, made)).toBe("KEY=\n");
  });

  it.each([
    ["one that is there is kept", "cp .env.example .env", ".env", "SECRET=1\n", "SECRET=1\n"],
    ["what is no template", "cp plain .env", ".env", undefined, undefined],
    ["where nothing but secrets lies", "cp .env.example .ssh/.env", ".ssh/.env", undefined, undefined],
    ["under another's name", "cp .env.example id_rsa", "id_rsa", undefined, undefined],
    ["a second name of the template", "cp -l .env.example .env", ".env", undefined, undefined],
    [
      "a program of the project that is called cp",
      "printf 'echo X >.env' >cp; chmod +x cp; ./cp .env.example .env",
      ".env",
      undefined,
      undefined,
    ],
    [
      "afterwards nobody changes it",
      "cp .env.example .env; echo X >>.env; cp plain .env; cp .env.example .env",
      ".env",
      undefined,
      "KEY=\n",
    ],
    ["nor reads it", "cp .env.example .env; cat .env >out", "out", undefined, ""],
  ])("not so: %s", (_, command, made, before, expected) => {
    expect(after(command, made, before === undefined ? {} : { before })).toBe(expected);
  });

  it("nor where a rule says that nothing is written, or the policy that all is asked", () => {
    expect(after("cp .env.example .env", ".env", { policy: { permissions: { deny: ["Write(**/.env)"] } } })).toBeUndefined();
    expect(after("cp .env.example .env", ".env", { policy: { preset: "readonly" } })).toBeUndefined();
  });
});
