import { visible } from "@assent/core/action";
import { editPolicy, readPlace } from "@assent/guard/policy-edit";
import { isPasskeyKey, type PasskeyCredential, passkeyPrint } from "@assent/guard/signature";
import { thisMachine } from "@assent/guard/state";
import type { RegisteredPasskey } from "@assent/team/team/protocol";
import { JSON_VERSION, writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain, showProblems } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { type AtServer, KeyedServer, type TeamFailure } from "./team-key.ts";
import { confirmed } from "./terminal.ts";

export interface PasskeyFlags extends AtServer {
  readonly key?: string;
  readonly person?: readonly string[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `added`, `changed`: not in the file, or of another person or key there. `gone`: the server has it no more. */
type PasskeyState = "added" | "changed" | "kept" | "gone";

interface SeenPasskey {
  readonly state: PasskeyState;
  readonly credential: PasskeyCredential;
  /** What its person calls it, and since when it is registered. */
  readonly name?: string;
  readonly made?: string;
  /** What the file says of it, where that differs. */
  readonly before?: PasskeyCredential;
}

const NO_BLOCK =
  'first say what they are for: "team": { "passkeys": { "rules": ["Bash(npm publish:*)"], "site": "https://HOST", "credentials": [] } }';

function failed({ problem, help }: TeamFailure): 1 {
  complain("team policy passkeys", visible(problem), help);
  return 1;
}

/** `assent team policy passkeys FILE`: 0 the file names what people registered, 1 it does not. */
export async function policyPasskeys(file: string, flags: PasskeyFlags): Promise<number> {
  const { json, yes, person: only } = flags;
  const place = { layer: "user", file: absolute(file) } as const;
  const found = readPlace(place);
  if (found.is !== "text") return failed({ problem: `${file} ${found.is === "missing" ? "does not exist" : found.why}` });
  if (!found.read.ok) {
    showProblems(found.read.problems, (name) => visible(shorten(name, absolute("."), thisMachine().home)));
    return failed({ problem: `${file} has mistakes: nothing is changed` });
  }
  const there = found.read.policy.settings.team?.passkeys;
  if (there === undefined) return failed({ problem: `${file} does not say what passkeys have to sign`, help: NO_BLOCK });
  const at = await KeyedServer.open(flags);
  if ("problem" in at) return failed(at);
  const told = await at.ask("passkeys");
  if ("problem" in told) return failed(told);
  const registered = told.is === "passkeys" ? told.passkeys : [];
  const broken = registered.find(({ key }) => !isPasskeyKey(key));
  if (broken !== undefined)
    return failed({ problem: `the server names as passkey ${broken.name} of ${broken.person} what cannot be a key` });
  const seen = comparePasskeys(there.credentials, registered, only);
  const fresh = seen.filter(({ state }) => state !== "kept");
  const credentials = seen.filter(({ state }) => state !== "gone").map(({ credential }) => credential);
  const facts = { file: place.file, site: there.site, passkeys: seen.map(factsOf) };
  if (fresh.length === 0) {
    writeStdout(json === true ? `${JSON.stringify({ v: JSON_VERSION, ...facts, written: false })}\n` : `${table(seen)}Nothing is new.\n`);
    return 0;
  }
  const page =
    `${table(seen)}The server says so, and nothing else vouches for it. Ask each person, by a way that is not this server, whether the print is\n` +
    `the one that their page showed when they added the passkey. Whoever's key is written here can say yes from then on.\n`;
  const agreed = yes === true ? true : json === true ? undefined : await confirmed(page, `Write this into ${visible(file)}?`);
  if (agreed !== true) {
    if (json === true) writeJson({ ...facts, written: false });
    else if (agreed === undefined) writeStdout(page);
    return failed(
      agreed === undefined
        ? { problem: "nobody was asked: nothing is written", help: "in a terminal it asks; --yes writes it" }
        : { problem: "nothing is written" },
    );
  }
  const written = editPolicy(place, "", (text) =>
    // As it was when it was looked at: what somebody else wrote since was shown to nobody.
    text === found.text
      ? { edits: [{ do: "set", path: ["team", "passkeys", "credentials"], value: credentials.map((one) => ({ ...one })) }] }
      : { stop: "changed" },
  );
  if (written.is === "stopped") return failed({ problem: `${file} has changed meanwhile: nothing is written` });
  if (written.is === "broken" || written.is === "failed")
    return failed({ problem: `${file} ${written.is === "failed" ? written.why : "has mistakes"}: nothing is written` });
  const count = credentials.length === 1 ? "1 passkey" : `${credentials.length} passkeys`;
  writeStdout(
    json === true
      ? `${JSON.stringify({ v: JSON_VERSION, ...facts, written: true })}\n`
      : `${yes === true ? table(seen) : ""}${visible(file)} names ${count} now: sign it, push it and release it.\n`,
  );
  return 0;
}

/** What the file says beside what the server says. `only`: whose passkeys may change; undefined: everybody's. */
export function comparePasskeys(
  there: readonly PasskeyCredential[],
  registered: readonly RegisteredPasskey[],
  only: readonly string[] | undefined,
): readonly SeenPasskey[] {
  const isMeant = (person: string): boolean => only === undefined || only.includes(person);
  const byId = new Map(there.map((one) => [one.id, one]));
  const now = registered.flatMap(({ person, id, key, name, made }): SeenPasskey[] => {
    const before = byId.get(id);
    const credential = { person, id, key };
    if (before?.person === person && before.key === key) return [{ state: "kept", credential, name, made }];
    // It is somebody's already: both have to be meant.
    if (!isMeant(person) || (before !== undefined && !isMeant(before.person)))
      return before === undefined ? [] : [{ state: "kept", credential: before }];
    return [{ state: before === undefined ? "added" : "changed", credential, name, made, ...(before === undefined ? {} : { before }) }];
  });
  const ids = new Set(registered.map(({ id }) => id));
  const gone = there
    .filter(({ id }) => !ids.has(id))
    .map((credential): SeenPasskey => ({ state: isMeant(credential.person) ? "gone" : "kept", credential }));
  return [...now, ...gone];
}

const factsOf = ({ state, credential, name, made, before }: SeenPasskey): object => ({
  state,
  person: credential.person,
  print: passkeyPrint(credential.key),
  id: credential.id,
  ...(name === undefined ? {} : { name }),
  ...(made === undefined ? {} : { made }),
  ...(before === undefined ? {} : { before: { person: before.person, print: passkeyPrint(before.key) } }),
});

const WORDS: Readonly<Record<PasskeyState, string>> = { added: "new", changed: "CHANGED", kept: "", gone: "goes" };

function table(seen: readonly SeenPasskey[]): string {
  const rows = seen.map(({ state, credential, name = "", made, before }) => [
    WORDS[state],
    visible(credential.person),
    visible(name),
    passkeyPrint(credential.key),
    made === undefined ? "" : `${made.slice(0, 16).replace("T", " ")} UTC`,
    before === undefined ? "" : `was ${visible(before.person)}'s ${passkeyPrint(before.key)}`,
  ]);
  const all = [["", "person", "name", "print", "added", ""], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
