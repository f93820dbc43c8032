import { gzipSync as compress, strToU8 } from 'fflate'

/** Gzip at once, on the calling thread. Without a modification time, so that equal texts give equal bytes. */
export const gzipSync = (text: string): Uint8Array => compress(strToU8(text), { mtime: 0 })
