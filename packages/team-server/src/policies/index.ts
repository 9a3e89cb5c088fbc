export { addPolicyPage } from "./pages.ts";
export { addPolicyRoutes } from "./routes.ts";
export { recordsToReplay } from "./replay.ts";
export { addFirstKey, partOf, policyGroups, policyNews, pushPolicy, releasePolicy } from "./store.ts";
