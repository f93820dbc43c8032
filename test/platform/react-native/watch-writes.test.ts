import { expect, it } from 'vitest'
import { createWriteWatch } from '../../../src/platform/react-native/watch-writes.ts'
import type { EventStore } from '../../../src/port/event-store.ts'

const createStore = (write: EventStore['write']): EventStore => ({
  write,
  update: (_key, change) => write(change(undefined)),
  read: async () => [['e/1', 'one']],
  keys: async () => ['e/1'],
  close: () => undefined,
})

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('tells when an event was written', async () => {
  const { watch, whenDecided } = createWriteWatch()
  const written: string[] = []
  for (const id of ['a', 'b']) void whenDecided(id).then(() => written.push(id))
  const store = watch(createStore(async () => undefined))
  await store.write([['e/0', undefined]])
  await nextTurn()
  expect(written).toEqual([])
  await store.write([['e/1', '{"uuid":"a"}']])
  await nextTurn()
  expect(written).toEqual(['a'])
})

it('tells when an event was written by an update', async () => {
  const { watch, whenDecided } = createWriteWatch()
  const written: string[] = []
  void whenDecided('a').then(() => written.push('a'))
  const store = watch(createStore(async () => undefined))
  await store.update('state', () => [['e/1', '{"uuid":"a"}']])
  await nextTurn()
  expect(written).toEqual(['a'])
})

it('tells when an event was dropped', async () => {
  const { drop, whenDecided } = createWriteWatch()
  const dropped = whenDecided('a')
  drop('b')
  drop('a')
  await dropped
})

it('tells nothing of a write that fails, which rejects as before', async () => {
  const { watch, whenDecided } = createWriteWatch()
  const written: string[] = []
  void whenDecided('a').then(() => written.push('a'))
  const store = watch(createStore(() => Promise.reject(new Error('full'))))
  await expect(store.write([['e/1', 'a']])).rejects.toThrow('full')
  await nextTurn()
  expect(written).toEqual([])
})

it('passes on all other calls', async () => {
  const store = createWriteWatch().watch(createStore(async () => undefined))
  expect([await store.read('e/', 'e0', 9), await store.keys('e/', 'e0')]).toEqual([[['e/1', 'one']], ['e/1']])
  store.close()
})
