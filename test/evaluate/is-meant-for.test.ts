import { expect, it } from 'vitest'
import { isMeantFor } from '../../src/evaluate/is-meant-for.ts'
import type { FlagDefinition } from '../../src/wire/definition.ts'

const createFlag = (fields: object): FlagDefinition => ({
  id: 1,
  key: 'a',
  active: true,
  filters: { groups: [] },
  ...fields,
})

it.each([
  [true, {}, 'server'],
  [true, { evaluation_runtime: null }, 'server'],
  [true, { evaluation_runtime: 'all' }, 'server'],
  [true, { evaluation_runtime: 'server' }, 'server'],
  [false, { evaluation_runtime: 'client' }, 'server'],
  [false, { evaluation_runtime: 'server' }, 'client'],
  [true, { evaluation_runtime: 'client' }, undefined],
])('returns %s for a flag with %j in the runtime %s', (isMeant, fields, runtime) => {
  expect(isMeantFor(createFlag(fields), runtime, undefined)).toBe(isMeant)
})

it.each([
  [true, {}],
  [true, { evaluation_contexts: [] }],
  [true, { evaluation_contexts: null }],
  [true, { evaluation_contexts: ['docs', 'shop'] }],
  [false, { evaluation_contexts: ['docs'] }],
  [false, { evaluation_tags: ['docs'] }],
  [true, { evaluation_contexts: ['shop'], evaluation_tags: ['docs'] }],
  [true, { evaluation_contexts: 'docs' }],
])('returns %s for a flag with %j in the context "shop"', (isMeant, fields) => {
  expect(isMeantFor(createFlag(fields), undefined, new Set(['shop']))).toBe(isMeant)
})
