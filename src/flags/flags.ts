import type { Clock } from '../port/clock.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Logger } from '../port/logger.ts'
import type { Send } from '../port/send.ts'
import type { FlagDetail, FlagSubject, RemoteConfig } from '../wire/decide.ts'
import { EventName } from '../wire/event.ts'
import type { JsonObject } from '../wire/json.ts'
import { createAskFlags } from './ask-flags.ts'
import { calledProperties, MINIMAL_PROPERTIES } from './called-properties.ts'
import { flagDetails, payloadOf, valueOf } from './flag-detail.ts'
import { loadSnapshot, SNAPSHOT } from './flag-snapshot.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsOptions } from './flags-options.ts'
import type { FlagsListener, FlagVerbs } from './flag-verbs.ts'
import type { CreateLocalFlags, KnownFlag } from './local-flags.ts'
import { singleFlight } from './single-flight.ts'

/** What the agent and the platform give. */
export interface FlagsPorts {
  readonly clock: Clock
  readonly storage: KeyValue
  readonly send: Send
  readonly logger: Logger
  /** Whom the flags are for now. */
  readonly identity: () => FlagSubject
  /**
   * Takes `$feature_flag_called`. An answer of `false` says that the event was dropped: the read is then not marked as reported.
   *
   * @param only Given: the event keeps no other properties than those with such names.
   */
  readonly capture: (event: string, properties: Record<string, unknown>, only?: RegExp) => boolean
  /** While true nothing is asked, reported, marked or stored. */
  readonly isOptedOut: () => boolean
  /** Evaluates flags on the page; without it the service alone does. */
  readonly local?: CreateLocalFlags | undefined
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

/** Reads remembered as reported; above it the oldest is forgotten, and would be reported again. */
const MAX_CALLED = 1_000

/** Stays when the user is identified, and is another one after `reset()`. */
const ownerOf = (who: FlagSubject): string => who.$anon_distinct_id ?? who.distinct_id

/** A copy that storage and requests can carry; throws for what JSON cannot. */
const plain = <T extends object>(properties: T): T => JSON.parse(JSON.stringify(properties)) as T

export const createFlags = (options: FlagsOptions, ports: FlagsPorts): Flags => {
  const { clock, storage, logger, isOptedOut } = ports
  const { flagsIntervalMs: intervalMs } = options
  const listeners = new Set<() => void>()
  let { bootstrap } = options
  let bootstrapped: Record<string, FlagDetail>
  /** Another object with each change: an answer about an older one is thrown away. */
  let who = ports.identity()
  let snapshot: FlagSnapshot
  let isAnswered = false
  let isStopped = false
  let isSaving = false
  /** When the last load succeeded; 0 after one that failed, no number before the first. */
  let loadedAt = NaN
  /** Of the last load, in the words of `$feature_flag_error`. */
  let errors: readonly string[] = []
  let eventProperties: Record<string, unknown> = {}
  /** The flags that they are of. */
  let shown: Readonly<Record<string, KnownFlag>> | undefined
  let disarm: (() => void) | undefined

  /** What is stored for this user, with the bootstrapped flags over it; one bootstrapped as off is hidden. */
  const restore = (): void => {
    snapshot = loadSnapshot(storage, ownerOf(who))
    errors = []
    isAnswered = false
    bootstrapped = flagDetails(bootstrap?.featureFlags, bootstrap?.featureFlagPayloads)
    if (bootstrap?.featureFlags)
      snapshot.flags = Object.fromEntries(
        Object.entries({ ...snapshot.flags, ...bootstrapped }).filter(
          ([name]) => bootstrapped[name]?.enabled !== false,
        ),
      )
  }

  const change = (changes: FlagSnapshot): void => {
    snapshot = { ...snapshot, ...changes }
    if (isSaving) return
    isSaving = true
    clock.defer(() => {
      isSaving = false
      if (!isOptedOut()) storage.set(SNAPSHOT, JSON.stringify(snapshot))
    })
  }

  const guard = (listener: () => void): void => {
    try {
      listener()
    } catch (error) {
      logger.warn('listener failed:', error)
    }
  }

  const listen = (listener: () => void, isKnown: unknown): (() => void) => {
    listeners.add(listener)
    if (isKnown) guard(listener)
    return () => listeners.delete(listener)
  }

  const publish = (changes: FlagSnapshot = {}): void => {
    change(changes)
    listeners.forEach(guard)
  }

  const tell = (listener: FlagsListener): void =>
    listener(each(valueOf), { errorsLoading: isStopped || isOptedOut() || errors.length > 0, isStale: !isAnswered })

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      disarm?.()
      const cancel = clock.after(ms, resolve)
      disarm = () => {
        cancel()
        resolve()
      }
    })

  const askService = createAskFlags(pause, ports.send, options)
  const local = ports.local?.(askService, ports, options, (isOther) => {
    if (isOther && !isStopped) publish()
    return flight()
  })
  const askFlags = local ? local.ask : askService
  const known = (): Readonly<Record<string, KnownFlag>> | undefined =>
    local ? local.over(snapshot, who) : snapshot.flags

  const fly = singleFlight(
    clock.defer,
    async () => {
      const asked = who
      const isWanted = (): boolean => asked === who && !isStopped && !isOptedOut()
      if (!isWanted()) return
      const subject = { ...who, person_properties: { ...snapshot.person }, group_properties: { ...snapshot.group } }
      const reply = await askFlags(snapshot, subject, isWanted)
      if (!isWanted()) return
      disarm?.()
      if (intervalMs) disarm = clock.after(intervalMs, renew)
      errors = reply.errors
      loadedAt = reply.isFailed || reply.isUnfinished ? 0 : clock.now()
      isAnswered ||= !reply.isFailed
      const { person, group, called } = snapshot
      publish({ ...reply.known, person, group, called })
    },
    logger.warn,
  )
  let lastFlight: Promise<void> | undefined
  const flight = (): Promise<void> => (lastFlight = fly())
  /** Not because the user or a property is another one: for what is new elsewhere. */
  const renew = (): void => {
    local?.renew()
    void flight()
  }

  const report = (name: string, flag: KnownFlag | undefined): void => {
    const value = valueOf(flag)
    const read = `${name}\t${value}`
    const { called = [] } = snapshot
    if (
      !(flag ?? local?.isTold(snapshot, name) ?? (snapshot.flags && !snapshot.isPart)) ||
      isOptedOut() ||
      called.includes(read)
    )
      return
    // Marked first: the capture may come back here through a hook of the page.
    change({ called: [...called, read].slice(-MAX_CALLED) })
    const isSent = ports.capture(
      EventName.featureFlagCalled,
      {
        ...calledProperties(name, flag, bootstrapped[name], isAnswered),
        $feature_flag_request_id: snapshot.requestId,
        $feature_flag_error: (value === undefined ? [...errors, 'flag_missing'] : errors).join() || undefined,
        ...flag?.called,
      },
      flag?.only ?? (snapshot.isMinimal && flag?.metadata?.has_experiment === false ? MINIMAL_PROPERTIES : undefined),
    )
    if (!isSent) change({ called: snapshot.called?.filter((one) => one !== read) })
  }

  const each = <T>(read: (flag: FlagDetail) => T | undefined): Record<string, T> => {
    const values: Record<string, T> = {}
    const flags = known()
    for (const name in flags) {
      const value = read(flags[name]!)
      if (value !== undefined) values[name] = value
    }
    return values
  }

  /** Properties for evaluation alone, in the next request. */
  const evaluateWith = (changes: FlagSnapshot, reload = true): void => {
    change(changes)
    if (reload) void flight()
  }

  const verbs: FlagVerbs = {
    getFeatureFlag(name, given) {
      const flag = known()?.[name]
      if (given?.send !== false) report(name, flag)
      return valueOf(flag)
    },
    isFeatureEnabled(name, given) {
      const value = verbs.getFeatureFlag(name, given)
      return value === undefined ? (given?.defaultValue as never) : !!value
    },
    getFeatureFlagPayload: (name) => payloadOf(known()?.[name]),
    getFeatureFlagResult(name, given) {
      const value = verbs.getFeatureFlag(name, given)
      if (value === undefined) return undefined
      return {
        key: name,
        enabled: !!value,
        variant: typeof value === 'string' ? value : undefined,
        payload: verbs.getFeatureFlagPayload(name),
      }
    },
    getFeatureFlags: () => each(valueOf),
    getFeatureFlagsAndPayloads: () => ({ flags: each(valueOf), payloads: each(payloadOf) }),
    onFeatureFlags: (listener) => listen(() => tell(listener), known()),
    async reloadFeatureFlags(listener) {
      let asked
      renew()
      do {
        asked = who
        await lastFlight
        await local?.loaded()
      } while (asked !== who)
      if (listener) guard(() => tell(listener))
    },
    setPersonPropertiesForFlags: (properties, reload) =>
      evaluateWith({ person: { ...snapshot.person, ...plain(properties as JsonObject) } }, reload),
    resetPersonPropertiesForFlags: (reload) => evaluateWith({ person: undefined }, reload),
    setGroupPropertiesForFlags(properties, reload) {
      const group = { ...snapshot.group }
      const given = plain(properties as Record<string, JsonObject>)
      for (const type in given) group[type] = { ...group[type], ...given[type] }
      evaluateWith({ group }, reload)
    },
    resetGroupPropertiesForFlags: (groupType, reload) =>
      evaluateWith(
        { group: groupType === undefined ? groupType : { ...snapshot.group, [groupType]: undefined } },
        reload,
      ),
  }

  const flags: Flags = {
    verbs,
    start() {
      if (options.preloadFeatureFlags !== false) void flight()
      return () => {
        isStopped = true
        disarm?.()
        snapshot.called = []
      }
    },
    wake() {
      // A clock that was turned back counts as time passed.
      if (intervalMs && Math.abs(clock.now() - loadedAt) >= intervalMs) renew()
    },
    eventProperties() {
      const flags = known()
      if (flags !== shown) {
        shown = flags
        const values = each(valueOf)
        eventProperties = {
          $active_feature_flags: flags && Object.keys(values).filter((name) => values[name]),
        }
        for (const name in values) eventProperties[`$feature/${name}`] = values[name]
      }
      return eventProperties
    },
    identityChanged(source) {
      const before = who
      const now = ports.identity()
      if (source && JSON.stringify(now) === JSON.stringify(before)) return
      who = now
      if (ownerOf(now) !== ownerOf(before)) {
        if (source !== 'store') bootstrap = undefined
        restore()
      } else if (now.distinct_id !== before.distinct_id) snapshot.called = []
      change({})
      disarm?.()
      void flight()
    },
    reset(given) {
      flags.identityChanged()
      bootstrap = given
      restore()
      // While opted out nothing will be written in its place.
      storage.remove(SNAPSHOT)
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
