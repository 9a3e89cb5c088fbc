import { folderOf, shorten } from "../folder.ts";
import { shown } from "../text.ts";
import { type Endpoint, json, refused } from "./endpoint.ts";

/** One line of what is on. `mark`: `ask` where something is to be looked at, `deny` where something does not protect. */
export interface HereLine {
  readonly text: string;
  readonly mark?: "ask" | "deny";
  /** What changes it, or tells more. */
  readonly command?: string;
}

export interface HereRow {
  readonly title: string;
  readonly lines: readonly HereLine[];
}

/** What `assent status` says of a folder. */
export interface PageStatus {
  /** The text begins with the word of `is`. */
  readonly protected: { readonly is: "yes" | "partly" | "no"; readonly text: string };
  /** Decisions of today. */
  readonly today: { readonly checked: number; readonly sandboxed: number; readonly asked: number; readonly refused: number };
  readonly rows: readonly HereRow[];
  /** The last ones, the newest first. */
  readonly refused: readonly { readonly time: string; readonly agent: string; readonly what: string; readonly why: string }[];
}

/** The same, safe to show. */
export interface OverviewShape extends PageStatus {
  /** As people read it: `~/shop`. */
  readonly folder: string;
}

const LINE = 400;

/** The first view. */
export const OVERVIEW: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/api/overview",
    answer: async ({ query }, { machine, status }) => {
      const folder = folderOf(query, machine);
      if (folder === undefined) return refused("this folder does not exist", 404);
      const found = await status(folder);
      return json({
        folder: shown(shorten(folder, machine.home), LINE),
        protected: { is: found.protected.is, text: shown(found.protected.text, LINE) },
        today: found.today,
        rows: found.rows.map(({ title, lines }) => ({ title, lines: lines.map((line) => ({ ...line, text: shown(line.text, LINE) })) })),
        refused: found.refused.map(({ time, agent, what, why }) => ({
          time: shown(time, 32),
          agent: shown(agent, 80),
          what: shown(what, LINE),
          why: shown(why, LINE),
        })),
      } satisfies OverviewShape);
    },
  },
];
