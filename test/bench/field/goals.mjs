import { thousands } from '../table.mjs'
import { AMPLITUDE, CAPTURE_SCRIPT, LITE_3, LITE_4, SCRIPT_TAG } from './agents.mjs'

/**
 * A goal of the design.
 *
 * @typedef {object} Goal
 * @property {string} what
 * @property {string} bound
 * @property {boolean} isMet
 * @property {string} value As it was measured.
 */

const KILOBYTE = 1000

/** The first flags of 2026-11-29, beside posthog-js-lite 4, with a load average of 21. The goal is to be no later. */
const FIRST_FLAGS_RATIO = 2.02

/**
 * Compares the figures with the goals. Most limits are ratios to another agent in the same run, because times depend on the machine.
 *
 * @param {readonly any[]} agents The part `browser.agents` of results.json.
 * @returns {Goal[]}
 */
export const compareWithGoals = (agents) => {
  const [ours, captureScript, lite4, lite3, amplitude] = [SCRIPT_TAG, CAPTURE_SCRIPT, LITE_4, LITE_3, AMPLITUDE].map(
    (name) => agents.find((agent) => agent.name === name),
  )
  const { window, longestTask, firstTransaction, steady, burst, oneTask } = ours
  const startTime = ({ start }) => start.mainThreadMs
  return [
    atMost('downloaded at first', 6.5 * KILOBYTE, window.scriptGzip, kilobytes),
    atMost('downloaded with the default parts', 20.5 * KILOBYTE, window.allScriptsGzip, kilobytes),
    atMost('downloaded of `script-capture.js`', 12 * KILOBYTE, captureScript.window.allScriptsGzip, kilobytes),
    beside('main thread, first 1.5 s, 4x CPU throttle', 1, ours, lite4, startTime, milliseconds),
    beside('the same, moonshot', 0.7, ours, lite4, startTime, milliseconds),
    beside('main thread, 7 s', 1.6, ours, lite4, (agent) => agent.window.mainThreadMs, milliseconds),
    beside('eval + init, 4x CPU throttle', 0.6, ours, lite3, ({ start }) => start.initMs, milliseconds),
    {
      what: 'functions of the script in one task, 4x CPU throttle',
      bound: '< 10 ms',
      isMet: longestTask.functionsMs < 10,
      value: milliseconds(longestTask.functionsMs),
    },
    beside(
      'first flags of a first visit, no later than on 2026-11-29',
      FIRST_FLAGS_RATIO,
      ours,
      lite4,
      ({ firstFlags }) => firstFlags.firstFlagsMs,
      milliseconds,
    ),
    atMost('first completed transaction, the database exists', 50, firstTransaction.warmMs, milliseconds),
    beside('`capture()` at 200/s, mean', 1.3, ours, amplitude, (agent) => agent.steady.captureMeanMicroseconds, micros),
    beside('`capture()` at 200/s, p99', 1.5, ours, amplitude, (agent) => agent.steady.captureP99Microseconds, micros),
    {
      what: 'burst of 5,000',
      bound: 'no long task, all delivered',
      isMet: !burst.longTasks && burst.delivered === burst.captured,
      value: `${burst.longTasks} long tasks, ${thousands(burst.delivered)} of ${thousands(burst.captured)}`,
    },
    {
      what: 'long tasks after and with 5,000 captures in one task',
      bound: 'at most one, of 100 ms',
      isMet: oneTask.longTasks <= 1 && oneTask.longestTaskMs <= 100,
      value: `${oneTask.longTasks}, the longest ${milliseconds(oneTask.longestTaskMs)}`,
    },
    atMost('bytes per event on the wire, headers included', 30, steady.bytesPerEvent, tenths),
  ]
}

const atMost = (what, limit, figure, text) => ({
  what,
  bound: `≤ ${text(limit)}`,
  isMet: figure <= limit,
  value: text(figure),
})

const beside = (what, limit, ours, other, figure, text) => {
  const ratio = figure(ours) / figure(other)
  const value = `${text(figure(ours))} beside ${text(figure(other))} of ${other.name}, ${ratio.toFixed(2)}`
  return { what, bound: `≤ ${limit}`, isMet: ratio <= limit, value }
}

const tenths = (value) => value.toFixed(1)
const kilobytes = (bytes) => `${tenths(bytes / KILOBYTE)} KB`
const milliseconds = (ms) => `${tenths(ms)} ms`
const micros = (microseconds) => `${tenths(microseconds)} µs`
