import type { Compressor } from '../../port/compressor.ts'

/**
 * Gzip by `CompressionStream`, off the main thread.
 *
 * @param fallback Used where `CompressionStream` is missing or fails.
 */
export const createStreamCompressor =
  (fallback?: Compressor): Compressor =>
  async (input) => {
    try {
      const { readable, writable } = new CompressionStream('gzip')
      // A Blob as source would keep the main thread busy for milliseconds per batch.
      const writer = writable.getWriter()
      const [bytes] = await Promise.all([
        new Response(readable).arrayBuffer(),
        writer.write(new TextEncoder().encode(input)),
        writer.close(),
      ])
      return new Uint8Array(bytes)
    } catch (error) {
      if (fallback) return fallback(input)
      throw error
    }
  }
