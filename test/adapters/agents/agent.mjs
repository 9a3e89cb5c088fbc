// What the test agents of all SDKs have in common: one policy in code, the same tools, one way to be driven.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commandIn, createGuard } from "assent";

/** What the tools do, as functions of their input; `drop_table` and whatever is discovered are known by name alone. */
export const EFFECTS = {
  bash: commandIn("command"),
  save: ({ path }) => ({ write: path }),
};

/** Of `guard.tools`, which takes no tool without. */
export const ALL_EFFECTS = { ...EFFECTS, drop_table: "nothing", found_by_itself: "nothing" };

const POLICY = {
  permissions: {
    allow: ["Bash(npm test:*)", { rule: "Edit(src/**)", when: { role: ["dev"] } }],
    deny: ["Bash(git push:*)", "drop_table", "mcp__box__drop_table", { rule: "Bash(date)", when: { agent: "helper" } }],
  },
};

/** What is run is only written down. */
export function kitFor({ cwd, onAsk, stricter, quiet, confine }) {
  const ran = [];
  const heardOf = [];
  const answer = ({ calls }) => {
    heardOf.push(...calls.map(({ shell }) => shell));
    return onAsk === "yes" ? { yes: "once" } : onAsk;
  };
  const guard = createGuard({
    cwd,
    home: `${cwd}/home`,
    ...(quiet === true ? { policy: QUIET } : { policy: stricter === undefined ? POLICY : [POLICY, stricter] }),
    principal: { user: "ann", role: "dev", agent: "main" },
    confine: confine === true,
    ...(onAsk === undefined ? {} : { onAsk: answer }),
  });
  return {
    guard,
    ran,
    heardOf,
    bash: ({ command }) => (confine === true ? reallyRun(cwd, command, ran) : (ran.push(command), `ran ${command}`)),
    save: ({ path }) => (ran.push(`save ${path}`), `saved ${path}`),
    drop_table: () => (ran.push("drop_table"), "dropped"),
    found_by_itself: () => (ran.push("found_by_itself"), "found"),
  };
}

/** A script that wants a secret, and what is said of what it did. `ran` has what was started in its place as `confined`. */
function reallyRun(cwd, command, ran) {
  mkdirSync(`${cwd}/home/.ssh`, { recursive: true });
  writeFileSync(`${cwd}/home/.ssh/id_rsa`, "KEY-OF-ANN");
  writeFileSync(`${cwd}/x.sh`, 'printf "hello "; cat ~/.ssh/id_rsa');
  ran.push(command.endsWith("'sh x.sh'") ? "confined" : command);
  const { stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { cwd, encoding: "utf8", env: { ...process.env, HOME: `${cwd}/home` } });
  return `${stdout}${stderr}`;
}

/** The preset alone, and no breaker: what is denied in a row would make what follows a question. */
const QUIET = { automation: { breaker: { denials: 1000 } } };

export const TOOLS = {
  bash: { description: "Runs a line of shell.", fields: ["command"] },
  save: { description: "Writes a file.", fields: ["path", "text"] },
  drop_table: { description: "Drops a table.", fields: [] },
  found_by_itself: { description: "A tool of which nobody says what it does.", fields: [] },
};

export const schemaOf = ({ fields }) => ({
  type: "object",
  properties: Object.fromEntries(fields.map((name) => [name, { type: "string" }])),
  required: fields,
  additionalProperties: false,
});

/** The model: a list of turns, each a list of calls; then it says `done`. */
export class Script {
  constructor(turns) {
    this.turns = structuredClone(turns);
    this.told = "";
  }
  next(prompt, calls = 0) {
    this.told = JSON.stringify(prompt);
    return (this.turns.shift() ?? []).map(([name, args], at) => ({ name, args, id: `call-${this.turns.length}-${calls}-${at}` }));
  }
}

/** Drives an agent through what the file in the first parameter lists, and prints what came of each. */
export async function main(url, drive) {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== fileURLToPath(url)) return;
  const out = [];
  for (const request of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
    const kit = kitFor(request);
    try {
      const { asked, told, saved, finished } = await drive(request, kit);
      out.push({
        id: request.id,
        ran: kit.ran,
        heardOf: kit.heardOf,
        asked,
        told: request.quiet === true ? "" : told,
        finished,
        ...(saved === undefined ? {} : { saved }),
      });
    } catch (error) {
      out.push({
        id: request.id,
        ran: kit.ran,
        heardOf: kit.heardOf,
        asked: [],
        told: "",
        finished: false,
        error: String(error?.stack ?? error),
      });
    }
  }
  // A program of the SDK's may have made the pipe one that does not wait.
  process.stdout.write(`\n${JSON.stringify(out)}\n`, () => process.exit(0));
}
