/**
 * One flag of each kind, to measure what an evaluation leaves on the heap. All subjects pass all conditions, so that no evaluation ends
 * early.
 */

/** Kind to the definition of its flag without id and key. */
const KINDS = {
  boolean: { groups: [{}] },
  rollout: { groups: [{ rollout_percentage: 99.9 }] },
  fiveFilters: {
    groups: [
      {
        properties: [
          { key: 'plan', operator: 'exact', value: ['pro', 'team'] },
          { key: 'email', operator: 'icontains', value: '@Shop.example' },
          { key: 'country', operator: 'is_not', value: 'US' },
          { key: 'seats', operator: 'gt', value: 5 },
          { key: 'age', operator: 'lt', value: 100 },
        ],
      },
    ],
    multivariate: {
      variants: [
        { key: 'control', rollout_percentage: 50 },
        { key: 'test', rollout_percentage: 50 },
      ],
    },
  },
  cohort: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 1 }] }] },
  dependency: {
    groups: [{ properties: [{ key: 'boolean', type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
  },
  regex: { groups: [{ properties: [{ key: 'email', operator: 'regex', value: '^person\\.[0-9]+@(shop|store)\\.' }] }] },
  capitals: { groups: [{ properties: [{ key: 'name', operator: 'icontains', value: 'person' }] }] },
  date: { groups: [{ properties: [{ key: 'joined', operator: 'is_date_after', value: '2026-01-31' }] }] },
  relativeDate: { groups: [{ properties: [{ key: 'joined', operator: 'is_date_before', value: '-3d' }] }] },
  version: { groups: [{ properties: [{ key: 'app', operator: 'semver_gte', value: '1.2.3' }] }] },
  group: {
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'seats', type: 'group', operator: 'gt', value: 5 }], rollout_percentage: 99.9 }],
  },
  device: { bucketing_identifier: 'device_id', groups: [{ rollout_percentage: 99.9 }] },
}

/** The kinds, which are also the keys of their flags. */
export const KIND_NAMES = Object.freeze(Object.keys(KINDS))

/** The body of the protocol's definitions feed. */
export const definitionsOfKinds = () => ({
  flags: Object.entries(KINDS).map(([key, { bucketing_identifier = null, ...filters }], index) => ({
    id: index + 1,
    key,
    active: true,
    bucketing_identifier,
    filters,
  })),
  group_type_mapping: { 0: 'company' },
  cohorts: {
    1: {
      type: 'OR',
      values: [
        { type: 'AND', values: [{ key: 'country', type: 'person', operator: 'exact', value: 'US' }] },
        { type: 'AND', values: [{ key: 'age', type: 'person', operator: 'gte', value: 18 }] },
      ],
    },
  },
})

/** Time of the evaluation, in milliseconds since 1970. */
const EVALUATED_AT = Date.UTC(2026, 7, 1)

/** The context options of 1000 persons, as a local evaluator passes them. */
export const SUBJECTS = Array.from({ length: 1000 }, (_, index) => ({
  complete: false,
  now: EVALUATED_AT,
  distinctId: `user-${String(index).padStart(6, '0')}`,
  deviceId: `019680f0-0000-7000-8000-${String(index).padStart(12, '0')}`,
  groups: { company: `company-${index % 50}` },
  groupProperties: { company: { seats: 6 + (index % 50) } },
  personProperties: {
    plan: index % 2 ? 'pro' : 'team',
    email: `person.${index}@shop.example`,
    name: `Ada Person ${index}`,
    country: index % 2 ? 'DE' : 'FR',
    seats: 6 + (index % 50),
    age: 18 + (index % 60),
    joined: `2026-03-${String(1 + (index % 28)).padStart(2, '0')}T12:00:00Z`,
    app: `${2 + (index % 3)}.${index % 10}.0`,
  },
}))
