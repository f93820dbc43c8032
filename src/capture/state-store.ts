import type { KeyValue } from '../port/key-value.ts'
import { stringify } from '../lib/stringify.ts'
import { continueSession } from './session.ts'
import type { CreateSession, Session } from './session.ts'
import { isNewer, parseState, STATE_STORAGE_KEY } from './state.ts'
import type { State } from './state.ts'

/**
 * Minimum time between two writes of session activity, and between two reads of what other tabs have written. A capture must not access the
 * storage each time.
 */
const ACTIVITY_INTERVAL_MS = 5_000

/** Maximum changes of an opted-out user to keep in memory, to apply them again after `optIn()`. */
const MAX_PENDING_CHANGES = 1_000

/** The events that this page captured before it had read the durable copy of the state, built again for that copy. */
export interface Replay {
  /** The distinct id that this page used at first. */
  readonly provisionalId: string
  /** The distinct id of the durable copy. */
  readonly storedId: string
  /** Maps each event's first JSON to its JSON for the durable copy; undefined when the event is dropped now. */
  readonly events: Map<string, string | undefined>
}

type Change = (state: State, replay?: Replay) => State

/** Not by `reduce`, which Prototype.js before 1.7 replaces. */
const applyChanges = (changes: readonly Change[], state: State, replay?: Replay): State => {
  for (const change of changes) state = change(state, replay)
  return state
}

/**
 * Keeps the page's state and its two stored copies. The synchronous copy (localStorage or a cookie) is read at the start. The durable copy,
 * in the event store, is read later, and may be newer: the browser may have lost the synchronous copy.
 */
export interface StateStore {
  current(): State
  /**
   * Applies a change on top of what other tabs have written. Writes it to the synchronous copy, and to the durable copy once `reconcile` is
   * called. While the user has opted out, the change stays in this page's memory until `optIn()`.
   *
   * @param update A pure function: it runs again when a newer copy is found.
   * @param isIdentityChange The change is about the user's identity or consent; it is also written while opted out.
   */
  change(update: (state: State) => State, isIdentityChange?: boolean): void
  /** Returns the session of an event at `now`. At most every 5 s, first reads what other tabs have written. Writes nothing. */
  sessionAt(now: number): Session
  /**
   * Makes `session` the current one. Writes a new session at once, its activity at most every 5 s, and nothing while opted out.
   *
   * @param rebuild Builds the event of this call again when the durable copy is newer.
   */
  saveSession(session: Session, rebuild?: (state: State, replay: Replay) => void): void
  /** Properties for the events of one session. They are never stored. */
  sessionProperties(sessionId: string): Readonly<Record<string, unknown>>
  /** Replaces the properties for the events of one session. */
  setSessionProperties(sessionId: string, properties: Readonly<Record<string, unknown>>): void
  /** True until `reconcile` is called: the durable copy may be newer. */
  isProvisional(): boolean
  /**
   * Compares the state with the durable copy. When that copy is newer (the synchronous copy was lost or is older), replays this page's
   * changes on it and returns the rebuilt events. Otherwise updates it.
   */
  reconcile(durableState: State | undefined): Replay | undefined
  /** Adopts another tab's state when it is newer. Default: the synchronous copy, which is read again. */
  refresh(otherState?: State): void
}

export interface StateStoreOptions {
  /** Creates the state of a new user. */
  readonly createState: () => State
  /** A gap of this many seconds ends a session. */
  readonly sessionIdleTimeoutSeconds: number
}

/**
 * @param persist Adds the durable copy to the transaction of this event-loop turn.
 * @param onRefresh Called after another tab's state was adopted: the user may have changed.
 */
export const createStateStore = (
  storage: KeyValue,
  options: StateStoreOptions,
  newSession: CreateSession,
  persist: (json: string) => void,
  onRefresh: () => void,
): StateStore => {
  const sessionIdleMs = options.sessionIdleTimeoutSeconds * 1_000
  const firstState = parseState(storage.get(STATE_STORAGE_KEY)) ?? options.createState()
  let state = firstState
  // A new session that is not saved yet, because only its id was read, or its event was dropped.
  let unsavedSession: Session | undefined
  let activityAt = 0
  // Until the durable copy has been compared, it may be the newer one: nothing overwrites it.
  let isProvisional = true
  // This page's changes that the stored copies may lack. While provisional: all changes of this page.
  let changes: Change[] = []
  // How many of these changes the synchronous copy has.
  let savedChangeCount = 0
  // The properties of one session's events, and the id of that session.
  let scopedProperties = { id: '', properties: {} }

  /** @param revisionStep 1 for a change that other copies must adopt, 0 for activity. */
  const save = (revisionStep: number): void => {
    state = { ...state, revision: state.revision + revisionStep }
    // Revision 1 is a new user without a change of consent or identity. One who is opted out from the start has never given consent, so
    // nothing is stored.
    if (state.isOptedOut && state.revision === 1) return
    const json = stringify(state)
    storage.set(STATE_STORAGE_KEY, json)
    if (isProvisional) savedChangeCount = changes.length
    else {
      changes = []
      savedChangeCount = 0
      persist(json)
    }
  }

  const refresh = (otherState = parseState(storage.get(STATE_STORAGE_KEY))): void => {
    // While provisional, later activity does not count: `reconcile` compares it, and also rebuilds this page's events.
    if (!otherState || !(isProvisional ? otherState.revision > state.revision : isNewer(otherState, state))) return
    state = applyChanges(changes.slice(savedChangeCount), otherState)
    onRefresh()
  }

  const store: StateStore = {
    current: () => state,
    change(update, isIdentityChange) {
      refresh()
      const updateOnly = (oldState: State): State => ({ ...update(oldState), revision: oldState.revision })
      state = updateOnly(state)
      changes.push(updateOnly)
      if (!isProvisional && changes.length > MAX_PENDING_CHANGES) changes.shift()
      if (isIdentityChange || !state.isOptedOut) save(1)
    },
    sessionAt(now) {
      // Another tab may have changed the user, continued the session, or started a new one.
      if (Math.abs(now - activityAt) >= ACTIVITY_INTERVAL_MS) refresh()
      return continueSession(
        state.session,
        now,
        sessionIdleMs,
        (at) => (unsavedSession = continueSession(unsavedSession, at, sessionIdleMs, newSession)),
      )
    },
    saveSession(session, rebuild) {
      const isNew = session.id !== state.session?.id
      unsavedSession = undefined
      // Only the user's first session sets `initial`; later it is kept, also as null.
      state = { initial: session.entry, ...state, session }
      if (isProvisional) {
        // Replayed on another copy, this activity continues that copy's session. If that session has ended, `session` starts there.
        changes.push((oldState, replay) => {
          const newState = {
            initial: session.entry,
            ...oldState,
            session: continueSession(oldState.session, session.activeAt, sessionIdleMs, () => session),
          }
          if (replay) rebuild?.(newState, replay)
          return newState
        })
      }
      if (state.isOptedOut || (!isNew && Math.abs(session.activeAt - activityAt) < ACTIVITY_INTERVAL_MS)) return
      activityAt = session.activeAt
      save(0)
    },
    sessionProperties: (id) => (id === scopedProperties.id ? scopedProperties.properties : {}),
    setSessionProperties(id, properties) {
      scopedProperties = { id, properties }
    },
    isProvisional: () => isProvisional,
    reconcile(durableState) {
      const replay: Replay | undefined =
        durableState && isNewer(durableState, firstState)
          ? { provisionalId: firstState.distinctId, storedId: durableState.distinctId, events: new Map() }
          : undefined
      const { revision, session } = state
      isProvisional = false
      if (durableState && replay) {
        state = applyChanges(changes, durableState, replay)
        // Adds this page's revisions, so that the result is newer than both copies.
        state = { ...state, revision: durableState.revision + revision - firstState.revision }
        // When the session continues under another id, its properties follow.
        if (session && scopedProperties.id === session.id && state.session) scopedProperties.id = state.session.id
      }
      changes = changes.slice(savedChangeCount)
      savedChangeCount = 0
      // While opted out, pending changes must not be written.
      if (!state.isOptedOut || !changes.length) save(0)
      return replay
    },
    refresh,
  }
  return store
}
