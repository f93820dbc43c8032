import type { CompiledFlag } from '../../../evaluate/compiled-flag.ts'
import { unavailable } from '../../refusal.ts'
import { readFlagRevisions } from '../../store/metadata/flag-revisions.ts'
import { readFlagSettings } from '../../store/metadata/flag-settings.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import { compileInSlices } from './compile-in-chunks.ts'
import { withDependencyChains } from './dependency-chains.ts'
import { createFeed } from '../feed/feed.ts'
import type { Feed } from '../feed/feed.ts'
import { createNeeds } from '../decide/needs.ts'
import type { Needs } from '../decide/needs.ts'
import { readDefinitions } from './read-definitions.ts'

/** The flags of one project, ready to run and to hand out. */
export interface FlagSet {
  readonly revision: number
  readonly flags: readonly CompiledFlag[]
  readonly isPaused: boolean
  /** What these of its flags need, all of the list together. */
  readonly needs: (wanted: readonly CompiledFlag[]) => readonly Needs[]
  /** `$feature_flag_called` of flags without an experiment may go out with few properties. */
  readonly minimalFlagCalledEvents: boolean
  readonly feed: (withCohorts: boolean) => Feed
}

/** The flags of all projects. */
export interface FlagSets {
  /**
   * The flags of a project as they were at most half a second before the call. While the metadata cannot be read, what is
   * held goes on being used; with nothing held it throws `Refusal` (503).
   */
  of(projectId: number): Promise<FlagSet>
  /** Call it after a change by this process: once it resolves, `of` answers the change and watchers were told. */
  changed(projectId: number): Promise<void>
  /**
   * Tells `listener` every new set of a project. A change by another process is looked for 400 ms after the last look was
   * done; what the look takes comes on top, and loading and compiling all that has changed. Returns its end.
   */
  watch(projectId: number, listener: (set: FlagSet) => void): () => void
}

export interface FlagSetsParts {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Told when the metadata could not be read and older definitions were used, and what a listener has thrown. */
  readonly onError: (error: unknown) => void
}

/** How long definitions are believed, in milliseconds: later they are looked for again. */
const BELIEVED_MS = 500

/** Pause between the end of a look for changes of watched projects and the next, in milliseconds. */
const POLL_MS = 400

interface Held {
  readonly set: FlagSet
  readonly checkedAt: number
}

const load = async (metadata: Metadata, projectId: number, held: FlagSet | undefined): Promise<FlagSet> => {
  if (held?.revision === (await readFlagSettings(metadata, projectId)).revision) return held
  const { revision, isPaused, definitions } = await readDefinitions(metadata, projectId)
  const compiled = await compileInSlices(definitions)
  return {
    revision,
    flags: [...compiled.flags.values()],
    isPaused,
    needs: createNeeds(compiled),
    minimalFlagCalledEvents: definitions.minimal_flag_called_events === true,
    feed: createFeed(withDependencyChains(definitions, compiled.chains)),
  }
}

/** Holds the compiled flags of each project in memory, and looks for changes while anybody watches. */
export const createFlagSets = ({ metadata, now, onError }: FlagSetsParts): FlagSets => {
  const sets = new Map<number, Held>()
  const loading = new Map<number, Promise<FlagSet>>()
  const watchers = new Map<number, Set<(set: FlagSet) => void>>()
  let poll: NodeJS.Timeout | undefined

  /** A listener that throws keeps nothing from the others. */
  const tell = (projectId: number, set: FlagSet): void => {
    for (const listener of watchers.get(projectId) ?? []) {
      try {
        listener(set)
      } catch (error) {
        onError(error)
      }
    }
  }

  const refresh = async (projectId: number): Promise<FlagSet> => {
    const held = sets.get(projectId)?.set
    // From before the look: what changes during it is not covered by it.
    const checkedAt = now()
    try {
      const set = await load(metadata, projectId, held)
      sets.set(projectId, { set, checkedAt })
      if (held && set !== held) tell(projectId, set)
      return set
    } catch (error) {
      if (!held) throw unavailable('flags_unavailable', 'The flag definitions cannot be read now.', 5, error)
      onError(error)
      return held
    } finally {
      loading.delete(projectId)
    }
  }

  const look = (projectId: number): Promise<FlagSet> => {
    const running = loading.get(projectId) ?? refresh(projectId)
    loading.set(projectId, running)
    return running
  }

  /** One query for all watched projects; only changed ones are loaded. */
  const lookForChanges = async (): Promise<void> => {
    try {
      const revisions = await readFlagRevisions(metadata, [...watchers.keys()])
      for (const projectId of watchers.keys())
        if (sets.get(projectId)?.set.revision !== (revisions.get(projectId) ?? 0)) await look(projectId)
    } catch (error) {
      onError(error)
    }
    poll = watchers.size === 0 ? undefined : setTimeout(() => void lookForChanges(), POLL_MS).unref()
  }

  return {
    of: (projectId) => {
      const held = sets.get(projectId)
      // A clock that was turned back must not keep definitions for ever.
      if (held && Math.abs(now() - held.checkedAt) < BELIEVED_MS) return Promise.resolve(held.set)
      return look(projectId)
    },
    changed: async (projectId) => {
      // One that runs may have read before the change.
      await loading.get(projectId)?.catch(() => {})
      if (sets.has(projectId)) await look(projectId)
    },
    watch: (projectId, listener) => {
      const listeners = watchers.get(projectId) ?? new Set()
      watchers.set(projectId, listeners.add(listener))
      poll ??= setTimeout(() => void lookForChanges(), POLL_MS).unref()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) watchers.delete(projectId)
      }
    },
  }
}
