import { describe, expect, it } from "vitest";
import { questionsFolder } from "@assent/guard/approve/queue";
import { defaultKeyFile } from "../../packages/assent/src/cli/team-key.ts";
import { daemonFolder, stateFolder, thisMachine } from "@assent/guard/state";
import { runsFolder } from "@assent/supervisor/supervise/undo";
import { remoteFolder } from "@assent/team/team/remote";
import { place } from "./place.ts";

/** Mechanism: a file of Assent's own that holds a secret is named where it is written, and closed in a table. Each is closed. */
const here = place();
const { machine } = here;
const OWN: Readonly<Record<string, string>> = {
  "a question that waits": `${questionsFolder(machine)}/x.question`,
  "how the judge that stays is asked": `${daemonFolder(machine)}/port`,
  "what was in a file before a run changed it": `${runsFolder(machine)}/20261126-101010-abcdef/kept/1`,
  "what was in the folders before": `${runsFolder(machine)}/20261126-101010-abcdef/before.jsonl`,
  "the token of a machine of a team": `${stateFolder(machine)}/team-member/membership.json`,
  "what a team was asked": `${remoteFolder(machine)}/x.asked`,
  "what the server of a team keeps": `${stateFolder(machine)}/team-server/database`,
  "the key that lets machines into a team": "/etc/assent/team.json",
  "the key that signs a team's policies": defaultKeyFile().replace(thisMachine().home, here.home),
};

describe("what Assent keeps to itself", () => {
  it.each(Object.entries(OWN).flatMap(([what, path]) => [path, `'${path}'`, path.toUpperCase()].map((word) => [what, word] as const)))(
    "is closed: %s, as %s",
    (_, word) => {
      for (const command of [
        `cat ${word}`,
        `base64 < ${word}`,
        `cp ${word} notes.txt`,
        `tar -cf - ${word} | cat`,
        `python3 -c "open(r'${word.replaceAll("'", "")}')"`,
      ])
        expect([command, here.verdict(command).decision]).toEqual([command, "deny"]);
      for (const tool of ["Read", "Grep"])
        expect(
          here.verdict({
            tool,
            input: tool === "Read" ? { file_path: word.replaceAll("'", "") } : { pattern: "x", path: word.replaceAll("'", "") },
          }).decision,
        ).toBe("deny");
    },
  );
});
