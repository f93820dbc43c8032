import type { TSchema } from 'typebox'
import type { JsonObject } from '../../../wire/json.ts'
import type { ObjectShape, ValueShape } from '../../fields/field-shape.ts'
import { FILTER_SHAPE } from './filter-shape.ts'
import { PROTOCOL_FIELDS } from './protocol-fields.ts'

/** What a schema says about fields. */
interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
}

/** Fields with property filters, which have no schema. */
const FILTERS: ReadonlySet<string> = new Set(['properties', 'fixedProperties'])

const isIgnored = (name: string): boolean => PROTOCOL_FIELDS.has(name)

/** The schema of a value among alternatives: of those that are objects, the one whose kind it has. */
const chooseSchema = (schemas: readonly Schema[], { kind }: JsonObject): Schema | undefined => {
  const objects = schemas.filter(({ properties }) => properties !== undefined)
  const ofKind = objects.find(({ properties }) => properties!['kind']?.enum?.includes(kind))
  return ofKind ?? (objects.length === 1 ? objects[0] : undefined)
}

/** An object that has these fields, and those of the protocol. */
export const createObjectShape = (names: readonly string[]): ObjectShape => ({
  fields: Object.fromEntries(names.map((name) => [name, null])),
  isIgnored,
})

/**
 * The shape of queries that have a schema.
 *
 * @param named All schemas that others refer to, by `$id`.
 */
export const createQueryShape = (schema: TSchema, named: Readonly<Record<string, TSchema>>): ValueShape => {
  const objectShapes = new Map<Schema, ObjectShape>()
  const expand = (each: Schema): readonly Schema[] => {
    if (each.$ref !== undefined) return expand(named[each.$ref] ?? {})
    return each.anyOf === undefined ? [each] : each.anyOf.flatMap(expand)
  }
  const toObjectShape = (object: Schema): ObjectShape => {
    const known = objectShapes.get(object)
    if (known !== undefined) return known
    const fields = Object.entries(object.properties!).map(
      ([name, each]) => [name, FILTERS.has(name) ? FILTER_SHAPE : toShape(each)] as const,
    )
    const shape = { fields: Object.fromEntries(fields), isIgnored }
    objectShapes.set(object, shape)
    return shape
  }
  const toShape = (each: Schema): ValueShape => ({
    choose: (value) => {
      const schemas = expand(each)
      if (Array.isArray(value)) {
        const items = schemas.find((one) => one.items !== undefined)?.items
        return items === undefined ? null : { items: toShape(items) }
      }
      const object = chooseSchema(schemas, value as JsonObject)
      return object === undefined ? null : toObjectShape(object)
    },
  })
  return toShape(schema)
}
