import { readFileSync } from "node:fs";

/**
 * The package that a copy of Assent was made of (agents/install/own-copy.ts): it is Assent as well. Nothing where the program at `folder` is
 * no copy.
 */
export function copySource(folder: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(readFileSync(`${folder.slice(0, folder.lastIndexOf("/"))}/package.json`, "utf8"));
    return typeof value === "object" && value !== null && "copyOf" in value && typeof value.copyOf === "string" ? [value.copyOf] : [];
  } catch {
    return [];
  }
}
