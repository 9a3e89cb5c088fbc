export { judgePast, pastRequests } from "../look/index.ts";
