import { describe, expect, it } from 'vitest'
import { createStateKeeper, type StateKeeper } from '../../src/capture/state-keeper.ts'
import { freshState, parseState, type State } from '../../src/capture/state.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'

const NOW = Date.UTC(2026, 0, 1)
let ids = 0

const keeper = (
  storage: KeyValue = memoryKeyValue(),
  isOptedOut = false,
): { state: StateKeeper; persisted: State[]; stored: () => State | undefined } => {
  const persisted: State[] = []
  const state = createStateKeeper(storage, {
    key: 'k',
    newId: () => `id ${++ids}`,
    startedAt: NOW,
    isOptedOut,
    persist: (json) => persisted.push(parseState(json)!),
  })
  return { state, persisted, stored: () => parseState(storage.get('k')) }
}

const identify =
  (distinctId: string) =>
  (state: State): State => ({ ...state, distinctId })

describe('the state', () => {
  it('starts with one fresh id, and with the stored copy when there is one', () => {
    const storage = memoryKeyValue()
    const { state } = keeper(storage)
    const { distinctId, anonymousId, deviceId, isIdentified } = state.current()
    expect([anonymousId, deviceId, isIdentified]).toEqual([distinctId, distinctId, false])
    state.change(identify('user-1'))
    expect(keeper(storage).state.current()).toMatchObject({ distinctId: 'user-1', anonymousId })
  })

  it('starts opted out when asked to, but keeps a stored consent', () => {
    const storage = memoryKeyValue()
    const { state } = keeper(storage, true)
    expect(state.current().isOptedOut).toBe(true)
    state.change((current) => ({ ...current, isOptedOut: false }))
    expect(keeper(storage, true).state.current().isOptedOut).toBe(false)
  })

  it('is written to the synchronous copy at once, to the durable one only after that was compared', () => {
    const { state, persisted, stored } = keeper()
    state.change(identify('user-1'))
    expect(stored()!.distinctId).toBe('user-1')
    expect(persisted).toEqual([])
    state.reconcile(undefined)
    expect(persisted.map(({ distinctId }) => distinctId)).toEqual(['user-1'])
    state.change(identify('user-2'))
    expect(persisted.map(({ revision }) => revision)).toEqual([2, 3])
  })

  it('is changed on top of what another tab has written', () => {
    const storage = memoryKeyValue()
    const [one, other] = [keeper(storage).state, keeper(storage).state]
    one.reconcile(undefined)
    other.reconcile(undefined)
    one.change(identify('user-1'))
    other.change((state) => ({ ...state, superProperties: { plan: 'pro' } }))
    expect(other.current()).toMatchObject({ distinctId: 'user-1', superProperties: { plan: 'pro' } })
    one.refresh()
    expect(one.current()).toEqual(other.current())
  })

  it('of an idle tab never overwrites a newer one with its activity', () => {
    const storage = memoryKeyValue()
    const [one, other] = [keeper(storage).state, keeper(storage).state]
    one.reconcile(undefined)
    other.reconcile(undefined)
    other.saveSession(other.sessionAt(NOW))
    one.change(identify('user-1'))
    other.saveSession(other.sessionAt(NOW + 60_000))
    expect(parseState(storage.get('k'))!.distinctId).toBe('user-1')
  })

  it('goes on in memory when nothing can be stored', () => {
    const { state } = keeper({ get: () => null, set: () => false, remove: () => {} })
    state.change(identify('user-1'))
    state.refresh()
    expect(state.current().distinctId).toBe('user-1')
  })
})

describe('the activity of a session', () => {
  it('is written at once for a new session, then at most every five seconds', () => {
    let writes = 0
    const values = memoryKeyValue()
    const { state } = keeper({ ...values, set: (key, value) => !!++writes && values.set(key, value) })
    for (let ms = 0; ms < 10_000; ms += 100) state.saveSession(state.sessionAt(NOW + ms))
    expect(writes).toBe(2)
    expect(state.current().session!.activeAt).toBe(NOW + 9_900)
  })

  it('is not written while opted out', () => {
    const { state, stored } = keeper(memoryKeyValue(), true)
    const { id } = state.sessionAt(NOW)
    state.saveSession({ id, startedAt: NOW, activeAt: NOW })
    expect(stored()).toBeUndefined()
    expect(state.sessionAt(NOW + 1).id).toBe(id)
  })
})

describe('the durable copy', () => {
  it('that is newer wins, and tells what to exchange', () => {
    const { state, persisted } = keeper()
    const { distinctId } = state.current()
    const durable = { ...freshState('durable', false), revision: 9, distinctId: 'user-1' }
    const found = state.reconcile(durable)
    expect([found?.base.distinctId, found?.stored.distinctId]).toEqual([distinctId, 'user-1'])
    expect(state.current()).toEqual({ ...durable, session: undefined })
    expect(persisted.at(-1)!.distinctId).toBe('user-1')
  })

  it('that is older is brought up to date', () => {
    const storage = memoryKeyValue()
    const durable = keeper(storage).state.current()
    const { state, persisted } = keeper(storage)
    state.change(identify('user-1'))
    expect(state.reconcile(durable)).toBeUndefined()
    expect(persisted.at(-1)!.distinctId).toBe('user-1')
    const again = keeper(storage)
    expect(again.state.reconcile(durable)).toBeUndefined()
    expect(again.persisted.at(-1)!.distinctId).toBe('user-1')
  })

  it('continues its session when that had not ended, and gives way to a new one when it had', () => {
    const session = { id: 'durable session', startedAt: NOW - 60_000, activeAt: NOW - 60_000 }
    const durable = { ...freshState('durable', false), revision: 9, session }
    const running = keeper().state
    running.saveSession(running.sessionAt(NOW))
    running.reconcile(durable)
    expect(running.sessionAt(NOW).id).toBe('durable session')
    const late = keeper().state
    const { id } = late.sessionAt(NOW + 3_600_000)
    late.saveSession({ id, startedAt: NOW + 3_600_000, activeAt: NOW + 3_600_000 })
    late.reconcile(durable)
    expect(late.sessionAt(NOW + 3_600_000).id).toBe(id)
  })
})
