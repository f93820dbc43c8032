import { tryOr } from '../lib/try-or.ts'

/**
 * Reads `window.waymark`: the agent's script, or the stub with its queue. Undefined for anything else, such as an element or a frame of the
 * page that has this name. Even reading from a frame of another origin throws. A page without either must not: with the first exception
 * Chromium may parse the script again, for 15 ms.
 */
export const readGlobal = (): unknown =>
  tryOr(() => {
    const { waymark } = globalThis as { readonly waymark?: { readonly init?: unknown; readonly q?: unknown } }
    return Array.isArray(waymark?.q) || typeof waymark?.init === 'function' ? waymark : undefined
  })
