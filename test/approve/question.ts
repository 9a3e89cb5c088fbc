import type { Question } from "@assent/guard/approve";

/** A question as the door would put it: `npm` wants to write into its cache. */
export function question(seq: number, more: Partial<Question> & { readonly path?: string } = {}): Question {
  const { path = `/home/me/.npm/_cacache/${seq}`, ...rest } = more;
  return {
    seq,
    run: "r1",
    profile: "npm",
    process: { pid: 4121, name: "node", argv: ["node", "/usr/bin/npm", "install", "left-pad"] },
    ancestry: [
      { pid: 4100, name: "sh", argv: ["sh", "-c", "npm install left-pad"] },
      { pid: 4099, name: "assent", argv: ["assent", "run"] },
    ],
    cwd: "/home/me/project",
    command: ["npm", "install", "left-pad"],
    call: { name: "open", args: [path, "create+write"] },
    action: { kind: "file", operation: "write", target: { kind: "path", path }, origin: { by: "tool" } },
    what: `write ${path.replace(/^\/home\/me/, "~")} (new file)`,
    reason: "outside the project",
    proposals: [
      { rule: `Write(${path})`, covers: "this file" },
      { rule: "Write(~/.npm/_cacache/**)", covers: "everything in ~/.npm/_cacache" },
      { rule: "Write(~/.npm/**)", covers: "everything in ~/.npm" },
    ],
    group: "node write /home/me/.npm/_cacache",
    ...rest,
  };
}

export const checkRule = (rule: string): string | undefined => (/^\w+\(.+\)$/.test(rule) ? undefined : `\`${rule}\` is not a rule`);
