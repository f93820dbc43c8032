import type { KeyValue } from '../port/key-value.ts'
import { continueSession } from './session.ts'
import type { CreateSession, Session } from './session.ts'
import { isNewer, parseState } from './state.ts'
import type { State } from './state.ts'

/**
 * Minimum time between two writes of session activity, and between two reads of what other tabs have written. A capture must not access the
 * storage each time.
 */
const ACTIVITY_MS = 5_000

/** Maximum changes of an opted-out user to keep in memory, to apply them again after `optIn()`. */
const MAX_LOGGED_CHANGES = 1_000

/** The events that this page captured before it had read the stored state, built again for that state. */
export interface Replay {
  /** The distinct id that this page used at first. */
  readonly provisionalId: string
  /** The distinct id of the stored state. */
  readonly storedId: string
  /** JSON of each event as first built, to its JSON for the stored state; undefined when the event is dropped now. */
  readonly events: Map<string, string | undefined>
}

/** Keeps the page's state, synchronises it with the copy in synchronous storage, and passes every change to the event store. */
export interface StateStore {
  current(): State
  /**
   * Applies a change on top of what other tabs have written, and writes both copies. While the user has opted out, the change stays in this
   * page's memory until `optIn()`.
   *
   * @param update A pure function: it runs again when a newer stored state is found.
   * @param isIdentity The change is about the user's identity or consent; it is also written while opted out.
   */
  change(update: (state: State) => State, isIdentity?: boolean): void
  /** Returns the session of an event at `now`. At most every 5 s, first reads what other tabs have written. Writes nothing. */
  sessionAt(now: number): Session
  /**
   * Makes `session` the current one. Writes a new session at once, its activity at most every 5 s, and nothing while opted out.
   *
   * @param rebuild Builds the event of this call again when a newer stored state is found.
   */
  saveSession(session: Session, rebuild?: (state: State, replay: Replay) => void): void
  /** Properties for the events of one session. They are never stored. */
  sessionProperties(sessionId: string): Readonly<Record<string, unknown>>
  /** Replaces the properties for the events of one session. */
  setSessionProperties(sessionId: string, properties: Readonly<Record<string, unknown>>): void
  /** True until `reconcile` was called: the event store may have a newer state. */
  isProvisional(): boolean
  /**
   * Compares the state with the event store's copy. When that copy is newer (the synchronous copy was lost or is older), replays this
   * page's changes on it and returns the rebuilt events. Otherwise updates the event store's copy.
   */
  reconcile(stored: State | undefined): Replay | undefined
  /** Adopts another tab's state when it is newer. Default: the synchronous copy, which is read again. */
  refresh(otherState?: State): void
}

export interface StateStoreOptions {
  readonly key: string
  readonly newSession: CreateSession
  /** Creates the state of a new user. */
  readonly createState: () => State
  /** A gap of this many milliseconds ends a session. */
  readonly idleMs: number
  /** Adds the durable copy to the transaction of this event-loop turn. */
  readonly persist: (json: string) => void
  /** Called after another tab's state was adopted: the user may have changed. */
  readonly onRefresh: () => void
}

export const createStateStore = (storage: KeyValue, options: StateStoreOptions): StateStore => {
  const { key, newSession, idleMs } = options
  const firstState = parseState(storage.get(key)) ?? options.createState()
  let state = firstState
  // A new session that is not saved yet: a hook that runs now may ask for its id, or its event was dropped.
  let unsavedSession: Session | undefined
  let activityAt = 0
  // Until the durable copy was compared, it may be the newer one: nothing overwrites it.
  let isProvisional = true
  // This page's changes that the stored copies may lack. While provisional: all changes of this page.
  let changes: ((state: State, replay?: Replay) => State)[] = []
  // How many of these changes the synchronous copy has.
  let savedChangeCount = 0
  let sessionScope = { id: '', properties: {} }

  /** @param revisionStep 1 for a change that other copies must adopt, 0 for activity. */
  const save = (revisionStep: number): void => {
    state = { ...state, revision: state.revision + revisionStep }
    // Nothing is stored for a user who has never given consent.
    if (state.isOptedOut && state.revision === 1) return
    const json = JSON.stringify(state)
    storage.set(key, json)
    if (isProvisional) savedChangeCount = changes.length
    else {
      changes = []
      savedChangeCount = 0
      options.persist(json)
    }
  }

  const refresh = (otherState = parseState(storage.get(key))): void => {
    if (!otherState || !(isProvisional ? otherState.revision > state.revision : isNewer(otherState, state))) return
    state = changes.slice(savedChangeCount).reduce((newState, update) => update(newState), otherState)
    options.onRefresh()
  }

  const store: StateStore = {
    current: () => state,
    change(update, isIdentity) {
      refresh()
      const updateOnly = (oldState: State): State => ({ ...update(oldState), revision: oldState.revision })
      state = updateOnly(state)
      changes.push(updateOnly)
      if (!isProvisional && changes.length > MAX_LOGGED_CHANGES) changes.shift()
      if (isIdentity || !state.isOptedOut) save(1)
    },
    sessionAt(now) {
      // Another tab may have changed the user, continued the session, or started a new one.
      if (Math.abs(now - activityAt) >= ACTIVITY_MS) refresh()
      return continueSession(
        state.session,
        now,
        idleMs,
        (at) => (unsavedSession = continueSession(unsavedSession, at, idleMs, newSession)),
      )
    },
    saveSession(session, rebuild) {
      const isNew = session.id !== state.session?.id
      unsavedSession = undefined
      state = { initial: session.entry, ...state, session }
      if (isProvisional) {
        changes.push((oldState, replay) => {
          const newState = {
            initial: session.entry,
            ...oldState,
            session: continueSession(oldState.session, session.activeAt, idleMs, () => session),
          }
          if (replay) rebuild?.(newState, replay)
          return newState
        })
      }
      if (state.isOptedOut || (!isNew && Math.abs(session.activeAt - activityAt) < ACTIVITY_MS)) return
      activityAt = session.activeAt
      save(0)
    },
    sessionProperties: (id) => (id === sessionScope.id ? sessionScope.properties : {}),
    setSessionProperties(id, properties) {
      sessionScope = { id, properties }
    },
    isProvisional: () => isProvisional,
    reconcile(stored) {
      const replay: Replay | undefined =
        stored && isNewer(stored, firstState)
          ? { provisionalId: firstState.distinctId, storedId: stored.distinctId, events: new Map() }
          : undefined
      const { revision, session } = state
      isProvisional = false
      if (stored && replay) {
        state = changes.reduce((newState, update) => update(newState, replay), stored)
        state = { ...state, revision: stored.revision + revision - firstState.revision }
        if (session && sessionScope.id === session.id && state.session) sessionScope.id = state.session.id
      }
      changes = changes.slice(savedChangeCount)
      savedChangeCount = 0
      if (!state.isOptedOut || !changes.length) save(0)
      return replay
    },
    refresh,
  }
  return store
}
