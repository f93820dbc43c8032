import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStateStore } from '../../src/capture/state-store.ts'
import type { Replay, StateStore } from '../../src/capture/state-store.ts'
import { createInitialState, parseState, STATE_STORAGE_KEY } from '../../src/capture/state.ts'
import type { State } from '../../src/capture/state.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'

const NOW = Date.UTC(2026, 0, 1)
let ids = 0

const createFixture = (
  storage: KeyValue = createMemoryKeyValue(),
  isOptedOut = false,
  onRefresh: () => void = () => {},
): { state: StateStore; persisted: State[]; stored: () => State | undefined } => {
  const persisted: State[] = []
  const state = createStateStore(
    storage,
    { sessionIdleTimeoutSeconds: 1_800, createState: () => createInitialState(`id ${++ids}`, isOptedOut) },
    () => ({ id: `id ${++ids}` }),
    (json) => persisted.push(parseState(json)!),
    onRefresh,
  )
  return { state, persisted, stored: () => parseState(storage.get(STATE_STORAGE_KEY)) }
}

const identify =
  (distinctId: string) =>
  (state: State): State => ({ ...state, distinctId })

describe('the state', () => {
  it('starts with a new id, or with the stored copy', () => {
    const storage = createMemoryKeyValue()
    const { state } = createFixture(storage)
    const { distinctId, anonymousId, deviceId, isIdentified } = state.current()
    expect([anonymousId, deviceId, isIdentified]).toEqual([distinctId, distinctId, false])
    state.change(identify('user-1'))
    expect(createFixture(storage).state.current()).toMatchObject({ distinctId: 'user-1', anonymousId })
  })

  it('starts opted out when createState says so, but keeps a stored consent', () => {
    const storage = createMemoryKeyValue()
    const { state } = createFixture(storage, true)
    expect(state.current().isOptedOut).toBe(true)
    state.change((current) => ({ ...current, isOptedOut: false }), true)
    expect(createFixture(storage, true).state.current().isOptedOut).toBe(false)
  })

  it('writes the synchronous copy at once, and the durable copy after reconciling', () => {
    const { state, persisted, stored } = createFixture()
    state.change(identify('user-1'))
    expect(stored()!.distinctId).toBe('user-1')
    expect(persisted).toEqual([])
    state.reconcile(undefined)
    expect(persisted.map(({ distinctId }) => distinctId)).toEqual(['user-1'])
    state.change(identify('user-2'))
    expect(persisted.map(({ revision }) => revision)).toEqual([2, 3])
  })

  it("applies a change on top of another tab's state", () => {
    const storage = createMemoryKeyValue()
    const [first, second] = [createFixture(storage).state, createFixture(storage).state]
    first.reconcile(undefined)
    second.reconcile(undefined)
    first.change(identify('user-1'))
    second.change((state) => ({ ...state, superProperties: { plan: 'pro' } }))
    expect(second.current()).toMatchObject({ distinctId: 'user-1', superProperties: { plan: 'pro' } })
    first.refresh()
    expect(first.current()).toEqual(second.current())
  })

  it('never overwrites a newer state with the activity of an idle tab', () => {
    const storage = createMemoryKeyValue()
    const [first, second] = [createFixture(storage).state, createFixture(storage).state]
    first.reconcile(undefined)
    second.reconcile(undefined)
    second.saveSession(second.sessionAt(NOW))
    first.change(identify('user-1'))
    second.saveSession(second.sessionAt(NOW + 60_000))
    expect(parseState(storage.get(STATE_STORAGE_KEY))!.distinctId).toBe('user-1')
  })

  it('works in memory when nothing can be stored', () => {
    const { state } = createFixture({ get: () => null, set: () => false, remove: () => {} })
    state.change(identify('user-1'))
    state.refresh()
    expect(state.current().distinctId).toBe('user-1')
  })
})

describe('a change by another tab without a notification', () => {
  it('is read before an event, at most every five seconds, and reported', () => {
    let reads = 0
    let refreshes = 0
    const values = createMemoryKeyValue()
    const { state } = createFixture({ ...values, get: (key) => (reads++, values.get(key)) }, false, () => refreshes++)
    state.reconcile(undefined)
    state.saveSession(state.sessionAt(NOW))
    const otherTab = createFixture(values).state
    otherTab.reconcile(undefined)
    otherTab.change(identify('user-1'), true)
    reads = 0
    state.sessionAt(NOW + 4_999)
    expect([reads, refreshes]).toEqual([0, 0])
    state.sessionAt(NOW + 5_000)
    expect([reads, refreshes, state.current().distinctId]).toEqual([1, 1, 'user-1'])
  })

  it('rebuilds no events', () => {
    const storage = createMemoryKeyValue()
    const { state } = createFixture(storage)
    let rebuilds = 0
    state.saveSession({ id: 's', startedAt: NOW, activeAt: NOW }, () => rebuilds++)
    state.change((current) => ({ ...current, isOptedOut: true }), true)
    const otherTab = createFixture(storage).state
    otherTab.change((current) => ({ ...current, isOptedOut: false }), true)
    state.saveSession({ id: 's', startedAt: NOW, activeAt: NOW }, () => rebuilds++)
    otherTab.change(identify('user-1'), true)
    state.refresh()
    expect([state.current().distinctId, rebuilds]).toEqual(['user-1', 0])
  })
})

describe('while the user has opted out', () => {
  const register =
    (plan: string) =>
    (state: State): State => ({ ...state, superProperties: { plan } })
  const setOptedOut =
    (isOptedOut: boolean) =>
    (state: State): State => ({ ...state, isOptedOut })

  it('keeps changes in memory, except consent and identity', () => {
    const { state, persisted, stored } = createFixture()
    state.reconcile(undefined)
    state.change(setOptedOut(true), true)
    const { length: persistedCount } = persisted
    const writtenState = stored()
    state.change(register('pro'))
    state.saveSession(state.sessionAt(NOW))
    expect([stored(), persisted.length]).toEqual([writtenState, persistedCount])
    expect(state.current().superProperties).toEqual({ plan: 'pro' })
    state.change(identify('user-1'), true)
    expect(stored()).toMatchObject({ distinctId: 'user-1', isOptedOut: true })
  })

  it("applies changes on top of another tab's state and stores them after opt-in", () => {
    const storage = createMemoryKeyValue()
    const [first, second] = [createFixture(storage).state, createFixture(storage).state]
    for (const { reconcile } of [first, second]) reconcile(undefined)
    first.change(setOptedOut(true), true)
    second.refresh()
    first.change(register('pro'))
    second.change(identify('user-1'), true)
    first.refresh()
    expect(first.current()).toMatchObject({ distinctId: 'user-1', superProperties: { plan: 'pro' } })
    first.change(setOptedOut(false), true)
    expect(parseState(storage.get(STATE_STORAGE_KEY))).toMatchObject({
      distinctId: 'user-1',
      superProperties: { plan: 'pro' },
    })
  })

  it('keeps the newest 1,000 changes', () => {
    const storage = createMemoryKeyValue()
    const { state } = createFixture(storage, true)
    state.reconcile(undefined)
    let replays = 0
    for (let change = 0; change < 3_000; change++) state.change((current) => (replays++, current))
    replays = 0
    const otherTab = createFixture(storage, true).state
    otherTab.reconcile(undefined)
    otherTab.change(identify('user-1'), true)
    state.refresh()
    expect([state.current().distinctId, replays]).toEqual(['user-1', 1_000])
  })

  it('writes no changes when it reconciles with the durable copy', () => {
    const { state, persisted, stored } = createFixture()
    state.change(setOptedOut(true), true)
    const writtenState = stored()
    state.change(register('pro'))
    state.reconcile(undefined)
    expect([stored(), persisted]).toEqual([writtenState, []])
  })
})

describe('the activity of a session', () => {
  it('is written at once for a new session, then at most every five seconds', () => {
    let writes = 0
    const values = createMemoryKeyValue()
    const { state } = createFixture({ ...values, set: (key, value) => !!++writes && values.set(key, value) })
    for (let ms = 0; ms < 10_000; ms += 100) state.saveSession(state.sessionAt(NOW + ms))
    expect(writes).toBe(2)
    expect(state.current().session!.activeAt).toBe(NOW + 9_900)
  })

  it('is not written while opted out', () => {
    const { state, stored } = createFixture(createMemoryKeyValue(), true)
    const { id } = state.sessionAt(NOW)
    state.saveSession({ id, startedAt: NOW, activeAt: NOW })
    expect(stored()).toBeUndefined()
    expect(state.sessionAt(NOW + 1).id).toBe(id)
  })
})

describe('the durable copy', () => {
  const durable: State = {
    ...createInitialState('durable', false),
    revision: 9,
    distinctId: 'user-1',
    isIdentified: true,
    superProperties: { plan: 'pro', color: 'red' },
    groups: { company: 'acme' },
  }

  it('replaces an older state, and reports both distinct ids', () => {
    const { state, persisted } = createFixture()
    const { distinctId } = state.current()
    expect(state.reconcile(durable)).toEqual({ provisionalId: distinctId, storedId: 'user-1', events: new Map() })
    expect(state.current()).toEqual(durable)
    expect(persisted).toEqual([durable])
  })

  it('receives the changes of this page, in order, when it is newer', () => {
    const { state } = createFixture()
    state.change((current) => ({ ...current, superProperties: { ...current.superProperties, color: 'blue' } }))
    state.change((current) => ({ ...current, groups: { ...current.groups, team: 'x' } }))
    state.reconcile(durable)
    expect(state.current()).toEqual({
      ...durable,
      revision: 11,
      superProperties: { plan: 'pro', color: 'blue' },
      groups: { company: 'acme', team: 'x' },
    })
  })

  it('keeps its device id after an identify, an opt-out or a reset of this page', () => {
    const { state } = createFixture()
    state.change(identify('user-2'), true)
    state.change((current) => ({ ...current, isOptedOut: true }), true)
    state.reconcile(durable)
    expect(state.current()).toMatchObject({ distinctId: 'user-2', anonymousId: 'durable', isOptedOut: true })
    const otherTab = createFixture().state
    otherTab.change(
      (current) => ({ ...createInitialState('new', current.isOptedOut), deviceId: current.deviceId }),
      true,
    )
    otherTab.reconcile({ ...durable, isOptedOut: true })
    expect(otherTab.current()).toEqual({ ...createInitialState('new', true), deviceId: 'durable', revision: 10 })
  })

  it('makes the page rebuild its events, each with the state of its time', () => {
    const { state } = createFixture()
    const rebuild =
      (name: string) =>
      (current: State, { events }: Replay): void =>
        void events.set(name, current.isOptedOut ? undefined : `${current.distinctId} ${current.session!.id}`)
    state.saveSession(state.sessionAt(NOW), rebuild('first'))
    state.change(identify('user-2'), true)
    state.saveSession(state.sessionAt(NOW), rebuild('second'))
    state.change((current) => ({ ...current, isOptedOut: true }), true)
    state.saveSession(state.sessionAt(NOW), rebuild('third'))
    const session = { id: 'durable session', startedAt: NOW - 60_000, activeAt: NOW - 60_000 }
    const { events } = state.reconcile({ ...durable, session })!
    expect(['first', 'second', 'third'].map((name) => events.get(name))).toEqual([
      'user-1 durable session',
      'user-2 durable session',
      undefined,
    ])
    expect(state.isProvisional()).toBe(false)
  })

  it('gives the same state as if it had been read at the start', () => {
    const updates: Record<string, (current: State) => State> = {
      identify: identify('user-2'),
      reset: (current) => ({ ...createInitialState('new', current.isOptedOut), deviceId: current.deviceId }),
      register: (current) => ({ ...current, superProperties: { ...current.superProperties, color: 'blue', size: 1 } }),
      unregister: ({ superProperties: { color: _removed, ...superProperties }, ...current }) => ({
        ...current,
        superProperties,
      }),
      group: (current) => ({ ...current, hasProfile: true, groups: { ...current.groups, company: 'other' } }),
      optOut: (current) => ({ ...current, isOptedOut: true }),
      optIn: (current) => ({ ...current, isOptedOut: false }),
      resetSession: (current) => ({ ...current, session: undefined }),
    }
    const play = (state: StateStore, steps: readonly string[]): void => {
      for (const [index, step] of steps.entries()) {
        const update = updates[step]
        if (update) state.change(update, /identify|reset$|opt/.test(step))
        else
          state.saveSession({ ...state.sessionAt(NOW + index), id: state.current().session?.id ?? `session ${index}` })
      }
    }
    assert(
      property(array(constantFrom('capture', ...Object.keys(updates)), { maxLength: 12 }), (steps) => {
        const lateTab = createFixture().state
        play(lateTab, steps)
        lateTab.reconcile(durable)
        const storage = createMemoryKeyValue()
        storage.set(STATE_STORAGE_KEY, JSON.stringify(durable))
        const earlyTab = createFixture(storage).state
        earlyTab.reconcile(durable)
        play(earlyTab, steps)
        expect({ ...lateTab.current(), revision: 0 }).toEqual({ ...earlyTab.current(), revision: 0 })
        expect(lateTab.current().revision).toBeGreaterThanOrEqual(durable.revision)
      }),
    )
  })

  it('keeps the session properties when its session continues', () => {
    const { state } = createFixture()
    const session = state.sessionAt(NOW)
    state.saveSession(session)
    state.setSessionProperties(session.id, { $screen_name: 'Home' })
    state.reconcile({ ...durable, session: { id: 'durable session', startedAt: NOW, activeAt: NOW } })
    expect(state.sessionProperties('durable session')).toEqual({ $screen_name: 'Home' })
    expect(state.sessionProperties('next session')).toEqual({})
  })

  it('is overwritten when it is older', () => {
    const storage = createMemoryKeyValue()
    const older = createFixture(storage).state.current()
    const { state, persisted } = createFixture(storage)
    state.change(identify('user-1'))
    expect(state.reconcile(older)).toBeUndefined()
    expect(persisted.at(-1)!.distinctId).toBe('user-1')
    const secondFixture = createFixture(storage)
    expect(secondFixture.state.reconcile(older)).toBeUndefined()
    expect(secondFixture.persisted.at(-1)!.distinctId).toBe('user-1')
  })

  it('continues its session, unless that session had ended', () => {
    const session = { id: 'durable session', startedAt: NOW - 60_000, activeAt: NOW - 60_000 }
    const durable = { ...createInitialState('durable', false), revision: 9, session }
    const active = createFixture().state
    active.saveSession(active.sessionAt(NOW))
    active.reconcile(durable)
    expect(active.sessionAt(NOW).id).toBe('durable session')
    const lateTab = createFixture().state
    const { id } = lateTab.sessionAt(NOW + 3_600_000)
    lateTab.saveSession({ id, startedAt: NOW + 3_600_000, activeAt: NOW + 3_600_000 })
    lateTab.reconcile(durable)
    expect(lateTab.sessionAt(NOW + 3_600_000).id).toBe(id)
  })
})
