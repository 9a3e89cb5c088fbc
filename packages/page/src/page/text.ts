import { printable } from "@assent/guard/approve";

/** Longest text of somebody else's that goes to the page where nothing else is said. UTF-16 units. */
const LONGEST = 4000;

/**
 * Text that others wrote, made safe to show: control, invisible and directional characters become escapes, and a text of a
 * megabyte loses its middle. HTML needs no care here: the page makes text nodes of it.
 */
export const shown = (text: string, longest = LONGEST): string => printable(text, longest);
