export { addJobRoutes } from "./job-routes.ts";
export { isIssuer, type ProviderOptions, SignInProvider } from "./provider.ts";
export { addSignInRoutes } from "./routes.ts";
