import type { Invocation } from "../invocation.ts";
import {
  archive,
  cargoFmt,
  compiler,
  goBuild,
  javac,
  javaOptions,
  makeVariables,
  preprocessor,
  rustc,
  rustModules,
  tsc,
} from "./compilers.ts";
import {
  ansibleConfig,
  brewNames,
  cargoConfig,
  composerPlugins,
  dotnetConfig,
  nodeManagerConfig,
  npmDiff,
  packerPlugins,
  prettierConfig,
  poetryPlugins,
  pythonEnvironment,
  pythonWalks,
  pipRust,
  rustToolchain,
  secretKey,
} from "./project-config.ts";
import { composeConfig, containerCopy, containerRights, dockerInspect, kubectlOutput } from "./containers.ts";
import { bsdCopy, bsdPs, bsdSed, entitlements, plist, plistCommands, tempPrefix, xattr, xcode } from "./bsd.ts";
import { compress, tar, unzip } from "./archives.ts";
import { packerValues, pandocIncludes, sourceIncludes } from "./includes.ts";
import { curl, ghApi, httpie, urlOrPath, wget } from "./fetch.ts";
import { date, jo, jq, miller, pandoc, sed, stat } from "./text-tools.ts";
import { databaseAddress, hostNames, mysqlOwn, netcat } from "./hosts.ts";
import { dd, modes, sizes } from "./sizes.ts";
import { bsdFind, fd, find } from "./find.ts";
import {
  atFiles,
  awkFiles,
  fileArguments,
  forgeHost,
  gcloudLists,
  gcloudVariables,
  goModules,
  helmStatus,
  hgPatterns,
  hostParts,
  kopsSecrets,
  intoAFile,
  lambdaVariables,
  lateOptions,
  manPage,
  plainFile,
  plus,
  prefix,
  responseFile,
  symbolicLinks,
} from "./operands.ts";
import { duckdbInput, luaInput, perlFiles, powershell, pythonModule, rubyInput, sqliteInput, uvRun } from "./interpreters.ts";
import { flock, kill, ps, topColumns } from "./processes.ts";
import { gitConfig } from "./git-config.ts";
import { bwrapView, entrFile, loadsToTell, pytestPlaces } from "./views.ts";
import { dotenv, envRemoves, printenv, variablesOfFile } from "./environment.ts";
import {
  gitAdd,
  gitApply,
  gitCheckout,
  gitDescribe,
  gitDryRun,
  gitMergeBase,
  gitPush,
  gitRefNames,
  gitRefs,
  gitRemote,
  gitRequestPull,
  gitRestore,
  gitRevisions,
  gitRevList,
  gitRevParse,
  gitStashed,
  gitTreeNames,
  gitUpdateIndex,
} from "./git.ts";
import { goClean, kubectlList, loneFile, settings, sortTemp, terraformFmt, yq } from "./only-shows.ts";
import { afterDashes, corepackRun, faketimeDate, hatchRun, nixRun, npmRun, packageRun, scriptOrPackage } from "./package-run.ts";
import { parallel } from "./parallel.ts";
import { gitPatched, patch } from "./patch.ts";
import { rsync, scp, sshOptions, storagePlace } from "./remote-copy.ts";
import { shell } from "./shell.ts";
import { xargs } from "./xargs.ts";

/** What a table cannot say about a command: runs after the table, sees every word. */
export type Analyser = (inv: Invocation) => void;

export const ANALYSERS: Readonly<Record<string, Analyser>> = {
  "bsd-copy": bsdCopy,
  "bsd-find": bsdFind,
  "bsd-ps": bsdPs,
  "bsd-sed": bsdSed,
  "temp-prefix": tempPrefix,
  entitlements,
  xattr,
  xcode,
  plist,
  "plist-commands": plistCommands,
  settings,
  "ansible-config": ansibleConfig,
  "brew-names": brewNames,
  "composer-plugins": composerPlugins,
  "dotnet-config": dotnetConfig,
  "node-manager-config": nodeManagerConfig,
  "npm-diff": npmDiff,
  "packer-plugins": packerPlugins,
  "packer-values": (inv) => {
    packerPlugins(inv);
    packerValues(inv);
  },
  "prettier-config": prettierConfig,
  "poetry-plugins": poetryPlugins,
  "python-environment": pythonEnvironment,
  "secret-key": secretKey,
  archive,
  "top-columns": topColumns,
  "az-words": (inv) => {
    atFiles(inv);
    hostParts(inv);
  },
  "forge-host": forgeHost,
  "gcloud-lists": gcloudLists,
  "gcloud-variables": gcloudVariables,
  "go-modules": goModules,
  "helm-status": helmStatus,
  "kops-secrets": kopsSecrets,
  "man-page": manPage,
  "hg-patterns": hgPatterns,
  "host-parts": hostParts,
  "awk-files": awkFiles,
  "cargo-fmt": cargoFmt,
  "compose-config": composeConfig,
  "container-copy": containerCopy,
  "container-rights": containerRights,
  "cargo-config": cargoConfig,
  "rust-modules": rustModules,
  "rust-toolchain": rustToolchain,
  "pip-rust": pipRust,
  compiler: (inv) => {
    compiler(inv);
    sourceIncludes(inv);
  },
  compress,
  curl,
  date,
  "stat-number": stat,
  "database-address": databaseAddress,
  "mysql-own": mysqlOwn,
  dd,
  "docker-inspect": dockerInspect,
  "duckdb-input": duckdbInput,
  fd,
  "file-arguments": fileArguments,
  "lambda-variables": lambdaVariables,
  find,
  flock,
  "go-build": goBuild,
  "go-clean": goClean,
  "gh-api": ghApi,
  "git-apply": gitApply,
  "git-checkout": gitCheckout,
  "git-config": gitConfig,
  "git-describe": gitDescribe,
  dotenv,
  "bwrap-view": bwrapView,
  "loads-to-tell": loadsToTell,
  "pytest-places": pytestPlaces,
  "entr-file": entrFile,
  "env-removes": envRemoves,
  "variables-of-file": variablesOfFile,
  "git-add": gitAdd,
  "git-dry-run": gitDryRun,
  "git-merge-base": gitMergeBase,
  "git-patched": gitPatched,
  "git-push": gitPush,
  "git-ref-names": gitRefNames,
  "git-tree-names": gitTreeNames,
  "git-refs": gitRefs,
  "git-remote": gitRemote,
  "git-request-pull": gitRequestPull,
  "git-restore": gitRestore,
  "git-rev-list": gitRevList,
  "git-rev-parse": gitRevParse,
  "git-revisions": gitRevisions,
  "git-stashed": gitStashed,
  "git-update-index": gitUpdateIndex,
  "host-names": hostNames,
  httpie,
  "into-a-file": intoAFile,
  "java-options": javaOptions,
  javac,
  jo,
  jq,
  kill,
  "lua-input": luaInput,
  "kubectl-list": kubectlList,
  "kubectl-output": kubectlOutput,
  "make-variables": makeVariables,
  miller,
  modes,
  netcat,
  pandoc: (inv) => {
    pandoc(inv);
    pandocIncludes(inv);
  },
  "after-dashes": afterDashes,
  "faketime-date": faketimeDate,
  "corepack-run": corepackRun,
  "hatch-run": hatchRun,
  "nix-run": nixRun,
  "npm-run": npmRun,
  "package-run": packageRun,
  "script-or-package": scriptOrPackage,
  parallel,
  patch,
  "perl-files": perlFiles,
  powershell,
  "plain-file": plainFile,
  "late-options": lateOptions,
  "lone-file": loneFile,
  plus,
  prefix,
  preprocessor: (inv) => {
    preprocessor(inv);
    sourceIncludes(inv);
  },
  printenv,
  ps,
  "python-walks": pythonWalks,
  "python-module": pythonModule,
  "response-file": responseFile,
  rsync,
  rustc,
  "ruby-input": rubyInput,
  scp,
  sed,
  shell,
  sizes,
  "symbolic-links": symbolicLinks,
  "sort-temp": sortTemp,
  "sqlite-input": sqliteInput,
  "ssh-options": sshOptions,
  "storage-place": storagePlace,
  tar,
  "terraform-fmt": terraformFmt,
  tsc,
  unzip,
  "uv-run": uvRun,
  "url-or-path": urlOrPath,
  wget,
  xargs,
  yq,
};

/** Those that say which files appear beside the operands. */
export const WRITERS: ReadonlySet<string> = new Set(["compress", "pandoc", "patch", "unzip"]);
