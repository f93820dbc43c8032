/** Where the trace names the script of an event. */
const urlOf = ({ args }) => args?.data?.url ?? args?.url ?? args?.fileName

const WITH_URL = new Set(['EvaluateScript', 'FunctionCall', 'v8.compile', 'v8.compileModule'])
/** Continuations of promises, and modules. The trace names no script, but the page has only the agent's. */
const WITHOUT_URL = new Set(['RunMicrotasks', 'v8.evaluateModule'])
const TASKS = new Set(['RunTask', 'ThreadControllerImpl::RunTask'])

/**
 * Finds the tasks of a trace in which functions of an agent run longest: with what the trace names as the agent's script (`namedMs`), and
 * with continuations of promises and modules as well (`functionsMs`).
 *
 * @param {readonly any[]} events The events of a Chromium trace.
 * @param {string} siteUrl URL of the page; the agent's scripts are below it.
 */
export const findLongestTask = (events, siteUrl) => {
  const complete = events.filter(({ ph }) => ph === 'X')
  const isNamed = (event) => WITH_URL.has(event.name) && isBelow(urlOf(event), siteUrl)
  const named = complete.filter(isNamed)
  // A page has one main thread: that of the agent's scripts.
  const isOnThread = ({ pid, tid }) => named.length > 0 && pid === named[0].pid && tid === named[0].tid
  const onThread = complete.filter(isOnThread)
  const tasks = onThread.filter(({ name }) => TASKS.has(name))
  const all = onThread.filter((event) => isNamed(event) || WITHOUT_URL.has(event.name))
  return { namedMs: longest(tasks, named.filter(isOnThread)), functionsMs: longest(tasks, all) }
}

const isBelow = (url, siteUrl) => url !== siteUrl && url?.startsWith(siteUrl)

/** The most milliseconds of these events in one task. An event within another one counts only as a part of that. */
const longest = (tasks, functions) => {
  const outermost = withoutNested(functions)
  const milliseconds = tasks.map((task) =>
    outermost.filter((event) => contains(task, event)).reduce((sum, event) => sum + durationMs(event), 0),
  )
  return Math.max(0, ...milliseconds)
}

const withoutNested = (events) => {
  let endedAt = -Infinity
  return [...events]
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur)
    .filter(({ ts, dur }) => {
      if (ts < endedAt) return false
      endedAt = ts + dur
      return true
    })
}

const contains = (task, { ts }) => task.ts <= ts && ts < task.ts + task.dur

/** CPU time where the trace has it, so that other load on the machine makes no difference. */
const durationMs = ({ dur, tdur }) => (tdur ?? dur) / 1000
