import { MAX_PERSON_PROPERTIES_BYTES } from '../../wire/bounds.ts'
import { noop } from '../noop.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { PersonCopyUpdate } from '../store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../store/events/event-store.ts'
import { ONLY_NODE } from '../store/metadata/node-id.ts'
import { MAX_GROUP_TYPES_FROM_EVENTS, findUnmappedGroupTypes } from '../store/metadata/group-types.ts'
import type { PersonProgress } from '../store/metadata/person-progress.ts'
import { readPersonProgress } from '../store/metadata/person-progress.ts'
import { isConflict } from '../store/metadata/postgres/is-unavailable.ts'
import { withPersonLock } from '../store/metadata/postgres/person-lock.ts'
import type { RowPosition } from '../store/row-position.ts'
import { positionBeforeEvent, isBeyond } from '../store/row-position.ts'
import type { RowChange } from './change.ts'
import { distinctIdsIn, loadWorkingSet } from './load-working-set.ts'
import { createCopyUpdate, listMovedIds } from './create-copy-update.ts'
import { createKnownIds } from './known-ids.ts'
import { OlderMetadataError } from './older-metadata-error.ts'
import type { PersonCache } from './person-cache.ts'
import { clearCache, createPersonCache, isWithinLimits, MAX_CACHED_IDS, shrinkCache } from './person-cache.ts'
import { resolveChanges } from './resolve-changes.ts'
import type { KnownPersons } from './skip-plain-changes.ts'
import { addKnownIds, skipPlainChanges } from './skip-plain-changes.ts'
import type { UnsavedChanges } from './unsaved-changes.ts'
import { addUnsaved, countUnsaved, createUnsavedChanges, hasLargeGroups, writeUnsaved } from './unsaved-changes.ts'

/** The result of `PersonUpdater.apply`. */
export interface AppliedChanges {
  /** The new state of all persons and groups that the changes name, for the event store. */
  readonly persons: PersonCopyUpdate
  /** The position up to which events may be stored with it: `end`, or less when only the first changes were applied. */
  readonly position: RowPosition
}

/** Applies the changes of events to persons and groups in the metadata, for all projects. */
export interface PersonUpdater {
  /**
   * Applies the changes of a batch of events, in order. `save` writes them; shared ones are written already. Changes that an earlier run
   * saved before it was killed are not applied again. If the persons and groups of the batch exceed the size limit, only the first changes
   * are applied; call it again with those after the resulting position.
   *
   * @param end the position after the whole batch.
   */
  apply(projectId: number, changes: readonly RowChange[], end: RowPosition): Promise<AppliedChanges>
  /**
   * Writes what was applied, in one metadata transaction with the position that covers it. Call it before the event store commits: after
   * a kill, the metadata may be ahead of the events, and never behind. `apply` may save earlier.
   */
  save(projectId: number): Promise<void>
}

/**
 * Default of `PersonUpdaterOptions.maxUnsaved`. The transaction blocks the writes of other processes: for 50 ms with small persons, and for
 * 400 ms if all are merges.
 */
const MAX_UNSAVED = 10_000

/** Attempts of a transaction that PostgreSQL ends because others wait for each other, such as the deletion of a project. */
const MAX_ATTEMPTS = 5

export interface PersonUpdaterOptions {
  /** The node whose inbox has the events. Default: the only one. */
  readonly nodeId?: string
  /**
   * Whether other nodes change the same persons, in PostgreSQL. Each call of `apply` then reads and writes in a transaction that no other
   * node interrupts, and memory is used only while no other node has written. So persons are as if one node had applied all batches, in
   * the order of their revisions. Default: false, which needs fewer transactions.
   */
  readonly isShared?: boolean
  /**
   * Receives a message for each person or group of which properties were left out because all would be too large. It also gets one message for each
   * project with more group types than events may give an index. Default: nothing.
   */
  readonly warn?: (message: string) => void
  /** Number of changes after which `apply` saves. Default 10,000. */
  readonly maxUnsaved?: number
  /** Maximum number of distinct ids of one project that are cached between saves. Default 30,000. */
  readonly maxCachedIds?: number
  /** Maximum number of distinct ids that a merge moves although the other person has fewer. Default 100. */
  readonly maxMovedIds?: number
  /** Size of properties, in bytes of JSON, from which only those that change are written. Default 8 KiB. */
  readonly minBaseBytes?: number
}

/** What the updater knows of one project. Memory is ahead of the metadata by what is unsaved. */
interface ProjectPersons {
  /** The scope in `KnownIds`. */
  readonly scope: number
  readonly cache: PersonCache
  readonly unsaved: UnsavedChanges
  /** The distinct ids of the changes since the last save. */
  readonly recentIds: Set<string>
  /** About properties that were left out. They are reported once the changes are written: a failed call is repeated. */
  readonly warnings: Set<string>
  /** The position of the persons in memory. */
  position: RowPosition
  /** The revision in the metadata, to which the persons in memory belong. What is unsaved has the next one. */
  savedRevision: number
}

const revisionOf = ({ unsaved, savedRevision }: ProjectPersons): number =>
  countUnsaved(unsaved) > 0 ? savedRevision + 1 : savedRevision

/**
 * Creates the updater. It caches persons between batches, because most events come from recently seen persons; that is
 * safe because only indexers write persons. After a failure it reads the persons of the project again.
 */
export const createPersonUpdater = (
  metadata: Metadata,
  {
    nodeId = ONLY_NODE,
    isShared = false,
    warn = noop,
    maxUnsaved = MAX_UNSAVED,
    maxCachedIds = MAX_CACHED_IDS,
    maxMovedIds,
    minBaseBytes,
  }: PersonUpdaterOptions = {},
): PersonUpdater => {
  const projects = new Map<number, ProjectPersons>()
  // Shared by all projects, so that they need no more memory together than one.
  const knownIds = createKnownIds()
  let lastScope = 0
  const warnedOfTypes = new Set<number>()

  const readProject = async (projectId: number): Promise<ProjectPersons> => {
    const read = (database: Metadata): Promise<PersonProgress> => readPersonProgress(database, nodeId, projectId)
    // A transaction of a process that was killed, or whose answer was lost, may still run: the lock waits for its end.
    const { position, revision } = await (isShared ? withPersonLock(metadata, projectId, read) : read(metadata))
    lastScope += 1
    return {
      // A new one after a failure, so that nothing of before is believed.
      scope: lastScope,
      cache: createPersonCache(maxMovedIds, minBaseBytes),
      unsaved: createUnsavedChanges(),
      recentIds: new Set(),
      warnings: new Set(),
      position,
      savedRevision: revision,
    }
  }

  const write = async (database: Metadata, projectId: number, project: ProjectPersons): Promise<void> => {
    const { cache, unsaved, position } = project
    // Without a change, a replay has nothing to apply twice, so the position needs no commit.
    if (countUnsaved(unsaved) === 0) return
    const revision = revisionOf(project)
    await writeUnsaved(database, nodeId, projectId, unsaved, cache, { position, revision })
    project.savedRevision = revision
  }

  const knownBy = ({ scope, cache, position }: ProjectPersons): KnownPersons => ({ knownIds, scope, cache, position })

  /** Whether so much is in memory that it must be written. */
  const isFull = ({ cache, unsaved }: ProjectPersons): boolean =>
    countUnsaved(unsaved) > maxUnsaved || hasLargeGroups(unsaved) || !isWithinLimits(cache, maxCachedIds)

  /** Reports what was dropped, and removes what a later call can read again. */
  const onWritten = (projectId: number, { cache, unsaved, recentIds, warnings }: ProjectPersons): void => {
    if (countUnsaved(unsaved) > 0) return
    for (const warning of warnings)
      warn(
        `${warning} (project ${projectId}): all properties together would exceed ${MAX_PERSON_PROPERTIES_BYTES} bytes.`,
      )
    warnings.clear()
    shrinkCache(cache, maxCachedIds, recentIds)
    recentIds.clear()
  }

  const warnOfType = (projectId: number, type: string | undefined): void => {
    if (type === undefined || warnedOfTypes.has(projectId)) return
    warnedOfTypes.add(projectId)
    warn(
      `Group type ${JSON.stringify(type)} of project ${projectId} has no index, so no flag can use it: events give ` +
        `an index to the first ${MAX_GROUP_TYPES_FROM_EVENTS} types only. POST it to /api/environments/${projectId}/groups_types/.`,
    )
  }

  /** Applies changes to the persons in memory, and writes them if they cannot wait. */
  const applyChanges = async (
    database: Metadata,
    projectId: number,
    project: ProjectPersons,
    relevantChanges: readonly RowChange[],
    end: RowPosition,
  ): Promise<AppliedChanges> => {
    const { cache, unsaved, recentIds, position: appliedPosition } = project
    const loaded = await loadWorkingSet(database, projectId, relevantChanges, cache, unsaved)
    const { workingSet, changes } = loaded
    const groupTypes = await findUnmappedGroupTypes(database, projectId, groupTypesIn(changes))
    const { replayed, applied, removed, moved } = resolveChanges(projectId, loaded, cache, appliedPosition)
    const movedIds = await listMovedIds(database, projectId, workingSet, moved, unsaved)

    addKnownIds(knownBy(project), applied)
    addUnsaved(unsaved, workingSet, removed, groupTypes.accepted)
    for (const distinctId of distinctIdsIn(changes)) recentIds.add(distinctId)
    for (const warning of workingSet.warnings) project.warnings.add(warning)
    warnOfType(projectId, groupTypes.refused[0])
    const nextChange = relevantChanges[changes.length]
    const position = nextChange === undefined ? end : positionBeforeEvent(nextChange)
    // An earlier run may have applied more changes than this one.
    if (isBeyond(position, appliedPosition)) project.position = position

    const revision = revisionOf(project)
    // New group types are counted, and the distinct ids of replayed persons are read, in the metadata.
    const mustWrite = isShared || replayed.length > 0 || groupTypes.accepted.length > 0
    if (mustWrite || isFull(project)) await write(database, projectId, project)
    const update = await createCopyUpdate(database, projectId, workingSet, movedIds, replayed)
    return { persons: { ...update, revision }, position }
  }

  /** Like `applyChanges`, while no other node reads or changes persons of the project. */
  const applyAlone = (
    projectId: number,
    project: ProjectPersons,
    relevantChanges: readonly RowChange[],
    end: RowPosition,
  ): Promise<AppliedChanges> =>
    withPersonLock(metadata, projectId, async (transaction) => {
      const { revision } = await readPersonProgress(transaction, nodeId, projectId)
      if (revision < project.savedRevision) throw new OlderMetadataError(projectId)
      if (revision !== project.savedRevision) clearCache(project.cache)
      project.savedRevision = revision
      return applyChanges(transaction, projectId, project, relevantChanges, end)
    })

  const apply: PersonUpdater['apply'] = async (projectId, allChanges, end) => {
    if (allChanges.length === 0) return { persons: NO_PERSON_UPDATE, position: end }
    const project = projects.get(projectId) ?? (await readProject(projectId))
    // Until it has succeeded: the memory of a failed call is not used again.
    projects.delete(projectId)
    const relevantChanges = await skipPlainChanges(metadata, projectId, allChanges, knownBy(project))
    const result =
      isShared && relevantChanges.length > 0
        ? await applyAlone(projectId, project, relevantChanges, end)
        : await applyChanges(metadata, projectId, project, relevantChanges, end)
    onWritten(projectId, project)
    projects.set(projectId, project)
    return result
  }

  return {
    async apply(...batch) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await apply(...batch)
        } catch (error) {
          if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
        }
      }
    },
    async save(projectId) {
      const project = projects.get(projectId)
      if (project === undefined) return
      projects.delete(projectId)
      await write(metadata, projectId, project)
      onWritten(projectId, project)
      projects.set(projectId, project)
    },
  }
}

/** The group types that changes name, in the order of their first event. */
const groupTypesIn = (changes: readonly RowChange[]): string[] => [
  ...new Set(changes.flatMap(({ change }) => (change.kind === 'group' ? [change.type] : []))),
]
