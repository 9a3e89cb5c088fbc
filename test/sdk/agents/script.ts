/** What the model of each of these agents wants, one call after the other; then it says `done`. Nothing of it is run. */
export const CALLS = [
  ["read", { path: "README.md" }],
  ["read", { path: ".env" }],
  ["bash", { command: "rm -rf ~" }],
  ["bash", { command: "git push" }],
  ["bash", { command: "npm publish" }],
] satisfies [name: "read" | "bash", input: { path: string } | { command: string }][];

/** The agent's user: a push is asked about, and publishing is refused with a reason. */
export const POLICY = {
  permissions: { ask: ["Bash(git push:*)"], deny: [{ rule: "Bash(npm publish:*)", reason: "a person publishes" }] },
};

export interface Report {
  readonly ran: readonly string[];
  readonly asked: readonly string[];
  readonly told: unknown;
  readonly said: unknown;
}

export const report = (came: Report): void => console.log(JSON.stringify(came));
