/** A policy that changes nothing, and says how to change something. Every line of it is read by a test. */
export function starterPolicy(layer: "user" | "project", schema: string | undefined): string {
  const intro =
    layer === "user"
      ? ["What an AI agent may do, in every project of yours.", "`assent rules` lists what is in force, `assent lint` looks for mistakes."]
      : [
          "What an AI agent may do in this project, for everyone who works on it.",
          "Until a person says `assent trust`, only the ask and deny rules of this file count.",
        ];
  return `{
${schema === undefined ? "" : `  "$schema": ${JSON.stringify(schema)},\n`}  "version": 1,

  // ${intro.join("\n  // ")}

  // What holds where no rule speaks: default, permissive, readonly, strict or none.
  // "preset": "default",

  // The strictest rule wins: deny, then ask, then allow. Order does not matter.
  "permissions": {
    // Goes ahead: "Bash(npm test:*)", "Edit(src/**)", "WebFetch(domain:nodejs.org)"
    "allow": [],

    // You confirm: "Shell(git push ...)"
    "ask": [],

    // Is refused: { "rule": "Read(**/*.pem)", "reason": "certificates are none of your business" }
    "deny": []
  }
}
`;
}
