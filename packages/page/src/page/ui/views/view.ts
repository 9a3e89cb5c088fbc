import type { ComponentType } from "preact";
import type { PageKey } from "../keys.ts";

export interface ViewProps {
  /** The folder that the page is about. */
  readonly folder: string;
  /** What stands behind `?` in the address's hash: what a view shows lives there, so that the browser's Back works. */
  readonly query: URLSearchParams;
  /** Goes to another view, or to another place in the same. */
  readonly go: (view: string, query?: Readonly<Record<string, string>>) => void;
  readonly setFolder: (folder: string) => void;
}

/** A part of the page with an entry in its navigation. */
export interface PageView {
  /** In the address: `#/policy`. */
  readonly id: string;
  readonly title: string;
  /** What `?` lists beside the keys that work everywhere. */
  readonly keys: readonly PageKey[];
  readonly View: ComponentType<ViewProps>;
  /** A number beside the title in the navigation. */
  readonly useCount?: () => number;
}
