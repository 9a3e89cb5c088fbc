import * as v from "valibot";
import { CONSENTS } from "../match/consent.ts";
import { choice, count, described, list, object, optional, refuseLists, text } from "./schema-words.ts";
import { EFFECTS, MODES, type OperationName, PRESETS, UNKNOWN } from "../match/types.ts";

/**
 * The one definition of a policy file: what validates it, and what the JSON Schema and the table in docs/policy.md
 * are generated from (`npm run generate`).
 *
 * Messages here are data for explain.ts: the words a reader may choose from, a line break, an example that is right.
 */

const WRAPPERS = 'write "wrappers": ["mywrap", "mytool run"]';
const ALIASES = 'write "aliases": { "k": "kubectl" }';
const OWN_COMMANDS =
  "It counts for a program that Assent does not know and that lies where no agent may write. Only your own and the managed policy may say so.";
const WRAPS = "Programs of yours that start the command behind their name: `mywrap`, or `mytool run`. Deny and ask rules hold for both.";
const STANDS = "Programs of yours that are another one, or a command of it: `k` is `kubectl`. Deny and ask rules hold for both.";

const OTLP = 'write "otlp": { "endpoint": "https://collector.example.org:4318" }';
const HEADERS = 'write "headers": { "authorization": "COLLECTOR_TOKEN" }, the name of the environment variable that holds it';

/** No user, no password: a policy is no place for secrets. */
const COLLECTOR = /^https?:\/\/[^/@?#\s]+(?:\/[^@?#\s]*)?$/;

const header = v.pipe(v.string(`\n${HEADERS}`), v.regex(/^[A-Z_a-z]\w{0,127}$/, `is not the name of an environment variable\n${HEADERS}`));
const headerName = v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/, `is not the name of a header\n${HEADERS}`));

const ownName = v.pipe(v.string(), v.regex(/^[\w.+][\w.+-]*$/, `is not the name of a program\n${ALIASES}`));
const plainCommand = (example: string) =>
  v.pipe(text(example), v.regex(/^[\w.+][\w.+:=@/-]*(?: [\w.+:=@/-]+)*$/, `is not a command of plain words\n${example}`));

const auditSettings = described(
  object(
    {
      keepDays: optional(count("Days the log is kept. Without it: 90.", 'write "keepDays": 90')),
      keepMegabytes: optional(
        count("Megabytes the log may have; the oldest records are dropped above them. Without it: 4096.", 'write "keepMegabytes": 4096'),
      ),
      otlp: optional(
        described(
          object(
            {
              endpoint: described(
                v.pipe(text(OTLP), v.regex(COLLECTOR, `is not an http(s) address without user, query and fragment\n${OTLP}`)),
                "The collector's address for OTLP over HTTP; `/v1/logs` is added where it is missing.",
              ),
              headers: optional(
                described(
                  refuseLists(v.record(headerName, header, `\n${HEADERS}`)),
                  "Headers to send, each with the name of the environment variable that holds its value.",
                ),
              ),
            },
            OTLP,
          ),
          "Where `assent log export --otlp` sends the log. Only your own and the managed policy may say so.",
        ),
      ),
    },
    'write "audit": { "keepDays": 90 }',
  ),
  "The log of verdicts.",
);

const undoSettings = described(
  object(
    {
      keepDays: optional(count("Days. Without it: 30.", 'write "keepDays": 30')),
      keepMegabytes: optional(count("Megabytes of files as they were before. Without it: 5120.", 'write "keepMegabytes": 5120')),
      keepRuns: optional(count("Runs and edits. Without it: 2000.", 'write "keepRuns": 2000')),
    },
    'write "undo": { "keepMegabytes": 5120 }',
  ),
  "How much is kept for `assent undo`; the oldest goes first, never what belongs to a session that goes on. Only your own and the managed policy may say so.",
);

const TEAM = 'write "team": { "answers": ["Bash(npm publish:*)"] }';
const teamRules = (key: string, meaning: string) =>
  optional(described(list(text(`write "${key}": ["Bash(npm publish:*)"]`), `write "${key}": ["Bash(npm publish:*)"]`), meaning));

const PASSKEYS = 'write "passkeys": { "rules": ["Bash(npm publish:*)"], "site": "https://assent.example.com", "credentials": [] }';
const CREDENTIAL = "`assent team policy passkeys FILE` writes it";
/** An origin as browsers write it. Passkeys belong to names, never to addresses. */
const SITE = /^(?:https:\/\/(?:[a-z\d-]+\.)*[a-z][a-z\d-]*(?::(?!443$)[1-9]\d{0,4})?|http:\/\/localhost(?::(?!80$)[1-9]\d{0,4})?)$/;
/** Nothing that controls a terminal, cannot be seen, or turns the direction of text. */
const SHOWABLE =
  /^[ -~\u00a1-\u00ac\u00ae-\u061b\u061d-\u180d\u180f-\u200a\u2010-\u2027\u202f-\u205f\u2070-\ufefe\uff00-\ufff8\ufffc\ufffd]+$/;
const codedText = (most: number, what: string) =>
  v.pipe(text(CREDENTIAL), v.maxLength(most, `is too long\n${CREDENTIAL}`), v.regex(/^[\w-]+$/, `is not ${what}\n${CREDENTIAL}`));

const passkeySettings = described(
  object(
    {
      rules: described(
        list(text(PASSKEYS), PASSKEYS),
        "Rules: for what they speak of a yes counts only if a passkey signed it. What the server says counts for nothing there.",
      ),
      site: described(
        v.pipe(text(PASSKEYS), v.regex(SITE, `is not the address of a site, such as https://assent.example.com\n${PASSKEYS}`)),
        "Where people answer: the server's address, without a path.",
      ),
      credentials: described(
        v.pipe(
          list(
            object(
              {
                person: described(
                  v.pipe(
                    text(CREDENTIAL),
                    v.maxLength(128, `is too long\n${CREDENTIAL}`),
                    v.regex(SHOWABLE, `holds signs that cannot be shown\n${CREDENTIAL}`),
                  ),
                  "Whose it is. Where two people have to say yes, two of these names have to sign.",
                ),
                id: described(codedText(1400, "the id of a passkey"), "The passkey's id."),
                key: described(codedText(1500, "a public key"), "Its public key."),
              },
              CREDENTIAL,
            ),
            CREDENTIAL,
          ),
          v.maxLength(200, `there are more than 200\n${CREDENTIAL}`),
        ),
        "The passkeys that may sign, written by `assent team policy passkeys`. While the list is empty, nobody answers remotely what the rules cover.",
      ),
    },
    PASSKEYS,
  ),
  "Whose passkeys have to sign a yes (docs/team.md).",
);

const WAITS = 'write "waits": [{ "rules": ["Bash(npm publish:*)"], "wait": "10m" }]';
const teamWaits = described(
  v.pipe(
    list(
      object(
        {
          rules: optional(
            described(list(text(WAITS), WAITS), "What it is about; without them: every question that has not been named yet."),
          ),
          wait: described(
            v.pipe(text(WAITS), v.regex(/^(?:\d{1,4}s|[1-5]?\dm|1h)$/, `is not a time up to an hour, such as 90s, 10m or 1h\n${WAITS}`)),
            "How long: 90s, 10m, at most 1h. 0s: not at all.",
          ),
        },
        WAITS,
      ),
      WAITS,
    ),
    v.maxLength(100, `there are more than 100\n${WAITS}`),
  ),
  "How long a question waits for people of the team before it is refused, within what its host allows; the first that speaks of it counts. A later yes " +
    "still lets exactly this through, once.",
);

const teamSettings = described(
  object(
    {
      answers: teamRules(
        "answers",
        "Rules: a question about nothing but what they speak of may be answered by people of the team. Without it: none.",
      ),
      twoPeople: teamRules("twoPeople", "Rules: for what they speak of two people of the team have to say yes."),
      waits: optional(teamWaits),
      passkeys: optional(passkeySettings),
    },
    TEAM,
  ),
  "What people of the team may answer remotely (docs/team.md): an ask, never a deny. Only your own and the managed policy may say so.",
);

const OPTION_RULE = 'write { "tool": "Bash", "command": "sed", "when": { "hasOption": "-i" } }';
const RULE_OBJECT = 'write { "rule": "Bash(git push:*)", "reason": "…" }';
const TEXT_RULE = 'write "Bash(git status:*)"';

const reason = described(text('write "reason": "use trash instead"'), "Shown with the verdict, to you and to the agent.");

const exampleInput = refuseLists(v.record(v.string(), v.unknown()));
const examples = (name: string, meaning: string) =>
  described(
    list(
      v.union([text(`write "${name}": ["git push origin"]`), exampleInput], `\nwrite "${name}": ["git push origin"]`),
      `write "${name}": ["git push origin"]`,
    ),
    meaning,
  );
const match = examples("match", "Commands, paths, URLs or tool inputs the rule must match; checked whenever the file is read.");
const notMatch = examples("notMatch", "The same, for what the rule must not match.");

const textOrList = (example: string) =>
  v.union([text(example), v.pipe(list(text(example), example), v.nonEmpty(`the list is empty\n${example}`))], `\n${example}`);

export const ruleText = text(TEXT_RULE);

const WHEN = 'write "when": { "role": ["dev", "ops"] }';
const names = (key: string, meaning: string) => optional(described(textOrList(`write "${key}": ["…"]`), meaning));

/** Whom a rule is about. */
const principal = {
  user: names("user", "The user. A hook knows the name of the account."),
  tenant: names("tenant", "The tenant, as the program that asks names it."),
  role: names("role", "A role that the user has, as the program that asks names it."),
  agent: names("agent", "The agent or the sub-agent."),
  session: names("session", "The session."),
};

export const ruleObject = object(
  {
    rule: described(text(RULE_OBJECT), "The rule, as you would write it alone."),
    reason: optional(reason),
    confined: optional(
      described(
        v.literal(false, '\nwrite "confined": false, or leave it out'),
        'Under allow: what it allows runs without the sandbox, under `"unknown": "confine"` too.',
      ),
    ),
    when: optional(
      described(
        v.pipe(object(principal, WHEN), v.minEntries(1, `says nothing\n${WHEN}`)),
        "Whom the rule is about, where it is not everybody. Of all that is given, one name of each must be right. " +
          "Of whom it is not known an allow does not hold, and a deny asks.",
      ),
    ),
    match: optional(match),
    notMatch: optional(notMatch),
  },
  RULE_OBJECT,
);

export const optionRule = object(
  {
    tool: described(
      v.literal("Bash", '\nthis form is for shell commands only; for another tool write a text such as "Read(src/**)"'),
      "Always `Bash`.",
    ),
    command: described(textOrList(OPTION_RULE), "The program, or a list of programs."),
    when: described(
      object(
        { hasOption: described(textOrList(OPTION_RULE), "The option, or a list of which one is enough."), ...principal },
        'write "when": { "hasOption": "-i" }',
      ),
      "When the rule holds.",
    ),
    reason: optional(reason),
    match: optional(match),
    notMatch: optional(notMatch),
  },
  OPTION_RULE,
);

const CONSENT = "`assent allow --here COMMAND` writes it";

/** Which of the keys belong to which consent is for the reader to say. */
const consentEntry = object(
  {
    consent: choice(CONSENTS, "What was said yes to (docs/consents.md)."),
    root: described(v.pipe(text(CONSENT), v.regex(/^\//, `is not an absolute path\n${CONSENT}`)), "The repository that it holds in."),
    given: optional(described(text(CONSENT), "When it was given.")),
    by: optional(described(text(CONSENT), "Who of your team gave it.")),
    remote: optional(described(text(CONSENT), "`push-branches`: the remote's address, as it was at the yes.")),
    never: optional(described(list(text(CONSENT), CONSENT), "`push-branches`: branches that it never pushes.")),
    base: optional(described(v.string(`\n${CONSENT}`), "`push-branches`: the commit that counts as pushed already.")),
    ci: optional(described(v.string(`\n${CONSENT}`), "`push-branches`: a sum over the files that CI runs, as they were at the yes.")),
    host: optional(described(text(CONSENT), "`pull-requests`: the forge.")),
    repository: optional(described(text(CONSENT), "`pull-requests`: owner and name, such as `acme/shop`.")),
    origin: optional(described(text(CONSENT), "`fetch`: scheme, host and port, such as `https://api.example.org`.")),
    port: optional(described(text(CONSENT), "`port`: the port of this machine.")),
    server: optional(described(text(CONSENT), "`port`: the kind of server, such as `postgres`.")),
    listener: optional(described(text(CONSENT), "`port`: who listened there at the yes.")),
    folder: optional(described(text(CONSENT), "`folder`: the other repository.")),
    object: optional(described(text(CONSENT), "`folder`: which folder lay there at the yes.")),
  },
  CONSENT,
);

/** Beside a slip of the finger a tool may really be called so. */
export const toolRule = object(
  {
    tool: described(
      text(OPTION_RULE),
      "A tool of that name, whatever the name looks like: `my_tool`, or with what its input must say `my_tool(path:src/**)`.",
    ),
    reason: optional(reason),
    match: optional(match),
    notMatch: optional(notMatch),
  },
  'write { "tool": "my_tool" }',
);

export const ruleEntry = v.union([ruleText, ruleObject, optionRule, toolRule], `\n${TEXT_RULE}`);

const rules = (effect: string, meaning: string) => described(list(ruleEntry, `write "${effect}": ["Bash(git status:*)"]`), meaning);

export const operationRule = object(
  {
    pattern: described(
      text('write "pattern": "**/secrets/**"'),
      "A path pattern; for `execute`, a pattern for the text of each single command.",
    ),
    action: choice(EFFECTS, "What to do when it matches."),
    description: optional(described(v.string('\nwrite "description": "…"'), "Why; shown with the verdict.")),
  },
  'write { "pattern": "**/secrets/**", "action": "deny" }',
);

const OPERATION_BLOCK = 'write { "default": "ask", "rules": [{ "pattern": "**/secrets/**", "action": "deny" }] }';

export const operationBlock = object(
  {
    default: optional(choice(EFFECTS, "What to do when no rule of the block matches; replaces the preset's default.")),
    rules: optional(
      described(
        list(operationRule, '"rules": [{ "pattern": "**/secrets/**", "action": "deny" }]'),
        "In order: the first that matches speaks.",
      ),
    ),
  },
  OPERATION_BLOCK,
);

/** A block is one schema used seven times, so what tells them apart stands here. */
export const OPERATION_MEANINGS = {
  read: "Reading files.",
  write: "Creating and replacing files, and every other change: delete, rename, new folders, links, mode.",
  edit: "Changing what is in a file.",
  execute: "Running commands.",
  glob: "Finding files by name.",
  grep: "Searching in files.",
  ls: "Listing folders.",
} as const satisfies Record<OperationName, string>;

const block = optional(operationBlock);

const agents = (key: string, description: string) =>
  described(list(text(`write "${key}": ["reviewer"]`), `write "${key}": ["reviewer"]`), description);

const EXTENDS = 'write "extends": ["assent:databases"]';

export const policySchema = object(
  {
    $schema: optional(described(v.string("\n"), "Where editors find the schema. Without effect.")),
    version: optional(
      described(
        v.literal(1, "\nthis Assent reads version 1; for a newer file install a newer Assent"),
        "Version of the format: 1, also when left out.",
      ),
    ),
    profile: optional(
      described(
        text('write "profile": "ci"'),
        "Only in profiles: the profile's name, as given with `--profile`, or the path of the program.",
      ),
    ),
    extends: optional(described(list(text(EXTENDS), EXTENDS), "Packs: `assent:databases`, `assent:cloud`, or files.")),
    preset: optional(choice(PRESETS, "What holds where no rule speaks. Without it: `default`.")),
    mode: optional(choice(MODES, "How much goes ahead without asking. Without it: `suggest`.")),
    writableRoots: optional(
      described(
        list(text('write "writableRoots": ["."]'), 'write "writableRoots": ["."]'),
        "Folders in which `auto-edit` may change files; relative ones mean the project. Without it: the project.",
      ),
    ),
    permissions: optional(
      described(
        object(
          {
            allow: optional(rules("allow", "What goes ahead without asking.")),
            ask: optional(rules("ask", "What a person must confirm.")),
            deny: optional(rules("deny", "What is refused, whatever else is allowed.")),
          },
          'write "permissions": { "allow": [], "ask": [], "deny": [] }',
        ),
        "The rules. Their order does not matter: deny wins over ask, ask wins over allow.",
      ),
    ),
    operations: optional(
      described(
        object(
          {
            default: optional(choice(EFFECTS, "What holds for the operations that have no block here.")),
            read: block,
            write: block,
            edit: block,
            execute: block,
            glob: block,
            grep: block,
            ls: block,
          },
          `write "operations": { "read": { "default": "allow" } }`,
        ),
        "Rules for one operation each, in order: the first that matches speaks.",
      ),
    ),
    automation: optional(
      described(
        object(
          {
            when: optional(
              choice(["everywhere", "subagents", "off"], "Where verdicts of `allow` go ahead by themselves. Without it: `everywhere`."),
            ),
            agents: optional(
              described(
                object(
                  {
                    trusted: optional(
                      agents(
                        "trusted",
                        [
                          "Subagents that may go ahead by themselves when `when` is `subagents`.",
                          "Where somebody is named, here or by `assent agents trust`, what other subagents want is asked.",
                        ].join(" "),
                      ),
                    ),
                    restricted: optional(agents("restricted", "Agents for which an allow always asks.")),
                  },
                  'write "agents": { "trusted": [], "restricted": ["reviewer"] }',
                ),
                "Agents by name.",
              ),
            ),
            breaker: optional(
              described(
                object(
                  {
                    denials: optional(count("Denials in a row after which everything asks. Without it: 10.", 'write "denials": 10')),
                    minutes: optional(
                      count(
                        "Minutes after which a row of denials is forgotten. Without it: never, a person resets it.",
                        'write "minutes": 60',
                      ),
                    ),
                  },
                  'write "breaker": { "denials": 10, "minutes": 60 }',
                ),
                "When to stop trusting a session.",
              ),
            ),
            refusals: optional(
              described(
                object(
                  {
                    minutes: optional(
                      count(
                        "How long a path that was refused through one tool is remembered for the others, in minutes. 0: not at all. Without it: 10.",
                        'write "minutes": 10',
                        0,
                        1440,
                      ),
                    ),
                  },
                  'write "refusals": { "minutes": 10 }',
                ),
                "How long a refused path is remembered in its session.",
              ),
            ),
          },
          'write "automation": { "when": "everywhere" }',
        ),
        "When an allow may go ahead without a person.",
      ),
    ),
    unknown: optional(
      choice(
        UNKNOWN,
        "What to do with a command that nothing can be known of beforehand. Without it: `ask`. " +
          "`confine` runs it supervised: held to the policy, and what it changes is kept for undo. `confine-log` asks, and logs what would be sandboxed.",
      ),
    ),
    bypass: optional(
      choice(
        ["asks", "host"],
        "What the bypass mode of an agent host may skip: only questions (`asks`), or every verdict (`host`). Without it: `asks`.",
      ),
    ),
    audit: optional(auditSettings),
    undo: optional(undoSettings),
    team: optional(teamSettings),
    wrappers: optional(described(list(plainCommand(WRAPPERS), WRAPPERS), `${WRAPS} ${OWN_COMMANDS}`)),
    aliases: optional(described(refuseLists(v.record(ownName, plainCommand(ALIASES), `\n${ALIASES}`)), `${STANDS} ${OWN_COMMANDS}`)),
    consents: optional(
      described(
        v.pipe(list(consentEntry, CONSENT), v.maxLength(200, `there are more than 200\n${CONSENT}`)),
        "Sentences you said yes to once, for one repository each (docs/consents.md). Only your own policy may have them; `assent grants` lists and ends them.",
      ),
    ),
    shell: optional(described(v.unknown(), "Accepted for files written for agentperm; without effect.")),
  },
  'write { "version": 1, "permissions": { "allow": [], "ask": [], "deny": [] } }',
);

export type RuleEntry = v.InferOutput<typeof ruleEntry>;
export type PolicyInput = v.InferOutput<typeof policySchema>;
