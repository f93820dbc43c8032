import { expect, it } from 'vitest'
import { createWindowId } from '../../../src/platform/browser/window-id.ts'
import { memoryKeyValue } from '../../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../../src/port/key-value.ts'
import { fakeLifecycle } from '../../support/fake-lifecycle.ts'

let made = 0
const open = (storage: KeyValue, mayKeep = () => true) => {
  const lifecycle = fakeLifecycle()
  return { lifecycle, ...createWindowId(storage, 'window', () => `id ${made++}`, lifecycle, mayKeep) }
}

it('stays the same within a session, over reloads and pages of the tab', () => {
  const tab = memoryKeyValue()
  const first = open(tab)
  const id = first.of('s')
  expect(first.of('s')).toBe(id)
  first.lifecycle.unload()
  const second = open(tab)
  second.lifecycle.unload()
  expect(open(tab).of('s')).toBe(id)
})

it('is new with a new session, in this page and the next', () => {
  const tab = memoryKeyValue()
  const { of, lifecycle } = open(tab)
  const id = of('s')
  const next = of('t')
  expect(next).not.toBe(id)
  lifecycle.unload()
  const page = open(tab)
  expect(page.of('t')).toBe(next)
  expect(page.of('u')).not.toBe(next)
})

it('is another one in a duplicated tab, which starts with a copy of the storage', () => {
  const tab = memoryKeyValue()
  const earlier = open(tab)
  earlier.of('s')
  earlier.lifecycle.unload()
  const original = open(tab)
  const copy = memoryKeyValue()
  const copied = tab.get('window')
  if (copied !== null) copy.set('window', copied)
  expect(open(copy).of('s')).not.toBe(original.of('s'))
})

it('is left to the next agent of the page', () => {
  const tab = memoryKeyValue()
  const { of, end, lifecycle } = open(tab)
  const id = of('s')
  end()
  const next = open(tab)
  expect(next.of('s')).toBe(id)
  lifecycle.unload()
  expect(tab.get('window')).toBeNull()
})

it('leaves nothing behind that may not be kept', () => {
  const tab = memoryKeyValue()
  const first = open(tab)
  first.of('s')
  first.lifecycle.unload()
  const second = open(tab, () => false)
  second.of('s')
  second.lifecycle.unload()
  second.end()
  expect(tab.get('window')).toBeNull()
})
