export { eraseRecords } from "./erase.ts";
export { addRecordRoutes } from "./routes.ts";
export { exportRecords, searchRecords } from "./search.ts";
