import type { Send } from '../port/send.ts'
import type { FlagDefinitions } from '../wire/definition.ts'

/** Where flag definitions come from: the page itself, a file of the site, or both. */
export interface DefinitionsOptions {
  /** Used until newer ones are loaded. */
  readonly definitions?: FlagDefinitions | undefined
  /** URL of newer definitions, loaded by GET. */
  readonly definitionsUrl?: string | undefined
}

/** The current flag definitions. */
export interface DefinitionsSource {
  /** Undefined while there are none; the same object until they change. */
  current(): FlagDefinitions | undefined
  /** False until `definitionsUrl` has loaded once, and again after a failure. */
  isLoaded(): boolean
  /** Whether the last load failed. */
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
  let current = isDefinitions(definitions) ? definitions : undefined
  let currentBody: string | undefined
  let isLoaded = !url
  let hasFailed = false
  if (definitions && !current) warn('bootstrap.definitions ignored: they have no "flags" array')

  const fail = (reason: string): boolean => {
    if (!hasFailed) warn(`flag definitions not loaded from ${url}: ${reason}`)
    hasFailed = true
    isLoaded = false
    return false
  }

  return {
    current: () => current,
    isLoaded: () => isLoaded,
    hasFailed: () => hasFailed,
    async load() {
      if (!url) return false
      const { status, body } = await send({ url, body: '', contentType: 'text/plain', timeoutMs })
      if (status !== 200 && (status !== 304 || currentBody === undefined))
        return fail(status ? `status ${status}` : 'no response, or a redirect')
      const hasChanged = status === 200 && body !== currentBody
      const latest = hasChanged ? parseDefinitions(body) : current
      if (!latest) return fail('the body has no "flags" array')
      if (hasChanged) currentBody = body
      current = latest
      isLoaded = true
      hasFailed = false
      return hasChanged
    },
  }
}

const parseDefinitions = (body: string): FlagDefinitions | undefined => {
  try {
    const parsed: unknown = JSON.parse(body)
    return isDefinitions(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const isDefinitions = (value: unknown): value is FlagDefinitions =>
  Array.isArray((value as Partial<FlagDefinitions> | null | undefined)?.flags)
