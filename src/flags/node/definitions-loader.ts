import type { CompiledSet } from '../../evaluate/compile.ts'
import type { FlagDefinitions } from '../../wire/definition.ts'

/** Definitions in use, ready to run. */
export interface LoadedDefinitions {
  readonly definitions: FlagDefinitions
  readonly set: CompiledSet
  /** When they came, in milliseconds since 1970. */
  readonly loadedAt: number
}

/** Keeps flag definitions at hand and new. Nothing throws or rejects, and nothing keeps the process alive but a request under way. */
export interface DefinitionsLoader {
  /** Begins the first load; nothing waits for it. */
  start(): void
  /** Undefined while there are none, and after a 402 (quota). */
  current(): LoadedDefinitions | undefined
  /** Resolves when the first load has ended, well or badly, or after `timeoutMs`; at once from then on. */
  firstLoad(timeoutMs: number): Promise<void>
  /** Resolves with whether there are definitions, as soon as there are, or after `timeoutMs`. */
  ready(timeoutMs: number): Promise<boolean>
  /** Loads anew by a request that begins after the call, whatever wait is under way. */
  reload(): Promise<void>
  /** Ends all work at once; what was loaded stays. Resolves when the cache provider has ended, too, or had its time. */
  shutdown(): Promise<void>
}
