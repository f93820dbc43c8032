import type { KeyValue } from '../port/key-value.ts'
import { continueSession, type Session } from './session.ts'
import { freshState, isNewer, isReset, parseState, rebase, type State } from './state.ts'

/** Activity alone is written to storage at most once in so many milliseconds: a capture must not cost a storage write. */
const ACTIVITY_WRITE_MS = 5_000

/** Holds the state of this page, reads and writes its synchronous copy, and hands every change to the event store. */
export interface StateKeeper {
  current(): State
  /** Applies a change on top of what other tabs have written meanwhile; both copies are written. */
  change(update: (state: State) => State): void
  /** The session that an event at `now` belongs to; nothing is written. */
  sessionAt(now: number): Session
  /** Makes `session` the current one; written at once when it is new, its activity now and then, nothing while opted out. */
  saveSession(session: Session): void
  /**
   * Compares with the event store's copy. When that one is newer (the synchronous copy was lost or is behind), it wins, and the answer
   * tells what this page's events have to exchange; otherwise the store's copy is brought up to date.
   */
  reconcile(stored: State | undefined): { readonly base: State; readonly stored: State } | undefined
  /** Reads the synchronous copy again: another tab has changed it. */
  refresh(): void
}

export interface StateKeeperOptions {
  readonly key: string
  readonly newId: (now: number) => string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** What a user who was never seen before starts with. */
  readonly isOptedOut: boolean
  /** Puts the durable copy into this turn's transaction. */
  readonly persist: (json: string) => void
}

export function createStateKeeper(storage: KeyValue, options: StateKeeperOptions): StateKeeper {
  const { key, newId } = options
  const base = parseState(storage.get(key)) ?? freshState(newId(options.startedAt), options.isOptedOut)
  let state = base
  let activityWrittenAt = 0
  // Until the durable copy has been compared it may be the better one: nothing overwrites it.
  let isReconciled = false

  function save(): void {
    // Who has never agreed to anything is not remembered.
    if (state.isOptedOut && state.revision === 1) return
    const json = JSON.stringify(state)
    storage.set(key, json)
    if (isReconciled) options.persist(json)
  }

  function refresh(): void {
    const other = parseState(storage.get(key))
    if (other && (isReconciled ? isNewer(other, state) : other.revision > state.revision)) state = other
  }

  return {
    current: () => state,
    change(update) {
      refresh()
      state = { ...update(state), revision: state.revision + 1 }
      save()
    },
    sessionAt(now) {
      const session = continueSession(state.session, now, newId)
      if (session.id === state.session?.id) return session
      // Another tab may have kept the session going, or have begun the next one.
      refresh()
      return continueSession(state.session, now, newId)
    },
    saveSession(session) {
      const isNew = session.id !== state.session?.id
      state = { ...state, session }
      if (state.isOptedOut || (!isNew && session.activeAt - activityWrittenAt < ACTIVITY_WRITE_MS)) return
      activityWrittenAt = session.activeAt
      refresh()
      save()
    },
    reconcile(stored) {
      isReconciled = true
      if (!stored || !isNewer(stored, base)) {
        save()
        return undefined
      }
      const { session } = state
      const goesOn =
        stored.session &&
        (!session || continueSession(stored.session, session.startedAt, newId).id === stored.session.id)
      const adopted = { ...stored, session: goesOn ? stored.session : session }
      const bare = isReset(base, state) && { superProperties: {}, groups: {} }
      state = rebase(adopted, base, state)
      save()
      return { base: { ...base, session }, stored: { ...adopted, ...bare } }
    },
    refresh,
  }
}
