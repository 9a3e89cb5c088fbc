import { parse } from "./parse.ts";
import { program } from "./program.ts";

await parse(program());
