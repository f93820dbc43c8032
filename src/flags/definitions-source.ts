import type { Send } from '../port/send.ts'
import type { FlagDefinitions } from '../wire/definition.ts'
import { parseJson } from '../wire/parse-json.ts'

/** Where flag definitions come from: the page itself, a file of the site, or both. */
export interface DefinitionsOptions {
  /** Definitions in the page, used until newer definitions are loaded. */
  readonly definitions?: FlagDefinitions | undefined
  /** URL of newer definitions, loaded by GET. */
  readonly definitionsUrl?: string | undefined
}

/** The current flag definitions. */
export interface DefinitionsSource {
  /** Returns undefined while there are no definitions, and the same object until they change. */
  getDefinitions(): FlagDefinitions | undefined
  /** Returns false until `definitionsUrl` has loaded, and after a failed load until the next success. */
  isLoaded(): boolean
  /** Returns whether the last load failed. */
  hasFailed(): boolean
  /** Loads the definitions; a failure keeps the old ones. Resolves to whether they have changed. Never rejects. */
  load(): Promise<boolean>
}

/** @param warn Called for invalid definitions and for the first of several failures in a row. */
export const createDefinitionsSource = (
  { definitions, definitionsUrl: url }: DefinitionsOptions,
  send: Send,
  timeoutMs: number,
  warn: (message: string) => void,
): DefinitionsSource => {
  let currentDefinitions = isDefinitions(definitions) ? definitions : undefined
  let currentBody: string | undefined
  let isLoaded = !url
  let hasFailed = false
  if (definitions && !currentDefinitions) warn('bootstrap.definitions ignored: they have no "flags" array')

  const fail = (reason: string): boolean => {
    if (!hasFailed) warn(`flag definitions not loaded from ${url}: ${reason}`)
    hasFailed = true
    isLoaded = false
    return false
  }

  return {
    getDefinitions: () => currentDefinitions,
    isLoaded: () => isLoaded,
    hasFailed: () => hasFailed,
    async load() {
      if (!url) return false
      const { status, body } = await send({ url, body: '', contentType: 'text/plain', timeoutMs })
      if (status !== 200 && (status !== 304 || currentBody === undefined))
        return fail(status ? `status ${status}` : 'no response, or a redirect')
      const hasChanged = status === 200 && body !== currentBody
      const loadedDefinitions = hasChanged ? parseDefinitions(body) : currentDefinitions
      if (!loadedDefinitions) return fail('the body has no "flags" array')
      if (hasChanged) currentBody = body
      currentDefinitions = loadedDefinitions
      isLoaded = true
      hasFailed = false
      return hasChanged
    },
  }
}

const parseDefinitions = (body: string): FlagDefinitions | undefined => {
  const parsed: unknown = parseJson(body)
  return isDefinitions(parsed) ? parsed : undefined
}

const isDefinitions = (value: unknown): value is FlagDefinitions =>
  Array.isArray((value as Partial<FlagDefinitions> | null | undefined)?.flags)
