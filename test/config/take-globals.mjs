/**
 * What the agent takes of the language and of the browser once, when it is loaded: as properties of the global object, because an inline
 * script of a page may have a `class Map` or a `const URL`, which hide the real ones. The others (`Object`, `JSON`, `Math` …) are in too many
 * places of every library for a page to hide them, and each costs a page more bytes.
 */
const TAKEN =
  'AbortController Blob BroadcastChannel CompressionStream Date Error Headers IDBKeyRange Intl Map MutationObserver Promise Request Response Set Symbol TextEncoder TypeError URL URLSearchParams Uint8Array WeakMap'.split(
    ' ',
  )

/** Declares the taken names that a chunk uses at its start. */
export const takeGlobals = {
  name: 'take-globals',
  renderChunk(code) {
    const used = TAKEN.filter((name) => new RegExp(`(?<![.\\w$])${name}\\b(?!\\s*:)`).test(code))
    if (!used.length) return null
    const declaration = `const { ${used.join(', ')} } = globalThis;\n`
    const strict = /^[^\n]*\n?\s*'use strict';\n/.exec(code)?.[0] ?? ''
    return { code: strict + declaration + code.slice(strict.length), map: null }
  },
}
