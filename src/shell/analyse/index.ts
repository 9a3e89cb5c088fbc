import type { Invocation } from "../invocation.ts";
import { archive, cargoFmt, compiler, goBuild, javac, preprocessor, rustc, tsc } from "./compilers.ts";
import { cargoConfig, rustToolchain } from "./cargo-config.ts";
import { containerCopy, containerRights } from "./container-rights.ts";
import { compress } from "./compress.ts";
import { curl } from "./curl.ts";
import { date } from "./date.ts";
import { databaseAddress } from "./database-address.ts";
import { dd } from "./dd.ts";
import { composeConfig, dockerInspect } from "./docker-shows.ts";
import { fd } from "./fd.ts";
import { fileArguments, intoAFile, lambdaVariables } from "./file-arguments.ts";
import { find } from "./find.ts";
import { perlFiles } from "./perl-files.ts";
import { plainFile } from "./plain-file.ts";
import { awkFiles, lateOptions, plus, responseFile } from "./first-character.ts";
import { flock } from "./flock.ts";
import { ghApi } from "./gh-api.ts";
import { gitConfig } from "./git-config.ts";
import { dotenv, envRemoves, variablesOfFile } from "./environment.ts";
import { gitApply, gitDryRun } from "./git-dry-run.ts";
import { gitDescribe, gitMergeBase, gitRefNames, gitRevList, gitRevParse, gitTreeNames } from "./git-names.ts";
import { gitPush } from "./git-push.ts";
import { gitRefs } from "./git-refs.ts";
import { gitRemote, gitRequestPull } from "./git-remote.ts";
import { gitRevisions } from "./git-revisions.ts";
import { gitCheckout, gitRestore, gitStashed } from "./git-worktree-files.ts";
import { hostNames } from "./host-names.ts";
import { httpie } from "./httpie.ts";
import { javaOptions } from "./java-options.ts";
import { jo } from "./jo.ts";
import { jq } from "./jq.ts";
import { kill } from "./kill.ts";
import { kubectlOutput } from "./kubectl-output.ts";
import { makeVariables } from "./make.ts";
import { miller } from "./miller.ts";
import { goClean, kubectlList, loneFile, sortTemp, terraformFmt, yq } from "./only-shows.ts";
import { pandoc } from "./pandoc.ts";
import { npmRun } from "./npm-run.ts";
import { afterDashes, corepackRun, faketimeDate, hatchRun, nixRun, packageRun, scriptOrPackage } from "./package-run.ts";
import { parallel } from "./parallel.ts";
import { gitPatched, patch } from "./patch.ts";
import {
  ansibleConfig,
  brewNames,
  composerPlugins,
  dotnetConfig,
  nodeManagerConfig,
  npmDiff,
  packerPlugins,
  prettierConfig,
  pythonWalks,
  pythonEnvironment,
  secretKey,
} from "./project-config.ts";
import { powershell } from "./powershell.ts";
import { prefix } from "./prefix.ts";
import { printenv } from "./printenv.ts";
import { ps } from "./ps.ts";
import { pythonModule, uvRun } from "./python-module.ts";
import { modes, netcat, sizes } from "./rights.ts";
import { symbolicLinks } from "./symbolic-links.ts";
import { rsync, scp } from "./remote-copy.ts";
import { sed } from "./sed.ts";
import { shell } from "./shell.ts";
import { duckdbInput, luaInput, rubyInput, sqliteInput } from "./standard-input.ts";
import { sshOptions } from "./ssh-options.ts";
import { storagePlace } from "./storage-place.ts";
import { tar } from "./tar.ts";
import { unzip } from "./unzip.ts";
import { urlOrPath } from "./url-or-path.ts";
import { wget } from "./wget.ts";
import { xargs } from "./xargs.ts";

/** What a table cannot say about a command: runs after the table, sees every word. */
export type Analyser = (inv: Invocation) => void;

export const ANALYSERS: Readonly<Record<string, Analyser>> = {
  "ansible-config": ansibleConfig,
  "brew-names": brewNames,
  "composer-plugins": composerPlugins,
  "dotnet-config": dotnetConfig,
  "node-manager-config": nodeManagerConfig,
  "npm-diff": npmDiff,
  "packer-plugins": packerPlugins,
  "prettier-config": prettierConfig,
  "python-environment": pythonEnvironment,
  "secret-key": secretKey,
  archive,
  "awk-files": awkFiles,
  "cargo-fmt": cargoFmt,
  "compose-config": composeConfig,
  "container-copy": containerCopy,
  "container-rights": containerRights,
  "cargo-config": cargoConfig,
  "rust-toolchain": rustToolchain,
  compiler,
  compress,
  curl,
  date,
  "database-address": databaseAddress,
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
  "env-removes": envRemoves,
  "variables-of-file": variablesOfFile,
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
  pandoc,
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
  preprocessor,
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
