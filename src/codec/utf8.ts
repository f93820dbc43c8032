/** Declared here, because this folder is compiled without the types of browsers and Node. All supported platforms have it. */
declare const TextEncoder: new () => { encode(input: string): Uint8Array }

/** Returns the number of bytes of a string in UTF-8. A lone surrogate has three bytes, because encoders write U+FFFD for it. */
export const utf8Length = (input: string): number => new TextEncoder().encode(input).length
