import { compileSteps } from '../../../evaluate/compile.ts'
import type { CompiledFlag } from '../../../evaluate/compiled-flag.ts'
import { unavailable } from '../../http-error.ts'
import { noop } from '../../noop.ts'
import { readFlagRevisions } from '../../store/metadata/flag-revisions.ts'
import { readFlagSettings } from '../../store/metadata/flag-settings.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import type { WatchChanges } from '../../store/metadata/watch-changes.ts'
import { waitAtMost } from '../../wait-at-most.ts'
import { workInChunks } from '../../work-in-chunks.ts'
import { addDependencyChains } from './add-dependency-chains.ts'
import { findStoredWarnings } from './find-stored-warnings.ts'
import { createFeed } from '../feed/feed.ts'
import type { Feed } from '../feed/feed.ts'
import { createFindRequiredData } from '../decide/required-data.ts'
import type { RequiredData } from '../decide/required-data.ts'
import { readDefinitions } from './read-definitions.ts'

/** The flags of one project, compiled for evaluation and serialised for the feed. */
export interface FlagSet {
  readonly revision: number
  readonly flags: readonly CompiledFlag[]
  readonly isPaused: boolean
  /** The stored data that these flags read; the items of the list apply together. */
  readonly findRequiredData: (flags: readonly CompiledFlag[]) => readonly RequiredData[]
  /** Whether agents may send `$feature_flag_called` with few properties for flags without an experiment. */
  readonly minimalFlagCalledEvents: boolean
  readonly feed: (withCohorts: boolean) => Feed
}

/** The flags of all projects. */
export interface FlagSets {
  /**
   * Returns the flags of a project, at most 500 ms old. While the metadata cannot be read, or newer flags take more than a second to load,
   * it returns the cached flags. Without any, it throws `HttpError` (503) for metadata that cannot be read.
   */
  get(projectId: number): Promise<FlagSet>
  /** Reads a project again after a change by this process. Once it resolves, `get` returns the change; listeners were called. */
  reload(projectId: number): Promise<void>
  /**
   * Calls `listener` with every new set of a project. Changes by other processes are polled for: each poll starts 400 ms after
   * the previous one, including its loading and compiling, has ended. Returns a function that stops this.
   */
  watch(projectId: number, listener: (set: FlagSet) => void): () => void
}

export interface FlagSetsOptions {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Tells of changes by other processes, which are then read at once. Default: nothing does. */
  readonly watchChanges?: WatchChanges
  /** Called when the metadata cannot be read and cached definitions are used instead, and when a listener throws. */
  readonly onError: (error: unknown) => void
  /** Called when the flags of a project are loaded for the first time, with a sentence for each that has a misspelled field. Default: nothing. */
  readonly onWarning?: (warning: string) => void
}

/** Time in milliseconds after which the revision of cached definitions is read again. */
const CACHE_TTL_MS = 500

/** Longest wait for newer flags. A load that takes longer is waited for once by all. */
const MAX_WAIT_MS = 1_000

/** Pause between the end of a poll for changes of watched projects and the next one, in milliseconds. */
const POLL_INTERVAL_MS = 400

interface CachedFlagSet {
  readonly set: FlagSet
  readonly checkedAt: number
}

/** Flags of a project that are being loaded. */
interface Loading {
  readonly whole: Promise<FlagSet>
  /** Like `whole`, but with the cached flags when it takes long. */
  readonly answer: Promise<FlagSet>
}

const load = async (
  metadata: Metadata,
  projectId: number,
  cached: FlagSet | undefined,
  onWarning: (warning: string) => void,
): Promise<FlagSet> => {
  if (cached?.revision === (await readFlagSettings(metadata, projectId)).revision) return cached
  const { revision, isPaused, definitions } = await readDefinitions(metadata, projectId)
  // Authors of later changes are told at once.
  if (cached === undefined)
    for (const warning of await workInChunks(findStoredWarnings(definitions)))
      onWarning(`Project ${projectId}: ${warning}`)
  // The flags of a large project take much longer than serving a request.
  const compiled = await workInChunks(compileSteps(definitions))
  return {
    revision,
    flags: [...compiled.flags.values()],
    isPaused,
    findRequiredData: createFindRequiredData(compiled),
    minimalFlagCalledEvents: definitions.minimal_flag_called_events === true,
    feed: createFeed(addDependencyChains(definitions, compiled.chains)),
  }
}

/** Creates the cache of each project's compiled flags. It polls for changes only while there are listeners. */
export const createFlagSets = ({
  metadata,
  now,
  watchChanges,
  onError,
  onWarning = noop,
}: FlagSetsOptions): FlagSets => {
  const sets = new Map<number, CachedFlagSet>()
  const loading = new Map<number, Loading>()
  const watchers = new Map<number, Set<(set: FlagSet) => void>>()
  let poll: NodeJS.Timeout | undefined

  /** A listener that throws does not prevent the others from being called. */
  const notify = (projectId: number, set: FlagSet): void => {
    for (const listener of watchers.get(projectId) ?? []) {
      try {
        listener(set)
      } catch (error) {
        onError(error)
      }
    }
  }

  const refresh = async (projectId: number): Promise<FlagSet> => {
    const cached = sets.get(projectId)?.set
    // Read before loading, because the loaded set does not contain changes made meanwhile.
    const checkedAt = now()
    try {
      const set = await load(metadata, projectId, cached, onWarning)
      sets.set(projectId, { set, checkedAt })
      if (cached && set !== cached) notify(projectId, set)
      return set
    } catch (error) {
      if (!cached)
        throw unavailable(
          'flags_unavailable',
          'The flag definitions cannot be read at the moment. Retry in 5 seconds.',
          5,
          error,
        )
      onError(error)
      return cached
    } finally {
      loading.delete(projectId)
    }
  }

  const startLoading = (projectId: number): Loading => {
    const cached = sets.get(projectId)?.set
    const whole = refresh(projectId)
    const answer = cached === undefined ? whole : waitAtMost(whole, MAX_WAIT_MS).catch(() => cached)
    const started = { whole, answer }
    loading.set(projectId, started)
    return started
  }

  const loadOnce = (projectId: number): Loading => loading.get(projectId) ?? startLoading(projectId)

  /** One query for all watched projects; only changed ones are loaded. */
  const pollForChanges = async (): Promise<void> => {
    try {
      const revisions = await readFlagRevisions(metadata, [...watchers.keys()])
      for (const projectId of watchers.keys())
        if (sets.get(projectId)?.set.revision !== (revisions.get(projectId) ?? 0)) await loadOnce(projectId).whole
    } catch (error) {
      onError(error)
    }
    poll = watchers.size === 0 ? undefined : setTimeout(() => void pollForChanges(), POLL_INTERVAL_MS).unref()
  }

  const reload = async (projectId: number): Promise<void> => {
    // A load in progress may have read the state before the change.
    await loading.get(projectId)?.whole.catch(noop)
    if (sets.has(projectId)) await loadOnce(projectId).whole
  }

  watchChanges?.((changedId) => {
    for (const projectId of changedId === null ? [...sets.keys()] : [changedId]) reload(projectId).catch(onError)
  })

  return {
    get: (projectId) => {
      const cached = sets.get(projectId)
      // The absolute value expires the cache also when the clock was set back.
      if (cached && Math.abs(now() - cached.checkedAt) < CACHE_TTL_MS) return Promise.resolve(cached.set)
      return loadOnce(projectId).answer
    },
    reload,
    watch: (projectId, listener) => {
      const listeners = watchers.get(projectId) ?? new Set()
      watchers.set(projectId, listeners.add(listener))
      poll ??= setTimeout(() => void pollForChanges(), POLL_INTERVAL_MS).unref()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) watchers.delete(projectId)
      }
    },
  }
}
