import { archives } from "./archives.ts";
import { build } from "./build.ts";
import { checks } from "./checks.ts";
import { cloud } from "./cloud.ts";
import { containers } from "./containers.ts";
import { coreutilsCreate } from "./coreutils-create.ts";
import { coreutilsFiles } from "./coreutils-files.ts";
import { coreutilsInfo } from "./coreutils-info.ts";
import { coreutilsLines } from "./coreutils-lines.ts";
import { coreutilsText } from "./coreutils-text.ts";
import { crypto } from "./crypto.ts";
import { dataTools } from "./data-tools.ts";
import { databases } from "./databases.ts";
import { documents } from "./documents.ts";
import { findutils } from "./findutils.ts";
import { forges } from "./forges.ts";
import { git } from "./git.ts";
import { hosted } from "./hosted.ts";
import { hostedInfra } from "./hosted-infra.ts";
import { httpTools } from "./http-tools.ts";
import { infrastructure } from "./infrastructure.ts";
import { interpreters } from "./interpreters.ts";
import { jvm } from "./jvm.ts";
import { kubernetes } from "./kubernetes.ts";
import { listing } from "./listing.ts";
import { machineAdmin } from "./machine-admin.ts";
import { machineCare } from "./machine-care.ts";
import { machineTools } from "./machine-tools.ts";
import { macos } from "./macos.ts";
import { markup } from "./markup.ts";
import { media } from "./media.ts";
import { network } from "./network.ts";
import { networkTools } from "./network-tools.ts";
import { node } from "./node.ts";
import { nodeManagers } from "./node-managers.ts";
import { nodeTools } from "./node-tools.ts";
import { packages } from "./packages.ts";
import { pythonTools } from "./python-tools.ts";
import { records } from "./records.ts";
import { rustGo } from "./rust-go.ts";
import { services } from "./services.ts";
import { servicesData } from "./services-data.ts";
import { shells } from "./shells.ts";
import { system } from "./system.ts";
import { systemChange } from "./system-change.ts";
import { text } from "./text.ts";
import { textLanguages } from "./text-languages.ts";
import { textMore } from "./text-more.ts";
import { textView } from "./text-view.ts";
import { vcs } from "./vcs.ts";
import { wrappers } from "./wrappers.ts";
import { wrapperRights } from "./wrappers-rights.ts";
import { wrapperTools } from "./wrappers-tools.ts";
import { wrapperTrace } from "./wrappers-trace.ts";
import type { CommandSpec } from "./spec.ts";

export { namesCode, readVariable, VARIABLE_NAMES } from "./environment.ts";
export { grammarOf, type Grammar, type Kind, type Option } from "./read-spec.ts";
export type { CommandSpec, SubcommandSpec } from "./spec.ts";

/** Every command family. To add one: write its file, name it here, in alphabetical order. */
export const TABLES: Readonly<Record<string, readonly CommandSpec[]>> = {
  archives,
  build,
  checks,
  cloud,
  containers,
  coreutilsCreate,
  coreutilsFiles,
  coreutilsInfo,
  coreutilsLines,
  coreutilsText,
  crypto,
  dataTools,
  databases,
  documents,
  findutils,
  forges,
  git,
  hosted,
  hostedInfra,
  httpTools,
  infrastructure,
  interpreters,
  jvm,
  kubernetes,
  listing,
  machineAdmin,
  machineCare,
  machineTools,
  macos,
  markup,
  media,
  network,
  networkTools,
  node,
  nodeManagers,
  nodeTools,
  packages,
  pythonTools,
  records,
  rustGo,
  services,
  servicesData,
  shells,
  system,
  systemChange,
  text,
  textLanguages,
  textMore,
  textView,
  vcs,
  wrappers,
  wrapperRights,
  wrapperTools,
  wrapperTrace,
};

export const FAMILIES: readonly (readonly CommandSpec[])[] = Object.values(TABLES);
