import type { CharSet } from './char-set.ts'

/** A zero-width assertion: start or end of the string, a word boundary or none. */
export type Assertion = '^' | '$' | 'b' | 'B'

/** A parsed pattern. */
export type PatternNode =
  | { readonly kind: 'char'; readonly set: CharSet }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'alternation'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number }

/** The pattern is invalid for the protocol's services. */
export class InvalidPatternError extends Error {}

/** The pattern is valid in some dialect, but not supported here. */
export class UnsupportedPatternError extends Error {}
