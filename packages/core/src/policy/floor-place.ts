import type { World } from "../action/index.ts";
import { isWithin } from "../path/index.ts";
import { agentFile } from "./tables/agent-files.ts";
import { type FloorPaths, prepareFloor } from "./floor-paths.ts";
import { comparable, comparablePlaces, forms } from "./match/location.ts";

/** The longest path there is. */
const LONGEST_PATH = 4096;

/** What of Assent's own or of the agents' settings an absolute path leads to, and what changing it would be. */
export function floorPlace(
  path: string,
  floor: FloorPaths,
  world: World,
): { readonly is: "denied" | "asked"; readonly what: string } | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const { denied, asked } = prepareFloor(floor, world);
  const places = comparablePlaces(world);
  let setting = false;
  for (const form of comparable(forms(path, world), world)) {
    const [, what] = denied.find(([own]) => isWithin(form, own)) ?? [];
    if (what !== undefined) return { is: "denied", what };
    const kind = agentFile(form, places);
    if (kind === "registration")
      return { is: "denied", what: "an agent's settings, where Assent is registered, or what it runs by itself" };
    setting ||= kind === "setting" || asked.some((own) => isWithin(form, own));
  }
  return setting ? { is: "asked", what: "what decides what an agent may do" } : undefined;
}
