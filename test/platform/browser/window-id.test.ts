import { expect, it } from 'vitest'
import { createWindowId } from '../../../src/platform/browser/window-id.ts'
import { createMemoryKeyValue } from '../../../src/platform/memory/memory-key-value.ts'
import { callAll } from '../../../src/lib/call-all.ts'
import type { KeyValue } from '../../../src/port/key-value.ts'
import { fakeLifecycle } from '../../support/fake-lifecycle.ts'

let idCount = 0
const open = (storage: KeyValue, mayKeep = () => true) => {
  const lifecycle = fakeLifecycle()
  const cleanups: (() => void)[] = []
  const get = createWindowId(storage, 'window', () => `id ${idCount++}`, lifecycle, mayKeep, cleanups)
  return { lifecycle, get, close: callAll(cleanups) }
}

it('stays the same within a session, over reloads and pages of the tab', () => {
  const tab = createMemoryKeyValue()
  const firstPage = open(tab)
  const id = firstPage.get('s')
  expect(firstPage.get('s')).toBe(id)
  firstPage.lifecycle.unload()
  const secondPage = open(tab)
  secondPage.lifecycle.unload()
  expect(open(tab).get('s')).toBe(id)
})

it('is new in a new session, on this page and the next', () => {
  const tab = createMemoryKeyValue()
  const { get, lifecycle } = open(tab)
  const id = get('s')
  const secondId = get('t')
  expect(secondId).not.toBe(id)
  lifecycle.unload()
  const page = open(tab)
  expect(page.get('t')).toBe(secondId)
  expect(page.get('u')).not.toBe(secondId)
})

it('is different in a duplicated tab, which starts with a copy of the storage', () => {
  const tab = createMemoryKeyValue()
  const earlierPage = open(tab)
  earlierPage.get('s')
  earlierPage.lifecycle.unload()
  const originalPage = open(tab)
  const copy = createMemoryKeyValue()
  const storedId = tab.get('window')
  if (storedId !== null) copy.set('window', storedId)
  expect(open(copy).get('s')).not.toBe(originalPage.get('s'))
})

it('is kept for the next agent of the page', () => {
  const tab = createMemoryKeyValue()
  const { get, close, lifecycle } = open(tab)
  const id = get('s')
  close()
  const nextAgent = open(tab)
  expect(nextAgent.get('s')).toBe(id)
  lifecycle.unload()
  expect(tab.get('window')).toBeNull()
})

it('is not stored when `mayKeep` returns false', () => {
  const tab = createMemoryKeyValue()
  const firstPage = open(tab)
  firstPage.get('s')
  firstPage.lifecycle.unload()
  const secondPage = open(tab, () => false)
  secondPage.get('s')
  secondPage.lifecycle.unload()
  secondPage.close()
  expect(tab.get('window')).toBeNull()
})
