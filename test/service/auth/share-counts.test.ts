import { beforeEach, afterEach, expect, test, vi } from 'vitest'
import { createRateLimiter } from '../../../src/service/auth/rate-limiter.ts'
import type { LimitKey } from '../../../src/service/auth/share-counts.ts'
import { startCountSharing } from '../../../src/service/auth/share-counts.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Two nodes that hear each other and themselves, and the texts that they have sent. */
const createNodes = (maxBytes = 7900) => {
  const texts: string[] = []
  let isReachable = true
  const send = async (text: string): Promise<void> => {
    if (!isReachable) throw new Error('The server is away.')
    texts.push(text)
    for (const node of nodes) node.receive(text)
  }
  const nodes = ['a', 'b'].map((id) => startCountSharing(id, { send, maxBytes }, () => Date.now()))
  return { nodes, texts, setReachable: (value: boolean) => void (isReachable = value) }
}

const createLimits = (maxRequests: number, ...nodes: ReturnType<typeof createNodes>['nodes']) =>
  nodes.map(({ share }) => createRateLimiter<LimitKey>({ maxRequests, windowMs: 60_000, shared: share('requests') }))

test('nodes together allow the maximum of a key', async () => {
  const { nodes } = createNodes()
  const [a, b] = createLimits(3, ...nodes)
  a!('ada', Date.now())
  a!('ada', Date.now())
  await vi.advanceTimersByTimeAsync(1000)
  b!('ada', Date.now())
  expect(() => b!('ada', Date.now())).toThrow(expect.objectContaining({ status: 429 }))
  await vi.advanceTimersByTimeAsync(1000)
  expect(() => a!('ada', Date.now())).toThrow(expect.objectContaining({ status: 429 }))
  b!('other', Date.now())
})

test('what other nodes allowed is forgotten with the window', async () => {
  const { nodes } = createNodes()
  const [a, b] = createLimits(1, ...nodes)
  a!(1, Date.now())
  await vi.advanceTimersByTimeAsync(1000)
  expect(() => b!(1, Date.now())).toThrow(expect.objectContaining({ status: 429 }))
  await vi.advanceTimersByTimeAsync(60_000)
  b!(1, Date.now())
})

test('each node counts for itself while nothing can be sent', async () => {
  const { nodes, setReachable } = createNodes()
  const [a, b] = createLimits(1, ...nodes)
  setReachable(false)
  a!(1, Date.now())
  await vi.advanceTimersByTimeAsync(1000)
  b!(1, Date.now())
  setReachable(true)
  await vi.advanceTimersByTimeAsync(61_000)
  a!(1, Date.now())
  await vi.advanceTimersByTimeAsync(1000)
  expect(() => b!(1, Date.now())).toThrow(expect.objectContaining({ status: 429 }))
})

test('many keys are told in messages that fit, and nothing is told without requests', async () => {
  const { nodes, texts } = createNodes(200)
  const [a, b] = createLimits(1, ...nodes)
  const keys = Array.from({ length: 100 }, (_, index) => `ключ ${index}`)
  for (const key of keys) a!(key, Date.now())
  await vi.advanceTimersByTimeAsync(1000)
  const count = texts.length
  expect(count).toBeGreaterThan(10)
  expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(200)
  for (const key of keys) expect(() => b!(key, Date.now())).toThrow(expect.objectContaining({ status: 429 }))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(texts).toHaveLength(count)
})

test('takes no harm from texts that it does not know', () => {
  const { nodes } = createNodes()
  const [a] = createLimits(1, ...nodes)
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '{"from":"c"}',
    '{"from":"c","limit":"other","counts":[[1,1]]}',
    '{"from":"c","limit":"requests","counts":[1]}',
    '{"from":"c","limit":"requests","counts":[[1,"1"],[null,1],[1,-1],[1]]}',
  ])
    nodes[0]!.receive(text)
  a!(1, Date.now())
})
