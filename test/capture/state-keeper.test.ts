import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStateKeeper } from '../../src/capture/state-keeper.ts'
import type { Remade, StateKeeper } from '../../src/capture/state-keeper.ts'
import { freshState, parseState } from '../../src/capture/state.ts'
import type { State } from '../../src/capture/state.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'

const NOW = Date.UTC(2026, 0, 1)
let ids = 0

const keeper = (
  storage: KeyValue = memoryKeyValue(),
  isOptedOut = false,
  onRefresh: () => void = () => {},
): { state: StateKeeper; persisted: State[]; stored: () => State | undefined } => {
  const persisted: State[] = []
  const state = createStateKeeper(storage, {
    key: 'k',
    newSession: () => ({ id: `id ${++ids}` }),
    idleMs: 30 * 60_000,
    fresh: () => freshState(`id ${++ids}`, isOptedOut),
    persist: (json) => persisted.push(parseState(json)!),
    onRefresh,
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
    state.change((current) => ({ ...current, isOptedOut: false }), true)
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

describe('what another tab has written without a word', () => {
  it('is read before an event, at most every five seconds, and told', () => {
    let reads = 0
    let told = 0
    const values = memoryKeyValue()
    const { state } = keeper({ ...values, get: (key) => (reads++, values.get(key)) }, false, () => told++)
    state.reconcile(undefined)
    state.saveSession(state.sessionAt(NOW))
    const other = keeper(values).state
    other.reconcile(undefined)
    other.change(identify('user-1'), true)
    reads = 0
    state.sessionAt(NOW + 4_999)
    expect([reads, told]).toEqual([0, 0])
    state.sessionAt(NOW + 5_000)
    expect([reads, told, state.current().distinctId]).toEqual([1, 1, 'user-1'])
  })

  it('has no event made again: only the durable copy tells that one was made under the wrong state', () => {
    const storage = memoryKeyValue()
    const { state } = keeper(storage)
    let remakes = 0
    state.saveSession({ id: 's', startedAt: NOW, activeAt: NOW }, () => remakes++)
    state.change((known) => ({ ...known, isOptedOut: true }), true)
    const other = keeper(storage).state
    other.change((known) => ({ ...known, isOptedOut: false }), true)
    state.saveSession({ id: 's', startedAt: NOW, activeAt: NOW }, () => remakes++)
    other.change(identify('user-1'), true)
    state.refresh()
    expect([state.current().distinctId, remakes]).toEqual(['user-1', 0])
  })
})

describe('while the user has opted out', () => {
  const register =
    (plan: string) =>
    (state: State): State => ({ ...state, superProperties: { plan } })
  const optedOut =
    (isOptedOut: boolean) =>
    (state: State): State => ({ ...state, isOptedOut })

  it('changes stay in memory, but for consent and identity', () => {
    const { state, persisted, stored } = keeper()
    state.reconcile(undefined)
    state.change(optedOut(true), true)
    const { length } = persisted
    const written = stored()
    state.change(register('pro'))
    state.saveSession(state.sessionAt(NOW))
    expect([stored(), persisted.length]).toEqual([written, length])
    expect(state.current().superProperties).toEqual({ plan: 'pro' })
    state.change(identify('user-1'), true)
    expect(stored()).toMatchObject({ distinctId: 'user-1', isOptedOut: true })
  })

  it('changes are done again on top of what another tab writes, and stored when the user opts in', () => {
    const storage = memoryKeyValue()
    const [one, other] = [keeper(storage).state, keeper(storage).state]
    for (const { reconcile } of [one, other]) reconcile(undefined)
    one.change(optedOut(true), true)
    other.refresh()
    one.change(register('pro'))
    other.change(identify('user-1'), true)
    one.refresh()
    expect(one.current()).toMatchObject({ distinctId: 'user-1', superProperties: { plan: 'pro' } })
    one.change(optedOut(false), true)
    expect(parseState(storage.get('k'))).toMatchObject({ distinctId: 'user-1', superProperties: { plan: 'pro' } })
  })

  it('remembers the newest thousand changes', () => {
    const storage = memoryKeyValue()
    const { state } = keeper(storage, true)
    state.reconcile(undefined)
    let replays = 0
    for (let change = 0; change < 3_000; change++) state.change((known) => (replays++, known))
    replays = 0
    const other = keeper(storage, true).state
    other.reconcile(undefined)
    other.change(identify('user-1'), true)
    state.refresh()
    expect([state.current().distinctId, replays]).toEqual(['user-1', 1_000])
  })

  it('comparing with the durable copy writes none of them', () => {
    const { state, persisted, stored } = keeper()
    state.change(optedOut(true), true)
    const written = stored()
    state.change(register('pro'))
    state.reconcile(undefined)
    expect([stored(), persisted]).toEqual([written, []])
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
  const durable: State = {
    ...freshState('durable', false),
    revision: 9,
    distinctId: 'user-1',
    isIdentified: true,
    superProperties: { plan: 'pro', color: 'red' },
    groups: { company: 'acme' },
  }

  it('that is newer wins, and tells the id that this page took for the user', () => {
    const { state, persisted } = keeper()
    const { distinctId } = state.current()
    expect(state.reconcile(durable)).toEqual({ taken: distinctId, found: 'user-1', events: new Map() })
    expect(state.current()).toEqual(durable)
    expect(persisted).toEqual([durable])
  })

  it('has what this page did done again on top of it, in order', () => {
    const { state } = keeper()
    state.change((known) => ({ ...known, superProperties: { ...known.superProperties, color: 'blue' } }))
    state.change((known) => ({ ...known, groups: { ...known.groups, team: 'x' } }))
    state.reconcile(durable)
    expect(state.current()).toEqual({
      ...durable,
      revision: 11,
      superProperties: { plan: 'pro', color: 'blue' },
      groups: { company: 'acme', team: 'x' },
    })
  })

  it('gives way to an identity, a consent and a reset of this page, and keeps the device', () => {
    const { state } = keeper()
    state.change(identify('user-2'), true)
    state.change((known) => ({ ...known, isOptedOut: true }), true)
    state.reconcile(durable)
    expect(state.current()).toMatchObject({ distinctId: 'user-2', anonymousId: 'durable', isOptedOut: true })
    const other = keeper().state
    other.change((known) => ({ ...freshState('new', known.isOptedOut), deviceId: known.deviceId }), true)
    other.reconcile({ ...durable, isOptedOut: true })
    expect(other.current()).toEqual({ ...freshState('new', true), deviceId: 'durable', revision: 10 })
  })

  it('has the events of this page made again, each under the state of its moment', () => {
    const { state } = keeper()
    const remake =
      (name: string) =>
      (known: State, { events }: Remade): void =>
        void events.set(name, known.isOptedOut ? undefined : `${known.distinctId} ${known.session!.id}`)
    state.saveSession(state.sessionAt(NOW), remake('first'))
    state.change(identify('user-2'), true)
    state.saveSession(state.sessionAt(NOW), remake('second'))
    state.change((known) => ({ ...known, isOptedOut: true }), true)
    state.saveSession(state.sessionAt(NOW), remake('third'))
    const session = { id: 'durable session', startedAt: NOW - 60_000, activeAt: NOW - 60_000 }
    const { events } = state.reconcile({ ...durable, session })!
    expect(['first', 'second', 'third'].map((name) => events.get(name))).toEqual([
      'user-1 durable session',
      'user-2 durable session',
      undefined,
    ])
    expect(state.isHeld()).toBe(false)
  })

  it('leads to the same state as if it had been known from the start, whatever this page did', () => {
    const updates: Record<string, (known: State) => State> = {
      identify: identify('user-2'),
      reset: (known) => ({ ...freshState('new', known.isOptedOut), deviceId: known.deviceId }),
      register: (known) => ({ ...known, superProperties: { ...known.superProperties, color: 'blue', size: 1 } }),
      unregister: ({ superProperties: { color: _gone, ...superProperties }, ...known }) => ({
        ...known,
        superProperties,
      }),
      group: (known) => ({ ...known, hasProfile: true, groups: { ...known.groups, company: 'other' } }),
      optOut: (known) => ({ ...known, isOptedOut: true }),
      optIn: (known) => ({ ...known, isOptedOut: false }),
      resetSession: (known) => ({ ...known, session: undefined }),
    }
    const play = (state: StateKeeper, steps: readonly string[]): void => {
      for (const [at, step] of steps.entries()) {
        const update = updates[step]
        if (update) state.change(update, /identify|reset$|opt/.test(step))
        else state.saveSession({ ...state.sessionAt(NOW + at), id: state.current().session?.id ?? `session at ${at}` })
      }
    }
    assert(
      property(array(constantFrom('capture', ...Object.keys(updates)), { maxLength: 12 }), (steps) => {
        const late = keeper().state
        play(late, steps)
        late.reconcile(durable)
        const storage = memoryKeyValue()
        storage.set('k', JSON.stringify(durable))
        const known = keeper(storage).state
        known.reconcile(durable)
        play(known, steps)
        expect({ ...late.current(), revision: 0 }).toEqual({ ...known.current(), revision: 0 })
        expect(late.current().revision).toBeGreaterThanOrEqual(durable.revision)
      }),
    )
  })

  it('takes the properties of the session along when the session goes on', () => {
    const { state } = keeper()
    const session = state.sessionAt(NOW)
    state.saveSession(session)
    state.setSessionProperties(session.id, { $screen_name: 'Home' })
    state.reconcile({ ...durable, session: { id: 'durable session', startedAt: NOW, activeAt: NOW } })
    expect(state.sessionProperties('durable session')).toEqual({ $screen_name: 'Home' })
    expect(state.sessionProperties('next session')).toEqual({})
  })

  it('that is older is brought up to date', () => {
    const storage = memoryKeyValue()
    const older = keeper(storage).state.current()
    const { state, persisted } = keeper(storage)
    state.change(identify('user-1'))
    expect(state.reconcile(older)).toBeUndefined()
    expect(persisted.at(-1)!.distinctId).toBe('user-1')
    const again = keeper(storage)
    expect(again.state.reconcile(older)).toBeUndefined()
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
