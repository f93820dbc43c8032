import { expect, it } from 'vitest'
import { createWindowId } from '../../../src/platform/browser/window-id.ts'
import { createMemoryKeyValue } from '../../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../../src/port/key-value.ts'
import { fakeLifecycle } from '../../support/fake-lifecycle.ts'

let made = 0
const open = (storage: KeyValue, mayKeep = () => true) => {
  const lifecycle = fakeLifecycle()
  return { lifecycle, ...createWindowId(storage, 'window', () => `id ${made++}`, lifecycle, mayKeep) }
}

it('stays the same within a session, over reloads and pages of the tab', () => {
  const tab = createMemoryKeyValue()
  const first = open(tab)
  const id = first.get('s')
  expect(first.get('s')).toBe(id)
  first.lifecycle.unload()
  const second = open(tab)
  second.lifecycle.unload()
  expect(open(tab).get('s')).toBe(id)
})

it('is new in a new session, on this page and the next', () => {
  const tab = createMemoryKeyValue()
  const { get, lifecycle } = open(tab)
  const id = get('s')
  const next = get('t')
  expect(next).not.toBe(id)
  lifecycle.unload()
  const page = open(tab)
  expect(page.get('t')).toBe(next)
  expect(page.get('u')).not.toBe(next)
})

it('is different in a duplicated tab, which starts with a copy of the storage', () => {
  const tab = createMemoryKeyValue()
  const earlier = open(tab)
  earlier.get('s')
  earlier.lifecycle.unload()
  const original = open(tab)
  const copy = createMemoryKeyValue()
  const copied = tab.get('window')
  if (copied !== null) copy.set('window', copied)
  expect(open(copy).get('s')).not.toBe(original.get('s'))
})

it('is kept for the next agent of the page', () => {
  const tab = createMemoryKeyValue()
  const { get, close, lifecycle } = open(tab)
  const id = get('s')
  close()
  const next = open(tab)
  expect(next.get('s')).toBe(id)
  lifecycle.unload()
  expect(tab.get('window')).toBeNull()
})

it('stores nothing if it must not be kept', () => {
  const tab = createMemoryKeyValue()
  const first = open(tab)
  first.get('s')
  first.lifecycle.unload()
  const second = open(tab, () => false)
  second.get('s')
  second.lifecycle.unload()
  second.close()
  expect(tab.get('window')).toBeNull()
})
