import { sleep } from '../visit.mjs'

/** Work and downloads that an agent postpones count, too. */
export const WINDOW_MS = 7000

const START_MS = 1500

/** CPU time until 1.5 s and 7 s after the start of the navigation, without throttle, and the scripts that the page loads until then. */
export const measureWindow = async ({ site, openFor, readCpuTimes }) => {
  const before = await readCpuTimes()
  await openFor(START_MS)
  const atStart = await readCpuTimes()
  await sleep(WINDOW_MS - START_MS)
  const after = await readCpuTimes()
  const bytes = [...site.downloads.values()]
  return {
    startMainThreadMs: atStart.tasksMs,
    mainThreadMs: after.tasksMs,
    allThreadsMs: after.processMs - before.processMs,
    scriptGzip: bytes[0],
    allScriptsGzip: bytes.reduce((sum, size) => sum + size, 0),
    scripts: bytes.length,
  }
}
