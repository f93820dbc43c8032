import type { Compressor } from '../../port/compressor.ts'

/**
 * Gzip by the platform's own stream, off the main thread.
 *
 * @param fallback In its place where there is none or it fails.
 */
export const browserCompressor =
  (fallback?: Compressor): Compressor =>
  async (text) => {
    try {
      const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
      return new Uint8Array(await new Response(stream).arrayBuffer())
    } catch (error) {
      if (fallback) return fallback(text)
      throw error
    }
  }
