export { canSupervise, type Probe, probeKernel } from "./probe.ts";
