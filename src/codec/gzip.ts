import { gzipSync as compress } from 'fflate'

/** Every platform of the agent has `TextEncoder`, but neither the language nor this folder's `lib` declares it. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array }

/** Compresses a string with gzip, synchronously. No modification time is set, so that equal strings give equal bytes. */
export const gzipSync = (text: string): Uint8Array => compress(new TextEncoder().encode(text), { mtime: 0 })
