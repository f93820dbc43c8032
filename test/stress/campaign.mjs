import { setTimeout as pause } from 'node:timers/promises'
import { audit } from './audit.mjs'
import { DISRUPTIONS } from './disruptions.mjs'
import { createModel } from './model.mjs'
import { createRandom } from './random.mjs'
import { createSender } from './sender.mjs'
import { createService } from './service.mjs'

/** Projects, and senders of each. */
const PROJECTS = 2
const SENDERS = 3

/** Users who come to all senders of their project. */
const SHARED_USERS = 12

/** Disruptions of one round, at most. */
const MOST_DISRUPTIONS = 3

/** The part of all rounds in which one sender begins with a request that is stored in several commits. */
const BULK_ROUNDS = 0.3

/** About how long its indexing takes, and how long its acknowledgement may be waited for, in milliseconds. */
const BULK_MS = 1500
const MOST_BULK_MS = 10_000

/** Ends of the indexer meanwhile. */
const BULK_KILLS = 3

/** How long a round may take, in milliseconds: far longer than any does on a busy machine. */
const ROUND_MS = 180_000

/** How long everything that was acknowledged may take to become queryable, once nobody sends. */
const CATCH_UP_MS = 60_000

/**
 * @typedef {object} RoundResult
 * @property {number} round From 1.
 * @property {readonly string[]} disruptions What happened, in order.
 * @property {number} events Events that were acknowledged in it.
 * @property {number} ms How long it took.
 * @property {readonly string[]} differences What is not as it should be; empty when all is.
 */

/**
 * @typedef {object} CampaignResult
 * @property {readonly RoundResult[]} rounds The last one is that which found differences, if any did.
 * @property {number} events
 * @property {number} people
 * @property {number} merged Distinct ids beyond the first of their person.
 * @property {readonly string[]} differences
 * @property {string} output What the service printed last.
 */

/**
 * Disturbs a service under load, round by round, until something is found that is not as it should be.
 *
 * @param {object} parts
 * @param {string} parts.script The built service.
 * @param {string} parts.folder An empty folder for its data.
 * @param {number} parts.rounds
 * @param {number} parts.seed The load and the disruptions follow from it; when a process gets its turn does not.
 * @param {(result: RoundResult) => void} [parts.onRound]
 * @returns {Promise<CampaignResult>}
 */
export const runCampaign = async ({ script, folder, rounds, seed, onRound = () => {} }) => {
  const random = createRandom(seed)
  const service = createService({ script, folder })
  /** @type {RoundResult[]} */
  const results = []
  /** @type {Project[]} */
  let projects = []
  const next = inTurn(random, Object.keys(DISRUPTIONS))
  try {
    // The very first starts, which make the files, do not come to their end either.
    for (let cut = random.int(1, 3); cut > 0; cut--) {
      service.launch()
      await pause(random.int(0, 900))
      await service.kill()
    }
    await service.start()
    projects = await openProjects(service, random)
    for (let round = 1; round <= rounds && results.every(({ differences }) => differences.length === 0); round++) {
      const disruptions = Array.from({ length: random.int(1, MOST_DISRUPTIONS) }, next)
      const doing = runRound({ service, projects, folder, random, round, disruptions, isLast: round === rounds })
      const result = await within(ROUND_MS, doing, `Round ${round} (${disruptions.join(' | ')})`)
      results.push(result)
      onRound(result)
    }
  } catch (error) {
    throw new Error(`The campaign broke off. The service printed last:\n${service.output()}`, { cause: error })
  } finally {
    for (const { senders } of projects) for (const sender of senders) sender.close()
    await service.end()
  }
  const persons = projects.flatMap(({ model }) => Array.from(new Set(model.personOf.values())))
  return {
    rounds: results,
    events: results.reduce((sum, { events }) => sum + events, 0),
    people: persons.length,
    merged: persons.reduce((sum, { ids }) => sum + ids.size - 1, 0),
    differences: results.flatMap(({ differences }) => differences),
    output: service.output(),
  }
}

/** @typedef {Awaited<ReturnType<typeof openProjects>>[number]} Project */

/** The first project and one more, with a key for queries each. */
const openProjects = async (service, random) => {
  await service.command('project', 'create', 'Second')
  const listed = (await service.command('project', 'list')).match(/wm_[\w-]+/g) ?? []
  if (listed.length !== PROJECTS) throw new Error(`There are ${listed.length} projects and not ${PROJECTS}.`)
  return Promise.all(
    listed.map(async (apiKey, index) => {
      const id = index + 1
      const [key] = /wmx_[\w-]+/.exec(await service.command('key', 'create', 'stress', '--project', String(id))) ?? []
      const model = createModel()
      /** @type {Map<string, boolean>} */
      const unnamed = new Map()
      const shared = Array.from({ length: SHARED_USERS }, (_, n) => `shared ${id} ${n}`)
      const senders = Array.from({ length: SENDERS }, (_, n) =>
        createSender({
          name: `p${id}s${n}`,
          random: createRandom(random.int(0, 2 ** 31)),
          apiKey,
          model,
          unnamed,
          shared,
          url: service.url,
        }),
      )
      const query = (sql) => runQuery(`${service.url()}/api/environments/${id}/query/`, key, sql)
      return { id, model, unnamed, senders, query }
    }),
  )
}

/** @returns {Promise<RoundResult>} */
const runRound = async ({ service, projects, folder, random, round, disruptions, isLast }) => {
  const startedAt = Date.now()
  const before = countEvents(projects)
  let isOver = false
  const given = new AbortController()
  const senders = projects.flatMap((project) => project.senders)
  const bulky = random.chance(BULK_ROUNDS) ? random.pick(senders) : null
  const bulk = milestone()
  const sending = Promise.all(
    senders.map((sender) =>
      sender.run(round, { isOver: () => isOver, signal: given.signal, bulk: sender === bulky ? bulk.reach : null }),
    ),
  )
  // Whatever goes wrong with a sender is thrown below.
  sending.catch(() => given.abort())
  try {
    if (bulky !== null) {
      // So that the indexer ends between two commits of one request.
      await Promise.race([bulk.reached, pause(MOST_BULK_MS)])
      for (let kill = 1; kill <= BULK_KILLS; kill++) {
        await pause(random.int(0, BULK_MS))
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
    given.abort()
    throw error
  } finally {
    isOver = true
  }
  await sending
  const differences = [...service.complaints]
  const late = await catchUp(service)
  if (late !== null) differences.push(late)
  else {
    for (const project of projects) differences.push(...(await audit(project, folder, isLast ? null : round)))
  }
  return { round, disruptions, events: countEvents(projects) - before, ms: Date.now() - startedAt, differences }
}

const countEvents = (projects) => projects.reduce((sum, { model }) => sum + model.events.size, 0)

/** Waits until all that was acknowledged is queryable; answers what is wrong when it does not become so. */
const catchUp = async (service) => {
  const deadline = Date.now() + CATCH_UP_MS
  for (;;) {
    const answer = await fetch(`${service.url()}/healthz`)
    const health = await answer.json()
    if (answer.ok && health.indexer.behindRows === 0) {
      return health.indexer.rejected === 0 ? null : `${health.indexer.rejected} requests were set aside`
    }
    if (Date.now() > deadline) return `Not queryable after ${CATCH_UP_MS} ms: ${JSON.stringify(health)}`
    await pause(50)
  }
}

const runQuery = async (url, key, query) => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ query }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${query} was answered ${answer.status} ${text}`)
  const { results, hasMore } = JSON.parse(text)
  if (hasMore) throw new Error(`${query} has more rows than an answer holds.`)
  return results
}

/** Something that happens once. */
const milestone = () => {
  let reach = () => {}
  /** @type {Promise<void>} */
  const reached = new Promise((resolve) => (reach = resolve))
  return { reach, reached }
}

/**
 * @template Result
 * @param {number} ms
 * @param {Promise<Result>} doing
 * @param {string} what
 * @returns {Promise<Result>} Rejects when it takes longer.
 */
const within = async (ms, doing, what) => {
  const timer = new AbortController()
  const late = pause(ms, null, { signal: timer.signal }).then(() => {
    throw new Error(`${what} has not ended after ${ms} ms.`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([doing, late])
  } finally {
    timer.abort()
  }
}

/** Gives all items in a random order, then all again in another. */
const inTurn = (random, items) => {
  let rest = []
  return () => {
    if (rest.length === 0) rest = random.shuffled(items)
    return rest.pop()
  }
}
