import { gzipSync } from '../../codec/gzip.ts'
import type { Compressor } from '../../port/compressor.ts'

/** Gzip by the browser's own stream, off the main thread; by fflate where there is none or it fails. */
export const browserCompressor: Compressor = {
  gzipSync,
  async gzip(text) {
    try {
      const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
      return new Uint8Array(await new Response(stream).arrayBuffer())
    } catch {
      return gzipSync(text)
    }
  },
}
