// Loaded only by `assent log export --otlp` and `assent team export`.
export { logRecord, openOtlp, type OtlpCollector, type Sender, type Sent } from "./otlp.ts";
export { Claim, type Position } from "./position.ts";
export { pump, type Pump, type Pumped } from "./pump.ts";
