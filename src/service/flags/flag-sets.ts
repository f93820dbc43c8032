import { compile, type CompiledSet } from '../../evaluate/compile.ts'
import { unavailable } from '../refusal.ts'
import { listFlags, readFlagSettings } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** The flags of one project, ready to run. */
export interface FlagSet {
  readonly revision: number
  readonly flags: CompiledSet['flags']
  readonly isPaused: boolean
  /** Whether any flag looks at properties of persons: without one no person need be read. */
  readonly readsPersons: boolean
  /** The same for groups. */
  readonly readsGroups: boolean
}

export interface FlagSetsParts {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Told when the metadata could not be read and older definitions were used. */
  readonly onError: (error: unknown) => void
}

/** How long definitions are believed, in milliseconds: a change by any process is seen no later. */
const BELIEVED_MS = 500

interface Held {
  readonly set: FlagSet
  readonly checkedAt: number
}

const load = async (metadata: Metadata, projectId: number, held: FlagSet | undefined): Promise<FlagSet> => {
  // The revision first: a change in between is then loaded, at worst, twice.
  const { revision, groupTypes, isPaused } = await readFlagSettings(metadata, projectId)
  if (held?.revision === revision) return held
  const compiled = compile({ flags: await listFlags(metadata, projectId), group_type_mapping: groupTypes })
  return {
    revision,
    flags: compiled.flags,
    isPaused,
    readsPersons: compiled.personKeys.size > 0,
    readsGroups: compiled.groupKeys.size > 0,
  }
}

/**
 * Holds the compiled flags of each project in memory. While the metadata cannot be read, what is held goes on being used;
 * with nothing held it throws `Refusal` (503).
 */
export const createFlagSets = ({
  metadata,
  now,
  onError,
}: FlagSetsParts): ((projectId: number) => Promise<FlagSet>) => {
  const sets = new Map<number, Held>()
  const loading = new Map<number, Promise<FlagSet>>()

  const refresh = async (projectId: number): Promise<FlagSet> => {
    const held = sets.get(projectId)?.set
    // From before the look: what changes during it is not covered by it.
    const checkedAt = now()
    try {
      const set = await load(metadata, projectId, held)
      sets.set(projectId, { set, checkedAt })
      return set
    } catch (error) {
      if (!held) throw unavailable('flags_unavailable', 'The flag definitions cannot be read now.', 5, error)
      onError(error)
      return held
    } finally {
      loading.delete(projectId)
    }
  }

  return (projectId) => {
    const held = sets.get(projectId)
    // A clock that was turned back must not keep definitions for ever.
    if (held && Math.abs(now() - held.checkedAt) < BELIEVED_MS) return Promise.resolve(held.set)
    const running = loading.get(projectId) ?? refresh(projectId)
    loading.set(projectId, running)
    return running
  }
}
