import { describe, expect, it } from 'vitest'
import { checkSentFields } from '../../../src/service/fields/check-sent-fields.ts'
import type { ObjectShape } from '../../../src/service/fields/field-shape.ts'
import { COHORT_SHAPE } from '../../../src/service/flags/definitions/condition-shape.ts'
import { EARLY_ACCESS_SHAPE } from '../../../src/service/flags/definitions/early-access-shape.ts'
import { FLAG_SHAPE } from '../../../src/service/flags/definitions/flag-shape.ts'
import { SURVEY_SHAPE } from '../../../src/service/survey/survey-shape.ts'
import { CohortChange, CohortSchema } from '../../../src/service/management/schema/cohort.ts'
import {
  EarlyAccessFeatureChange,
  EarlyAccessFeatureSchema,
} from '../../../src/service/management/schema/early-access-feature.ts'
import { FeatureFlagChange, FeatureFlagSchema } from '../../../src/service/management/schema/feature-flag.ts'
import { SurveyChange, SurveySchema } from '../../../src/service/management/schema/survey.ts'

const ITEM: ObjectShape = {
  fields: { key: null, rollout_percentage: null },
  isIgnored: (name) => name === 'label',
  synonyms: new Map([
    ['share', 'rollout_percentage'],
    ['conditions', 'items'],
  ]),
}
const SHAPE: ObjectShape = { fields: { items: { items: ITEM }, byName: { values: ITEM }, any: null } }
const check = (sent: object, stored?: object) => checkSentFields(sent as never, SHAPE, stored as never)

describe('checkSentFields', () => {
  it('finds fields in objects, lists and objects whose names are data', () => {
    expect(
      check({
        itms: 1,
        other: { key: 1 },
        any: { rollot: 1 },
        items: [{ key: 1, label: 1 }, { KEY: 1, note: 1 }, 'x', null],
        byName: { rollout: { share: 1, condition: 1 } },
      }),
    ).toEqual({
      misspelled: [
        { path: 'itms', meant: 'items' },
        { path: 'items[1].KEY', meant: 'key' },
        { path: 'byName.rollout.share', meant: 'rollout_percentage' },
        { path: 'byName.rollout.condition', meant: 'items' },
      ],
      unknown: ['other', 'items[1].note'],
    })
  })

  it('leaves out what is stored with the same value in any item, with names in any order', () => {
    const stored = { note: { a: 1, b: [{ c: 1, d: 2 }] }, items: [{ share: 10 }] }
    const sent = { note: { b: [{ d: 2, c: 1 }], a: 1 }, items: [{}, { share: 10 }] }
    expect(check(sent, stored)).toEqual({ misspelled: [], unknown: [] })
    expect(check({ note: { a: 2 }, share: 10, items: [{ share: 11 }] }, stored)).toEqual({
      misspelled: [{ path: 'items[0].share', meant: 'rollout_percentage' }],
      unknown: ['note', 'share'],
    })
  })

  it('shows the beginning of a long name', () => {
    const { unknown } = check({ ['x'.repeat(100_000)]: 1 })
    expect(unknown).toEqual([`${'x'.repeat(100)}…`])
  })

  it('compares few of many different names, each once', () => {
    const names = Array.from(
      { length: 5000 },
      (_, index) => `rollout_percentage${index % 10}_${Math.floor(index / 10)}`,
    )
    const { misspelled, unknown } = check({ items: names.map((name) => ({ [name.slice(0, 20)]: 1, share: 1 })) })
    expect(misspelled.filter(({ path }) => path.endsWith('.share'))).toHaveLength(5000)
    expect(misspelled.length + unknown.length).toBe(10_000)
    expect(check({ items: names.map((name) => ({ [`${name}x`]: 1 })) }).misspelled.length).toBeLessThanOrEqual(200)
  })
})

it.each([
  ['feature flags', FLAG_SHAPE, [FeatureFlagSchema, FeatureFlagChange]],
  ['cohorts', COHORT_SHAPE, [CohortSchema, CohortChange]],
  ['surveys', SURVEY_SHAPE, [SurveySchema, SurveyChange]],
  ['early access features', EARLY_ACCESS_SHAPE, [EarlyAccessFeatureSchema, EarlyAccessFeatureChange]],
])('knows all fields that the schemas of %s have', (_name, shape, schemas) => {
  for (const { properties } of schemas)
    expect(checkSentFields(Object.fromEntries(Object.keys(properties).map((name) => [name, null])), shape)).toEqual({
      misspelled: [],
      unknown: [],
    })
})
