import type { Clock } from '../../port/clock.ts'
import { browserClock } from '../browser/clock.ts'

/** Something to be done at a time. */
interface Alarm {
  readonly dueAt: number
  ring(): void
}

/**
 * The platform's time where timers cannot be relied on: Cloudflare Workers refuse them outside of a request, and forget those of a request that is
 * over. What is overdue then is done in a microtask after the next look at the clock, which every event and every flag takes.
 */
export const edgeClock = (platform: Clock = browserClock()): Clock => {
  const alarms = new Set<Alarm>()

  const now = (): number => {
    const moment = platform.now()
    for (const alarm of alarms) if (alarm.dueAt <= moment) void Promise.resolve().then(alarm.ring)
    return moment
  }

  const after: Clock['after'] = (delayMs, task) => {
    let cancel = (): void => undefined
    const end = (): boolean => {
      cancel()
      return alarms.delete(alarm)
    }
    const alarm: Alarm = {
      dueAt: platform.now() + delayMs,
      ring: () => {
        if (end()) task()
      },
    }
    alarms.add(alarm)
    try {
      cancel = platform.after(delayMs, alarm.ring)
    } catch {
      // Refused: a look at the clock has to do.
    }
    return end
  }

  return { now, after, defer: (task) => void after(0, task) }
}
