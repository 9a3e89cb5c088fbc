// What stands in the place of esbuild in a bundled suite: what it would bundle was bundled with it, and lies beside it.
import { copyFileSync } from "node:fs";

export const buildSync = ({ entryPoints: [entry], outfile }) => copyFileSync(entry.replace(/\.ts$/, ".mjs"), outfile);
