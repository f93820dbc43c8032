import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createService } from '../service.mjs'
import { startBystander } from './bystander.mjs'

/** @import { HostileSelect } from './hostile-selects.mjs' */

/** Time that each query has, in milliseconds. */
const QUERY_TIMEOUT_MS = 2_000

/** Memory of the store, in megabytes. */
const STORE_MB = 256

/** Interval at which the memory of the indexer is read, in milliseconds. */
const SAMPLE_MS = 20

/** Longest wait for the next indexer after one has ended, in milliseconds: it is started again after up to 5 seconds. */
const RESTART_MS = 20_000

/** Most SELECTs that end the indexer, or have an unclear error, and do not when they are run again. */
export const MAX_UNREPEATED = 1

/** The errors with which a query may end that asks for too much or is refused. */
const CLEAR_CODES = new Set([
  'query_memory',
  'query_timeout',
  'query_forbidden',
  'query_invalid',
  'query_syntax',
  'timeout',
])

/**
 * Runs SELECTs one after the other on a service of its own, while a bystander evaluates flags and sends events.
 *
 * DuckDB has crashed (SIGSEGV) once in thousands of these SELECTs, and not again with the same one. On a busy machine the guards of memory and
 * of stuck queries come late: they end the indexer, or do so while the next SELECT runs. So a SELECT that fails is run again, and
 * counts as unrepeated if that goes well: the indexer is started again, and nothing is lost.
 *
 * @param {object} options
 * @param {string} options.script The built service.
 * @param {string} options.folder Its data folder.
 * @param {readonly HostileSelect[]} options.selects
 * @param {(outcome: Outcome) => void} [options.onOutcome]
 */
export const runHostileSelects = async ({ script, folder, selects, onOutcome = () => undefined }) => {
  const args = ['--query-timeout-ms', String(QUERY_TIMEOUT_MS), '--store-memory-mb', String(STORE_MB)]
  const service = createService({ script, folder, args })
  try {
    await service.start()
    const url = service.url()
    const [apiKey, key] = [/wm_[\w-]+/, /wmx_[\w-]+/].map((pattern) => pattern.exec(service.output())?.[0])
    const memory = watchMemory(service.indexer)
    const bystander = startBystander({ url, apiKey })
    const run = async (select) => {
      const indexer = service.indexer()
      const startedAt = performance.now()
      const { status, code, detail } = await query(url, key, select.sql)
      const ms = Math.round(performance.now() - startedAt)
      const endedIndexer = service.indexer() !== indexer
      const outcome = { ...select, status, code, detail, ms, peakMb: memory.takePeakMb(), endedIndexer }
      if (isFailure(outcome)) await untilIndexerAnswers(url, key)
      return outcome
    }
    const outcomes = []
    const unrepeated = []
    for (const select of selects) {
      const first = await run(select)
      const again = isFailure(first) ? await run(select) : first
      const outcome = { ...again, peakMb: Math.max(first.peakMb, again.peakMb) }
      if (again !== first && !isFailure(again)) unrepeated.push(first)
      outcomes.push(outcome)
      onOutcome(outcome)
    }
    const bystanderResult = await bystander.stop()
    memory.stop()
    return { outcomes, unrepeated, bystander: bystanderResult, output: service.output() }
  } finally {
    await service.end()
  }
}

/** @typedef {HostileSelect & { status: number, code: string, detail: string, ms: number, peakMb: number, endedIndexer: boolean }} Outcome */

/**
 * Whether a query had a result, or an error that tells its member what to do. A query that has all memory of the store can make indexing
 * fail: the store is then opened again, which interrupts the query and refuses the next ones for a moment.
 *
 * @param {Outcome} outcome
 */
const isClear = ({ status, code, detail }) =>
  status === 200 ||
  CLEAR_CODES.has(code) ||
  (code === 'store_unavailable' && /store is (closing|still opening)/.test(detail))

/**
 * Whether the indexer ended, or the error does not tell what to do.
 *
 * @param {Outcome} outcome
 */
export const isFailure = (outcome) => outcome.endedIndexer || !isClear(outcome)

const query = async (url, key, sql) => {
  const response = await fetch(`${url}/api/environments/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: sql }),
  })
  const text = await response.text()
  const { code = '', detail = '' } = response.status === 200 ? {} : JSON.parse(text)
  return { status: response.status, code, detail }
}

const untilIndexerAnswers = async (url, key) => {
  const endsAt = performance.now() + RESTART_MS
  while (performance.now() < endsAt && (await query(url, key, 'SELECT 1')).status !== 200) await pause(100)
}

/** Reads the resident memory of the indexer, on Linux. */
const watchMemory = (findIndexer) => {
  let peakMb = 0
  const timer = setInterval(() => {
    const pid = findIndexer()
    if (pid !== null) peakMb = Math.max(peakMb, readMemoryMb(pid))
  }, SAMPLE_MS)
  return {
    /** The peak since the last call. */
    takePeakMb() {
      const taken = peakMb
      peakMb = 0
      return taken
    },
    stop: () => clearInterval(timer),
  }
}

const readMemoryMb = (pid) => {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
  } catch {
    // The process has ended.
    return 0
  }
}
