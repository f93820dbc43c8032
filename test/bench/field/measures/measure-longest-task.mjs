import { findLongestTask } from '../find-longest-task.mjs'
import { WINDOW_MS } from './measure-window.mjs'

/** Tasks, functions and compilations, by the names of their categories in a trace. */
const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8', 'v8.execute']

/** The task in which the agent's functions run longest within 7 s, on a CPU that is four times slower. */
export const measureLongestTask = async ({ browser, page, site, openFor, throttle }) => {
  await throttle(4)
  await browser.startTracing(page, { categories: CATEGORIES })
  await openFor(WINDOW_MS)
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString())
  return findLongestTask(traceEvents, site.url)
}
