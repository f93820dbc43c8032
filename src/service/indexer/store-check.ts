/** Checks the stores of all projects after a start, so that a damaged one is known before its project gets an event. */
export interface StoreCheck {
  stop(): void
}

export interface StoreCheckOptions {
  readonly projects: readonly number[]
  /** Opens the store of a project and looks at it. Rejects if it cannot be used. */
  readonly check: (projectId: number) => Promise<void>
  /** Calls `callback` after a pause; returns a function that cancels it. Default: a timer. */
  readonly wait?: (callback: () => void, ms: number) => () => void
}

/** Pause before the stores that could not be used are checked again: an operator repairs them, or a server comes back. */
export const RETRY_MS = 5000

const waitWithTimer = (callback: () => void, ms: number): (() => void) => {
  const timer = setTimeout(callback, ms).unref()
  return () => clearTimeout(timer)
}

/** One store after the other, because each takes a part of a second of a processor. */
export const startStoreCheck = ({ projects, check, wait = waitWithTimer }: StoreCheckOptions): StoreCheck => {
  let isStopped = false
  let cancel = (): void => undefined
  const run = async (remaining: readonly number[]): Promise<void> => {
    const failed: number[] = []
    for (const projectId of remaining) {
      if (isStopped) return
      await check(projectId).catch(() => failed.push(projectId))
    }
    if (failed.length > 0 && !isStopped) cancel = wait(() => void run(failed), RETRY_MS)
  }
  cancel = wait(() => void run(projects), 0)
  return {
    stop() {
      isStopped = true
      cancel()
    },
  }
}
