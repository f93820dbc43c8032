import { callSafely } from '../port/call-safely.ts'
import type { FlagDetail, FlagSubject } from '../wire/decide.ts'
import { EventName } from '../wire/event.ts'
import type { JsonObject } from '../wire/json.ts'
import { createCalledProperties, MINIMAL_CALLED_PROPERTIES } from './called-properties.ts'
import { createFetchFlags } from './fetch-flags.ts'
import { createFlagDetails, getFlagValue } from './flag-detail.ts'
import { SNAPSHOT_KEY } from './flag-snapshot.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsListener, FlagVerbs } from './flag-verbs.ts'
import type { FlagsOptions } from './flags-options.ts'
import type { FlagsPorts } from './flags-ports.ts'
import type { ResolvedFlag } from './local-flags.ts'
import { createReadVerbs } from './read-verbs.ts'
import { createSingleFlight } from './single-flight.ts'
import { createSnapshotStore } from './snapshot-store.ts'

/** The flags of the agent's user. */
export interface Flags {
  readonly verbs: FlagVerbs
  /** Loads the flags unless `preloadFeatureFlags` is false, then again every `flagsIntervalMs`. Returns a function that stops this. */
  start(): () => void
  /** Call it when the page becomes visible or online: loads when the last load failed or is too old. */
  wake(): void
  /** Returns `$feature/<key>` for each flag, and `$active_feature_flags`. Callers share the object and must not modify it. */
  eventProperties(): Readonly<Record<string, unknown>>
  /**
   * Call it when `identity()` has changed. Discards responses in flight and loads the flags again. For another person, the
   * stored flags of that person replace the current ones.
   *
   * @param source Undefined for a change by a call on this page. `tab`: a change in another tab. `store`: the stored identity was
   *   read after the start, and bootstrapped flags belong to that person. With a source, a call for the same user does nothing.
   */
  identityChanged(source?: 'tab' | 'store'): void
  /** Call it for a new person: clears flags, properties and reported reads, then loads. `bootstrap` is for the new person. */
  reset(bootstrap?: FlagsOptions['bootstrap']): void
  /** Returns the body compressions that the service supports; undefined while unknown. */
  supportedCompression(): readonly string[] | undefined
}

/** Maximum stored reads. Above this number the oldest read is removed, and would be reported again. */
const MAX_CALLED = 1_000

/** Returns the user's first id. It survives `identify()` and changes with `reset()`. */
const getOwner = (subject: FlagSubject): string => subject.$anon_distinct_id ?? subject.distinct_id

/** Returns a copy that can be stored and sent as JSON. Throws for values that JSON cannot represent. */
const toPlainObject = <T extends object>(properties: T): T => JSON.parse(JSON.stringify(properties)) as T

export const createFlags = (options: FlagsOptions, ports: FlagsPorts): Flags => {
  const { clock, logger, isOptedOut } = ports
  const snapshots = createSnapshotStore(ports)
  const { current, update } = snapshots
  const { flagsIntervalMs: intervalMs } = options
  const listeners = new Set<() => void>()
  let { bootstrap } = options
  let bootstrappedFlags: Record<string, FlagDetail>
  /** A new object with each change: a response for an older object is discarded. */
  let subject = ports.identity()
  let hasResponse = false
  let isStopped = false
  /** Time of the last load in milliseconds since 1970; 0 when it failed, NaN before the first load. */
  let lastLoadMs = NaN
  /** Errors of the last load: values of `$feature_flag_error`. */
  let errors: readonly string[] = []
  let eventProperties: Record<string, unknown> = {}
  /** The flags that `eventProperties` was computed from. */
  let eventPropertiesFlags: Readonly<Record<string, ResolvedFlag>> | undefined
  let cancelTimer: (() => void) | undefined

  /** Loads what is stored and bootstrapped for the user. */
  const restore = (): void => {
    errors = []
    hasResponse = false
    bootstrappedFlags = createFlagDetails(bootstrap?.featureFlags, bootstrap?.featureFlagPayloads)
    snapshots.load(getOwner(subject), bootstrap?.featureFlags && bootstrappedFlags)
  }

  const publish = (changes: FlagSnapshot = {}): void => {
    update(changes)
    for (const notifyListener of listeners) notifyListener()
  }

  const notify = (listener: FlagsListener): void =>
    callSafely(logger, 'listener', () =>
      listener(readVerbs.getFeatureFlags(), {
        errorsLoading: isStopped || isOptedOut() || errors.length > 0,
        isStale: !hasResponse,
      }),
    )

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
    if (hasChanged && !isStopped) publish()
    return load()
  })
  const getFlags = (): Readonly<Record<string, ResolvedFlag>> | undefined =>
    local ? local.resolveFlags(current(), subject) : current().flags

  const runLoad = createSingleFlight(
    clock.defer,
    async () => {
      const requestedSubject = subject
      const isCurrent = (): boolean => requestedSubject === subject && !isStopped && !isOptedOut()
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
      if (intervalMs) cancelTimer = clock.after(intervalMs, reload)
      errors = result.errors
      lastLoadMs = result.isFailed || result.isIncomplete ? 0 : clock.now()
      hasResponse ||= !result.isFailed
      const { person, group, called } = current()
      publish({ ...result.snapshot, person, group, called })
    },
    logger.warn,
  )
  let lastLoad: Promise<void> | undefined
  const load = (): Promise<void> => (lastLoad = runLoad())
  /** Loads the flags and the definitions again, although neither user nor properties have changed. */
  const reload = (): void => {
    local?.invalidate()
    void load()
  }

  const report = (name: string, flag: ResolvedFlag | undefined): void => {
    const value = getFlagValue(flag)
    const reportedRead = `${name}\t${value}`
    const snapshot = current()
    const { called = [] } = snapshot
    if (
      !(flag ?? local?.isConfirmedMissing(snapshot, name) ?? (snapshot.flags && !snapshot.isPart)) ||
      isOptedOut() ||
      called.includes(reportedRead)
    )
      return
    // Recorded before the capture, because a hook of the page may read the flag again while the event is captured.
    update({ called: [...called, reportedRead].slice(-MAX_CALLED) })
    const isCaptured = ports.capture(
      EventName.featureFlagCalled,
      {
        ...createCalledProperties(name, flag, bootstrappedFlags[name], hasResponse),
        $feature_flag_request_id: snapshot.requestId,
        $feature_flag_error: (value === undefined ? [...errors, 'flag_missing'] : errors).join() || undefined,
        ...flag?.calledProperties,
      },
      flag?.allowedNames ??
        (snapshot.isMinimal && flag?.metadata?.has_experiment === false ? MINIMAL_CALLED_PROPERTIES : undefined),
    )
    if (!isCaptured) update({ called: current().called?.filter((storedRead) => storedRead !== reportedRead) })
  }

  /** Changes the properties of the next request. */
  const updateProperties = (changes: FlagSnapshot, reload = true): void => {
    update(changes)
    if (reload) void load()
  }

  const readVerbs = createReadVerbs(getFlags, report)
  const verbs: FlagVerbs = {
    ...readVerbs,
    onFeatureFlags(listener) {
      const notifyListener = (): void => notify(listener)
      listeners.add(notifyListener)
      if (getFlags()) notifyListener()
      return () => listeners.delete(notifyListener)
    },
    async reloadFeatureFlags(listener) {
      let requestedSubject
      reload()
      do {
        requestedSubject = subject
        await lastLoad
        await local?.whenLoaded()
      } while (requestedSubject !== subject)
      if (listener) notify(listener)
    },
    setPersonPropertiesForFlags: (properties, reload) =>
      updateProperties({ person: toPlainObject({ ...current().person, ...(properties as JsonObject) }) }, reload),
    resetPersonPropertiesForFlags: (reload) => updateProperties({ person: undefined }, reload),
    setGroupPropertiesForFlags(properties, reload) {
      const group = { ...current().group }
      const plainProperties = toPlainObject(properties as Record<string, JsonObject>)
      for (const type in plainProperties) group[type] = { ...group[type], ...plainProperties[type] }
      updateProperties({ group }, reload)
    },
    resetGroupPropertiesForFlags: (groupType, reload) =>
      updateProperties(
        { group: groupType === undefined ? groupType : { ...current().group, [groupType]: undefined } },
        reload,
      ),
  }

  const flags: Flags = {
    verbs,
    start() {
      if (options.preloadFeatureFlags !== false) void load()
      return () => {
        isStopped = true
        cancelTimer?.()
        update({ called: [] })
      }
    },
    wake() {
      // Absolute, so that flags are loaded after the clock was set back, too.
      if (intervalMs && Math.abs(clock.now() - lastLoadMs) >= intervalMs) reload()
    },
    eventProperties() {
      const flags = getFlags()
      if (flags !== eventPropertiesFlags) {
        eventPropertiesFlags = flags
        const values = readVerbs.getFeatureFlags()
        eventProperties = {
          $active_feature_flags: flags && Object.keys(values).filter((name) => values[name]),
        }
        for (const name in values) eventProperties[`$feature/${name}`] = values[name]
      }
      return eventProperties
    },
    identityChanged(source) {
      const previousSubject = subject
      const newSubject = ports.identity()
      if (source && JSON.stringify(newSubject) === JSON.stringify(previousSubject)) return
      subject = newSubject
      if (getOwner(newSubject) !== getOwner(previousSubject)) {
        if (source !== 'store') bootstrap = undefined
        restore()
      } else if (newSubject.distinct_id !== previousSubject.distinct_id) current().called = []
      update({})
      cancelTimer?.()
      void load()
    },
    reset(newBootstrap) {
      flags.identityChanged()
      bootstrap = newBootstrap
      restore()
      // While opted out, no later write would replace the stored flags.
      ports.storage.remove(SNAPSHOT_KEY)
    },
    supportedCompression() {
      const compressions = current().config?.supportedCompression
      return Array.isArray(compressions) ? compressions : undefined
    },
  }
  restore()
  return flags
}
