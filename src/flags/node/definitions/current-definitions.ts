import type { Clock } from '../../../port/clock.ts'
import type { LoadedDefinitions } from '../definitions-loader.ts'
import { compileInChunks } from './compile-in-chunks.ts'
import type { ReceivedDefinitions } from './classify-definitions-response.ts'

/** The definitions in use, and the latest received ones while they are compiled. */
export interface CurrentDefinitions {
  /** Returns the same object until the definitions change. */
  current(): LoadedDefinitions | undefined
  /** The latest received definitions, which may not be compiled yet. */
  latest(): Pick<ReceivedDefinitions, 'json' | 'etag'> | undefined
  /** A number that grows with each change of the definitions. */
  revision(): number
  /**
   * Compiles definitions. Resolves when they are in use, or when newer ones have replaced them. Equal definitions are not compiled again.
   */
  use(received: ReceivedDefinitions): Promise<void>
  /** Replaces the tag of the latest definitions. */
  setEtag(etag: string | undefined): void
  /** Removes the definitions. */
  clear(): void
}

/** @param onUse Called when new definitions are in use. */
export const createCurrentDefinitions = (
  clock: Clock,
  onUse: (definitions: LoadedDefinitions['definitions']) => void,
): CurrentDefinitions => {
  let current: LoadedDefinitions | undefined
  let latest: Pick<ReceivedDefinitions, 'json' | 'etag'> | undefined
  let revision = 0
  let compiling: Promise<void> = Promise.resolve()

  return {
    current: () => current,
    latest: () => latest,
    revision: () => revision,
    use({ definitions, json, etag }) {
      const hasChanged = latest?.json !== json
      latest = { json, etag }
      if (!hasChanged) return compiling
      const ownRevision = ++revision
      const loadedAt = clock.now()
      compiling = compileInChunks(definitions, clock).then((compiled) => {
        if (ownRevision !== revision) return
        current = { definitions, compiled, loadedAt }
        onUse(definitions)
      })
      return compiling
    },
    setEtag(etag) {
      if (latest) latest = { ...latest, etag }
    },
    clear() {
      revision++
      latest = current = undefined
    },
  }
}
