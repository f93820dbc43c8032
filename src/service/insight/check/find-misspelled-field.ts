import type { TSchema } from 'typebox'
import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { findMisspelledFilter } from './find-misspelled-filter.ts'
import { findFirst, findMisspelledName } from './misspelled-field.ts'
import type { MisspelledField } from './misspelled-field.ts'

/** What a schema says about fields. */
interface Shape {
  readonly $ref?: string
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly enum?: readonly unknown[]
}

/** Fields with property filters, which have no schema. */
const FILTERS: ReadonlySet<string> = new Set(['properties', 'fixedProperties'])

/** The shape of a value among alternatives: of those that are objects, the one whose kind it has. */
const chooseShape = (shapes: readonly Shape[], { kind }: JsonObject): Shape | undefined => {
  const objects = shapes.filter(({ properties }) => properties !== undefined)
  const ofKind = objects.find(({ properties }) => properties!['kind']?.enum?.includes(kind))
  return ofKind ?? (objects.length === 1 ? objects[0] : undefined)
}

/**
 * Finds a field of a query, or of any object inside it, whose name is nearly that of a field of the schema. It would be ignored, and the
 * answer would be to another question.
 *
 * @param path Path of the query in the input.
 * @param named All schemas that others refer to, by `$id`.
 */
export const findMisspelledField = (
  query: JsonObject,
  path: string,
  schema: TSchema,
  named: Readonly<Record<string, TSchema>>,
): MisspelledField | null => {
  const expand = (shape: Shape): readonly Shape[] => {
    if (shape.$ref !== undefined) return expand(named[shape.$ref] ?? {})
    return shape.anyOf === undefined ? [shape] : shape.anyOf.flatMap(expand)
  }
  const visit = (value: Json, at: string, shape: Shape): MisspelledField | null => {
    const shapes = expand(shape)
    if (Array.isArray(value)) {
      const items = shapes.find((each) => each.items !== undefined)?.items
      return items === undefined
        ? null
        : findFirst(value.entries(), ([index, each]) => visit(each as Json, `${at}[${index}]`, items))
    }
    if (!isRecord(value)) return null
    const fields = chooseShape(shapes, value)?.properties
    if (fields === undefined) return null
    return (
      findMisspelledName(value, at, Object.keys(fields)) ??
      findFirst(Object.entries(value), ([name, each]) => {
        if (!Object.hasOwn(fields, name)) return null
        const inner = `${at}.${name}`
        return FILTERS.has(name) ? findMisspelledFilter(each, inner) : visit(each, inner, fields[name]!)
      })
    )
  }
  return visit(query, path, schema)
}
