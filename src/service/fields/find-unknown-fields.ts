import { isRecord } from '../../wire/json.ts'
import type { Json } from '../../wire/json.ts'
import type { ObjectShape, ValueShape } from './field-shape.ts'

/** A field of an object that is none of its fields, nor one of the protocol. */
export interface UnknownField {
  readonly name: string
  /** Path of the object; '' for the outermost. */
  readonly parent: string
  readonly value: Json
  /** The shape of the object. */
  readonly shape: ObjectShape
}

/** Longest name that a path shows, in characters: a client chooses it. */
const MAX_SHOWN_LENGTH = 100

/** The path of a field: `filters.groups[0].rollout`. */
export const toFieldPath = ({ name, parent }: Pick<UnknownField, 'name' | 'parent'>): string => joinPath(parent, name)

const joinPath = (parent: string, name: string): string => {
  const shown = name.length > MAX_SHOWN_LENGTH ? `${name.slice(0, MAX_SHOWN_LENGTH)}…` : name
  return parent === '' ? shown : `${parent}.${shown}`
}

/**
 * Finds the unknown fields of a value and of everything inside it that has a shape, each object before what it contains.
 *
 * @param path Path of the value.
 * @param value Nested no deeper than the call stack allows; without `undefined`.
 */
export const findUnknownFields = function* (value: Json, path: string, shape: ValueShape): Generator<UnknownField> {
  if (shape === null || typeof value !== 'object' || value === null) return
  if ('choose' in shape) {
    yield* findUnknownFields(value, path, shape.choose(value))
    return
  }
  if (Array.isArray(value)) {
    if (!('items' in shape)) return
    for (const [index, each] of value.entries())
      yield* findUnknownFields(each as Json, `${path}[${index}]`, shape.items)
    return
  }
  if (!isRecord(value) || 'items' in shape) return
  if ('values' in shape) {
    for (const [name, each] of Object.entries(value)) yield* findUnknownFields(each, joinPath(path, name), shape.values)
    return
  }
  const { fields, isIgnored } = shape
  for (const name of Object.keys(value))
    if (!Object.hasOwn(fields, name) && isIgnored?.(name, value) !== true)
      yield { name, parent: path, value: value[name]!, shape }
  for (const [name, each] of Object.entries(value))
    if (Object.hasOwn(fields, name)) yield* findUnknownFields(each, joinPath(path, name), fields[name]!)
}
