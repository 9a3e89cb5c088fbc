/** Parts that are fetched when a call needs them, by their names. None here: the build puts another file in the place of this one. */
export const PART_LOADERS: Readonly<Record<string, () => Promise<object>>> = {};
