import type { TSchema } from 'typebox'

/** A symbol, so that the OpenAPI document does not contain it. */
const IS_SKIPPED = Symbol('not checked against requests')

/**
 * The schema of a body that the handler checks by hand, because its errors say more than a schema can. The schema is then for the
 * OpenAPI document only. The parameters of the route are checked.
 */
export const skipBodyCheck = <Schema extends TSchema>(schema: Schema): Schema => ({ ...schema, [IS_SKIPPED]: true })

export const isSkipped = (schema: TSchema): boolean => IS_SKIPPED in schema
