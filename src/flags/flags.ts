import { callHook } from '../lib/call-hook.ts'
import { callSafely } from '../lib/call-safely.ts'
import { haveSameJson } from '../lib/have-same-json.ts'
import { noop } from '../lib/noop.ts'
import { atOnce } from '../lib/at-once.ts'
import type { FlagSubject } from '../wire/decide.ts'
import { createEventProperties } from './event-properties.ts'
import { createFlagLoader } from './flag-loader.ts'
import { SNAPSHOT_KEY } from './flag-snapshot.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsListener, FlagVerbs } from './flag-verbs.ts'
import type { FlagsOptions } from './flags-options.ts'
import type { FlagsPorts } from './flags-ports.ts'
import { createPropertyVerbs } from './property-verbs.ts'
import { createReadVerbs } from './read-verbs.ts'
import { createSnapshotStore } from './snapshot-store.ts'
import { createUserCalledReporter } from './user-called-reporter.ts'

/** The flags of the agent's user. */
export interface Flags {
  readonly verbs: FlagVerbs
  /**
   * Loads the flags unless `preloadFeatureFlags` is false, then again every `flagsIntervalMs`. Flags that are known, stored or bootstrapped
   * ones, load when the page rests. Returns a function that stops this.
   */
  start(): () => void
  /** Call it when the page becomes visible or online: loads when the last load failed or is too old. */
  wake(): void
  /** Returns `$feature/<key>` for each flag, and `$active_feature_flags`. Callers share the object and must not modify it. */
  eventProperties(): Readonly<Record<string, unknown>>
  /**
   * Call it when `identity()` has changed. Discards responses in flight and loads the flags again. For another person, the
   * stored flags of that person replace the current ones, and listeners are told.
   *
   * @param source Undefined for a change by a call on this page. `tab`: a change in another tab. `store`: the stored identity was
   *   read after the start, and bootstrapped flags belong to that person. With a source, a call for the same user does nothing.
   */
  identityChanged(source?: 'tab' | 'store'): void
  /** Call it for a new person: clears flags, properties and reported reads, tells listeners, then loads. `bootstrap` is for the new person. */
  reset(bootstrap?: FlagsOptions['bootstrap']): void
  /** Returns the body compressions that the service supports; undefined while unknown. */
  supportedCompression(): readonly string[] | undefined
}

/** Returns the user's first id. It survives `identify()` and changes with `reset()`. */
const getOwner = (subject: FlagSubject): string => subject.$anon_distinct_id ?? subject.distinct_id

export const createFlags = (options: FlagsOptions, ports: FlagsPorts): Flags => {
  const snapshots = createSnapshotStore(ports)
  const { current, update } = snapshots
  const listeners = new Set<() => void>()
  let { bootstrap } = options
  /** A new object with each change: a response for an older object is discarded. */
  let subject = ports.identity()

  const publish = (changes: FlagSnapshot): void => {
    update(changes)
    listeners.forEach((notifyListener) => notifyListener())
  }
  const loader = createFlagLoader(options, ports, snapshots, () => subject, publish)
  const { getFlags, status } = loader
  const readVerbs = createReadVerbs(getFlags, createUserCalledReporter(ports, snapshots, loader))

  /** Loads what is stored and bootstrapped for the user. */
  const restore = (): void => {
    loader.forgetUser()
    snapshots.load(getOwner(subject), bootstrap)
  }

  const notify = (listener: FlagsListener): void =>
    callSafely(ports.logger, 'listener', () =>
      listener(readVerbs.getFeatureFlags(), {
        errorsLoading: status.isStopped || ports.isOptedOut() || status.errors.length > 0,
        isStale: !status.hasResponse,
      }),
    )

  const flags: Flags = {
    verbs: {
      ...readVerbs,
      ...createPropertyVerbs(snapshots, loader.loadChanges),
      onFeatureFlags(listener) {
        const notifyListener = (): void => callHook(listener, () => notify(listener))
        listeners.add(notifyListener)
        if (getFlags()) notifyListener()
        return () => listeners.delete(notifyListener)
      },
      async reloadFeatureFlags(listener) {
        await loader.reload()
        if (listener) notify(listener)
      },
    },
    start() {
      // Definitions are loaded at once: a page that evaluates flags itself waits for them.
      const begin = getFlags() && !ports.local ? ports.whenAtRest : atOnce
      const cancel = options.preloadFeatureFlags === false ? noop : begin(loader.loadChanges)
      return () => {
        cancel()
        loader.stop()
        update({ called: [] })
      }
    },
    wake: loader.wake,
    eventProperties: createEventProperties(getFlags, readVerbs),
    identityChanged(source) {
      const previousSubject = subject
      const newSubject = ports.identity()
      const isSame = haveSameJson(newSubject, previousSubject)
      if (source && isSame) return
      subject = newSubject
      if (getOwner(newSubject) !== getOwner(previousSubject)) {
        if (source !== 'store') bootstrap = undefined
        restore()
        publish({})
      } else if (newSubject.distinct_id !== previousSubject.distinct_id) update({ called: [] })
      loader.restart(!isSame)
    },
    reset(newBootstrap) {
      subject = ports.identity()
      bootstrap = newBootstrap
      restore()
      publish({})
      // While opted out, no later write would replace the stored flags.
      ports.storage.remove(SNAPSHOT_KEY)
      loader.restart(true)
    },
    supportedCompression() {
      const compressions = current().config?.supportedCompression
      return Array.isArray(compressions) ? compressions : undefined
    },
  }
  restore()
  return flags
}
