// The tables of `packages/core/knowledge/`, in the groups in which `assent/core` fetches them: the others read them from the same files.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Tables that come together, by their families; the others are a part of their own. */
const TABLES = {
  everyday: "basics files text search viewers compare checksums processes shells editors",
  git: "git",
  node: "node javascript-tools linters",
  python: "python environments",
  containers: "containers kubernetes",
  cloud: "aws cloud platforms infrastructure online-services forges",
  build: "build go rust java ruby languages debuggers interpreters",
  data: "data databases",
  network: "http network ssh tunnels servers",
  machine: "disks hardware services system users privileges administration macos desktop logs packages secrets crypto",
};

const OTHERS = "others";

const groupOf = (family) => Object.keys(TABLES).find((group) => TABLES[group].split(" ").includes(family)) ?? OTHERS;
export const tablePart = (group) => `tables-${group}`;

/** The tables as `writeRecords` puts them into one text, cut where one group ends and the next begins. */
export function cutTables({ entries, lines, writeRecords }) {
  const groups = [...Object.keys(TABLES), OTHERS];
  const sorted = groups.flatMap((group) => entries.filter(({ family }) => groupOf(family) === group));
  const { index, records, notes } = writeRecords(sorted, lines);
  // An entry ends its row in the index with where its record ends; those below it stand before it.
  const ends = index.split("\n").map((row) => Number(row.split("\t")[1]?.split(":")[1]));
  let start = 0;
  const pieces = groups.map((group) => {
    const end = ends[sorted.findLastIndex(({ family }) => groupOf(family) === group)];
    const piece = { group, start, text: records.slice(start, end) };
    start = end;
    return piece;
  });
  if (start !== records.length) throw new Error("the tables are not cut where their groups end");
  return { index, records, notes, pieces };
}

/** In which file of a built core each of `pieces` lies, and where its text begins there. */
export function findPieces(dist, pieces) {
  const files = readdirSync(join(dist, "core")).map((name) => ({
    file: `core/${name}`,
    text: readFileSync(join(dist, "core", name), "latin1"),
  }));
  return pieces.map(({ group, start, text }) => {
    const found = files.find((one) => one.text.includes(text));
    if (found === undefined) throw new Error(`no file of the core has the tables of ${group}`);
    return { start, file: found.file, at: found.text.indexOf(text) };
  });
}
