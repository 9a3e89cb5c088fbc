import { fetchInto } from "../packages/fetch.ts";

/** For vitest. */
export default function fetchCompilers(): void {
  fetchInto(import.meta.dirname);
}
