import type { FastifySchemaCompiler, FastifySerializerCompiler, FastifyServerOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { notFound } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import { parseNumericId } from '../parse-numeric-id.ts'
import { findSchemaError } from './find-schema-error.ts'
import { isSkipped } from './skip-checks.ts'
import type * as SchemaTools from './schema-tools.ts'

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/** Functions that check requests against schemas, and shape responses by them. */
export interface SchemaCompilers {
  readonly compilersFactory: CompilersFactory
  /** Must have resolved before a request with schemas is checked. */
  readonly load: () => Promise<void>
}

/** The schemas of the parameters of a request, by name. */
const parametersOf = (schema: TSchema): Readonly<Record<string, { readonly type?: string }>> =>
  (schema as { properties?: Readonly<Record<string, { type?: string }>> }).properties ?? {}

/** The error (404) for an id in a path that should be a number and is none; null without one. */
const findUnknownId = (schema: TSchema, input: unknown): HttpError | null => {
  const properties = parametersOf(schema)
  for (const [name, value] of Object.entries(input as Readonly<Record<string, string>>))
    if (properties[name]?.type === 'integer' && parseNumericId(value) === null)
      return notFound(`There is nothing with the ${name} ${value}: it must be a number such as 1.`)
  return null
}

/** Values in URLs are strings; converts those that the schema describes as something else. An empty one counts as missing. */
const convertStrings = (schema: TSchema, input: unknown): unknown => {
  const properties = parametersOf(schema)
  const values: [string, unknown][] = []
  for (const [name, value] of Object.entries(input as Readonly<Record<string, string | undefined>>)) {
    const type = properties[name]?.type
    if (value === undefined || (value === '' && type !== undefined && type !== 'string')) continue
    if (type === 'integer' && /^-?\d+$/.test(value)) values.push([name, Number(value)])
    else if (type === 'boolean' && /^(true|false)$/.test(value)) values.push([name, value === 'true'])
    else values.push([name, value])
  }
  return Object.fromEntries(values)
}

/**
 * Creates the compilers of the schemas of routes. Nothing is compiled at the start: management requests are few, and loading
 * and running the compilers that Fastify has by default takes a fifth of the start of the service.
 *
 * @param named All schemas that others refer to, by `$id`.
 */
export const createSchemaCompilers = (named: Readonly<Record<string, TSchema>>): SchemaCompilers => {
  let tools: typeof SchemaTools | undefined
  const getTools = (): typeof SchemaTools => {
    if (tools) return tools
    throw new Error('The schema tools are not loaded; routes with schemas must be added to the management API.')
  }
  const compileValidator: FastifySchemaCompiler<TSchema> =
    ({ schema, httpPart }) =>
    (value: unknown) => {
      if (isSkipped(schema)) return { value }
      const unknownId = httpPart === 'params' ? findUnknownId(schema, value) : null
      if (unknownId !== null) return { error: unknownId }
      const input = httpPart === 'body' ? value : convertStrings(schema, value)
      const error = findSchemaError(getTools(), named, schema, input)
      return error === null ? { value: input } : { error }
    }
  const compileSerializer: FastifySerializerCompiler<TSchema> =
    ({ schema }) =>
    (value: unknown) =>
      JSON.stringify(getTools().Clean({ ...named }, schema, value))
  return {
    // The declared types of these functions are those of Fastify's default compilers.
    compilersFactory: {
      buildValidator: () => compileValidator,
      buildSerializer: () => compileSerializer,
    } as unknown as CompilersFactory,
    load: async () => {
      tools ??= await import('./schema-tools.ts')
    },
  }
}
