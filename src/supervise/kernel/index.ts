export { ERRNO, errorName, type ErrnoName } from "./errno.ts";
export { addressOf, alloc, cSlice, cString, cStrings, KernelError, lastingAddressOf, must, sys } from "./libc.ts";
export { pathBytes, pathText } from "./path-bytes.ts";
export { type Architecture, isSyscallName, SYSCALLS, type SyscallName, syscallsOf } from "./syscalls.ts";
