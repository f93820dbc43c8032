import { gzipSync as compress } from 'fflate'

/** Every platform of the agent has one, though neither the language nor this folder's `lib` names it. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array }

/** Gzip at once, on the calling thread. Without a modification time, so that equal texts give equal bytes. */
export const gzipSync = (text: string): Uint8Array => compress(new TextEncoder().encode(text), { mtime: 0 })
