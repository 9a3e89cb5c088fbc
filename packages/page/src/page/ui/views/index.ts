import { OVERVIEW } from "./overview.tsx";
import { PLOTS } from "./plots.tsx";
import { POLICY } from "./policy.tsx";
import { QUESTIONS } from "./questions.tsx";
import { RUNS } from "./runs.tsx";
import { SUGGESTIONS } from "./suggestions.tsx";
import { TIMELINE } from "./timeline.tsx";
import type { PageView } from "./view.ts";

/** In the order of the navigation; the first is shown at the start. */
export const VIEWS: readonly PageView[] = [OVERVIEW, QUESTIONS, TIMELINE, RUNS, POLICY, SUGGESTIONS, PLOTS];
