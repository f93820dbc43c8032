/** Gzips a text, off the main thread where the platform can; rejects where it cannot at all. */
export type Compressor = (text: string) => Promise<Uint8Array>
