import type { Clock } from '../../../port/clock.ts'
import type { LoadedDefinitions } from '../definitions-loader.ts'
import { compileInTurns } from './compile-in-turns.ts'
import type { FoundDefinitions } from './judge.ts'

/** The definitions that flags are evaluated by. */
export interface DefinitionsInUse {
  /** The same object until they change. */
  current(): LoadedDefinitions | undefined
  /** The newest that were given, though they may not be compiled yet. */
  newest(): Pick<FoundDefinitions, 'text' | 'etag'> | undefined
  /** Another number after each change of them. */
  revision(): number
  /** Takes others; resolves once they are in use, or newer ones came in between. The same ones cost nothing. */
  use(found: FoundDefinitions): Promise<void>
  /** They go by this tag from now on. */
  retag(etag: string | undefined): void
  /** There are none any more. */
  clear(): void
}

/** @param onUse Told when others are in use. */
export const createDefinitionsInUse = (clock: Clock, onUse: () => void): DefinitionsInUse => {
  let current: LoadedDefinitions | undefined
  let newest: Pick<FoundDefinitions, 'text' | 'etag'> | undefined
  let revision = 0
  let compiling: Promise<void> = Promise.resolve()

  return {
    current: () => current,
    newest: () => newest,
    revision: () => revision,
    use({ definitions, text, etag }) {
      const isOther = newest?.text !== text
      newest = { text, etag }
      if (!isOther) return compiling
      const own = ++revision
      const loadedAt = clock.now()
      compiling = compileInTurns(definitions, clock).then((set) => {
        if (own !== revision) return
        current = { definitions, set, loadedAt }
        onUse()
      })
      return compiling
    },
    retag(etag) {
      if (newest) newest = { ...newest, etag }
    },
    clear() {
      revision++
      newest = current = undefined
    },
  }
}
