import { setTimeout as pause } from 'node:timers/promises'
import { audit } from './audit.mjs'
import { DISRUPTIONS } from './disruptions.mjs'
import { createMember } from './member.mjs'
import { createModel } from './model.mjs'
import { createRandom } from './random.mjs'
import { createSender } from './sender.mjs'
import { createService } from './service.mjs'

/** Number of projects, and of senders and members per project. */
const PROJECT_COUNT = 2
const SENDERS_PER_PROJECT = 3
const MEMBERS_PER_PROJECT = 2

/** Users whose events all senders of a project send. */
const SHARED_USER_COUNT = 12

/** Most disruptions in one round. */
const MAX_DISRUPTIONS = 3

/** Share of rounds in which one sender begins with a request that is stored in several commits. */
const BULK_ROUND_SHARE = 0.3

/** Typical time to index that request, and longest wait for its acknowledgement, in milliseconds. */
const TYPICAL_BULK_MS = 1500
const MAX_BULK_WAIT_MS = 10_000

/** How often the indexer is killed while it indexes that request. */
const BULK_KILL_COUNT = 3

/** Timeout of a round in milliseconds, far longer than any round takes on a busy machine. */
const ROUND_TIMEOUT_MS = 180_000

/** Timeout until all acknowledged events can be queried after sending has stopped, in milliseconds. */
const CATCH_UP_TIMEOUT_MS = 60_000

/**
 * @typedef {object} RoundResult
 * @property {number} round From 1.
 * @property {readonly string[]} disruptions Names of the disruptions, in order.
 * @property {number} eventCount Number of events acknowledged in the round.
 * @property {number} durationMs
 * @property {readonly string[]} differences Descriptions of all deviations; empty if there are none.
 */

/**
 * @typedef {object} CampaignResult
 * @property {readonly RoundResult[]} rounds The campaign stops after the first round with differences.
 * @property {number} eventCount
 * @property {number} queryCount Number of queries of members.
 * @property {number} personCount
 * @property {number} mergedIdCount Number of distinct ids besides the first of each person.
 * @property {readonly string[]} differences
 * @property {string} output The last output of the service.
 */

/**
 * Disrupts a service under load, round by round, until a round finds differences.
 *
 * @param {object} options
 * @param {string} options.script Path of the built service.
 * @param {string} options.folder An empty data folder.
 * @param {number} options.rounds
 * @param {number} options.seed Determines the load and the disruptions, but not the scheduling of processes.
 * @param {(result: RoundResult) => void} [options.onRound]
 * @returns {Promise<CampaignResult>}
 */
export const runCampaign = async ({ script, folder, rounds, seed, onRound = () => {} }) => {
  const random = createRandom(seed)
  const service = createService({ script, folder })
  /** @type {RoundResult[]} */
  const results = []
  /** @type {Project[]} */
  let projects = []
  const nextDisruption = createShuffledCycle(random, Object.keys(DISRUPTIONS))
  try {
    // The very first starts, which create the files, are interrupted too.
    for (let startsLeft = random.int(1, 3); startsLeft > 0; startsLeft--) {
      service.launch()
      await pause(random.int(0, 900))
      await service.kill()
    }
    await service.start()
    projects = await openProjects(service, random)
    for (let round = 1; round <= rounds && results.every(({ differences }) => differences.length === 0); round++) {
      const disruptions = Array.from({ length: random.int(1, MAX_DISRUPTIONS) }, nextDisruption)
      const running = runRound({ service, projects, folder, random, round, disruptions, isLast: round === rounds })
      const result = await withTimeout(ROUND_TIMEOUT_MS, running, `Round ${round} (${disruptions.join(' | ')})`)
      results.push(result)
      onRound(result)
    }
  } catch (error) {
    throw new Error(`The campaign failed; see the cause and the last output of the service:\n${service.output()}`, {
      cause: error,
    })
  } finally {
    for (const { senders } of projects) for (const sender of senders) sender.close()
    await service.end()
  }
  const persons = projects.flatMap(({ model }) => Array.from(new Set(model.personOf.values())))
  return {
    rounds: results,
    eventCount: results.reduce((sum, { eventCount }) => sum + eventCount, 0),
    queryCount: projects.flatMap(({ members }) => members).reduce((sum, member) => sum + member.count(), 0),
    personCount: persons.length,
    mergedIdCount: persons.reduce((sum, { ids }) => sum + ids.size - 1, 0),
    differences: results.flatMap(({ differences }) => differences),
    output: service.output(),
  }
}

/** @typedef {Awaited<ReturnType<typeof openProjects>>[number]} Project */

/** Opens the first project and a second one, each with a key for queries. */
const openProjects = async (service, random) => {
  await service.command('project', 'create', 'Second')
  const apiKeys = (await service.command('project', 'list')).match(/wm_[\w-]+/g) ?? []
  if (apiKeys.length !== PROJECT_COUNT)
    throw new Error(`Found ${apiKeys.length} projects, expected ${PROJECT_COUNT}; start with an empty data folder.`)
  return Promise.all(
    apiKeys.map(async (apiKey, index) => {
      const id = index + 1
      const [key] = /wmx_[\w-]+/.exec(await service.command('key', 'create', 'stress', '--project', String(id))) ?? []
      const model = createModel()
      /** @type {Map<string, boolean>} */
      const eventsWithoutUuid = new Map()
      const sharedUsers = Array.from({ length: SHARED_USER_COUNT }, (_, n) => `shared ${id} ${n}`)
      const senders = Array.from({ length: SENDERS_PER_PROJECT }, (_, n) =>
        createSender({
          name: `p${id}s${n}`,
          random: createRandom(random.int(0, 2 ** 31)),
          apiKey,
          model,
          eventsWithoutUuid,
          sharedUsers,
          url: service.url,
        }),
      )
      const query = (sql) => runQuery(`${service.url()}/api/environments/${id}/query/`, key, sql)
      const members = Array.from({ length: MEMBERS_PER_PROJECT }, (_, n) =>
        createMember({
          name: `p${id}m${n}`,
          random: createRandom(random.int(0, 2 ** 31)),
          projectId: id,
          key,
          url: service.url,
        }),
      )
      return { id, model, eventsWithoutUuid, senders, members, query }
    }),
  )
}

/** @returns {Promise<RoundResult>} */
const runRound = async ({ service, projects, folder, random, round, disruptions, isLast }) => {
  const startedAt = Date.now()
  const countBefore = countEvents(projects)
  let isOver = false
  const abortController = new AbortController()
  const senders = projects.flatMap((project) => project.senders)
  const bulkSender = random.chance(BULK_ROUND_SHARE) ? random.pick(senders) : null
  const members = projects.flatMap((project) => project.members)
  const bulk = createMilestone()
  const control = { isOver: () => isOver, signal: abortController.signal }
  const sending = Promise.all([
    ...members.map((member) => member.run(control)),
    ...senders.map((sender) =>
      sender.run(round, {
        ...control,
        bulk: sender === bulkSender ? bulk.reach : null,
      }),
    ),
  ])
  // Errors of senders are thrown below, where `sending` is awaited.
  sending.catch(() => abortController.abort())
  try {
    if (bulkSender !== null) {
      // This kills the indexer between two commits of one request.
      await Promise.race([bulk.reached, pause(MAX_BULK_WAIT_MS)])
      for (let kill = 1; kill <= BULK_KILL_COUNT; kill++) {
        await pause(random.int(0, TYPICAL_BULK_MS))
        await DISRUPTIONS['indexer killed'](service, random)
      }
    }
    for (const name of disruptions) {
      await pause(random.int(50, 600))
      await DISRUPTIONS[name](service, random)
    }
    await service.start()
    await pause(random.int(0, 300))
  } catch (error) {
    abortController.abort()
    throw error
  } finally {
    isOver = true
  }
  await sending
  const differences = [...service.problems]
  const catchUpProblem = await catchUp(service)
  if (catchUpProblem !== null) differences.push(catchUpProblem)
  // Each project has slots of its own, so that all can be full at once.
  else await Promise.all(projects.map(({ members: [member] }) => member.checkSlots()))
  for (const member of members) differences.push(...member.takeProblems())
  // Without slots, or before it has caught up, the service cannot be audited.
  if (differences.length === 0)
    for (const project of projects) differences.push(...(await audit(project, folder, isLast ? null : round)))
  return {
    round,
    disruptions,
    eventCount: countEvents(projects) - countBefore,
    durationMs: Date.now() - startedAt,
    differences,
  }
}

const countEvents = (projects) => projects.reduce((sum, { model }) => sum + model.events.size, 0)

/** Waits until all acknowledged events can be queried. Returns a description of the problem if that fails, else null. */
const catchUp = async (service) => {
  const deadline = Date.now() + CATCH_UP_TIMEOUT_MS
  for (;;) {
    const response = await fetch(`${service.url()}/healthz`)
    const health = await response.json()
    if (response.ok && health.indexer.behindRows === 0) {
      return health.indexer.rejected === 0 ? null : `${health.indexer.rejected} requests were quarantined`
    }
    if (Date.now() > deadline)
      return `Events cannot be queried after ${CATCH_UP_TIMEOUT_MS} ms: ${JSON.stringify(health)}`
    await pause(50)
  }
}

const runQuery = async (url, key, query) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ query }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The query ${query} failed with ${response.status} ${text}`)
  const { results, hasMore } = JSON.parse(text)
  if (hasMore) throw new Error(`The query ${query} has more rows than fit into one response; raise --query-max-rows.`)
  return results
}

/** A promise that another function resolves. */
const createMilestone = () => {
  let reach = () => {}
  /** @type {Promise<void>} */
  const reached = new Promise((resolve) => (reach = resolve))
  return { reach, reached }
}

/**
 * @template Result
 * @param {number} ms
 * @param {Promise<Result>} running
 * @param {string} name
 * @returns {Promise<Result>} Rejects if `running` takes longer.
 */
const withTimeout = async (ms, running, name) => {
  const timer = new AbortController()
  const timeout = pause(ms, null, { signal: timer.signal }).then(() => {
    throw new Error(`${name} has not ended after ${ms} ms.`)
  })
  timeout.catch(() => {})
  try {
    return await Promise.race([running, timeout])
  } finally {
    timer.abort()
  }
}

/** Creates a function that returns all items in random order, then all of them again in another order. */
const createShuffledCycle = (random, items) => {
  let remaining = []
  return () => {
    if (remaining.length === 0) remaining = random.shuffled(items)
    return remaining.pop()
  }
}
