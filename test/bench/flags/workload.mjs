/**
 * The workload of all packages: 100 flags and the persons they are evaluated for. All persons pass all five filters, so that no package
 * can stop early.
 */

/** Rollout percentages of the rollout flags and of the five-filter flags. */
const ROLLOUT = 45
const FIVE_FILTER_ROLLOUT = 80

/** Variant to percentage. */
const VARIANTS = Object.freeze({ control: 50, first: 30, second: 20 })

const PLANS = ['pro', 'team', 'enterprise']

const keys = (kind, count) => Array.from({ length: count }, (_, index) => `${kind}-${String(index).padStart(2, '0')}`)

/** The keys of the flags, by kind. */
export const KEYS = Object.freeze({
  boolean: keys('boolean', 40),
  rollout: keys('rollout', 30),
  fiveFilters: keys('five-filters', 30),
})

/**
 * `index` is the index in `PERSONS`.
 *
 * @typedef {{ plan: string, email: string, country: string, seats: number, age: number }} Properties
 * @typedef {{ index: number, distinctId: string, properties: Properties }} Person
 */

/** @type {readonly Person[]} */
export const PERSONS = Array.from({ length: 1000 }, (_, index) => ({
  index,
  distinctId: `user-${String(index).padStart(6, '0')}`,
  properties: {
    plan: PLANS[index % PLANS.length],
    email: `person.${index}@shop.example`,
    country: index % 2 ? 'DE' : 'FR',
    seats: 6 + (index % 50),
    age: 18 + (index % 60),
  },
}))

/** Creates the body of the protocol's definitions feed. */
export const definitions = () => {
  let id = 0
  const flag = (key, filters) => ({ id: ++id, key, name: '', active: true, deleted: false, version: 1, filters })
  const filter = (key, operator, value) => ({ key, type: 'person', operator, value })
  const fiveFilters = {
    groups: [
      {
        properties: [
          filter('plan', 'exact', PLANS),
          filter('email', 'icontains', '@Shop.example'),
          filter('country', 'is_not', 'US'),
          filter('seats', 'gt', 5),
          filter('age', 'lt', 100),
        ],
        rollout_percentage: FIVE_FILTER_ROLLOUT,
      },
    ],
    multivariate: {
      variants: Object.entries(VARIANTS).map(([key, share]) => ({ key, name: key, rollout_percentage: share })),
    },
  }
  const flags = [
    ...KEYS.boolean.map((key) => flag(key, { groups: [{ properties: [], rollout_percentage: 100 }] })),
    ...KEYS.rollout.map((key) => flag(key, { groups: [{ properties: [], rollout_percentage: ROLLOUT }] })),
    ...KEYS.fiveFilters.map((key) => flag(key, fiveFilters)),
  ]
  return { flags, group_type_mapping: {}, cohorts: {} }
}

/** Creates the same flags for Unleash. */
export const unleashFeatures = () => {
  const constraint = (contextName, operator, fields) => ({
    contextName,
    operator,
    values: [],
    inverted: false,
    ...fields,
  })
  const constraints = [
    constraint('plan', 'IN', { values: PLANS }),
    constraint('email', 'STR_CONTAINS', { values: ['@Shop.example'], caseInsensitive: true }),
    constraint('country', 'NOT_IN', { values: ['US'] }),
    constraint('seats', 'NUM_GT', { value: '5' }),
    constraint('age', 'NUM_LT', { value: '100' }),
  ]
  const rollout = (key, share) => ({
    name: 'flexibleRollout',
    parameters: { rollout: String(share), stickiness: 'userId', groupId: key },
    constraints: [],
  })
  const variants = Object.entries(VARIANTS).map(([name, share]) => ({
    name,
    weight: share * 10,
    stickiness: 'userId',
  }))
  const feature = (name, strategy) => ({ name, type: 'release', enabled: true, strategies: [strategy], variants: [] })
  return [
    ...KEYS.boolean.map((key) => feature(key, { name: 'default', parameters: {}, constraints: [] })),
    ...KEYS.rollout.map((key) => feature(key, rollout(key, ROLLOUT))),
    ...KEYS.fiveFilters.map((key) => feature(key, { ...rollout(key, FIVE_FILTER_ROLLOUT), constraints, variants })),
  ]
}

/** Creates the same flags for GrowthBook. */
export const growthbookFeatures = () => {
  const feature = (rule) => ({ defaultValue: false, rules: [{ hashAttribute: 'id', ...rule }] })
  const fiveFilters = {
    condition: {
      plan: { $in: PLANS },
      email: { $regexi: '@shop\\.example' },
      country: { $ne: 'US' },
      seats: { $gt: 5 },
      age: { $lt: 100 },
    },
    variations: Object.keys(VARIANTS),
    weights: Object.values(VARIANTS).map((share) => share / 100),
    coverage: FIVE_FILTER_ROLLOUT / 100,
  }
  return Object.fromEntries([
    ...KEYS.boolean.map((key) => [key, feature({ force: true })]),
    ...KEYS.rollout.map((key) => [key, feature({ force: true, coverage: ROLLOUT / 100 })]),
    ...KEYS.fiveFilters.map((key) => [key, feature({ ...fiveFilters, key })]),
  ])
}
