import { archives } from "./archives.ts";
import { coreutilsFiles } from "./coreutils-files.ts";
import { coreutilsInfo } from "./coreutils-info.ts";
import { coreutilsText } from "./coreutils-text.ts";
import { findutils } from "./findutils.ts";
import { networkTools } from "./network-tools.ts";
import { network } from "./network.ts";
import type { CommandSpec } from "./spec.ts";
import { systemChange } from "./system-change.ts";
import { system } from "./system.ts";
import { textLanguages } from "./text-languages.ts";
import { textView } from "./text-view.ts";
import { text } from "./text.ts";

/** Every command family. To add one: write its file, name it here, in alphabetical order. */
export const FAMILIES: readonly (readonly CommandSpec[])[] = [
  archives,
  coreutilsFiles,
  coreutilsInfo,
  coreutilsText,
  findutils,
  network,
  networkTools,
  system,
  systemChange,
  text,
  textLanguages,
  textView,
];
