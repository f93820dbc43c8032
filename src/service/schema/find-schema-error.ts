import type { TSchema } from 'typebox'
import { badRequest } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import { describeSchemaErrors } from './describe-error.ts'
import type * as SchemaTools from './schema-tools.ts'

/** The error code that the schema of a field sets with `x-error-code`. */
const findErrorCode = (schema: TSchema, path: string): string | undefined => {
  const { properties } = schema as { properties?: Readonly<Record<string, { 'x-error-code'?: string }>> }
  return properties?.[path]?.['x-error-code']
}

/**
 * Checks a value against a schema; returns the error (400) for its first wrong field, or null.
 *
 * @param named All schemas that others refer to, by `$id`.
 */
export const findSchemaError = (
  { Check, Errors }: typeof SchemaTools,
  named: Readonly<Record<string, TSchema>>,
  schema: TSchema,
  value: unknown,
): HttpError | null => {
  if (Check(named, schema, value)) return null
  const { code, detail, path } = describeSchemaErrors(Errors(named, schema, value)[1])
  return badRequest(findErrorCode(schema, path) ?? code, detail, path === '' ? null : path)
}
