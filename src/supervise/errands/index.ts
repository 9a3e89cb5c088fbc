export { type Errand, errandOf, isHelper, type KnownHost, laterPlaces, NO_ERRAND, toolErrand } from "./errands.ts";
export { type ErrandBlock, readErrands, toolOf } from "./read.ts";
export { ERRANDS } from "./table.ts";
