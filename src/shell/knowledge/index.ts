import { archives } from "./archives.ts";
import { coreutilsCreate } from "./coreutils-create.ts";
import { coreutilsFiles } from "./coreutils-files.ts";
import { coreutilsInfo } from "./coreutils-info.ts";
import { coreutilsLines } from "./coreutils-lines.ts";
import { coreutilsText } from "./coreutils-text.ts";
import { findutils } from "./findutils.ts";
import { machineTools } from "./machine-tools.ts";
import { network } from "./network.ts";
import { networkTools } from "./network-tools.ts";
import { packages } from "./packages.ts";
import { services } from "./services.ts";
import { system } from "./system.ts";
import { systemChange } from "./system-change.ts";
import { text } from "./text.ts";
import { textLanguages } from "./text-languages.ts";
import { textView } from "./text-view.ts";
import type { CommandSpec } from "./spec.ts";

/** Every command family. To add one: write its file, name it here, in alphabetical order. */
export const FAMILIES: readonly (readonly CommandSpec[])[] = [
  archives,
  coreutilsCreate,
  coreutilsFiles,
  coreutilsInfo,
  coreutilsLines,
  coreutilsText,
  findutils,
  machineTools,
  network,
  networkTools,
  packages,
  services,
  system,
  systemChange,
  text,
  textLanguages,
  textView,
];
