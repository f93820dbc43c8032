import type { JsonObject } from '../../wire/json.ts'
import { MAX_NESTING } from '../flags/definitions/check.ts'
import { isDeeperThan } from '../../wire/is-deeper-than.ts'
import { checkSentFields } from '../fields/check-sent-fields.ts'
import type { ValueShape } from '../fields/field-shape.ts'
import { describeUnknownFields } from '../fields/describe-unknown-fields.ts'
import { refuseMisspelled } from './refuse-misspelled.ts'

/** What is known about the bodies of a resource. */
export interface SentBody {
  /** One item, with its article: `a feature flag`. */
  readonly noun: string
  readonly shape: ValueShape
  /** What happens to fields that the resource does not have. */
  readonly isKept: boolean
  /** The item before the change, as it is read. */
  readonly stored?: JsonObject
}

/**
 * Checks the names of the fields of a body. Throws `HttpError` (400) for one that is probably meant to be another one: it would have no effect.
 * Returns a warning for each other unknown one. Fields that the stored item has with the same values are not checked.
 */
export const checkSentBody = (body: JsonObject, { noun, shape, isKept, stored }: SentBody): readonly string[] => {
  // The parser refuses such a body.
  if (isDeeperThan(body, MAX_NESTING)) return []
  const { misspelled, unknown } = checkSentFields(body, shape, stored)
  refuseMisspelled(misspelled[0] ?? null)
  return describeUnknownFields(unknown, noun, isKept ? 'it is stored and has no effect' : 'it is not stored')
}

/** An answer with the warnings, if there are any. */
export const withWarnings = (body: object, warnings: readonly string[]): object =>
  warnings.length === 0 ? body : { ...body, warnings }
