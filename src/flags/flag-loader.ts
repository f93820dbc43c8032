import type { FlagSubject } from '../wire/decide.ts'
import { createFetchFlags } from './fetch-flags.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsOptions } from './flags-options.ts'
import type { FlagsPorts } from './flags-ports.ts'
import type { LocalFlags, ResolvedFlag } from './local-flags.ts'
import { createSingleFlight } from './single-flight.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** What the loads for the current user have shown. The caller resets it for another user. */
export interface LoadStatus {
  /** Errors of the last load: values of `$feature_flag_error`. */
  errors: readonly string[]
  /** Whether the service has responded for this user on this page. */
  hasResponse: boolean
  isStopped: boolean
}

/** Loads the flags of the current user: at most one load at a time, and again every `flagsIntervalMs`. */
export interface FlagLoader {
  /**
   * Loads the flags at the end of the turn, with all changes made until then.
   *
   * @returns Resolves when they have loaded, or failed to load.
   */
  load(): Promise<void>
  /**
   * Loads the flags and the definitions again, although neither user nor properties have changed.
   *
   * @returns Resolves when the flags of the user at that time have loaded, or failed to load.
   */
  reload(): Promise<void>
  /** Call it when the page becomes visible or online: loads when the last load failed or is too old. */
  wake(): void
  /** Returns the current flags; undefined while none is known. The same object until something changes. */
  getFlags(): Readonly<Record<string, ResolvedFlag>> | undefined
  /** Loads the flags of another user, or with other properties, at once: does not wait for a retry. */
  restart(): void
  /** Ends all loading. */
  stop(): void
  readonly status: LoadStatus
  /** Evaluates flags on the page. Undefined: only the service evaluates flags. */
  readonly local: LocalFlags | undefined
}

/**
 * @param getSubject Returns the current user: a new object with each change. A response for an older object is discarded.
 * @param onLoaded Called when flags may have changed, with the changes of the snapshot.
 */
export const createFlagLoader = (
  options: FlagsOptions,
  ports: FlagsPorts,
  { current }: SnapshotStore,
  getSubject: () => FlagSubject,
  onLoaded: (changes: FlagSnapshot) => void,
): FlagLoader => {
  const { clock, isOptedOut } = ports
  const { flagsIntervalMs: intervalMs } = options
  const status: LoadStatus = { errors: [], hasResponse: false, isStopped: false }
  /** Time of the last load in milliseconds since 1970; 0 when it failed, NaN before the first load. */
  let lastLoadMs = NaN
  let cancelTimer: (() => void) | undefined

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      cancelTimer?.()
      const cancel = clock.after(ms, resolve)
      cancelTimer = () => {
        cancel()
        resolve()
      }
    })

  const fetchFromService = createFetchFlags(pause, ports.send, options)
  const local = ports.local?.(fetchFromService, ports, options, (hasChanged) => {
    if (hasChanged && !status.isStopped) onLoaded({})
    return load()
  })

  const runLoad = createSingleFlight(
    clock.defer,
    async () => {
      const subject = getSubject()
      const isCurrent = (): boolean => subject === getSubject() && !status.isStopped && !isOptedOut()
      if (!isCurrent()) return
      const snapshot = current()
      const request = {
        ...subject,
        person_properties: { ...snapshot.person },
        group_properties: { ...snapshot.group },
      }
      const result = await (local ? local.fetchFlags : fetchFromService)(snapshot, request, isCurrent)
      if (!isCurrent()) return
      cancelTimer?.()
      if (intervalMs) cancelTimer = clock.after(intervalMs, () => void reload())
      status.errors = result.errors
      lastLoadMs = result.isFailed || result.isIncomplete ? 0 : clock.now()
      status.hasResponse ||= !result.isFailed
      const { person, group, called } = current()
      onLoaded({ ...result.snapshot, person, group, called })
    },
    ports.logger.warn,
  )
  let lastLoad: Promise<void> | undefined
  const load = (): Promise<void> => (lastLoad = runLoad())
  const reload = async (): Promise<void> => {
    local?.invalidate()
    void load()
    let subject
    do {
      subject = getSubject()
      await lastLoad
      await local?.whenLoaded()
    } while (subject !== getSubject())
  }

  return {
    load,
    reload,
    wake() {
      // Absolute, so that flags are loaded after the clock was set back, too.
      if (intervalMs && Math.abs(clock.now() - lastLoadMs) >= intervalMs) void reload()
    },
    getFlags: () => (local ? local.resolveFlags(current(), getSubject()) : current().flags),
    restart() {
      cancelTimer?.()
      void load()
    },
    stop() {
      status.isStopped = true
      cancelTimer?.()
    },
    status,
    local,
  }
}
