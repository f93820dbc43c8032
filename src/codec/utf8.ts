/** Every platform of the agent has `TextEncoder`, but neither the language nor this folder's `lib` declares it. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array }

/** Bytes of a string in UTF-8. A lone surrogate counts as U+FFFD, as encoders write it. */
export const utf8Length = (text: string): number => new TextEncoder().encode(text).length
