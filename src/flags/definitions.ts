import type { Send } from '../port/send.ts'
import type { FlagDefinitions } from '../wire/definition.ts'

/** Where flag definitions come from: the page itself, a file of its site, or both. */
export interface DefinitionsOptions {
  /** Known from the start. */
  readonly definitions?: FlagDefinitions | undefined
  /** Where newer ones are, by GET. */
  readonly definitionsUrl?: string | undefined
}

/** The flag definitions in use. */
export interface Definitions {
  /** Undefined as long as there are none; the same object until they change. */
  current(): FlagDefinitions | undefined
  /** False until `definitionsUrl` has answered once, and again after a failure. */
  isLoaded(): boolean
  /** The last load failed. */
  hasFailed(): boolean
  /** Loads them; what cannot be had or read leaves the old ones. Answers whether they are others now. Never rejects. */
  load(): Promise<boolean>
}

/** @param warn Told of definitions that cannot be used; of several failures in a row once. */
export const createDefinitions = (
  { definitions, definitionsUrl: url }: DefinitionsOptions,
  send: Send,
  timeoutMs: number,
  warn: (message: string) => void,
): Definitions => {
  let current = isDefinitions(definitions) ? definitions : undefined
  let text: string | undefined
  let isLoaded = !url
  let hasFailed = false
  if (definitions && !current) warn('bootstrap.definitions ignored: no flag definitions')

  const fail = (why: string): boolean => {
    if (!hasFailed) warn(`flag definitions not loaded from ${url}: ${why}`)
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
      if (status !== 200 && (status !== 304 || text === undefined))
        return fail(status ? `status ${status}` : 'no answer, or a redirect')
      const isOther = status === 200 && body !== text
      const given = isOther ? read(body) : current
      if (!given) return fail('no flag definitions')
      if (isOther) text = body
      current = given
      isLoaded = true
      hasFailed = false
      return isOther
    },
  }
}

const read = (body: string): FlagDefinitions | undefined => {
  try {
    const given: unknown = JSON.parse(body)
    return isDefinitions(given) ? given : undefined
  } catch {
    return undefined
  }
}

const isDefinitions = (given: unknown): given is FlagDefinitions =>
  Array.isArray((given as Partial<FlagDefinitions> | null | undefined)?.flags)
