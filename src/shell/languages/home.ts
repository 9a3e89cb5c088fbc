/** Stands in a path for the home folder, which a reader of source does not know. */
export const HOME = "\u0001home";
