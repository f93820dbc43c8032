import { chromium } from 'playwright-core'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { AGENTS, EMPTY_PAGE, NAMED_BY_GOALS, SCRIPT_TAG } from './field/agents.mjs'
import { buildAgent } from './field/bundle.mjs'
import { installField } from './field/install.mjs'
import { launchOptions, USER_AGENT } from './field/launch.mjs'
import { isWithinTime, measureBurst, measureOneTask, measureSteady } from './field/measures/measure-captures.mjs'
import { MARK_FLAGS, measureFirstFlags } from './field/measures/measure-first-flags.mjs'
import { measureFirstTransaction } from './field/measures/measure-first-transaction.mjs'
import { measureLongestTask } from './field/measures/measure-longest-task.mjs'
import { measureStart } from './field/measures/measure-start.mjs'
import { measureWindow } from './field/measures/measure-window.mjs'
import { visitSite } from './field/visit.mjs'
import { summarizeRounds } from './node/summarize-rounds.mjs'

const isComplete = ({ onlyStart, name }) => !onlyStart && name !== EMPTY_PAGE
const isOurs = ({ name }) => name === SCRIPT_TAG

/**
 * What is measured, by the name of the result.
 *
 * @typedef {object} Row
 * @property {number} rounds
 * @property {(visit: import('./field/visit.mjs').Visit) => Promise<any>} [measure]
 * @property {(agent: any) => Promise<any>} [measureAlone] In place of `measure`, in a browser of its own.
 * @property {(agent: any) => boolean} [isFor] Default: all agents, and the empty page.
 * @property {string} [onLoad] What the page runs after the script, as JavaScript.
 * @property {(result: any) => boolean} [isRepeated] Whether an agent with this result also runs in the next rounds. Default: it does.
 */

/** @type {Readonly<Record<string, Row>>} */
const ROWS = {
  start: { rounds: 5, measure: measureStart },
  window: { rounds: 5, measure: measureWindow },
  longestTask: { rounds: 5, measure: measureLongestTask, isFor: ({ name }) => NAMED_BY_GOALS.has(name) },
  firstFlags: { rounds: 5, measure: measureFirstFlags, isFor: ({ hasFlags }) => hasFlags === true, onLoad: MARK_FLAGS },
  firstTransaction: { rounds: 5, measureAlone: measureFirstTransaction, isFor: isOurs },
  steady: { rounds: 5, measure: measureSteady, isFor: isComplete },
  // The other agents would block the page for up to a minute.
  oneTask: { rounds: 3, measure: measureOneTask, isFor: isOurs },
  burst: { rounds: 3, measure: measureBurst, isFor: isComplete, isRepeated: isWithinTime },
}

/**
 * @typedef {object} BrowserBenchOptions
 * @property {number} [maxRounds] Default: as many as each row has.
 * @property {(row: string) => boolean} [isSelectedRow] Default: all rows.
 * @property {(agent: string) => boolean} [isSelectedAgent] Default: all agents.
 */

/**
 * Measures what agents cost a page in a real Chromium. Each visit has a profile, a renderer, a site and a service of its own. A full run
 * takes about 40 minutes.
 *
 * @param {BrowserBenchOptions} [options]
 */
export const runBrowserBench = async ({
  maxRounds = Infinity,
  isSelectedRow = () => true,
  isSelectedAgent = () => true,
} = {}) => {
  const folder = await installField()
  const agents = [{ name: EMPTY_PAGE, readScript: () => undefined }]
  for (const agent of AGENTS) agents.push(await buildAgent(agent, folder))
  const selected = agents.filter(({ name }) => isSelectedAgent(name))
  const loadBefore = loadavg()[0]
  const browser = await chromium.launch(launchOptions())
  const figures = selected.map(({ name, version, officialGzip }) => ({ name, version, officialGzip }))
  try {
    for (const [key, row] of Object.entries(ROWS).filter(([key]) => isSelectedRow(key))) {
      const startedAt = performance.now()
      const measured = await measureInRounds(browser, selected, row, Math.min(row.rounds, maxRounds))
      console.log(`  ${key}: ${Math.round((performance.now() - startedAt) / 1000)} s, load average ${loadavg()[0]}`)
      for (const [index, results] of measured.entries()) {
        if (!results.length) continue
        figures[index][key] = summarizeRounds(results)
        console.log(`    ${figures[index].name}: ${JSON.stringify(figures[index][key])}`)
      }
    }
    return {
      chromium: browser.version(),
      loadAverage: { before: round(loadBefore), after: round(loadavg()[0]) },
      agents: figures,
    }
  } finally {
    await browser.close()
  }
}

/** Measures all agents in each round, so that other load on the machine affects all of them. Returns the rounds of each agent. */
const measureInRounds = async (browser, agents, row, rounds) => {
  const measured = agents.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, agent] of agents.entries()) {
      const isNext = (row.isFor?.(agent) ?? true) && measured[index].every(row.isRepeated ?? (() => true))
      if (isNext) measured[index].push(await measureAgent(browser, agent, row))
    }
  }
  return measured
}

const measureAgent = async (browser, agent, { measure, measureAlone, onLoad }) =>
  measureAlone?.(agent) ?? visitSite(await browser.newContext({ userAgent: USER_AGENT }), agent, measure, onLoad)

const round = (value) => Number(value.toFixed(1))

/** `node test/bench/browser.mjs [rounds] [rows] [agents]` runs a part, of which the names begin so; comma-separated. It writes no results. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rounds, rows, names] = process.argv.slice(2)
  const isIn = (list) => (list ? (value) => list.split(',').some((start) => value.startsWith(start)) : () => true)
  const options = { maxRounds: Number(rounds) || undefined, isSelectedRow: isIn(rows), isSelectedAgent: isIn(names) }
  console.log(JSON.stringify(await runBrowserBench(options), null, 2))
}
