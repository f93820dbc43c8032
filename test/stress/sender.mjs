import { setTimeout as pause } from 'node:timers/promises'
import { createConnections, messageOf } from './delivery.mjs'
import { LIVES } from './lives.mjs'
import { uuidV4, uuidV7 } from './uuid.mjs'

/** @import { Model } from './model.mjs' */
/** @import { Random } from './random.mjs' */

/** Answers that mean "later". */
const LATER = new Set([429, 503])

/** Wait before the same is sent again, in milliseconds: short, so that much happens in a round. */
const RETRY_MS = 40

/** People whose lives a sender reports at the same time. */
const AT_ONCE = 8

/** Events that may be sent again though they were acknowledged. */
const MOST_REMEMBERED = 300

/** Events of a request that its store cannot take in one commit, and the bytes of text in each. */
const BULK = { events: 400, bytes: 40_000 }

/**
 * @typedef {object} SenderParts
 * @property {string} name
 * @property {Random} random
 * @property {string} apiKey
 * @property {Model} model Told of all that is acknowledged.
 * @property {Map<string, boolean>} unnamed Mark of each event without a uuid to whether it was acknowledged.
 * @property {readonly string[]} shared Users who come to several senders.
 * @property {() => string | null} url Where the service listens now, or null.
 */

/**
 * Sends the events of its people, in order, each until it is acknowledged; sometimes the answer is lost on purpose, and
 * sometimes what was acknowledged is sent once more.
 *
 * @param {SenderParts} parts
 */
export const createSender = ({ name, random, apiKey, model, unnamed, shared, url }) => {
  const connections = createConnections()
  const known = []
  const remembered = []
  /** @type {Generator<import('./lives.mjs').Draft, void>[]} */
  let lives = []
  let ids = 0
  let clock = 0
  let requests = 0
  /** @type {(() => void) | null} Called once a very large request is acknowledged; null when none is due. */
  let onBulk = null
  /** Aborted when the campaign is given up. */
  let given = AbortSignal.abort()

  const surroundings = {
    random,
    sender: name,
    newId: (kind) => `${kind} ${name} ${++ids}`,
    known,
    shared: [...shared],
  }

  const nextDraft = () => {
    while (true) {
      while (lives.length < AT_ONCE) lives.push(random.pick(LIVES)(surroundings))
      const life = random.pick(lives)
      const { value, done } = life.next()
      if (!done) return value
      lives = lives.filter((other) => other !== life)
    }
  }

  /** Moments only grow, so that the order of a sender's events is that of their moments. */
  const stamped = ({ event, distinct_id, properties }) => {
    clock = Math.max(clock + 1, Date.now())
    const uuid = random.chance(0.6) ? uuidV7(random, clock - random.int(0, 5000)) : uuidV4(random)
    const timestamp = new Date(clock).toISOString()
    const { $set, ...rest } = properties
    if ($set !== undefined && random.chance(0.3)) {
      return { uuid, event, distinct_id, timestamp, properties: rest, $set }
    }
    if (random.chance(0.2)) return { uuid, event, timestamp, properties: { ...properties, distinct_id } }
    return { uuid, event, distinct_id, timestamp, properties }
  }

  const nextEvents = () => {
    const count = random.chance(0.4) ? 1 : random.int(2, 30)
    return Array.from({ length: count }, () => stamped(nextDraft()))
  }

  /** A request that is stored in several commits, with changes of the same few people all over it. */
  const bulkEvents = () => {
    const people = [surroundings.newId('bulk'), surroundings.newId('bulk')]
    const filler = `${name} ${random.hex(8)} `.repeat(BULK.bytes).slice(0, BULK.bytes)
    const body = Array.from({ length: BULK.events }, (_, n) => {
      const distinct_id = random.pick(people)
      const properties = { filler, n, $set: { last: n }, $set_once: { [`at ${n % 10}`]: n }, $unset: [`at ${n % 7}`] }
      return stamped({ event: 'bulk', distinct_id, properties })
    })
    const joined = { $anon_distinct_id: people[0], $set: { joined: true } }
    return [...body, stamped({ event: '$identify', distinct_id: people[1], properties: joined })]
  }

  /** What an import brings: moments long ago, in any order, processed as they stand. */
  const historicalEvents = () => {
    const people = Array.from({ length: random.int(1, 4) }, () => surroundings.newId('old'))
    return Array.from({ length: random.int(3, 40) }, (_, n) => ({
      uuid: random.chance(0.5) ? uuidV7(random, Date.now() - random.int(0, 10 ** 9)) : uuidV4(random),
      event: random.pick(['$pageview', '$identify']),
      timestamp: new Date(Date.UTC(2019, 0, 1) + random.int(0, 10 ** 10)).toISOString(),
      properties: { distinct_id: random.pick(people), $set: { n, [`p${n % 5}`]: n }, $set_once: { first: n } },
    }))
  }

  /** @returns {Promise<boolean>} Whether an acknowledgement came. */
  const attempt = async (events, isHistorical, how) => {
    const to = url()
    if (to === null) return false
    const answer = await connections.post(to, messageOf(random, apiKey, events, isHistorical), how)
    if (answer === null || LATER.has(answer.status)) return false
    if (answer.status === 200) return true
    throw new Error(`${name} was answered ${answer.status} ${answer.text}`)
  }

  const howToSend = () => ({
    cut: random.chance(0.9) ? 'none' : random.pick(['inside', 'after', 'after', 'after']),
    cutAfterMs: random.int(0, 8),
  })

  /** Sends events until they are acknowledged; after a lost answer sometimes as two requests. */
  const deliver = async (events, isHistorical) => {
    while (!given.aborted) {
      // Real-time events of one request are processed in the order of their moments, wherever they stand in it.
      const placed = isHistorical ? events : random.shuffled(events)
      const sent = random.chance(0.1) && !isHistorical ? [...placed, random.pick(placed)] : placed
      const isAcknowledged = await attempt(sent, isHistorical, howToSend())
      const isAnswerLost = random.chance(0.05)
      if (isAcknowledged && !isAnswerLost) return
      if (!isAcknowledged) await pause(random.int(1, RETRY_MS))
      if (!isHistorical && events.length > 1 && random.chance(0.2)) {
        const middle = events.length >> 1
        await deliver(events.slice(0, middle), false)
        await deliver(events.slice(middle), false)
        return
      }
    }
  }

  /** Events without a uuid cannot be told apart from their repetition, so they are sent once. */
  const sendUnnamed = async (round) => {
    const events = Array.from({ length: random.int(1, 5) }, (_, n) => ({
      event: 'unnamed',
      distinct_id: 'nobody',
      properties: { mark: `${name} ${requests} ${n}`, round, $process_person_profile: false },
    }))
    const isAcknowledged = await attempt(events, false, howToSend())
    for (const { properties } of events) unnamed.set(properties.mark, isAcknowledged)
  }

  const sendNext = async (round) => {
    requests += 1
    if (random.chance(0.05)) return sendUnnamed(round)
    const isHistorical = random.chance(0.03)
    const isBulk = !isHistorical && onBulk !== null
    const events = isHistorical ? historicalEvents() : isBulk ? bulkEvents() : nextEvents()
    const repeated = !isHistorical && remembered.length > 0 && random.chance(0.1) ? [random.pick(remembered)] : []
    await deliver([...repeated, ...events], isHistorical)
    if (given.aborted) return
    for (const event of events) model.tell(event, { isHistorical, round })
    if (isBulk) {
      onBulk?.()
      onBulk = null
    }
    if (isHistorical || isBulk) return
    remembered.push(random.pick(events))
    if (remembered.length > MOST_REMEMBERED) remembered.splice(random.int(0, MOST_REMEMBERED), 1)
  }

  return {
    /**
     * Sends until `isOver` and everything that was begun is acknowledged, or until `signal` says that nothing matters any more.
     *
     * @param {number} round
     * @param {{ isOver: () => boolean, signal: AbortSignal, bulk: (() => void) | null }} how `bulk`: begin with a very
     * large request, and call this once it is acknowledged.
     */
    async run(round, { isOver, signal, bulk }) {
      given = signal
      onBulk = bulk
      while (!isOver() && !signal.aborted) {
        await sendNext(round)
        await pause(random.int(0, 25))
      }
    },
    close: connections.close,
  }
}
