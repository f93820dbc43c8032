import { findNearMiss, toPlainName } from '../closest-name.ts'
import type { ObjectShape } from './field-shape.ts'
import type { UnknownField } from './find-unknown-fields.ts'

/** Different unknown names of one body that are compared: a client chooses how many there are, and one is enough. */
const MAX_COMPARED = 200

/** Shorter synonyms must be written exactly: too many words are similar to them. */
const MIN_SIMILAR_LENGTH = 8

const findMeant = (name: string, { fields, synonyms = new Map() }: ObjectShape): string | null => {
  const synonym = synonyms.get(toPlainName(name))
  if (synonym !== undefined) return synonym
  const near = findNearMiss(name, Object.keys(fields))
  if (near !== null) return near
  const long = [...synonyms.keys()].filter(({ length }) => length >= MIN_SIMILAR_LENGTH)
  return synonyms.get(findNearMiss(name, long) ?? '') ?? null
}

/**
 * Creates a function that says what the author of an unknown field has probably meant: what to write instead, or null. Use it for the fields
 * of one body: it compares each name once, and only so many.
 */
export const createMeantFinder = (): ((field: UnknownField) => string | null) => {
  const found = new Map<ObjectShape, Map<string, string | null>>()
  let count = 0
  return ({ name, shape }) => {
    let ofShape = found.get(shape)
    if (ofShape === undefined) found.set(shape, (ofShape = new Map()))
    const known = ofShape.get(name)
    if (known !== undefined || ++count > MAX_COMPARED) return known ?? null
    const meant = findMeant(name, shape)
    ofShape.set(name, meant)
    return meant
  }
}
