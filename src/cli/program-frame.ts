import { Command } from "commander";
import { visible } from "../action/index.ts";
import { writeStderr } from "./stdio.ts";

declare const ASSENT_VERSION: string | undefined;
export const VERSION = typeof ASSENT_VERSION === "string" ? ASSENT_VERSION : "0.0.0-source";

/** For an option that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export const JSON_OPTION = ["--json", "print JSON (docs/json.md)"] as const;

/** The command without its commands. */
export const frame = (): Command =>
  new Command("assent")
    .description("One permission layer for everything an AI agent does.")
    .version(VERSION, "-V, --version")
    .option("--debug", "show where an error comes from")
    .exitOverride()
    // What was typed may have come from somewhere else.
    .configureOutput({ writeErr: (text) => writeStderr(text.split("\n").map(visible).join("\n")) })
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong usage.");
