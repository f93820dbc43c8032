import type { Clock } from '../port/clock.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Logger } from '../port/logger.ts'
import type { Send } from '../port/send.ts'
import type { FlagValue } from '../wire/decide.ts'
import { EventName } from '../wire/event.ts'
import type { JsonObject } from '../wire/json.ts'
import { applyBootstrap } from './bootstrap.ts'
import { createCalledTracker } from './called-tracker.ts'
import { askFlags } from './flag-request.ts'
import { type FlagSnapshot, loadSnapshot, saveSnapshot } from './flag-store.ts'
import type { FlagsOptions } from './flags-options.ts'
import { parsePayload } from './payload.ts'
import { singleFlight } from './single-flight.ts'

/** Whom the flags are for. */
export interface FlagIdentity {
  readonly distinctId: string
  /** The id before `identify`. */
  readonly anonDistinctId?: string | undefined
  readonly deviceId?: string | undefined
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  /** Properties that the service may not have stored yet; those set for flags alone win over them. */
  readonly personProperties?: JsonObject | undefined
}

export interface FlagsDeps {
  readonly clock: Clock
  readonly storage: KeyValue
  readonly send: Send
  readonly logger: Logger
  readonly options: FlagsOptions
  readonly identity: () => FlagIdentity
  /** Takes `$feature_flag_called`. An answer of `false` says that the event was dropped: the read is then not marked as reported. */
  readonly capture: (event: string, properties: Record<string, unknown>) => unknown
  /** While true nothing is asked, reported, marked or stored. */
  readonly isOptedOut: () => boolean
}

export interface FlagResult {
  readonly key: string
  readonly enabled: boolean
  readonly variant?: string | undefined
  readonly payload?: unknown
}

interface ReadOptions {
  /** Report the read as `$feature_flag_called`; default true. */
  readonly send?: boolean | undefined
}

interface ReloadOptions {
  /** Ask the service again; default true. */
  readonly reload?: boolean | undefined
}

/** @param context `errorsLoading`: the last load gave no (or not every) flag; what is given are the values known before. */
export type FlagsListener = (
  flags: Readonly<Record<string, FlagValue>>,
  context: { readonly errorsLoading: boolean },
) => void

/** The flags of the one user of this client. Reads are synchronous and never throw. */
export interface Flags {
  /** Loads the flags unless `preload` is false, then again every `intervalMs`. The answer ends that. */
  start(): () => void
  /** The page can be seen again, or is online again: loads when the last load failed or is older than `intervalMs`. */
  wake(): void
  /**
   * Asks the service; calls in one turn share a request, calls during a request share the one that follows. Resolves when
   * the answer is applied; a failure keeps the known flags. Never rejects.
   */
  reload(): Promise<void>
  /** The value; undefined when flags were never loaded or there is no such flag. */
  getFlag(key: string, options?: ReadOptions): FlagValue | undefined
  /** A variant counts as on. `defaultValue` only stands in for a missing flag. */
  isEnabled<T extends boolean | undefined = undefined>(
    key: string,
    options?: ReadOptions & { readonly defaultValue?: T },
  ): boolean | T
  /** Parsed; undefined when there is none. Never reported. */
  getPayload(key: string): unknown
  /** Undefined for an unknown flag. */
  getResult(key: string, options?: ReadOptions): FlagResult | undefined
  /** A copy. Never reported. */
  all(): Record<string, FlagValue>
  /** Copies, payloads parsed. Never reported. */
  allWithPayloads(): { flags: Record<string, FlagValue>; payloads: Record<string, unknown> }
  /** Calls back after each load, failed ones too, and at once when flags are known. The answer ends that. */
  onFlags(listener: FlagsListener): () => void
  /** `$feature/<key>` for each flag and `$active_feature_flags`; the same object until flags change: do not write to it. */
  eventProperties(): Readonly<Record<string, unknown>>
  /** Merged into what later requests carry. */
  setPersonPropertiesForFlags(properties: JsonObject, options?: ReloadOptions): void
  resetPersonPropertiesForFlags(options?: ReloadOptions): void
  /** @param properties Group type to properties; merged per type. */
  setGroupPropertiesForFlags(properties: Readonly<Record<string, JsonObject>>, options?: ReloadOptions): void
  /** @param groupType Default: all types. */
  resetGroupPropertiesForFlags(groupType?: string, options?: ReloadOptions): void
  /**
   * `identity()` answers differently now: an answer on its way is thrown away and flags are loaded anew.
   *
   * @param options `keepCalled`: it is still the same person (a group changed): what was reported stays reported.
   */
  identityChanged(options?: { readonly keepCalled?: boolean }): void
  /** Another person now: forgets flags, bootstrap, properties and reported reads, then loads. */
  reset(): void
  /** What the service announced; undefined until it has. */
  supportedCompression(): readonly string[] | undefined
}

const DEFAULT_INTERVAL_MS = 300_000

/** Flag keys are user texts: `constructor` must not find what every object has. */
const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record && Object.prototype.hasOwnProperty.call(record, key) ? record[key] : undefined

export const createFlags = (deps: FlagsDeps): Flags => {
  const { clock, storage, logger, options } = deps
  const intervalMs = options.intervalMs ?? DEFAULT_INTERVAL_MS
  const listeners = new Set<FlagsListener>()
  let bootstrap = options.bootstrap
  let snapshot: FlagSnapshot = loadSnapshot(storage, options.apiKey)
  const called = createCalledTracker(snapshot.called)
  if (bootstrap) snapshot = applyBootstrap(snapshot, bootstrap)

  /** Grows with each change of identity; an answer to an older one is thrown away. */
  let generation = 0
  let answered = false
  let stopped = false
  /** When the last load succeeded; 0 after one that failed, no number before the first. */
  let loadedAt = NaN
  /** Of the last load, in the words of `$feature_flag_error`. */
  let errors: string[] = []
  let eventProperties: Record<string, unknown> | undefined
  let saving = false
  let disarm: (() => void) | undefined

  const change = (changes: FlagSnapshot): void => {
    snapshot = { ...snapshot, ...changes }
    eventProperties = undefined
    if (saving) return
    saving = true
    clock.defer(() => {
      saving = false
      if (!deps.isOptedOut() && !saveSnapshot(storage, options.apiKey, { ...snapshot, called: called._list() }))
        logger.debug('flags: not stored')
    })
  }

  const tell = (listener: FlagsListener): void => {
    try {
      listener(flags.all(), { errorsLoading: errors.length > 0 })
    } catch (error) {
      logger.warn('flags: a listener threw', error)
    }
  }

  const load = async (): Promise<void> => {
    if (stopped || deps.isOptedOut()) return
    const asked = generation
    const who = deps.identity()
    const { _api, _answer, _error } = await askFlags(
      clock,
      deps.send,
      options,
      snapshot.api ?? options.flagsApi ?? 'decide',
      {
        distinct_id: who.distinctId,
        $anon_distinct_id: who.anonDistinctId,
        $device_id: who.deviceId,
        groups: who.groups,
        person_properties: { ...who.personProperties, ...snapshot.person },
        group_properties: { ...snapshot.group },
      },
      () => asked === generation && !stopped,
    )
    if (asked !== generation || stopped) return
    loadedAt = _answer ? clock.now() : 0
    disarm?.()
    if (intervalMs > 0) disarm = clock.after(intervalMs, reloadUnless)
    errors = _error ? [_error] : []
    if (_answer) {
      answered = true
      const { _flags, _payloads, _partial } = _answer
      if (_partial) errors.push('errors_while_computing_flags')
      if (_answer._quotaLimited) errors.push('quota_limited')
      change({
        api: _api,
        compression: _answer._compression ?? snapshot.compression,
        ...(_flags &&
          !_answer._quotaLimited && {
            flags: _partial ? { ...snapshot.flags, ..._flags } : _flags,
            payloads: _partial ? { ...snapshot.payloads, ..._payloads } : _payloads,
            requestId: _answer._requestId,
          }),
      })
    } else logger.debug('flags: not loaded', _error)
    for (const listener of listeners) tell(listener)
  }

  const flight = singleFlight(
    (begin) => clock.defer(begin),
    load,
    (error) => logger.warn('flags: not loaded', error),
  )
  const reload = (): Promise<void> => (stopped ? Promise.resolve() : flight())
  const reloadUnless = (given?: ReloadOptions): void => {
    if (given?.reload !== false) void reload()
  }

  const report = (key: string, value: FlagValue | undefined): void => {
    const read = `${key}\t${value}`
    if (!snapshot.flags || deps.isOptedOut() || !called._mark(read)) return
    // Marked first: the capture may come back here through a hook of the page.
    const error = (value === undefined ? [...errors, 'flag_missing'] : errors).join()
    const bootstrapped = own(bootstrap?.featureFlags, key)
    const sent = deps.capture(EventName.featureFlagCalled, {
      $feature_flag: key,
      $feature_flag_response: value,
      $feature_flag_payload: flags.getPayload(key),
      $feature_flag_request_id: snapshot.requestId,
      $feature_flag_error: error || undefined,
      ...(bootstrapped !== undefined && {
        $feature_flag_bootstrapped_response: bootstrapped,
        $feature_flag_bootstrapped_payload: parsePayload(own(bootstrap?.featureFlagPayloads, key)),
        $used_bootstrap_value: !answered,
      }),
    })
    if (sent === false) called._unmark(read)
    else change({})
  }

  const flags: Flags = {
    start: () => {
      stopped = false
      if (options.preload !== false) void reload()
      return () => {
        stopped = true
        disarm?.()
        called._clear()
      }
    },
    // A clock that was turned back counts as time passed.
    wake: () => {
      if (intervalMs > 0 && Math.abs(clock.now() - loadedAt) >= intervalMs) void reload()
    },
    reload,
    getFlag: (key, given) => {
      const value = own(snapshot.flags, key)
      if (given?.send !== false) report(key, value)
      return value
    },
    isEnabled: (key, given) => {
      const value = flags.getFlag(key, given)
      return value === undefined ? (given?.defaultValue as never) : value !== false
    },
    getPayload: (key) => parsePayload(own(snapshot.payloads, key)),
    getResult: (key, given) => {
      const value = flags.getFlag(key, given)
      if (value === undefined) return undefined
      return {
        key,
        enabled: value !== false,
        variant: typeof value === 'string' ? value : undefined,
        payload: flags.getPayload(key),
      }
    },
    all: () => ({ ...snapshot.flags }),
    allWithPayloads: () => {
      const payloads: Record<string, unknown> = {}
      for (const key of Object.keys(snapshot.payloads ?? {})) {
        const payload = flags.getPayload(key)
        if (payload !== undefined) payloads[key] = payload
      }
      return { flags: flags.all(), payloads }
    },
    onFlags: (listener) => {
      listeners.add(listener)
      if (snapshot.flags) tell(listener)
      return () => listeners.delete(listener)
    },
    eventProperties: () => {
      if (!eventProperties) {
        const known = snapshot.flags ?? {}
        const keys = Object.keys(known)
        eventProperties = snapshot.flags ? { $active_feature_flags: keys.filter((key) => known[key]) } : {}
        for (const key of keys) eventProperties[`$feature/${key}`] = known[key]
      }
      return eventProperties
    },
    setPersonPropertiesForFlags: (properties, given) => {
      change({ person: { ...snapshot.person, ...properties } })
      reloadUnless(given)
    },
    resetPersonPropertiesForFlags: (given) => {
      change({ person: undefined })
      reloadUnless(given)
    },
    setGroupPropertiesForFlags: (properties, given) => {
      const group = { ...snapshot.group }
      for (const type of Object.keys(properties)) group[type] = { ...group[type], ...properties[type] }
      change({ group })
      reloadUnless(given)
    },
    resetGroupPropertiesForFlags: (groupType, given) => {
      const { [groupType ?? '']: _gone, ...others } = snapshot.group ?? {}
      change({ group: groupType === undefined ? undefined : others })
      reloadUnless(given)
    },
    identityChanged: (given) => {
      generation++
      if (!given?.keepCalled) called._clear()
      change({})
      void reload()
    },
    reset: () => {
      bootstrap = undefined
      errors = []
      snapshot = { api: snapshot.api, compression: snapshot.compression }
      flags.identityChanged()
    },
    supportedCompression: () => snapshot.compression,
  }
  return flags
}
