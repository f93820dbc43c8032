import type { CharSet } from './char-set.ts'

/** What holds between two characters: start or end of the text, a word boundary or none. */
export type Assertion = '^' | '$' | 'b' | 'B'

/** A parsed pattern. */
export type PatternNode =
  | { readonly kind: 'char'; readonly set: CharSet }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'either'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number }

/** The pattern is none in any dialect. */
export class InvalidPattern extends Error {}

/** The pattern means something, but not here. */
export class UnsupportedPattern extends Error {}
