import { setTimeout as pause } from 'node:timers/promises'
import { createConnections, createMessage } from './delivery.mjs'
import { SCENARIOS } from './scenarios.mjs'
import { uuidV4, uuidV7 } from './uuid.mjs'

/** @import { Model } from './model.mjs' */
/** @import { Random } from './random.mjs' */

/** Statuses after which a client retries. */
const RETRY_STATUSES = new Set([429, 503])

/** Longest delay before a retry, in milliseconds: short, so that much happens in a round. */
const MAX_RETRY_DELAY_MS = 40

/** Scenarios that a sender runs concurrently. */
const CONCURRENT_SCENARIOS = 8

/** Highest number of acknowledged events that are remembered to be sent again. */
const MAX_RESENDABLE_EVENTS = 300

/** A request that needs several commits: number of events and bytes of filler in each. */
const BULK = { eventCount: 400, fillerBytes: 40_000 }

/**
 * @typedef {object} SenderOptions
 * @property {string} name
 * @property {Random} random
 * @property {string} apiKey
 * @property {Model} model Receives all acknowledged events.
 * @property {Map<string, boolean>} eventsWithoutUuid Marker of each event without a uuid to whether it was acknowledged.
 * @property {readonly string[]} sharedUsers Users whose events several senders send.
 * @property {() => string | null} url The current URL of the service, or null.
 */

/**
 * Creates a sender that sends the events of its scenarios in order, each until it is acknowledged. Sometimes it ignores the
 * response on purpose, and sometimes it sends an acknowledged event again.
 *
 * @param {SenderOptions} options
 */
export const createSender = ({ name, random, apiKey, model, eventsWithoutUuid, sharedUsers, url }) => {
  const connections = createConnections()
  const knownUsers = []
  const resendableEvents = []
  /** @type {Generator<import('./scenarios.mjs').Draft, void>[]} */
  let scenarios = []
  let idCount = 0
  let lastTime = 0
  let requestCount = 0
  /** @type {(() => void) | null} Called once the bulk request is acknowledged; null if none is due. */
  let onBulk = null
  /** Aborted when the campaign fails. */
  let abortSignal = AbortSignal.abort()

  const context = {
    random,
    sender: name,
    newId: (kind) => `${kind} ${name} ${++idCount}`,
    knownUsers,
    sharedUsers: [...sharedUsers],
  }

  const nextDraft = () => {
    while (true) {
      while (scenarios.length < CONCURRENT_SCENARIOS) scenarios.push(random.pick(SCENARIOS)(context))
      const scenario = random.pick(scenarios)
      const { value, done } = scenario.next()
      if (!done) return value
      scenarios = scenarios.filter((other) => other !== scenario)
    }
  }

  /** Adds a uuid and a timestamp. Timestamps only increase, so the events of a sender are ordered by time. */
  const addIdAndTime = ({ event, distinct_id, properties }) => {
    lastTime = Math.max(lastTime + 1, Date.now())
    const uuid = random.chance(0.6) ? uuidV7(random, lastTime - random.int(0, 5000)) : uuidV4(random)
    const timestamp = new Date(lastTime).toISOString()
    const { $set, ...otherProperties } = properties
    if ($set !== undefined && random.chance(0.3)) {
      return { uuid, event, distinct_id, timestamp, properties: otherProperties, $set }
    }
    if (random.chance(0.2)) return { uuid, event, timestamp, properties: { ...properties, distinct_id } }
    return { uuid, event, distinct_id, timestamp, properties }
  }

  const nextEvents = () => {
    const count = random.chance(0.4) ? 1 : random.int(2, 30)
    return Array.from({ length: count }, () => addIdAndTime(nextDraft()))
  }

  /** Creates a request that is stored in several commits and changes the same few persons throughout. */
  const bulkEvents = () => {
    const personIds = [context.newId('bulk'), context.newId('bulk')]
    const filler = `${name} ${random.hex(8)} `.repeat(BULK.fillerBytes).slice(0, BULK.fillerBytes)
    const changes = Array.from({ length: BULK.eventCount }, (_, n) => {
      const distinct_id = random.pick(personIds)
      const properties = { filler, n, $set: { last: n }, $set_once: { [`at ${n % 10}`]: n }, $unset: [`at ${n % 7}`] }
      return addIdAndTime({ event: 'bulk', distinct_id, properties })
    })
    const identifyProperties = { $anon_distinct_id: personIds[0], $set: { joined: true } }
    return [...changes, addIdAndTime({ event: '$identify', distinct_id: personIds[1], properties: identifyProperties })]
  }

  /** Creates historical events: old timestamps in any order, processed in the order of the request. */
  const historicalEvents = () => {
    const personIds = Array.from({ length: random.int(1, 4) }, () => context.newId('old'))
    return Array.from({ length: random.int(3, 40) }, (_, n) => ({
      uuid: random.chance(0.5) ? uuidV7(random, Date.now() - random.int(0, 10 ** 9)) : uuidV4(random),
      event: random.pick(['$pageview', '$identify']),
      timestamp: new Date(Date.UTC(2019, 0, 1) + random.int(0, 10 ** 10)).toISOString(),
      properties: { distinct_id: random.pick(personIds), $set: { n, [`p${n % 5}`]: n }, $set_once: { first: n } },
    }))
  }

  /** @returns {Promise<boolean>} Whether the request was acknowledged. */
  const attempt = async (events, isHistorical, cutOptions) => {
    const currentUrl = url()
    if (currentUrl === null) return false
    const response = await connections.post(currentUrl, createMessage(random, apiKey, events, isHistorical), cutOptions)
    if (response === null || RETRY_STATUSES.has(response.status)) return false
    if (response.status === 200) return true
    throw new Error(`The service rejected a request of ${name} with ${response.status} ${response.text}`)
  }

  const pickCutOptions = () => ({
    cut: random.chance(0.9) ? 'none' : random.pick(['inside', 'after', 'after', 'after']),
    cutAfterMs: random.int(0, 8),
  })

  /** Sends events until they are acknowledged. A retry sometimes splits them into two requests. */
  const deliver = async (events, isHistorical) => {
    while (!abortSignal.aborted) {
      // Real-time events of one request are processed in the order of their timestamps, whatever their position.
      const ordered = isHistorical ? events : random.shuffled(events)
      const sent = random.chance(0.1) && !isHistorical ? [...ordered, random.pick(ordered)] : ordered
      const isAcknowledged = await attempt(sent, isHistorical, pickCutOptions())
      const isResponseIgnored = random.chance(0.05)
      if (isAcknowledged && !isResponseIgnored) return
      if (!isAcknowledged) await pause(random.int(1, MAX_RETRY_DELAY_MS))
      if (!isHistorical && events.length > 1 && random.chance(0.2)) {
        const middle = events.length >> 1
        await deliver(events.slice(0, middle), false)
        await deliver(events.slice(middle), false)
        return
      }
    }
  }

  /** Sends events without a uuid, only once because the service cannot recognise a repetition. */
  const sendWithoutUuid = async (round) => {
    const events = Array.from({ length: random.int(1, 5) }, (_, n) => ({
      event: 'unnamed',
      distinct_id: 'anonymous',
      properties: { mark: `${name} ${requestCount} ${n}`, round, $process_person_profile: false },
    }))
    const isAcknowledged = await attempt(events, false, pickCutOptions())
    for (const { properties } of events) eventsWithoutUuid.set(properties.mark, isAcknowledged)
  }

  const sendNext = async (round) => {
    requestCount += 1
    if (random.chance(0.05)) return sendWithoutUuid(round)
    const isHistorical = random.chance(0.03)
    const isBulk = !isHistorical && onBulk !== null
    const events = isHistorical ? historicalEvents() : isBulk ? bulkEvents() : nextEvents()
    const repeatedEvents =
      !isHistorical && resendableEvents.length > 0 && random.chance(0.1) ? [random.pick(resendableEvents)] : []
    await deliver([...repeatedEvents, ...events], isHistorical)
    if (abortSignal.aborted) return
    for (const event of events) model.apply(event, { isHistorical, round })
    if (isBulk) {
      onBulk?.()
      onBulk = null
    }
    if (isHistorical || isBulk) return
    resendableEvents.push(random.pick(events))
    if (resendableEvents.length > MAX_RESENDABLE_EVENTS)
      resendableEvents.splice(random.int(0, MAX_RESENDABLE_EVENTS), 1)
  }

  return {
    /**
     * Sends until `isOver` returns true and all requests are acknowledged, or until `signal` is aborted.
     *
     * @param {number} round
     * @param {{ isOver: () => boolean, signal: AbortSignal, bulk: (() => void) | null }} options `bulk`: begin with a very
     * large request, and call this once it is acknowledged.
     */
    async run(round, { isOver, signal, bulk }) {
      abortSignal = signal
      onBulk = bulk
      while (!isOver() && !signal.aborted) {
        await sendNext(round)
        await pause(random.int(0, 25))
      }
    },
    close: connections.close,
  }
}
