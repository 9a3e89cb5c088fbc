export { launch, type Launched } from "./launch.ts";
