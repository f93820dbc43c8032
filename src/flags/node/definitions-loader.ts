import type { CompiledSet } from '../../evaluate/compile.ts'
import type { FlagDefinitions } from '../../wire/definition.ts'

/** The definitions in use, with their compiled form. */
export interface LoadedDefinitions {
  readonly definitions: FlagDefinitions
  readonly compiled: CompiledSet
  /** When the definitions were received, in milliseconds since 1970. */
  readonly loadedAt: number
}

/** Loads flag definitions and keeps them up to date. No method throws or rejects. Only a request in flight keeps the process alive. */
export interface DefinitionsLoader {
  /** Starts the first load and returns at once. */
  start(): void
  /** Undefined before the first successful load, and after a 402 response (quota exceeded). */
  current(): LoadedDefinitions | undefined
  /** Resolves when the first load has succeeded or failed, or after `timeoutMs`; later calls resolve at once. */
  waitForFirstLoad(timeoutMs: number): Promise<void>
  /** Resolves with true as soon as definitions are loaded, or with false after `timeoutMs` without definitions. */
  waitUntilReady(timeoutMs: number): Promise<boolean>
  /** Loads again with a request that starts after this call, ignoring any back-off. */
  reload(): Promise<void>
  /** Stops all work at once; loaded definitions stay. Resolves when the cache provider has shut down, or timed out. */
  shutdown(): Promise<void>
}
