import type { Clock } from '../../port/clock.ts'
import { noop } from '../../lib/noop.ts'
import { createClock } from '../web/clock.ts'

interface PendingTask {
  readonly dueAt: number
  run(): void
}

/**
 * A clock for runtimes with unreliable timers: Cloudflare Workers refuse them outside of a request, and drop those of a finished request.
 *
 * An overdue task runs in a microtask after the next call of `now()`, which every event and every flag evaluation makes.
 */
export const createEdgeClock = (platform: Clock = createClock()): Clock => {
  const pending = new Set<PendingTask>()

  const now = (): number => {
    const timestamp = platform.now()
    for (const task of pending) if (task.dueAt <= timestamp) void Promise.resolve().then(task.run)
    return timestamp
  }

  const after: Clock['after'] = (delayMs, task) => {
    let cancelTimer = noop
    const cancel = (): boolean => {
      cancelTimer()
      return pending.delete(entry)
    }
    const entry: PendingTask = {
      dueAt: platform.now() + delayMs,
      run: () => {
        if (cancel()) task()
      },
    }
    pending.add(entry)
    try {
      cancelTimer = platform.after(delayMs, entry.run)
    } catch {
      // The runtime refuses timers here; a later call of `now()` runs the task.
    }
    return cancel
  }

  return { now, after, defer: (task) => void after(0, task) }
}
