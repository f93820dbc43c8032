import { describe, expect, it } from 'vitest'
import { deriveName } from '../../../src/service/playlist/derive-name.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

describe('deriveName', () => {
  it.each<[JsonObject, string]>([
    [{}, 'All sessions'],
    [{ date_from: '-3d' }, 'All sessions (last 3 days)'],
    [{ properties: [{ key: 'plan', value: 'pro', negation: true }] }, 'not (plan = pro)'],
    [{ date_from: '-1h', date_to: null }, 'All sessions (last 1 hour)'],
    [{ date_from: '2026-01-02', date_to: '2026-01-05' }, 'All sessions (from 2026-01-02 until 2026-01-05)'],
    [
      {
        date_from: 'all',
        filter_group: {
          type: 'AND',
          values: [
            {
              type: 'OR',
              values: [
                { id: '$pageview', name: '$pageview', type: 'events' },
                { id: null, type: 'events', properties: [{ key: '$browser', value: ['Chrome', 'Firefox'] }] },
              ],
            },
            { key: 'plan', type: 'person', operator: 'is_set', value: 'is_set' },
            { key: 'id', type: 'cohort', value: 3, operator: 'not_in' },
          ],
        },
        duration: [{ type: 'recording', key: 'duration', operator: 'gt', value: 60 }],
      },
      '$pageview or any event ($browser = Chrome or Firefox) and plan is set and not in cohort 3 and duration > 60 s',
    ],
    [{ filter_group: { type: 'AND', values: [] }, events: [{ id: 'paid', type: 'events' }] }, 'paid'],
    [{ properties: [{ key: 'amount', operator: 'not_between', value: [1, 30] }] }, 'amount not between 1 and 30'],
    [{ properties: [{ key: 'plan = 1', type: 'hogql' }] }, 'plan = 1'],
    [{ filter_group: 'x', properties: [1, {}, { key: 'a', operator: 'semver_gt', value: '1.0' }] }, 'a semver gt 1.0'],
  ])('describes %j', (filters, name) => {
    expect(deriveName(filters)).toBe(name)
  })

  it('is at most 400 characters long', () => {
    const name = deriveName({ properties: [{ key: 'a', value: 'x'.repeat(1000) }] })
    expect(name).toHaveLength(400)
    expect(name.endsWith('x…')).toBe(true)
  })
})
