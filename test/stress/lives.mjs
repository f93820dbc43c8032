/** @import { Random } from './random.mjs' */

/**
 * One event of a life, before it is given its uuid and time.
 *
 * @typedef {{ event: string, distinct_id: string, properties: Record<string, any> }} Draft
 */

/**
 * What a life may use.
 *
 * @typedef {object} Surroundings
 * @property {Random} random
 * @property {string} sender Name of the sender, unique.
 * @property {(kind: string) => string} newId A distinct id that nobody else uses.
 * @property {string[]} known Users of this sender who have signed in before.
 * @property {string[]} shared Users who come to other senders too.
 */

/** Looks around and goes: no person comes of it. */
const visitor = function* ({ random, newId }) {
  const id = newId('visitor')
  for (let n = random.int(1, 4); n > 0; n--) yield look(random, id, { $process_person_profile: false })
}

/** Looks around, signs in, and then changes. */
const newcomer = function* ({ random, newId, known }) {
  const anonymous = newId('anon')
  const user = newId('user')
  for (let n = random.int(0, 3); n > 0; n--) {
    yield look(random, anonymous, { $process_person_profile: false })
  }
  if (random.chance(0.5)) yield look(random, anonymous, changes(random))
  yield identify(random, user, anonymous)
  known.push(user)
  for (let n = random.int(1, 5); n > 0; n--) yield look(random, user, changes(random))
  if (random.chance(0.3)) yield { event: '$identify', distinct_id: user, properties: { $set: values(random) } }
}

/** Comes with a new device, whose person has properties that contradict the user's: the user's stay. */
const returning = function* ({ random, newId, known }) {
  if (known.length === 0) return
  const user = random.pick(known)
  const anonymous = newId('device')
  for (let n = random.int(1, 3); n > 0; n--) yield look(random, anonymous, changes(random))
  yield identify(random, user, anonymous)
  for (let n = random.int(0, 2); n > 0; n--) yield look(random, random.pick([user, anonymous]), changes(random))
}

/** Two users sign in on one device one after the other, which must not make one person of them. */
const sharedDevice = function* ({ random, newId, known }) {
  const anonymous = newId('kiosk')
  const users = [newId('first'), newId('second')]
  yield look(random, anonymous, changes(random))
  for (const user of users) {
    yield identify(random, user, anonymous)
    yield look(random, user, changes(random))
  }
  known.push(...users)
  yield look(random, anonymous, changes(random))
}

/** Ids that turn out to be of one person, in a chain. */
const aliases = function* ({ random, newId, known }) {
  const ids = [newId('lead'), newId('account'), newId('member')]
  for (const id of ids) if (random.chance(0.6)) yield look(random, id, changes(random))
  yield alias(ids[0], ids[1])
  if (random.chance(0.5)) yield look(random, ids[0], changes(random))
  yield alias(ids[1], ids[2])
  yield look(random, random.pick(ids), changes(random))
  if (random.chance(0.3)) yield alias(random.pick(ids), newId('late'))
  known.push(ids[2])
}

/** A user of a company. */
const colleagues = function* ({ random, newId, sender }) {
  const user = newId('colleague')
  yield identify(random, user, newId('anon'))
  const key = `${sender} ${random.int(1, 12)}`
  const group = (set) => ({
    event: random.pick(['$groupidentify', '$group_identify']),
    distinct_id: user,
    properties: { $group_type: 'company', $group_key: key, $group_set: set },
  })
  yield group({ name: `Größe ${key}`, seats: random.int(1, 99) })
  yield look(random, user, { $groups: { company: key } })
  yield group({ seats: random.int(1, 99), [`field ${random.int(1, 4)}`]: random.int(1, 9) })
  // A group that all senders know, each by properties of its own.
  yield {
    event: '$groupidentify',
    distinct_id: user,
    properties: { $group_type: 'team', $group_key: 'everybody', $group_set: { [sender]: random.int(1, 999) } },
  }
}

/** One of the users who come to several senders: with devices, property names and values that are this sender's own. */
const wanderer = function* ({ random, newId, shared, sender }) {
  const user = random.pick(shared)
  const device = newId('tablet')
  const own = () => ({ [`${sender} ${random.int(1, 3)}`]: random.int(1, 999) })
  if (random.chance(0.7)) yield look(random, device, { $set: own(), $set_once: own() })
  yield random.chance(0.7)
    ? {
        event: '$identify',
        distinct_id: user,
        properties: { $anon_distinct_id: device, $set: own(), $set_once: { origin: 'shared' } },
      }
    : alias(device, user)
  yield look(random, random.pick([user, device]), { $set: own(), $set_once: own() })
  if (random.chance(0.5)) yield look(random, user, { $unset: [`${sender} ${random.int(1, 3)}`] })
}

const look = (random, id, properties) => ({
  event: random.pick(['$pageview', 'looked', 'bought 🛒']),
  distinct_id: id,
  properties: { path: `/${random.int(1, 50)}`, ...properties },
})

const identify = (random, user, anonymous) => ({
  event: '$identify',
  distinct_id: user,
  properties: { $anon_distinct_id: anonymous, $set: values(random), $set_once: values(random) },
})

const alias = (merged, main) => ({ event: '$create_alias', distinct_id: merged, properties: { alias: main } })

/** Few names, so that changes meet. */
const NAMES = ['plan', 'name', 'city', 'visits', 'tags']

const values = (random) => {
  const names = random.shuffled(NAMES).slice(0, random.int(1, 3))
  return Object.fromEntries(names.map((name) => [name, valueOf(random)]))
}

const valueOf = (random) =>
  random.pick([random.int(1, 9), `text ${random.int(1, 99)}`, true, ['a', random.int(1, 9)], { deep: { é: 'ü"\\' } }])

const changes = (random) => {
  const asked = {}
  if (random.chance(0.6)) asked.$set = values(random)
  if (random.chance(0.5)) asked.$set_once = values(random)
  if (random.chance(0.25)) asked.$unset = random.shuffled(NAMES).slice(0, 2)
  return asked
}

/**
 * What people do, as the packages report it. The events of a sender are processed in the order in which it sent them, so
 * within a sender anything goes. Users who come to several senders at once only do what comes out the same in any order.
 *
 * @type {readonly ((surroundings: Surroundings) => Generator<Draft, void>)[]}
 */
export const LIVES = [visitor, newcomer, returning, returning, sharedDevice, aliases, colleagues, wanderer, wanderer]
