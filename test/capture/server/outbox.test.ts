import { describe, expect, it } from 'vitest'
import { serverOutboxFixture } from '../../support/server-outbox-fixture.ts'

describe('a server’s outbox delivers (behaviour 5)', () => {
  it('"when the queue reaches `flushAt`", in one request, in order', async () => {
    const { service, batches, clock, accept } = serverOutboxFixture({ flushAt: 3 })
    accept('a', 'b')
    await clock.advance(0)
    expect(service.requests).toHaveLength(0)
    accept('c')
    await clock.advance(0)
    expect(batches()).toEqual([3])
    expect(service.names()).toEqual(['a', 'b', 'c'])
  })

  it('"when `flushInterval` has passed since the first waiting event"', async () => {
    const { service, clock, accept } = serverOutboxFixture()
    accept('a')
    await clock.advance(2_000)
    accept('b')
    await clock.advance(999)
    expect(service.requests).toHaveLength(0)
    await clock.advance(1)
    expect(service.names()).toEqual(['a', 'b'])
  })
})
