export { addPolicyPage } from "./pages.ts";
export { addPolicyRoutes } from "./routes.ts";
export { recordsToReplay } from "./replay.ts";
export { addFirstKey, partOf, policyGroups, pushPolicy, releasePolicy } from "./store.ts";
