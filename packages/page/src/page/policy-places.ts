import { inspect, type Inspection, listRules } from "@assent/guard/inspect";
import { schemaFor } from "../preview/index.ts";
import { isWithin, withTilde } from "@assent/core/path";
import { type PolicyPlace, policyPlace, starterPolicy } from "@assent/guard/policy-edit";
import type { LayerName } from "@assent/core/policy";
import { listProfiles, profilesFolder } from "@assent/guard/state";
import type { PageContext } from "./api/endpoint.ts";
import { shown } from "./text.ts";

/** A policy file as the page lists it. */
export interface PolicyFileShape {
  /** Names the file to the server. */
  readonly file: string;
  readonly short: string;
  readonly layer: LayerName;
  readonly exists: boolean;
  /** Its allow rules count. */
  readonly trusted: boolean;
  /** A person's own: it may be changed here. */
  readonly editable: boolean;
  readonly rules: number;
  readonly mistakes: number;
}

/** What may be edited at a folder: no other file is ever read or written for a page. */
export function editablePlaces(folder: string, { machine }: PageContext, inspection: Inspection): readonly PolicyPlace[] {
  const own = [policyPlace("global", machine, folder), policyPlace("local", machine, folder)].filter((place) => place !== undefined);
  const above = inspection.files.flatMap(({ agreed, source: { layer, file, root } }): PolicyPlace[] =>
    agreed !== true && layer === "project" && root !== undefined && own.every((place) => place.file !== file)
      ? [{ layer, file, root }]
      : [],
  );
  const profiles = listProfiles(machine).map(({ file }): PolicyPlace => ({ layer: "profile", file }));
  return [...own, ...above, ...profiles];
}

/** The policies at a folder, and every profile. */
export function policyFiles(folder: string, context: PageContext): readonly PolicyFileShape[] {
  const { machine, own } = context;
  const inspection = inspect({ machine, cwd: folder, own });
  const listing = listRules(inspection);
  const places = editablePlaces(folder, context, inspection);
  const inFiles = listing.files.filter(({ agreed }) => agreed !== true);
  const found = inFiles.map(({ file, layer, trusted, problems }): PolicyFileShape => ({
    file,
    short: shown(withTilde(file, machine.home)),
    layer,
    exists: true,
    trusted,
    editable: places.some((place) => place.file === file),
    rules: listing.rules.filter(({ rule }) => rule.source.file === file).length,
    mistakes: problems.filter(({ severity }) => severity === "error").length,
  }));
  const others = places
    .filter((place) => found.every(({ file }) => file !== place.file))
    .map(({ file, layer }): PolicyFileShape => {
      const profile = isWithin(file, profilesFolder(machine)) ? inspect({ machine, cwd: folder, own, only: [file] }) : undefined;
      const rules = profile === undefined ? undefined : listRules(profile);
      return {
        file,
        short: shown(withTilde(file, machine.home)),
        layer,
        exists: profile !== undefined,
        trusted: true,
        editable: true,
        rules: rules?.rules.length ?? 0,
        mistakes: rules?.files.flatMap(({ problems }) => problems).filter(({ severity }) => severity === "error").length ?? 0,
      };
    });
  return [...found, ...others];
}

/** The place of a file that may be edited at a folder; undefined: it is none of those. */
export function editablePlace(file: string, folder: string, context: PageContext): PolicyPlace | undefined {
  const inspection = inspect({ machine: context.machine, cwd: folder, own: context.own });
  return editablePlaces(folder, context, inspection).find((place) => place.file === file);
}

/** What a file says when it is made. */
export const starterOf = (place: PolicyPlace): string => starterPolicy(place.layer === "project" ? "project" : "user", schemaFor(place));
