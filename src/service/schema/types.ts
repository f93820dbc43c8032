import * as Type from 'typebox'
import type { Static, TSchema, TUnsafe } from 'typebox'

/** A value of `schema`, or null. */
export const nullable = <Schema extends TSchema>(schema: Schema, options: { description?: string } = {}) =>
  Type.Union([schema, Type.Null()], options)

/** A value that is only read; responses may be built from shared values. */
export type ReadOnly<Value> = unknown extends Value
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadOnly<Value[Key]> }
    : Value

/**
 * A reference to a schema with an `$id`, so that the OpenAPI document describes it once. The schema must be among
 * `namedSchemas`. A description here describes the place where the schema is used.
 */
export const refTo = <Schema extends TSchema>(
  schema: Schema,
  options: { description?: string } = {},
): TUnsafe<ReadOnly<Static<Schema>>> => {
  const { $id } = schema as { $id?: string }
  if ($id === undefined) throw new Error('refTo needs a schema with an $id.')
  return Type.Ref($id, options) as unknown as TUnsafe<ReadOnly<Static<Schema>>>
}

/** The pattern of a string with at least one character that is not white space. */
export const NOT_BLANK = '\\S'

/** A name that people give. */
export const Name = (maxLength: number, options: { description?: string; examples: string[] }) =>
  Type.String({ maxLength, pattern: NOT_BLANK, ...options })

/** A time in ISO 8601, in UTC in answers. */
export const Time = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-01-31T09:00:00.000Z'] })

export const Uuid = (description: string) =>
  Type.String({ format: 'uuid', description, examples: ['0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e10'] })

/** A JSON object with fields that depend on the client. */
export const JsonFields = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })

/** The version of a resource; see `IfVersion` for its use in a change. */
export const Version = () =>
  Type.Integer({ minimum: 1, description: 'Starts at 1 and increases with each change.', examples: [3] })

/** The version in the body of a change. */
export const IfVersion = () =>
  Type.Union([Type.Integer(), Type.Null()], {
    description: 'The version that the change is based on. If the stored one is newer, the change is refused (409).',
    'x-error-code': 'invalid_version',
  })
