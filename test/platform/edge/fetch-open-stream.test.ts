import { describe, expect, it } from 'vitest'
import { createFetchOpenStream } from '../../../src/platform/edge/fetch-open-stream.ts'
import { openStreamContract } from '../../contract/open-stream.ts'

describe('createFetchOpenStream', () => {
  openStreamContract((headers) => createFetchOpenStream({ headers }))

  const collectCalls = (response: Response | Promise<Response>): readonly unknown[] => {
    const received: unknown[] = []
    createFetchOpenStream({ fetch: async () => response })(
      'https://a.test/',
      {},
      {
        onHead: ({ status }) => received.push(status),
        onChunk: (chunk) => received.push(chunk),
        onEnd: () => received.push('end'),
      },
    )
    return received
  }

  it('ends when a body cannot be read in chunks', async () => {
    const received = collectCalls(new Response(null))
    await expect.poll(() => received).toEqual([200, 'end'])
  })

  it('ends when a custom fetch follows a redirect', async () => {
    const response = new Response('id: 1\n\n')
    Object.defineProperty(response, 'redirected', { value: true })
    const received = collectCalls(response)
    await expect.poll(() => received).toEqual(['end'])
  })

  it('cancels the body when a custom fetch ignores the signal', async () => {
    let isCancelled = false
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) })
    const received: unknown[] = []
    const close = createFetchOpenStream({ fetch: async () => new Response(body) })(
      'https://a.test/',
      {},
      { onHead: () => received.push('head'), onChunk: () => {}, onEnd: () => received.push('end') },
    )
    await expect.poll(() => received).toEqual(['head'])
    close()
    await expect.poll(() => isCancelled).toBe(true)
    expect(received).toEqual(['head'])
  })
})
