import type { CompiledSet } from '../../evaluate/compile.ts'
import type { CohortDefinition, FlagDefinition, FlagDefinitions } from '../../wire/definition.ts'

/** Definitions in use, ready to run. */
export interface LoadedDefinitions {
  readonly definitions: FlagDefinitions
  readonly set: CompiledSet
  /** When they came, in milliseconds since 1970. */
  readonly loadedAt: number
}

/** Keeps flag definitions at hand and new. Nothing throws or rejects. */
export interface DefinitionsLoader {
  start(): void
  /** Undefined while there are none, and after a 402 (quota). */
  current(): LoadedDefinitions | undefined
  /** Resolves when the first load has ended, well or badly, or after `timeoutMs`. */
  firstLoad(timeoutMs: number): Promise<void>
  /** Resolves with whether there are definitions, as soon as there are, or after `timeoutMs`. */
  ready(timeoutMs: number): Promise<boolean>
  /** Loads anew by a request that begins after the call. */
  reload(): Promise<void>
  shutdown(): Promise<void>
}

/** What a cache provider keeps: the feed's own form. */
export interface CachedDefinitions {
  readonly flags: readonly FlagDefinition[]
  readonly groupTypeMapping: Readonly<Record<string, string>>
  readonly cohorts: Readonly<Record<string, CohortDefinition>>
}
