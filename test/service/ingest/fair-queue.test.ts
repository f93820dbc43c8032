import { expect, test } from 'vitest'
import { createFairQueue } from '../../../src/service/ingest/fair-queue.ts'

const drain = (queue: { next(): string | undefined }): string[] => {
  const items: string[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) items.push(item)
  return items
}

test('serves senders alternately, and the items of one sender in order', () => {
  const queue = createFairQueue<string>(10)
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) expect(queue.add(item[0]!, item)).toBeNull()
  expect(queue.length()).toBe(6)
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(queue.length()).toBe(0)
})

test('drops, when full, the last item of the sender with the most items', () => {
  const queue = createFairQueue<string>(3)
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item)
  expect(queue.add('b', 'b1')).toBe('a3')
  expect(queue.add('a', 'a4')).toBe('a4')
  expect(drain(queue)).toEqual(['a1', 'b1', 'a2'])
})

test('removes a waiting item', () => {
  const queue = createFairQueue<string>(3)
  queue.add('a', 'a1')
  queue.add('a', 'a2')
  expect(queue.remove('a', 'a1')).toBe(true)
  expect(queue.remove('a', 'a1')).toBe(false)
  expect(queue.remove('b', 'a2')).toBe(false)
  queue.add('b', 'b1')
  expect(queue.clear()).toEqual(['a2', 'b1'])
  expect(queue.length()).toBe(0)
  expect(queue.next()).toBeUndefined()
})
