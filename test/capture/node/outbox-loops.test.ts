import { describe, expect, it } from 'vitest'
import { eventJson, nodeOutboxFixture } from '../../support/node-outbox-fixture.ts'

describe('the Node outbox', () => {
  it('calls onSend once when that captures, also by captureImmediate()', async () => {
    for (const isImmediate of [false, true]) {
      let calls = 0
      const { outbox, clock, batchSizes, accept } = nodeOutboxFixture({
        onSend() {
          calls++
          if (isImmediate) void outbox.sendNow(eventJson('sent'))
          else accept('sent')
        },
      })
      accept('a')
      await outbox.flush()
      await clock.advance(60_000)
      expect([calls, batchSizes()]).toEqual([1, [1, 1]])
    }
  })

  it('ends flush(), the work before the end of a process, and shutdown() when fetch captures', async () => {
    const { outbox, clock, service, process, accept, log } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = async () => {
      await Promise.resolve()
      if (!outbox.isClosed()) accept('answered')
      return { status: 200 }
    }
    accept('a')
    await outbox.flush()
    expect(service.requests.length).toBeLessThan(4)
    process.idle()
    await clock.advance(0)
    expect(process.keepAliveCount()).toBe(0)
    const shutdown = outbox.shutdown(1_000)
    await clock.advance(0)
    await shutdown
    expect(log.size()).toBe(0)
    expect(service.requests.length).toBeLessThan(8)
  })

  it('sends ever less often when fetch captures', async () => {
    const { clock, service, accept } = nodeOutboxFixture({ flushAt: 1 })
    service.reply = () => {
      accept('asked')
      return { status: 200 }
    }
    accept('a')
    await clock.advance(3_600_000)
    expect(service.requests.length).toBeLessThan(30)
  })
})
