import type { ErrnoName, SyscallName } from "../kernel/index.ts";

/**
 * What the filter may say of a call. Only registers can be tested; of `int` arguments only the low 32 bits, because the
 * kernel drops the others (a 64-bit comparison is passed with junk in the high word: CVE-2019-10063).
 */
export type Ruling =
  | "allow"
  /** The door decides: the listener is asked. */
  | "trap"
  /** The call is not made; 0 pretends that it was. */
  | { readonly errno: ErrnoName | 0 };

export type Test =
  /** The low 32 bits of an argument, masked, are one of `is`. */
  | { readonly arg: number; readonly mask?: number; readonly is: readonly number[] }
  | { readonly arg: number; readonly mask?: number; readonly not: readonly number[] }
  /** A pointer other than NULL: all 64 bits. */
  | { readonly arg: number; readonly pointer: true };

/** The first clause all of whose tests hold speaks. */
export interface Clause {
  readonly when: readonly Test[];
  readonly then: Ruling;
}
export type Rule = Ruling | { readonly clauses: readonly Clause[]; readonly otherwise: Ruling };
/** A later rule for the same call takes the place of an earlier one. */
export type Rules = readonly (readonly [SyscallName, Rule])[];

export const no = (errno: ErrnoName | 0): Ruling => ({ errno });
export const each = (names: readonly SyscallName[], rule: Rule): Rules => names.map((name) => [name, rule] as const);

/** An argument is one of the values, masked or whole. */
export const is = (arg: number, ...values: readonly number[]): Test => ({ arg, is: values });
export const masked = (arg: number, mask: number, ...values: readonly number[]): Test => ({ arg, mask, is: values });
/** Any bit of the mask is set. */
export const has = (arg: number, mask: number): Test => ({ arg, mask, not: [0] });
