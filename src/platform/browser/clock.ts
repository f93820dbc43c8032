import type { Clock } from '../../port/clock.ts'

/** Longer waits overflow the timer's 32 bits and would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Node's timers and ports keep the process alive unless told otherwise; a browser's have no such method. */
const unref = (handle: unknown): void => (handle as { unref?: () => void }).unref?.()

/** The platform's time. Every global is looked up at the call, so that a page or a test may replace it. */
export const browserClock = (): Clock => {
  const tasks: (() => void)[] = []
  let port: MessagePort | undefined

  const after: Clock['after'] = (delayMs, task) => {
    const timer = setTimeout(task, Math.min(delayMs, LONGEST_TIMER_MS))
    unref(timer)
    return () => clearTimeout(timer)
  }

  return {
    now: () => Date.now(),
    after,
    defer(task) {
      if (typeof MessageChannel === 'undefined') {
        after(0, task)
        return
      }
      // A message is neither clamped to 4 ms nor slowed down in hidden pages, as timers are.
      if (!port) {
        const channel = new MessageChannel()
        channel.port1.addEventListener('message', () => tasks.shift()?.())
        channel.port1.start()
        port = channel.port2
        unref(channel.port1)
      }
      tasks.push(task)
      port.postMessage(0)
    },
  }
}
