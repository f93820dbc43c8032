import { isDeepStrictEqual } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'

/** @import { Random } from './random.mjs' */

/** Longest time for a response, and for a job to end, in milliseconds. Longer than any wait for a slot or an indexer. */
const RESPONSE_TIMEOUT_MS = 60_000

/** Longest time until the queries of a project use all its slots, in milliseconds. */
const SLOTS_TIMEOUT_MS = 30_000

/** Slots of a project; see `src/service/query/queries.ts`. */
const SLOTS_PER_PROJECT = 2

/** A query that takes far longer than a round, unless it is cancelled. */
const SLOW = `WITH t AS MATERIALIZED (SELECT hash(range) AS h FROM range(1000000))
  SELECT count(*) FROM t a, t b WHERE a.h % 7 = b.h % 11`

/** Statuses of a query that may fail because a process has ended, or because too many queries run. */
const ALLOWED_STATUSES = new Set([429, 503, 504])

/** The errors of jobs that may fail for these reasons. */
const ALLOWED_CODES = new Set(['store_unavailable', 'timeout', 'queries_busy'])

/** @typedef {{ status: number, body: any }} Response */

/**
 * @typedef {object} MemberOptions
 * @property {string} name
 * @property {Random} random
 * @property {number} projectId
 * @property {string} key A personal API key.
 * @property {() => string | null} url The current URL of the service, or null. Each start has another one.
 */

/**
 * Creates a member of a project, who queries, starts jobs, cancels and leaves. Every answer must be right, or a clear error.
 *
 * @param {MemberOptions} options
 */
export const createMember = ({ name, random, projectId, key, url }) => {
  /** @type {string[]} */
  const problems = []
  let queryCount = 0
  let jobCount = 0

  /**
   * @param {string} origin
   * @param {string} method
   * @param {string} path Behind that of the queries of the project.
   * @param {{ body?: object, signal?: AbortSignal }} [options]
   * @returns {Promise<Response | null>} Null without a response, which is right only if the service or the member has ended it.
   */
  const send = async (origin, method, path, { body, signal } = {}) => {
    const timeout = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
    try {
      const response = await fetch(`${origin}/api/environments/${projectId}/query/${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(body && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    } catch (error) {
      if (timeout.aborted) problems.push(`${name}: ${method} ${path} was not answered in ${RESPONSE_TIMEOUT_MS} ms`)
      else if (error instanceof SyntaxError) problems.push(`${name}: ${method} ${path} was not answered with JSON`)
      return null
    }
  }

  /** A query with its right answer. */
  const nextQuery = () => {
    const count = random.int(1, 200_000)
    return {
      sql: `SELECT ${count} AS asked, count(*) AS n, sum(range) AS total FROM range(${count})`,
      rows: [[count, count, (count * (count - 1)) / 2]],
    }
  }

  const isClearError = (response) => {
    const { type, code, detail } = response.body ?? {}
    return ALLOWED_STATUSES.has(response.status) && [type, code, detail].every((field) => typeof field === 'string')
  }

  /** @param {Response | null} response */
  const reportUnlessAllowed = (response, what) => {
    if (response === null || isClearError(response)) return
    problems.push(`${name}: ${what} was answered with ${response.status} ${JSON.stringify(response.body)}`)
  }

  const checkRows = (rows, expected, what) => {
    // A sum can be larger than an exact number, and is then a string.
    const numbers = rows?.map((row) => row.map(Number))
    if (!isDeepStrictEqual(numbers, expected))
      problems.push(`${name}: ${what} has the rows ${JSON.stringify(rows)} and should have ${JSON.stringify(expected)}`)
  }

  const ask = async (origin) => {
    const { sql, rows } = nextQuery()
    const response = await send(origin, 'POST', '', { body: { query: sql } })
    if (response?.status === 200) checkRows(response.body.results, rows, sql)
    else reportUnlessAllowed(response, sql)
  }

  /** @returns {Promise<string | null>} The id of a job; null if it was not started. */
  const start = async (origin, sql) => {
    const id = `${name}-${++jobCount}`
    const body = { query: sql, refresh: 'async', client_query_id: id }
    const response = await send(origin, 'POST', '', { body })
    if (response?.status === 202) return id
    reportUnlessAllowed(response, `the start of ${id}`)
    return null
  }

  /** @returns {Promise<any>} The status of a job; null if the service does not know it after a restart, or does not respond. */
  const readStatus = async (origin, id) => {
    const response = await send(origin, 'GET', `${id}/`)
    if (response?.status === 200) return response.body.query_status
    reportUnlessAllowed(response, `the status of ${id}`)
    return null
  }

  const waitForJob = async (origin) => {
    const { sql, rows } = nextQuery()
    const id = await start(origin, sql)
    const deadline = Date.now() + RESPONSE_TIMEOUT_MS
    if (id === null) return
    // A restarted service has another URL, and has forgotten the job.
    while (url() === origin) {
      const status = await readStatus(origin, id)
      if (status?.complete && status.error) {
        if (!ALLOWED_CODES.has(status.error_code)) problems.push(`${name}: ${id} failed: ${JSON.stringify(status)}`)
        return
      }
      if (status?.complete) {
        checkRows(status.results?.results, rows, id)
        return
      }
      if (Date.now() > deadline) {
        problems.push(`${name}: ${id} has not ended in ${RESPONSE_TIMEOUT_MS} ms: ${JSON.stringify(status)}`)
        return
      }
      await pause(random.int(20, 200))
    }
  }

  const cancel = async (origin) => {
    const id = await start(origin, SLOW)
    if (id === null) return
    await pause(random.int(0, 300))
    const response = await send(origin, 'DELETE', `${id}/`)
    if (response === null) return
    if (response.status !== 204) reportUnlessAllowed(response, `the cancellation of ${id}`)
    const status = await readStatus(origin, id)
    if (status !== null && !status.complete) problems.push(`${name}: ${id} was cancelled and has not ended`)
  }

  const leave = async (origin) => {
    const signal = AbortSignal.timeout(random.int(0, 300))
    const sql = random.chance(0.5) ? SLOW : nextQuery().sql
    await send(origin, 'POST', '', { body: { query: sql }, signal })
  }

  const ACTIONS = [ask, ask, waitForJob, waitForJob, cancel, leave]

  return {
    /**
     * Queries until `isOver` returns true or `signal` is aborted.
     *
     * @param {{ isOver: () => boolean, signal: AbortSignal }} options
     */
    async run({ isOver, signal }) {
      while (!isOver() && !signal.aborted) {
        const origin = url()
        if (origin !== null) {
          await random.pick(ACTIONS)(origin)
          queryCount += 1
        }
        await pause(random.int(0, 50))
      }
    },
    /** Starts as many slow jobs as the project has slots: all must run at once, and answer a cancellation. */
    async checkSlots() {
      const origin = url()
      const deadline = Date.now() + SLOTS_TIMEOUT_MS
      const ids = []
      for (let slot = 0; slot < SLOTS_PER_PROJECT; slot++) ids.push(await start(origin, SLOW))
      for (const id of ids) {
        let status = await readStatus(origin, id)
        while (status !== null && status.pickup_time === null && Date.now() < deadline) {
          await pause(20)
          status = await readStatus(origin, id)
        }
        if (status === null || status.pickup_time === null || status.complete)
          problems.push(
            `${name}: a slot is lost: of ${ids.join(' and ')}, ${id} does not run: ${JSON.stringify(status)}`,
          )
      }
      for (const id of ids) await send(origin, 'DELETE', `${id}/`)
    },
    /** Removes and returns what went wrong. */
    takeProblems: () => problems.splice(0),
    /** Number of queries. */
    count: () => queryCount,
  }
}
