import { foldersOf } from "../sources.ts";
import { showTyped } from "./run.ts";
import { plotPictures } from "./plots.ts";
import { boxesSvg, terminalSvg } from "./svg.ts";

export interface Picture {
  readonly file: string;
  readonly svg: string;
}

const SCRIPT = [
  "mkdir -p ~/.ssh; echo key > ~/.ssh/id_rsa; echo 'old words' > draft.txt",
  "printf '%s\\n' '#!/bin/sh' 'echo \"new words\" > draft.txt' 'echo done > report.md' 'cat ~/.ssh/id_rsa' 'exit 0' > tidy.sh; chmod +x tidy.sh",
].join("\n");

/** What the README shows, from the real program. */
export async function terminalPictures(root: string): Promise<readonly Picture[]> {
  const shown = await showTyped(root, SCRIPT, [
    ['assent explain "git log --oneline | head && rm -rf ~"', []],
    ["assent run mkdir ~/notes", ["n"]],
    ["assent run -P -- ./tidy.sh >/dev/null 2>&1; assent receipt; assent diff", []],
  ]);
  const titles = ['assent explain "git log --oneline | head && rm -rf ~"', "assent run mkdir ~/notes", "assent receipt; assent diff"];
  return ["explain", "question", "receipt"].map((name, at) => ({
    file: `docs/pictures/${name}.svg`,
    svg: terminalSvg(titles[at] ?? "", shown[at] ?? ""),
  }));
}

/** The folders of packages/, where they stand in a request's way. A folder that stands nowhere is an error; the team server is in no way. */
const ARCHITECTURE: readonly (readonly [title: string, folders: readonly string[]])[] = [
  ["who asks", ["cli", "page", "preview", "agents", "sdk", "daemon", "team", "approve"]],
  ["the whole decision", ["engine", "state", "audit", "import", "inspect", "lint", "policy-test", "suggest"]],
  ["what a request would do", ["request", "shell", "patch", "action"]],
  ["what the policy says", ["policy", "policy-edit", "pattern", "signature", "edit", "path", "data"]],
  ["the kernel's side", ["supervise", "engines"]],
];

/** Pictures that are drawn from tables and folders. */
export function drawnPictures(root: string): readonly Picture[] {
  const there = [...foldersOf(root)].filter(([, at]) => !at.includes("/packages/team-server/")).map(([name]) => name);
  const placed = ARCHITECTURE.flatMap(([, folders]) => folders);
  const wrong = [...there.filter((name) => !placed.includes(name)), ...placed.filter((name) => !there.includes(name))];
  if (wrong.length > 0) throw new Error(`the picture of the architecture has no place for, or no folder of: ${wrong.join(", ")}`);
  return [
    {
      file: "docs/pictures/architecture.svg",
      svg: boxesSvg("The folders of packages/: each row may use those below it", ARCHITECTURE),
    },
    {
      file: "docs/pictures/threat-model.svg",
      svg: boxesSvg("From a hostile text to your machine, and what stands in between", [
        ["a hostile text", ["an issue", "a web page", "a file", "a tool's answer"]],
        ["the agent, taken over", ["commands", "edits", "MCP calls", "file names"]],
        ["judged before it runs", ["hook", "MCP gateway", "library", "your policy", "built-in protection"]],
        ["held while it runs", ["assent run", "confined", "Landlock", "seccomp"]],
        ["what is left to you", ["questions with a reason", "circuit breaker", "receipt", "undo", "log"]],
        ["what is protected", ["secrets", "files outside the project", "hosts", "remotes", "the policy itself"]],
      ]),
    },
    ...plotPictures(root),
  ];
}

/** The lines of text of a picture. */
export const textOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text[^>]*>([\s\S]*?)<\/text>/g)].map(([, text = ""]) =>
    text
      .replaceAll(/<[^>]+>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
