import { expect, it } from 'vitest'
import { findNearMiss } from '../../../../src/service/closest-name.ts'
import { PROTOCOL_FIELDS } from '../../../../src/service/insight/check/protocol-fields.ts'
import { namedSchemas } from '../../../../src/service/management/schema/named-schemas.ts'

const KINDS = [
  'TrendsQuery',
  'FunnelsQuery',
  'RetentionQuery',
  'PathsQuery',
  'StickinessQuery',
  'LifecycleQuery',
  'EventsQuery',
  'ActorsQuery',
]

/** The fields of each object in a schema. */
const listFields = (schema: unknown): readonly (readonly string[])[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const inner = Object.values(schema).flatMap(listFields)
  const { properties } = schema as { readonly properties?: object }
  return properties === undefined ? inner : [Object.keys(properties), ...inner]
}

it('has no query with two fields of which one is refused as a misspelling of the other', () => {
  for (const kind of KINDS)
    for (const fields of listFields(namedSchemas[kind]))
      for (const name of fields) expect(findNearMiss(name, fields)).toBe(null)
})

it('hides no misspelling of a field of a query', () => {
  const all = KINDS.flatMap((kind) => listFields(namedSchemas[kind]))
  const close = [...PROTOCOL_FIELDS].filter((name) => all.some((fields) => findNearMiss(name, fields) !== null))
  expect(close).toEqual([])
})
