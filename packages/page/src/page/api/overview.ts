import { withTilde } from "@assent/core/path";
import { folderOf } from "../folder.ts";
import type { PageStatus } from "../status.ts";
import { shown } from "../text.ts";
import { type Endpoint, json, refused } from "./endpoint.ts";

/** What `assent status` says of the folder, safe to show. */
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
        folder: shown(withTilde(folder, machine.home), LINE),
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
