import { noop } from '../lib/noop.ts'
import { once } from '../lib/once.ts'
import type { FlagSubject } from '../wire/decide.ts'
import { createFetchFlags } from './fetch-flags.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsOptions } from './flags-options.ts'
import type { FlagsPorts } from './flags-ports.ts'
import type { LocalFlags, ResolvedFlag } from './local-flags.ts'
import { createSingleFlight } from './single-flight.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** What the loads for the current user have shown. */
export interface LoadStatus {
  /** Errors of the last load: values of `$feature_flag_error`. */
  readonly errors: readonly string[]
  /** Whether a load for this user on this page has succeeded, at least in part. */
  readonly hasResponse: boolean
  readonly isStopped: boolean
}

/** As many loads may follow each other at once: a page that starts identifies its user, and sets groups and properties. */
const FREE_LOADS = 5

/** The wait before the next one, which doubles with each load. A load that comes this long after the end of the last one does not follow it. */
const FOLLOW_MS = 1_000

const MAX_FOLLOW_WAIT_MS = 5 * 60_000

/** A call so soon after the listeners were told may be their reaction: in a promise, after a rendering, or from another tab. */
const REACTION_MS = 250

/** Loads the flags of the current user: at most one load at a time, and again every `flagsIntervalMs`. */
export interface FlagLoader {
  /**
   * Loads the flags at the end of the turn, with all changes made until then.
   *
   * @returns Resolves when they have loaded, or failed to load.
   */
  load(): Promise<void>
  /** Like `load`, unless the last load had the same user and properties, and has not failed. */
  loadChanges(): void
  /**
   * Loads the flags and the definitions again, although neither user nor properties have changed. Ends the wait after loads in a row, unless
   * a listener may have caused the call.
   *
   * @returns Resolves when they have loaded, or failed to load. If the user changes meanwhile, it waits for the flags of the new user.
   */
  reload(): Promise<void>
  /** Call it when the page becomes visible or online: loads when the last load failed or is too old. */
  wake(): void
  /** Returns the current flags; undefined while none is known. The same object until something changes. */
  getFlags(): Readonly<Record<string, ResolvedFlag>> | undefined
  /**
   * Like `load`, for a new subject: a load that waits for its retry ends now, and so does the wait for the next interval.
   *
   * @param isOther User or groups differ: the wait after loads in a row ends as well, unless a listener may have caused the call.
   */
  restart(isOther: boolean): void
  /** Ends the status of the last user. Call it before `restart`. */
  forgetUser(): void
  /**
   * Ends the loads by time, and retries. The response of a load in flight is discarded. Later calls of `load` and `reload` change nothing.
   */
  stop(): void
  readonly status: LoadStatus
  /** See `LocalFlags`. Undefined also without local flags. */
  readonly isConfirmedMissing: LocalFlags['isConfirmedMissing'] | undefined
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
  const status = { errors: [] as readonly string[], hasResponse: false, isStopped: false }
  /** Time of the last load in milliseconds since 1970; 0 when it failed, NaN before the first load. */
  let lastLoadMs = NaN
  let cancelTimer: (() => void) | undefined
  /** User and properties of the last load. Undefined when it failed. */
  let loaded: string | undefined
  /** Loads in a row that followed each other. */
  let loadCount = 0
  let followMs = FOLLOW_MS
  /** When the last load ended. NaN: one is in flight. */
  let lastEndMs = -Infinity
  let endWait = noop
  /** When listeners were last told. NaN: they run now. */
  let toldMs = -Infinity
  const warnOfLoop = once<string>(ports.logger.warn)

  const restartCount = (): void => {
    loadCount = 0
    followMs = FOLLOW_MS
  }

  /** Without the exception for reactions, a listener that identifies with a changing id would load without a pause. */
  const endFollow = (): void => {
    if (!(Math.abs(clock.now() - toldMs) >= REACTION_MS)) return
    restartCount()
    endWait()
  }

  const tell = (changes: FlagSnapshot): void => {
    toldMs = NaN
    onLoaded(changes)
    toldMs = clock.now()
  }

  /** A listener of the flags may load them again, which calls the listener again. */
  const schedule = (begin: () => void): void => {
    if (Math.abs(clock.now() - lastEndMs) >= followMs) restartCount()
    if (loadCount++ < FREE_LOADS) return clock.defer(begin)
    warnOfLoop('flags load again and again, so they wait')
    const cancel = clock.after(followMs, begin)
    followMs = Math.min(MAX_FOLLOW_WAIT_MS, 2 * followMs)
    endWait = () => {
      cancel()
      begin()
    }
  }
  const describeRequest = (): string => JSON.stringify([getSubject(), current().person, current().group])

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
    if (hasChanged && !status.isStopped) tell({})
    return load()
  })

  const runLoad = createSingleFlight(
    schedule,
    async () => {
      const subject = getSubject()
      const isCurrent = (): boolean => subject === getSubject() && !status.isStopped && !isOptedOut()
      if (!isCurrent()) return
      const snapshot = current()
      loaded = describeRequest()
      lastEndMs = NaN
      const request = {
        ...subject,
        person_properties: { ...snapshot.person },
        group_properties: { ...snapshot.group },
      }
      const result = await (local ? local.fetchFlags : fetchFromService)(snapshot, request, isCurrent)
      lastEndMs = clock.now()
      if (!isCurrent()) return
      cancelTimer?.()
      if (intervalMs) cancelTimer = clock.after(intervalMs, () => void reload())
      status.errors = result.errors
      lastLoadMs = result.isFailed || result.isIncomplete ? 0 : lastEndMs
      if (!lastLoadMs) loaded = undefined
      status.hasResponse ||= !result.isFailed
      const { person, group, called } = current()
      tell({ ...result.snapshot, person, group, called })
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
    loadChanges() {
      if (loaded !== describeRequest()) void load()
    },
    reload() {
      endFollow()
      return reload()
    },
    wake() {
      // Absolute, so that flags are loaded after the clock was set back, too.
      if (intervalMs && Math.abs(clock.now() - lastLoadMs) >= intervalMs) void reload()
    },
    getFlags: () => (local ? local.resolveFlags(current(), getSubject()) : current().flags),
    restart(isOther) {
      cancelTimer?.()
      if (isOther) endFollow()
      void load()
    },
    forgetUser() {
      status.errors = []
      status.hasResponse = false
    },
    stop() {
      status.isStopped = true
      cancelTimer?.()
      endWait()
    },
    status,
    isConfirmedMissing: local?.isConfirmedMissing,
  }
}
