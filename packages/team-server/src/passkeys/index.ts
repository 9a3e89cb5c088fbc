export { addPasskeyRoutes } from "./routes.ts";
