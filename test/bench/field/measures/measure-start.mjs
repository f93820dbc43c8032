import { END, readMark } from '../marks.mjs'

const WINDOW_MS = 1500

/** The main thread's time until 1.5 s after the start of the navigation, and of eval + init in it, on a CPU that is four times slower. */
export const measureStart = async ({ page, openFor, throttle, readCpuTimes }) => {
  await throttle(4)
  await openFor(WINDOW_MS)
  const { tasksMs } = await readCpuTimes()
  return { initMs: await readMark(page, END), mainThreadMs: tasksMs }
}
