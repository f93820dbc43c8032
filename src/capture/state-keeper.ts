import type { KeyValue } from '../port/key-value.ts'
import { continueSession } from './session.ts'
import type { NewSession, Session } from './session.ts'
import { isNewer, parseState } from './state.ts'
import type { State } from './state.ts'

/**
 * Activity alone is written to storage, and what another tab may have written there without a word is read, at most once in so many
 * milliseconds: a capture must not cost a look into storage.
 */
const ACTIVITY_MS = 5_000

/** Most changes of a user who has opted out that are remembered for the time after `optIn()`. */
const LOG_MAX = 1_000

/** What this page did before the stored state was known, under that state. */
export interface Remade {
  /** The distinct id that this page took for the user's. */
  readonly taken: string
  /** The stored one. */
  readonly found: string
  /** The JSON of each event as it was made, and as it is (undefined: it is dropped). */
  readonly events: Map<string, string | undefined>
}

/** Holds the state of this page, reads and writes its synchronous copy, and hands every change to the event store. */
export interface StateKeeper {
  current(): State
  /**
   * Applies a change on top of what other tabs have written meanwhile; both copies are written. While the user has opted out, the change stays
   * in this page's memory until `optIn()`.
   *
   * @param update Pure: it is applied again when a newer stored state turns up.
   * @param isIdentity Written while opted out, too: who the user is, and consent (also when it is just withdrawn).
   */
  change(update: (state: State) => State, isIdentity?: boolean): void
  /** The session that an event at `now` belongs to, and now and then a look at what other tabs have written; nothing is written. */
  sessionAt(now: number): Session
  /**
   * Makes `session` the current one; written at once when it is new, its activity now and then, nothing while opted out.
   *
   * @param remake Makes the event of this moment again, should a newer stored state turn up.
   */
  saveSession(session: Session, remake?: (state: State, remade: Remade) => void): void
  /** Properties that go with the events of one session; they are never stored. */
  sessionProperties(sessionId: string): Readonly<Record<string, unknown>>
  /** Replaces them. */
  setSessionProperties(sessionId: string, properties: Readonly<Record<string, unknown>>): void
  /** True until the event store's copy was compared. */
  isHeld(): boolean
  /**
   * Compares with the event store's copy. When that one is newer (the synchronous copy was lost or is behind), what this page has done is
   * done again on top of it, and the answer has the events; otherwise the store's copy is brought up to date.
   */
  reconcile(stored: State | undefined): Remade | undefined
  /** Takes over what another tab has written, when it is newer. Default: the synchronous copy, which is read again. */
  refresh(other?: State): void
}

export interface StateKeeperOptions {
  readonly key: string
  readonly newSession: NewSession
  /** What a user who was never seen before starts with. */
  readonly fresh: () => State
  /** A gap of this many milliseconds ends a session. */
  readonly idleMs: number
  /** Puts the durable copy into this turn's transaction. */
  readonly persist: (json: string) => void
  /** Another tab's state was taken over: the user may be another one. */
  readonly onRefresh: () => void
}

export const createStateKeeper = (storage: KeyValue, options: StateKeeperOptions): StateKeeper => {
  const { key, newSession, idleMs } = options
  const base = parseState(storage.get(key)) ?? options.fresh()
  let state = base
  // Nothing of it was kept: its event is still with a hook, which may ask for its id, or was dropped.
  let begun: Session | undefined
  let activityAt = 0
  // Until the durable copy has been compared it may be the better one: nothing overwrites it.
  let isHeld = true
  // What this page has done and the stored copies may not know: while held, all of it.
  let log: ((state: State, remade?: Remade) => State)[] = []
  // How much of it the synchronous copy knows.
  let known = 0
  let scope = { id: '', properties: {} }

  /** @param step 1 when something changed that other copies must take over, 0 for activity. */
  const save = (step: number): void => {
    state = { ...state, revision: state.revision + step }
    // Who has never agreed to anything is not remembered.
    if (state.isOptedOut && state.revision === 1) return
    const json = JSON.stringify(state)
    storage.set(key, json)
    if (isHeld) known = log.length
    else {
      log = []
      known = 0
      options.persist(json)
    }
  }

  const refresh = (other = parseState(storage.get(key))): void => {
    if (!other || !(isHeld ? other.revision > state.revision : isNewer(other, state))) return
    state = log.slice(known).reduce((next, update) => update(next), other)
    options.onRefresh()
  }

  const keeper: StateKeeper = {
    current: () => state,
    change(update, isIdentity) {
      refresh()
      const keepRevision = (known: State): State => ({ ...update(known), revision: known.revision })
      state = keepRevision(state)
      log.push(keepRevision)
      if (!isHeld && log.length > LOG_MAX) log.shift()
      if (isIdentity || !state.isOptedOut) save(1)
    },
    sessionAt(now) {
      // Another tab may have changed the user, have kept the session going, or have begun the next one.
      if (Math.abs(now - activityAt) >= ACTIVITY_MS) refresh()
      return continueSession(
        state.session,
        now,
        idleMs,
        (at) => (begun = continueSession(begun, at, idleMs, newSession)),
      )
    },
    saveSession(session, remake) {
      const isNew = session.id !== state.session?.id
      begun = undefined
      state = { initial: session.entry, ...state, session }
      if (isHeld) {
        log.push((earlier, remade) => {
          const next = {
            initial: session.entry,
            ...earlier,
            session: continueSession(earlier.session, session.activeAt, idleMs, () => session),
          }
          if (remade) remake?.(next, remade)
          return next
        })
      }
      if (state.isOptedOut || (!isNew && Math.abs(session.activeAt - activityAt) < ACTIVITY_MS)) return
      activityAt = session.activeAt
      save(0)
    },
    sessionProperties: (id) => (id === scope.id ? scope.properties : {}),
    setSessionProperties(id, properties) {
      scope = { id, properties }
    },
    isHeld: () => isHeld,
    reconcile(stored) {
      const remade: Remade | undefined =
        stored && isNewer(stored, base)
          ? { taken: base.distinctId, found: stored.distinctId, events: new Map() }
          : undefined
      const { revision, session } = state
      isHeld = false
      if (stored && remade) {
        state = log.reduce((next, update) => update(next, remade), stored)
        state = { ...state, revision: stored.revision + revision - base.revision }
        if (session && scope.id === session.id && state.session) scope.id = state.session.id
      }
      log = log.slice(known)
      known = 0
      if (!state.isOptedOut || !log.length) save(0)
      return remade
    },
    refresh,
  }
  return keeper
}
