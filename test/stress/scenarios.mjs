/** @import { Random } from './random.mjs' */

/**
 * One event of a scenario, before it gets its uuid and timestamp.
 *
 * @typedef {{ event: string, distinct_id: string, properties: Record<string, any> }} Draft
 */

/**
 * What a scenario may use.
 *
 * @typedef {object} ScenarioContext
 * @property {Random} random
 * @property {string} sender Name of the sender, unique.
 * @property {(kind: string) => string} newId Creates a unique distinct id.
 * @property {string[]} knownUsers Users of this sender who have signed in before.
 * @property {string[]} sharedUsers Users whose events other senders send too.
 */

/** Views pages anonymously; this creates no person. */
const visitor = function* ({ random, newId }) {
  const id = newId('visitor')
  for (let n = random.int(1, 4); n > 0; n--) yield view(random, id, { $process_person_profile: false })
}

/** Views pages, signs in, and then changes properties. */
const newcomer = function* ({ random, newId, knownUsers }) {
  const anonymous = newId('anon')
  const user = newId('user')
  for (let n = random.int(0, 3); n > 0; n--) {
    yield view(random, anonymous, { $process_person_profile: false })
  }
  if (random.chance(0.5)) yield view(random, anonymous, randomChanges(random))
  yield identify(random, user, anonymous)
  knownUsers.push(user)
  for (let n = random.int(1, 5); n > 0; n--) yield view(random, user, randomChanges(random))
  if (random.chance(0.3)) yield { event: '$identify', distinct_id: user, properties: { $set: randomValues(random) } }
}

/** Returns with a new device whose person has conflicting properties; those of the user win. */
const returningUser = function* ({ random, newId, knownUsers }) {
  if (knownUsers.length === 0) return
  const user = random.pick(knownUsers)
  const anonymous = newId('device')
  for (let n = random.int(1, 3); n > 0; n--) yield view(random, anonymous, randomChanges(random))
  yield identify(random, user, anonymous)
  for (let n = random.int(0, 2); n > 0; n--) yield view(random, random.pick([user, anonymous]), randomChanges(random))
}

/** Two users sign in on the same device one after the other. They must not be merged. */
const sharedDevice = function* ({ random, newId, knownUsers }) {
  const anonymous = newId('kiosk')
  const users = [newId('first'), newId('second')]
  yield view(random, anonymous, randomChanges(random))
  for (const user of users) {
    yield identify(random, user, anonymous)
    yield view(random, user, randomChanges(random))
  }
  knownUsers.push(...users)
  yield view(random, anonymous, randomChanges(random))
}

/** A chain of aliases that merges several ids into one person. */
const aliasChain = function* ({ random, newId, knownUsers }) {
  const ids = [newId('lead'), newId('account'), newId('member')]
  for (const id of ids) if (random.chance(0.6)) yield view(random, id, randomChanges(random))
  yield alias(ids[0], ids[1])
  if (random.chance(0.5)) yield view(random, ids[0], randomChanges(random))
  yield alias(ids[1], ids[2])
  yield view(random, random.pick(ids), randomChanges(random))
  if (random.chance(0.3)) yield alias(random.pick(ids), newId('late'))
  knownUsers.push(ids[2])
}

/** A user of a company, which is a group. */
const companyUser = function* ({ random, newId, sender }) {
  const user = newId('colleague')
  yield identify(random, user, newId('anon'))
  const key = `${sender} ${random.int(1, 12)}`
  const group = (set) => ({
    event: random.pick(['$groupidentify', '$group_identify']),
    distinct_id: user,
    properties: { $group_type: 'company', $group_key: key, $group_set: set },
  })
  yield group({ name: `Größe ${key}`, seats: random.int(1, 99) })
  yield view(random, user, { $groups: { company: key } })
  yield group({ seats: random.int(1, 99), [`field ${random.int(1, 4)}`]: random.int(1, 9) })
  // A group of all senders, each of which sets its own properties.
  yield {
    event: '$groupidentify',
    distinct_id: user,
    properties: { $group_type: 'team', $group_key: 'everyone', $group_set: { [sender]: random.int(1, 999) } },
  }
}

/** A user whose events several senders send. Each sender uses its own devices, property names and values. */
const sharedUser = function* ({ random, newId, sharedUsers, sender }) {
  const user = random.pick(sharedUsers)
  const device = newId('tablet')
  const ownProperties = () => ({ [`${sender} ${random.int(1, 3)}`]: random.int(1, 999) })
  if (random.chance(0.7)) yield view(random, device, { $set: ownProperties(), $set_once: ownProperties() })
  yield random.chance(0.7)
    ? {
        event: '$identify',
        distinct_id: user,
        properties: { $anon_distinct_id: device, $set: ownProperties(), $set_once: { origin: 'shared' } },
      }
    : alias(device, user)
  yield view(random, random.pick([user, device]), { $set: ownProperties(), $set_once: ownProperties() })
  if (random.chance(0.5)) yield view(random, user, { $unset: [`${sender} ${random.int(1, 3)}`] })
}

const view = (random, id, properties) => ({
  event: random.pick(['$pageview', 'looked', 'bought 🛒']),
  distinct_id: id,
  properties: { path: `/${random.int(1, 50)}`, ...properties },
})

const identify = (random, user, anonymous) => ({
  event: '$identify',
  distinct_id: user,
  properties: { $anon_distinct_id: anonymous, $set: randomValues(random), $set_once: randomValues(random) },
})

const alias = (merged, main) => ({ event: '$create_alias', distinct_id: merged, properties: { alias: main } })

/** Few names, so that changes often concern the same property. */
const NAMES = ['plan', 'name', 'city', 'visits', 'tags']

const randomValues = (random) => {
  const names = random.shuffled(NAMES).slice(0, random.int(1, 3))
  return Object.fromEntries(names.map((name) => [name, randomValue(random)]))
}

const randomValue = (random) =>
  random.pick([random.int(1, 9), `text ${random.int(1, 99)}`, true, ['a', random.int(1, 9)], { deep: { é: 'ü"\\' } }])

const randomChanges = (random) => {
  const operations = {}
  if (random.chance(0.6)) operations.$set = randomValues(random)
  if (random.chance(0.5)) operations.$set_once = randomValues(random)
  if (random.chance(0.25)) operations.$unset = random.shuffled(NAMES).slice(0, 2)
  return operations
}

/**
 * Sequences of events that visitors and users cause. The service processes the events of one sender in the order sent, so a scenario
 * with its own users may do anything. A scenario with shared users only does what has the same result in any order.
 *
 * @type {readonly ((context: ScenarioContext) => Generator<Draft, void>)[]}
 */
export const SCENARIOS = [
  visitor,
  newcomer,
  returningUser,
  returningUser,
  sharedDevice,
  aliasChain,
  companyUser,
  sharedUser,
  sharedUser,
]
