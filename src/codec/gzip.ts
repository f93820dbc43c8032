import { gzipSync as compress } from 'fflate'

/** Declared here, because this folder is compiled without the types of browsers and Node. All supported platforms have it. */
declare const TextEncoder: new () => { encode(input: string): Uint8Array }

/** Compresses a string with gzip, synchronously. No modification time is set, so that equal strings give equal bytes. */
export const gzipSync = (input: string): Uint8Array => compress(new TextEncoder().encode(input), { mtime: 0 })
