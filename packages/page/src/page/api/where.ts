import { withTilde } from "@assent/core/path";
import { folderOf } from "../folder.ts";
import { type Endpoint, json, refused } from "./endpoint.ts";

/** Whether a folder that a person names is one, and how it is written. */
export const WHERE: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/api/where",
    answer: ({ query }, { machine }) => {
      const folder = folderOf(query, machine);
      return folder === undefined ? refused("this folder does not exist", 404) : json({ folder, short: withTilde(folder, machine.home) });
    },
  },
];
