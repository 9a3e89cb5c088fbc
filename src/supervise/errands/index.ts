export { type Errand, errandOf, hasLoginsFor, isHelper, type KnownHost, laterPlaces, loadedBy, NO_ERRAND, toolErrand } from "./errands.ts";
export { type ErrandBlock, readErrands, toolOf } from "./read.ts";
export { ERRANDS } from "./table.ts";
