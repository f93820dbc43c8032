/** Every platform of the agent has one, though neither the language nor this folder's `lib` names it. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array }

/** How many bytes `text` takes in UTF-8; a lone surrogate counts as U+FFFD, which encoders put in its place. */
export const utf8Length = (text: string): number => new TextEncoder().encode(text).length
