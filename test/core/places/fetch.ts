import { fetchInto } from "../../sdk/packages/fetch.ts";

/** For vitest. */
export default function fetchPlaces(): void {
  fetchInto(import.meta.dirname);
}
