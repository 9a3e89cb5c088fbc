export { type Architecture, ERRNO, type ErrnoName, errorName, isSyscallName, type SyscallName, SYSCALLS, syscallsOf } from "./syscalls.ts";
export {
  addressOf,
  alloc,
  copyMemory,
  cSlice,
  cString,
  cStrings,
  KernelError,
  lastingAddressOf,
  must,
  pathBytes,
  pathText,
  sys,
} from "./libc.ts";
export { canCopyDescriptors } from "./copying.ts";
export { openLocked } from "./locked.ts";
export { emulated, native, nativePackage, stubPath } from "./native.ts";
export { readProc, shortName } from "./proc-files.ts";
export * from "./uapi.ts";
export { errnoOf } from "./without-native.ts";
