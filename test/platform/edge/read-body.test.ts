import { array, assert, asyncProperty, integer, string } from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readBody } from '../../../src/platform/edge/read-body.ts'

afterEach(() => void vi.unstubAllGlobals())

/** An endless body, and how many bytes of it were asked for. */
const endless = () => {
  const seen = { bytes: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      seen.bytes += 1_000
      controller.enqueue(new Uint8Array(1_000).fill(0x61))
    },
    cancel() {
      seen.isCancelled = true
    },
  })
  return { answer: new Response(body), seen }
}

describe('the body of an answer', () => {
  it('is the text that it is read at once, in whatever pieces it comes', () =>
    assert(
      asyncProperty(string({ unit: 'binary' }), array(integer({ min: 1, max: 5 })), async (text, sizes) => {
        const bytes = new TextEncoder().encode(text)
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let at = 0, piece = 0; at < bytes.length; piece++) {
              const size = sizes[piece % sizes.length] ?? bytes.length
              controller.enqueue(bytes.subarray(at, (at += size)))
            }
            controller.close()
          },
        })
        expect(await readBody(new Response(body), bytes.length)).toBe(await new Response(bytes).text())
      }),
    ))

  it('may have as many bytes as are allowed, and not one more', async () => {
    expect(await readBody(new Response('äö'), 4)).toBe('äö')
    expect(await readBody(new Response('äöx'), 4)).toBeUndefined()
  })

  it('is not read on when it is too long', async () => {
    const { answer, seen } = endless()
    expect(await readBody(answer, 5_000)).toBeUndefined()
    expect(seen.isCancelled).toBe(true)
    expect(seen.bytes).toBeLessThan(10_000)
  })

  it('is empty where there is none', async () => {
    expect(await readBody(new Response(null, { status: 304 }), 10)).toBe('')
  })

  it('is taken whole where it cannot be read in pieces', async () => {
    expect(await readBody({ body: {}, text: async () => 'whole' }, 1)).toBe('whole')
    expect(await readBody({ text: async () => 'whole' }, 1)).toBe('whole')
    vi.stubGlobal('TextDecoder', undefined)
    const text = vi.fn<() => Promise<string>>().mockResolvedValue('whole')
    expect(await readBody({ body: new Response('pieces').body, text }, 1)).toBe('whole')
  })

  it('rejects where it breaks off', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('broken')) })
    await expect(readBody(new Response(body), 10)).rejects.toThrow('broken')
  })
})
