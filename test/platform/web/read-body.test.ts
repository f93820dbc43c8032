import { array, assert, asyncProperty, integer, string } from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readBody } from '../../../src/platform/web/read-body.ts'

afterEach(() => void vi.unstubAllGlobals())

/** A response with an endless body, and the number of bytes that were read. */
const createEndlessResponse = () => {
  const reads = { bytes: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      reads.bytes += 1_000
      controller.enqueue(new Uint8Array(1_000).fill(0x61))
    },
    cancel() {
      reads.isCancelled = true
    },
  })
  return { response: new Response(body), reads }
}

describe('readBody', () => {
  it('returns the body, however it is split into chunks', () =>
    assert(
      asyncProperty(string({ unit: 'binary' }), array(integer({ min: 1, max: 5 })), async (input, sizes) => {
        const bytes = new TextEncoder().encode(input)
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let start = 0, chunk = 0; start < bytes.length; chunk++) {
              const size = sizes[chunk % sizes.length] ?? bytes.length
              controller.enqueue(bytes.subarray(start, (start += size)))
            }
            controller.close()
          },
        })
        expect(await readBody(new Response(body), bytes.length)).toBe(await new Response(bytes).text())
      }),
    ))

  it('accepts exactly the maximum number of bytes', async () => {
    expect(await readBody(new Response('äö'), 4)).toBe('äö')
    expect(await readBody(new Response('äöx'), 4)).toBeUndefined()
  })

  it('stops reading when a body is too long', async () => {
    const { response, reads } = createEndlessResponse()
    expect(await readBody(response, 5_000)).toBeUndefined()
    expect(reads.isCancelled).toBe(true)
    expect(reads.bytes).toBeLessThan(10_000)
  })

  it('returns an empty string without a body', async () => {
    expect(await readBody(new Response(null, { status: 304 }), 10)).toBe('')
  })

  it('reads a body that cannot be read in chunks as a whole', async () => {
    expect(await readBody({ body: {}, text: async () => 'whole' }, 1)).toBe('whole')
    expect(await readBody({ text: async () => 'whole' }, 1)).toBe('whole')
    vi.stubGlobal('TextDecoder', undefined)
    const text = vi.fn<() => Promise<string>>().mockResolvedValue('whole')
    expect(await readBody({ body: new Response('pieces').body, text }, 1)).toBe('whole')
  })

  it('rejects when the body breaks off', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('broken')) })
    await expect(readBody(new Response(body), 10)).rejects.toThrow('broken')
  })
})
