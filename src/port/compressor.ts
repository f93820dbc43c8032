/** Gzip in two speeds. */
export interface Compressor {
  /** Off the main thread where the platform can. */
  gzip(text: string): Promise<Uint8Array>
  /** At once, for the moment in which the page goes away. */
  gzipSync(text: string): Uint8Array
}
