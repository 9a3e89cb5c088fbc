import type { Endpoint, NewsSource } from "./endpoint.ts";
import { OVERVIEW } from "./overview.ts";
import { PLOTS } from "./plots.ts";
import { POLICY } from "./policy.ts";
import { QUESTION_NEWS, QUESTIONS } from "./questions.ts";
import { RUNS } from "./runs.ts";
import { SUGGESTIONS } from "./suggestions.ts";
import { LOG_NEWS, TIMELINE } from "./timeline.ts";
import { WHERE } from "./where.ts";

/** Every address of the page's server. A view has a file of endpoints here, and its part in `ui/views/`. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...WHERE,
  ...OVERVIEW,
  ...QUESTIONS,
  ...TIMELINE,
  ...RUNS,
  ...POLICY,
  ...SUGGESTIONS,
  ...PLOTS,
];

export const NEWS: readonly NewsSource[] = [QUESTION_NEWS, LOG_NEWS];
