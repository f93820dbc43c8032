import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLoadFile, writeLoadFile } from '../service/load-file.mjs'
import { measureInTurn, summarize } from '../service/measure-in-turn.mjs'
import { askInsight } from '../service/public-api.mjs'
import { createSiteRequests } from '../service/site-load.mjs'
import { openStoredEvents, STORED_DAYS } from '../service/stored-events.mjs'
import { ARRIVING_PER_SECOND, whileEventsArrive } from '../service/while-events-arrive.mjs'
import { percentile } from '../statistics.mjs'
import { createTemporaryFolder } from '../temporary-folder.mjs'
import { runClickHouse } from './clickhouse/run-program.mjs'
import { findDifference } from './find-difference.mjs'
import { createQuestions } from './questions.mjs'

/** How long events arrive before the acknowledgements count, and then without questions. */
const WARM_UP_SECONDS = 5
const MAX_QUIET_SECONDS = 60

/** How much longer questions may take while events arrive: requests are created for that time. */
const SLOWDOWN = 6

/**
 * Measures insights through the public endpoint on events as sites send them, alone and while more events arrive, and the same questions
 * in ClickHouse. Rejects if the answers differ.
 *
 * @param {object} options
 * @param {number} options.events
 * @param {number} options.queryRuns Of each question, after the first run.
 * @param {number} options.steadySeconds How long acknowledgements are measured without questions, at most a minute.
 */
export const runInsightsBench = async ({ events, queryRuns, steadySeconds }) => {
  // Tells whether other programs used the machine.
  const loadBefore = Number(loadavg()[0].toFixed(1))
  const stored = await openStoredEvents(events)
  const questions = createQuestions(stored.load.startMs, STORED_DAYS)
  const { alone, answers, arriving } = await measureService(stored, questions, queryRuns, steadySeconds)
  const clickHouse = await measureClickHouse(stored.load, questions, queryRuns)
  assertSameAnswers(questions, answers, clickHouse.questions)
  return {
    eventCount: events,
    days: STORED_DAYS,
    runs: queryRuns,
    loadBefore,
    questions: questions.map(({ name, goalMs }, index) => ({
      name,
      goalMs,
      alone: summarizeAfterFirst(alone[index]),
      whileEventsArrive: summarize(arriving.measured[index]),
      clickHouse: summarizeAfterFirst(clickHouse.questions[index]),
    })),
    acknowledgement: {
      eventsPerSecond: arriving.eventsPerSecond,
      quietSeconds: arriving.quietSeconds,
      ...arriving.acknowledgement,
    },
    clickHouse: { version: clickHouse.version, bytesPerEvent: clickHouse.bytesPerEvent },
  }
}

const measureService = async (stored, questions, queryRuns, steadySeconds) => {
  const service = await stored.start()
  const files = createTemporaryFolder()
  try {
    const answers = new Map()
    const keepAnswer = async ({ name, query, toRows }) => {
      const { results } = await askInsight(service, query)
      answers.set(name, toRows(results))
    }
    const alone = await measureInTurn(questions, 1 + queryRuns, keepAnswer, logRun('insights', 1 + queryRuns))

    const quietSeconds = Math.min(steadySeconds, MAX_QUIET_SECONDS)
    const aloneMs = alone.flatMap(({ durationsMs }) => durationsMs).reduce((sum, duration) => sum + duration, 0)
    const seconds = WARM_UP_SECONDS + quietSeconds + (aloneMs / 1000) * SLOWDOWN
    console.log('  create the events that arrive …')
    const load = writeLoadFile(
      join(files.path, 'arriving'),
      createSiteRequests({
        apiKey: service.apiKey,
        eventCount: Math.ceil(seconds * ARRIVING_PER_SECOND),
        startMs: Date.now(),
        eventsPerMs: ARRIVING_PER_SECOND / 1000,
        seed: 2,
      }),
    )
    const delays = { warmUp: [], quiet: [], asking: [] }
    let phase = delays.warmUp
    const measure = async () => {
      await sleep(WARM_UP_SECONDS * 1000)
      console.log('  events arrive, without questions …')
      phase = delays.quiet
      await sleep(quietSeconds * 1000)
      phase = delays.asking
      // Answers are not compared: events that arrive may merge persons.
      const ask = ({ query }) => askInsight(service, query)
      return measureInTurn(questions, queryRuns, ask, logRun('insights while events arrive', queryRuns))
    }
    const { result: measured, eventsPerSecond } = await whileEventsArrive(
      service,
      readLoadFile(load.path),
      measure,
      (_request, dueAt) => void phase.push(performance.now() - dueAt),
    )
    const acknowledgement = { quiet: summarizeDelays(delays.quiet), asking: summarizeDelays(delays.asking) }
    return { alone, answers, arriving: { measured, eventsPerSecond, quietSeconds, acknowledgement } }
  } finally {
    await service.stop()
    service.remove()
    files.remove()
  }
}

const measureClickHouse = async (load, questions, queryRuns) => {
  const folder = createTemporaryFolder()
  try {
    console.log('  ClickHouse: load the same events …')
    const { bytesPerEvent } = await runClickHouse(folder.path, { load })
    console.log('  ClickHouse: ask the same questions …')
    const selects = questions.map(({ name, sql }) => ({ name, sql }))
    const answered = await runClickHouse(folder.path, { questions: selects, runs: 1 + queryRuns })
    return { ...answered, bytesPerEvent }
  } finally {
    folder.remove()
  }
}

/** A question that the service refuses has no answer to compare. */
const assertSameAnswers = (questions, answers, selects) => {
  for (const [index, { name }] of questions.entries()) {
    const { error, rows } = selects[index]
    if (error !== undefined) throw new Error(`ClickHouse does not answer "${name}": ${error}`)
    if (rows.length === 0) throw new Error(`ClickHouse has no answer to "${name}".`)
    const difference = answers.has(name) ? findDifference(answers.get(name), rows) : null
    if (difference !== null) throw new Error(`The answers to "${name}" differ: ${difference}.`)
  }
}

/** The first run of a process has its own figure. */
const summarizeAfterFirst = ({ durationsMs: [firstMs, ...durationsMs], error }) =>
  error === undefined ? { firstMs: Math.ceil(firstMs), ...summarize({ durationsMs }) } : { error }

const summarizeDelays = (delays) => ({
  requests: delays.length,
  p50Ms: Number(percentile(delays, 0.5).toFixed(1)),
  p99Ms: Number(percentile(delays, 0.99).toFixed(1)),
})

const logRun = (what, runs) => (run) => console.log(`  ${what}, run ${run + 1} of ${runs} …`)
