/** Compresses a string with gzip, off the main thread where the platform supports it. Rejects on platforms without gzip. */
export type Compressor = (input: string) => Promise<Uint8Array>
