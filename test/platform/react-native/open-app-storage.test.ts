import { describe, expect, it } from 'vitest'
import { openAppStorage } from '../../../src/platform/react-native/open-app-storage.ts'
import type { OpenedAppStorage } from '../../../src/platform/react-native/app-stores.ts'
import type { AppStorage } from '../../../src/platform/react-native/app-storage.ts'
import { eventStoreContract } from '../../contract/event-store.ts'
import { keyValueContract } from '../../contract/key-value.ts'
import { asAsyncStorage3, createAppDisk } from '../../support/app-disk.ts'
import { manualClock } from '../../support/manual-clock.ts'

const KEYS = {
  prefix: 'waymark_1_key_',
  eventsFrom: 'e/',
  stateKey: 'state',
  stateRecordKey: 'c/state',
  spillPrefix: 'spill',
  afterEventsKey: 'app',
}
const neverLost = (): void => expect.unreachable('no record was deleted')

/** Opens a storage, and collects the warnings. */
const open = async (storage: AppStorage | undefined, clock = manualClock()) => {
  const warnings: string[] = []
  const warn = (...message: unknown[]): void => void warnings.push(message.map(String).join(' '))
  return { ...(await openAppStorage(storage, KEYS, clock, warn)), warnings, clock }
}

for (const isSync of [false, true]) {
  for (const isMany of [false, true]) {
    const name = `${isSync ? 'results' : 'promises'}, ${isMany ? 'several entries' : 'one entry'} per call`
    eventStoreContract(`app storage, ${name}`, async () => {
      const { openEvents } = await open(createAppDisk(isSync, isMany).storage)
      return openEvents!(neverLost)
    })
  }
  eventStoreContract(`AsyncStorage 3, ${isSync ? 'results' : 'promises'}`, async () => {
    const { openEvents } = await open(asAsyncStorage3(createAppDisk(isSync, true).storage))
    return openEvents!(neverLost)
  })
}

keyValueContract('app storage', () => {
  const clock = manualClock()
  return (openAppStorage(createAppDisk(true, true).storage, KEYS, clock, neverLost) as OpenedAppStorage).keyValue
})

describe('openAppStorage', () => {
  it('reads at once a storage that answers at once', () => {
    const { storage, entries } = createAppDisk(true, false)
    entries.set('waymark_1_key_flags', '{}')
    const opened = openAppStorage(storage, KEYS, manualClock(), neverLost) as OpenedAppStorage
    expect(opened.keyValue.get('flags')).toBe('{}')
  })

  it('finds the small values and the events of the last run, and nothing of other projects', async () => {
    const disk = createAppDisk(false, true)
    const first = await open(disk.storage)
    first.keyValue.set('flags', 'blue')
    await first.openEvents!(neverLost).write([
      ['e/1', 'one'],
      ['c/state', '{"revision":1}'],
    ])
    disk.entries.set('waymark_1_other_e/0', 'other')
    disk.entries.set('waymark_1_key_2_e/0', 'longer key')
    disk.entries.set('waymark_1_key_2_flags', 'longer key')
    disk.entries.set('theme', 'dark')
    const read: string[] = []
    const multiGet: AppStorage['multiGet'] = (keys) => {
      read.push(...keys)
      return disk.storage.multiGet!(keys)
    }
    const second = await open({ ...disk.storage, multiGet })
    expect(read.sort()).toEqual(['waymark_1_key_c/state', 'waymark_1_key_flags'])
    expect(second.keyValue.get('flags')).toBe('blue')
    expect(second.keyValue.get('state')).toBe('{"revision":1}')
    expect(await second.openEvents!(neverLost).read('e/', 'e0', 9)).toEqual([['e/1', 'one']])
  })

  it('writes, reads and removes the events of a turn in one call each, with each version of AsyncStorage', async () => {
    for (const change of [(storage: AppStorage) => storage, asAsyncStorage3]) {
      const calls: string[] = []
      const storage = change(createAppDisk(false, true).storage)
      const counted = new Proxy(storage, {
        get(target, name: keyof AppStorage) {
          if (target[name]) calls.push(name)
          return target[name]
        },
      })
      const store = (await open(counted)).openEvents!(neverLost)
      const keys = ['e/1', 'e/2', 'e/3']
      calls.length = 0
      await store.write(keys.map((key) => [key, key]))
      await store.read('e/', 'e0', 9)
      await store.write(keys.map((key) => [key, undefined]))
      expect(new Set(calls)).toEqual(new Set(Object.keys(storage).filter((name) => /^multi|Many$/.test(name))))
    }
  })

  it('writes the state only as the record of the event store', async () => {
    const disk = createAppDisk(false, true)
    const { keyValue, openEvents } = await open(disk.storage)
    keyValue.set('state', '{}')
    await openEvents!(neverLost).write([['c/state', '{}']])
    expect([...disk.entries.keys()]).toEqual(['waymark_1_key_c/state'])
  })

  it('writes the value that reports an event after the next event', async () => {
    const disk = createAppDisk(false, true)
    const { keyValue, openEvents } = await open(disk.storage)
    const store = openEvents!(neverLost)
    keyValue.set('app', '1.0')
    expect(keyValue.get('app')).toBe('1.0')
    await store.write([['c/state', '{}']])
    expect([...disk.entries.keys()]).toEqual(['waymark_1_key_c/state'])
    disk.broken.add('multiSet')
    await expect(store.write([['e/1', 'one']])).rejects.toThrow('refused')
    disk.broken.clear()
    await store.write([['e/1', 'one']])
    expect([...disk.entries.keys()].slice(1)).toEqual(['waymark_1_key_e/1', 'waymark_1_key_app'])
  })

  it('reports when the app has deleted records, and reads the records that remain', async () => {
    const disk = createAppDisk(false, true)
    const { openEvents } = await open(disk.storage)
    let losses = 0
    const store = openEvents!(() => losses++)
    await store.write(['e/1', 'e/2', 'e/3'].map((key) => [key, key]))
    disk.entries.delete('waymark_1_key_e/1')
    expect(await store.read('e/', 'e0', 2)).toEqual(['e/2', 'e/3'].map((key) => [key, key]))
    expect(losses).toBe(1)
    expect(await store.keys('e/', 'e0')).toEqual(['e/2', 'e/3'])
  })

  it.each([true, false])('counts entries that are no strings as missing (several per call: %s)', async (isMany) => {
    const disk = createAppDisk(false, isMany)
    for (const key of ['flags', 'e/1', 'e/2']) disk.entries.set(`waymark_1_key_${key}`, { parsed: key } as never)
    disk.entries.set('waymark_1_key_e/3', 'three')
    let losses = 0
    const { keyValue, openEvents, warnings } = await open(disk.storage)
    expect(keyValue.get('flags')).toBeNull()
    expect(await openEvents!(() => losses++).read('e/', 'e0', 9)).toEqual([['e/3', 'three']])
    expect([losses, warnings]).toEqual([1, []])
  })

  /** As on Android: entries of more than 2 MB are written, but a call that reads one fails. */
  const openLikeAndroid = async (isMany: boolean) => {
    const disk = createAppDisk(false, isMany)
    const check = (keys: readonly string[]): void => {
      if (keys.some((key) => (disk.entries.get(key)?.length ?? 0) > 2_000_000)) throw new Error('Row too big')
    }
    const { getItem, multiGet } = disk.storage
    const storage: AppStorage = {
      ...disk.storage,
      getItem: async (key) => (check([key]), getItem(key)),
      ...(multiGet && { multiGet: async (keys) => (check(keys), multiGet(keys)) }),
    }
    return { ...disk, ...(await open(storage)), storage }
  }
  const LARGE = 'x'.repeat(2_000_001)

  it.each([true, false])('reads in this run what the storage cannot read (several per call: %s)', async (isMany) => {
    const { openEvents, warnings } = await openLikeAndroid(isMany)
    const store = openEvents!(neverLost)
    const records = ['one', LARGE, 'three'].map((value, index) => [`e/${index}`, value] as const)
    await store.write(records)
    expect((await store.read('e/', 'e0', 9)).map(([, value]) => value.length)).toEqual([3, LARGE.length, 5])
    await store.write(records.map(([key]) => [key, undefined]))
    expect(await store.read('e/', 'e0', 9)).toEqual([])
    expect(warnings).toEqual([])
  })

  it.each([true, false])('skips what it cannot read, and warns once (several per call: %s)', async (isMany) => {
    const { entries, storage, openEvents } = await openLikeAndroid(isMany)
    await openEvents!(neverLost).write(['one', LARGE, 'three'].map((value, index) => [`e/${index}`, value] as const))
    const next = await open(storage)
    const store = next.openEvents!(neverLost)
    expect(await store.read('e/', 'e0', 2)).toEqual([
      ['e/0', 'one'],
      ['e/2', 'three'],
    ])
    expect(await store.keys('e/', 'e0')).toEqual(['e/0', 'e/2'])
    expect(next.warnings).toEqual(['storage_unavailable: Error: Row too big'])
    // Nothing is deleted: another version of the storage may read it.
    expect(entries.size).toBe(3)
  })

  it('forgets nothing when the storage fails as a whole', async () => {
    const disk = createAppDisk(false, true)
    const { openEvents, warnings } = await open(disk.storage)
    const store = openEvents!(neverLost)
    await store.write(['e/1', 'e/2'].map((key) => [key, key]))
    disk.broken.add('multiGet').add('getItem')
    await expect(store.read('e/', 'e0', 9)).rejects.toThrow('refused')
    disk.broken.clear()
    expect(await store.read('e/', 'e0', 9)).toHaveLength(2)
    expect(warnings).toEqual([])
  })

  it('works in memory when there is no storage', async () => {
    const { keyValue, openEvents, warnings } = await open(undefined)
    keyValue.set('a', '1')
    expect([keyValue.get('a'), openEvents, warnings]).toEqual(['1', undefined, []])
  })

  it('refuses spills, with and without a storage', async () => {
    const disk = createAppDisk(true, true)
    for (const storage of [disk.storage, undefined]) {
      const { keyValue } = await open(storage)
      expect([keyValue.set('spill0', '[]'), keyValue.get('spill0')]).toEqual([false, null])
    }
    expect(disk.entries.size).toBe(0)
  })

  it.each([false, true])('warns and writes nothing when the storage cannot be read (at once: %s)', async (isSync) => {
    const disk = createAppDisk(isSync, true)
    disk.entries.set('waymark_1_key_c/state', '{"revision":9}')
    disk.broken.add('multiGet').add('getItem')
    const { keyValue, openEvents, warnings, isUnreadable } = await open(disk.storage)
    keyValue.set('flags', '{}')
    expect([openEvents, isUnreadable]).toEqual([undefined, true])
    expect(disk.entries.size).toBe(1)
    expect(warnings).toEqual(['storage_unavailable: opted out until optIn(): Error: getItem refused'])
  })

  it('works in memory when the storage does not answer within 10 seconds', async () => {
    const { storage } = createAppDisk(false, true)
    const clock = manualClock()
    const opening = open({ ...storage, getAllKeys: () => new Promise(() => undefined) }, clock)
    await clock.advance(10_000)
    expect((await opening).warnings).toEqual(['storage_unavailable: opted out until optIn(): timeout'])
  })

  it('rejects a write that the storage refuses, and accepts later ones', async () => {
    const disk = createAppDisk(false, true)
    const store = (await open(disk.storage)).openEvents!(neverLost)
    disk.broken.add('setItem')
    await expect(store.write([['e/1', 'one']])).rejects.toThrow('refused')
    disk.broken.clear()
    await store.write([['e/2', 'two']])
    expect(await store.keys('e/', 'e0')).toEqual(['e/2'])
  })

  it('gives up a write that takes more than 10 seconds', async () => {
    const { storage } = createAppDisk(false, true)
    const { openEvents, clock } = await open({ ...storage, setItem: () => new Promise(() => undefined) })
    const written = openEvents!(neverLost).write([['e/1', 'one']])
    void written.catch(() => undefined)
    await clock.advance(10_000)
    await expect(written).rejects.toThrow('timeout')
  })

  it('rewrites the newest state, also when that one still waits for its write', async () => {
    const disk = createAppDisk(false, false)
    let release = (): void => undefined
    const slow = new Promise<void>((resolve) => (release = resolve))
    const setItem: AppStorage['setItem'] = async (key, value) => {
      await slow
      await disk.storage.setItem(key, value)
    }
    const opened = await open({ ...disk.storage, setItem })
    const store = opened.openEvents!(neverLost)
    const first = store.write([['c/state', '{"revision":1}']])
    // The first write has begun.
    await Promise.resolve()
    await Promise.resolve()
    const second = store.write([['c/state', '{"revision":2,"isOptedOut":true}']])
    opened.rewriteState!()
    release()
    await Promise.all([first, second, store.keys('e/', 'e0')])
    expect(disk.entries.get('waymark_1_key_c/state')).toBe('{"revision":2,"isOptedOut":true}')
  })

  it('replaces and removes what a late write has stored', async () => {
    const { storage, entries } = createAppDisk(false, false)
    const late: (() => void)[] = []
    const setItem = async (key: string, value: string): Promise<void> => {
      if (!late.length) await new Promise<void>((resolve) => late.push(resolve))
      await storage.setItem(key, value)
    }
    const { openEvents, clock } = await open({ ...storage, setItem })
    const store = openEvents!(neverLost)
    const written = store.write([
      ['e/1', 'one'],
      ['c/state', 'old'],
    ])
    void written.catch(() => undefined)
    await clock.advance(10_000)
    await expect(written).rejects.toThrow('timeout')
    const replaced = store.write([
      ['e/1', undefined],
      ['c/state', 'new'],
    ])
    await expect(replaced).rejects.toThrow('timeout')
    late[0]!()
    await clock.advance(0)
    expect([...entries]).toEqual([['waymark_1_key_c/state', 'new']])
  })

  it('fails at once after a timeout, until the storage answers again', async () => {
    const { storage } = createAppDisk(false, true)
    const late: (() => void)[] = []
    const setItem = (): Promise<void> => new Promise((resolve) => late.push(resolve))
    const { openEvents, keyValue, clock } = await open({ ...storage, setItem })
    const store = openEvents!(neverLost)
    const first = store.write([['e/1', 'one']])
    void first.catch(() => undefined)
    await clock.advance(10_000)
    await expect(first).rejects.toThrow('timeout')
    await expect(store.write([['e/2', 'two']])).rejects.toThrow('timeout')
    await expect(store.keys('e/', 'e0')).rejects.toThrow('timeout')
    keyValue.set('flags', '{}')
    expect([keyValue.get('flags'), clock.pending()]).toEqual(['{}', 0])
    for (let answers = 0; answers < 3; answers++) {
      late[answers]!()
      await clock.advance(0)
    }
    expect(await store.keys('e/', 'e0')).toEqual(['e/1', 'e/2'])
  })

  it('warns once when small values cannot be written, and keeps them in memory', async () => {
    const disk = createAppDisk(false, true)
    const { keyValue, warnings, clock } = await open(disk.storage)
    disk.broken.add('setItem')
    keyValue.set('flags', '1')
    keyValue.set('flags', '2')
    await clock.advance(0)
    expect(keyValue.get('flags')).toBe('2')
    expect(warnings).toEqual(['storage_unavailable: Error: setItem refused'])
  })

  /** The ways in which a storage gives no list, or no entries. */
  const FAULTS: Readonly<Record<string, () => never>> = {
    null: () => null as never,
    'an error': () => {
      throw new Error('native module is null')
    },
  }
  const KINDS = Object.entries(FAULTS).flatMap(([name, fault]) => [
    [`${name} at once`, fault] as const,
    [`${name} in a promise`, (async () => fault()) as unknown as () => never] as const,
  ])

  it.each(KINDS)('reads the state, and stores, although getAllKeys() gives %s', async (_name, fault) => {
    const disk = createAppDisk(false, true)
    disk.entries.set('waymark_1_key_c/state', '{"isOptedOut":true}')
    const storage: AppStorage = { ...disk.storage, getAllKeys: fault }
    const { keyValue, openEvents, warnings, isUnreadable } = await open(storage)
    expect([keyValue.get('state'), isUnreadable]).toEqual(['{"isOptedOut":true}', undefined])
    expect(warnings).toEqual([expect.stringContaining('getAllKeys() gives no list')])
    const store = openEvents!(neverLost)
    await store.write([['e/1', 'one']])
    expect(await store.read('e/', 'e0', 9)).toEqual([['e/1', 'one']])
    expect(disk.entries.get('waymark_1_key_e/1')).toBe('one')
  })

  it('starts a new user where getAllKeys() gives null and no state is stored', async () => {
    const { storage } = createAppDisk(true, false)
    const { keyValue, openEvents, isUnreadable } = await open({ ...storage, getAllKeys: () => null as never })
    expect([keyValue.get('state'), isUnreadable]).toEqual([null, undefined])
    expect(await openEvents!(neverLost).read('', '~', 9)).toEqual([])
  })

  it('ignores keys that are no strings', async () => {
    const { storage, entries } = createAppDisk(false, true)
    entries.set('waymark_1_key_flags', 'blue')
    const getAllKeys = async () => [null, undefined, 7, ...(await storage.getAllKeys())] as never
    const { keyValue, warnings } = await open({ ...storage, getAllKeys })
    expect([keyValue.get('flags'), warnings]).toEqual(['blue', []])
  })

  it.each(KINDS)('reads entry by entry where a call for several gives %s', async (_name, fault) => {
    for (const change of [(storage: AppStorage) => storage, asAsyncStorage3]) {
      const { storage, entries } = createAppDisk(false, true)
      entries.set('waymark_1_key_flags', 'blue')
      entries.set('waymark_1_key_c/state', '{}')
      const changed = change(storage)
      const { keyValue, warnings } = await open({
        ...changed,
        ...(changed.getMany ? { getMany: fault } : { multiGet: fault }),
      })
      expect([keyValue.get('flags'), keyValue.get('state'), warnings]).toEqual(['blue', '{}', []])
    }
  })

  it('does without a small entry that cannot be read, but not without the state', async () => {
    const { storage, entries } = createAppDisk(false, false)
    entries.set('waymark_1_key_flags', 'blue')
    entries.set('waymark_1_key_c/state', '{}')
    const openWithout = (name: string) =>
      open({
        ...storage,
        getItem: (key) => (key.endsWith(name) ? Promise.reject(new Error('Row too big')) : storage.getItem(key)),
      })
    const opened = await openWithout('flags')
    expect([opened.keyValue.get('flags'), opened.keyValue.get('state')]).toEqual([null, '{}'])
    expect(opened.warnings).toEqual(['storage_unavailable: Error: Row too big'])
    expect((await openWithout('state')).isUnreadable).toBe(true)
  })
})
