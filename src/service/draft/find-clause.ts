import type { Word } from './split-words.ts'

/** What a parser read from the start of some words. */
export interface Clause<Value> {
  readonly value: Value
  /** Number of words. */
  readonly count: number
}

/** A question in which clauses that were read are null. */
export type OpenWords = readonly (Word | null)[]

/** Reads all clauses of a kind from a question, wherever they stand. A clause does not reach across one that was read before. */
export const takeClauses = <Value>(
  words: OpenWords,
  parse: (words: readonly Word[]) => Clause<Value> | null,
): { readonly values: readonly Value[]; readonly rest: OpenWords } => {
  const values: Value[] = []
  const rest: (Word | null)[] = [...words]
  for (let at = 0; at < rest.length; at++) {
    const clause = parse(upToGap(rest.slice(at)))
    if (clause === null) continue
    values.push(clause.value)
    rest.fill(null, at, at + clause.count)
  }
  return { values, rest }
}

const upToGap = (words: OpenWords): readonly Word[] => {
  const gap = words.indexOf(null)
  return (gap === -1 ? words : words.slice(0, gap)) as readonly Word[]
}
