import type { Clock } from '../port/clock.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Logger } from '../port/logger.ts'
import type { Send } from '../port/send.ts'
import type { FlagDetail, FlagSubject, RemoteConfig } from '../wire/decide.ts'
import { EventName } from '../wire/event.ts'
import type { JsonObject } from '../wire/json.ts'
import { askFlags } from './ask-flags.ts'
import { calledProperties, MINIMAL_PROPERTIES } from './called-properties.ts'
import { flagDetails, payloadOf, valueOf } from './flag-detail.ts'
import { type FlagSnapshot, loadSnapshot, removeSnapshot, saveSnapshot } from './flag-snapshot.ts'
import type { FlagsOptions } from './flags-options.ts'
import type { FlagsListener, FlagVerbs } from './flag-verbs.ts'
import { singleFlight } from './single-flight.ts'

export interface FlagsDeps {
  readonly clock: Clock
  readonly storage: KeyValue
  readonly send: Send
  readonly logger: Logger
  readonly options: FlagsOptions
  /** Whom the flags are for now. */
  readonly identity: () => FlagSubject
  /**
   * Takes `$feature_flag_called`. An answer of `false` says that the event was dropped: the read is then not marked as reported.
   *
   * @param only Given: the event keeps no other properties than those with such names.
   */
  readonly capture: (event: string, properties: Record<string, unknown>, only?: RegExp) => unknown
  /** While true nothing is asked, reported, marked or stored. */
  readonly isOptedOut: () => boolean
}

/** The flags of the one user of this client. */
export interface Flags {
  readonly verbs: FlagVerbs
  /** Loads the flags unless `preloadFeatureFlags` is false, then again every `flagsIntervalMs`. The answer ends that. */
  start(): () => void
  /** The page can be seen again, or is online again: loads when the last load failed or is too old. */
  wake(): void
  /** `$feature/<key>` for each flag and `$active_feature_flags`; the same object until flags change: do not write to it. */
  eventProperties(): Readonly<Record<string, unknown>>
  /**
   * `identity()` answers differently now: an answer on its way is thrown away and flags are loaded anew. Another person's stored
   * flags are taken instead of the known ones.
   *
   * @param source Whose doing it is when it was no call of this page: another tab's, or a stored copy that was found late (the
   *   bootstrapped flags are for that person). Nothing happens then if it is the same user.
   */
  identityChanged(source?: 'tab' | 'store'): void
  /** Another person now: forgets flags, properties and reported reads, then loads. `bootstrap` is for the new one. */
  reset(bootstrap?: FlagsOptions['bootstrap']): void
  /** The body compressions that the service announced; undefined until it has. */
  supportedCompression(): readonly string[] | undefined
  /**
   * Calls back with what the service told beside the flags: after each load, and at once when it is known, from an earlier page
   * too. The answer ends that.
   */
  onRemoteConfig(listener: (config: RemoteConfig) => void): () => void
}

const DEFAULT_INTERVAL_MS = 300_000

/** Reads remembered as reported; above it the oldest is forgotten, and would be reported again. */
const MAX_CALLED = 1_000

/** Stays when the user is identified, and is another one after `reset()`. */
const ownerOf = (who: FlagSubject): string => who.$anon_distinct_id ?? who.distinct_id

/** A copy that storage and requests can carry; throws for what JSON cannot. */
const plain = <T extends object>(properties: T): T => JSON.parse(JSON.stringify(properties)) as T

export const createFlags = (deps: FlagsDeps): Flags => {
  const { clock, storage, logger, options } = deps
  const { apiKey, flagsIntervalMs: intervalMs = DEFAULT_INTERVAL_MS } = options
  const listeners = new Set<() => void>()
  let { bootstrap } = options
  let bootstrapped: Record<string, FlagDetail>
  let who = deps.identity()
  let snapshot: FlagSnapshot
  let called: Set<string>
  /** Grows with each change of identity; an answer to an older one is thrown away. */
  let generation = 0
  let isAnswered = false
  let isConfigured = false
  let isStopped = false
  let isSaving = false
  /** When the last load succeeded; 0 after one that failed, no number before the first. */
  let loadedAt = NaN
  /** Of the last load, in the words of `$feature_flag_error`. */
  let errors: string[] = []
  let eventProperties: Record<string, unknown> | undefined
  let disarm: (() => void) | undefined

  /** What is stored for this user, with the bootstrapped flags over it; one bootstrapped as off is hidden. */
  const restore = (): void => {
    snapshot = loadSnapshot(storage, apiKey, ownerOf(who))
    called = new Set(snapshot.called)
    errors = []
    eventProperties = undefined
    isAnswered = isConfigured = false
    bootstrapped = flagDetails(bootstrap?.featureFlags, bootstrap?.featureFlagPayloads)
    if (!bootstrap?.featureFlags) return
    const flags = { ...snapshot.flags, ...bootstrapped }
    for (const key of Object.keys(bootstrapped)) if (!flags[key]!.enabled) delete flags[key]
    snapshot.flags = flags
  }

  const change = (changes: FlagSnapshot): void => {
    snapshot = { ...snapshot, ...changes }
    eventProperties = undefined
    if (isSaving) return
    isSaving = true
    clock.defer(() => {
      isSaving = false
      if (!deps.isOptedOut()) saveSnapshot(storage, apiKey, { ...snapshot, called: [...called] })
    })
  }

  const guard = (listener: () => void): void => {
    try {
      listener()
    } catch (error) {
      logger.warn('flags: a listener threw', error)
    }
  }

  const listen = (listener: () => void, isKnown: unknown): (() => void) => {
    listeners.add(listener)
    if (isKnown) guard(listener)
    return () => listeners.delete(listener)
  }

  const tell = (listener: FlagsListener): void =>
    listener(each(valueOf), { errorsLoading: errors.length > 0, isStale: !isAnswered })

  const load = async (): Promise<void> => {
    if (isStopped || deps.isOptedOut()) return
    const asked = generation
    const isWanted = (): boolean => asked === generation && !isStopped
    const chosen = options.flagsApi ?? 'decide'
    const reply = await askFlags(clock, deps.send, options, {
      api: snapshot.api ?? chosen,
      subject: { ...who, person_properties: { ...snapshot.person }, group_properties: { ...snapshot.group } },
      stored: isConfigured ? undefined : { ...snapshot.config },
      isWanted,
    })
    if (!isWanted()) return
    disarm?.()
    if (intervalMs > 0) disarm = clock.after(intervalMs, () => void flight())
    ;({ errors } = reply)
    isConfigured = !!reply.isConfigured
    loadedAt = reply.isFailed ? 0 : clock.now()
    isAnswered ||= !reply.isFailed
    const { api, flags, isPartial, requestId, isMinimal } = reply
    change({
      config: { ...snapshot.config, ...reply.config },
      ...(!reply.isFailed && { api: api === chosen ? undefined : api }),
      ...(flags && { flags: isPartial ? { ...snapshot.flags, ...flags } : flags, requestId, isMinimal }),
    })
    if (reply.isFailed) logger.debug('flags: not loaded', errors)
    listeners.forEach(guard)
  }

  const flight = singleFlight(
    (begin) => clock.defer(begin),
    load,
    (error) => logger.warn('flags: not loaded', error),
  )

  const flagOf = (key: string): FlagDetail | undefined => snapshot.flags?.[key]

  const report = (key: string, flag: FlagDetail | undefined): void => {
    const value = valueOf(flag)
    const read = `${key}\t${value}`
    if (!snapshot.flags || deps.isOptedOut() || called.has(read)) return
    // Marked first: the capture may come back here through a hook of the page.
    called.add(read)
    if (called.size > MAX_CALLED) called.delete(called.values().next().value!)
    const isSent = deps.capture(
      EventName.featureFlagCalled,
      {
        ...calledProperties(key, flag, bootstrapped[key], isAnswered),
        $feature_flag_request_id: snapshot.requestId,
        $feature_flag_error: (value === undefined ? [...errors, 'flag_missing'] : errors).join() || undefined,
      },
      snapshot.isMinimal && flag?.metadata?.has_experiment === false ? MINIMAL_PROPERTIES : undefined,
    )
    if (isSent === false) called.delete(read)
    else change({})
  }

  const each = <T>(read: (flag: FlagDetail) => T | undefined): Record<string, T> => {
    const values: Record<string, T> = {}
    for (const [key, flag] of Object.entries(snapshot.flags ?? {})) {
      const value = read(flag)
      if (value !== undefined) values[key] = value
    }
    return values
  }

  /** Properties for evaluation alone, in the next request. */
  const evaluateWith = (changes: FlagSnapshot, reload = true): void => {
    change(changes)
    if (reload) void flight()
  }

  const verbs: FlagVerbs = {
    getFeatureFlag(key, given) {
      const flag = flagOf(key)
      if (given?.send !== false) report(key, flag)
      return valueOf(flag)
    },
    isFeatureEnabled(key, given) {
      const value = verbs.getFeatureFlag(key, given)
      return value === undefined ? (given?.defaultValue as never) : !!value
    },
    getFeatureFlagPayload: (key) => payloadOf(flagOf(key)),
    getFeatureFlagResult(key, given) {
      const flag = flagOf(key)
      const value = verbs.getFeatureFlag(key, given)
      if (value === undefined) return undefined
      return { key, enabled: !!value, variant: flag?.variant ?? undefined, payload: payloadOf(flag) }
    },
    getFeatureFlags: () => each(valueOf),
    getFeatureFlagsAndPayloads: () => ({ flags: each(valueOf), payloads: each(payloadOf) }),
    onFeatureFlags: (listener) => listen(() => tell(listener), snapshot.flags),
    async reloadFeatureFlags(listener) {
      await flight()
      if (listener) guard(() => tell(listener))
    },
    setPersonPropertiesForFlags: (properties, reload) =>
      evaluateWith({ person: { ...snapshot.person, ...plain(properties as JsonObject) } }, reload),
    resetPersonPropertiesForFlags: (reload) => evaluateWith({ person: undefined }, reload),
    setGroupPropertiesForFlags(properties, reload) {
      const group = { ...snapshot.group }
      for (const [type, given] of Object.entries(plain(properties as Record<string, JsonObject>)))
        group[type] = { ...group[type], ...given }
      evaluateWith({ group }, reload)
    },
    resetGroupPropertiesForFlags(groupType, reload) {
      const { [groupType ?? '']: _gone, ...others } = snapshot.group ?? {}
      evaluateWith({ group: groupType === undefined ? undefined : others }, reload)
    },
  }

  const flags: Flags = {
    verbs,
    start() {
      if (options.preloadFeatureFlags !== false) void flight()
      return () => {
        isStopped = true
        disarm?.()
        called.clear()
      }
    },
    wake() {
      // A clock that was turned back counts as time passed.
      if (intervalMs > 0 && Math.abs(clock.now() - loadedAt) >= intervalMs) void flight()
    },
    eventProperties() {
      if (!eventProperties) {
        const values = each(valueOf)
        eventProperties = { $active_feature_flags: snapshot.flags && Object.keys(values).filter((key) => values[key]) }
        for (const key of Object.keys(values)) eventProperties[`$feature/${key}`] = values[key]
      }
      return eventProperties
    },
    identityChanged(source) {
      const before = who
      who = deps.identity()
      if (source && JSON.stringify(who) === JSON.stringify(before)) return
      generation++
      if (ownerOf(who) !== ownerOf(before)) {
        if (source !== 'store') bootstrap = undefined
        restore()
      } else if (who.distinct_id !== before.distinct_id) called.clear()
      change({})
      void flight()
    },
    reset(given) {
      flags.identityChanged()
      bootstrap = given
      restore()
      // While opted out nothing will be written in its place.
      removeSnapshot(storage, apiKey)
    },
    supportedCompression() {
      const given = snapshot.config?.supportedCompression
      return Array.isArray(given) ? given : undefined
    },
    onRemoteConfig: (listener) => listen(() => listener({ ...snapshot.config }), snapshot.config),
  }
  restore()
  return flags
}
