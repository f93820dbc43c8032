import type { Metadata } from '../store/metadata/open.ts'
import type { PersonMirror } from '../store/events/event-store.ts'
import { NO_PERSONS } from '../store/events/event-store.ts'
import { mapGroupTypes, MOST_BY_EVENTS, unmappedGroupTypes } from '../store/metadata/group-types.ts'
import { saveGroups } from '../store/metadata/groups.ts'
import type { PersonProgress } from '../store/metadata/person-position.ts'
import { personProgress, savePersonProgress } from '../store/metadata/person-position.ts'
import { distinctIdsOf, savePersons } from '../store/metadata/persons.ts'
import type { RowPosition } from '../store/row-position.ts'
import { before, covers, isBeyond } from '../store/row-position.ts'
import type { RowChange } from './change.ts'
import { personId } from './person-id.ts'
import { MOST_PROPERTY_BYTES } from './property-draft.ts'
import type { KnownPersons } from './read-ledger.ts'
import { idsIn, readLedger } from './read-ledger.ts'
import type { PersonLedger } from './resolve.ts'
import { groupKey, personIdOf, resolveChange, settle, winnerOf } from './resolve.ts'

/** What `apply` did. */
export interface AppliedChanges {
  /** The state of all that the changes speak of, for the event store. */
  readonly persons: PersonMirror
  /** How far events may be stored with it: `end`, or less where all changes would have been too much at once. */
  readonly position: RowPosition
}

/** Carries out what events ask of the persons and groups of all projects. */
export interface PersonRegister {
  /**
   * Carries out the changes that a batch of events brings, in their order, in one transaction of the metadata together
   * with the position that covers them. Changes that an earlier run carried out, before it was killed, are not done again.
   * Where the persons and groups of the batch are too large to be held at once, only its first changes are carried out: the
   * answer says so, and the others are given again.
   *
   * @param end the position at which all events of the batch are done.
   */
  apply(projectId: number, changes: readonly RowChange[], end: RowPosition): Promise<AppliedChanges>
}

/** Distinct ids of one project that are remembered between batches. */
const MOST_REMEMBERED = 20_000

/** Bytes of properties, as JSON, of the persons of one project that are remembered between batches. */
const MOST_REMEMBERED_BYTES = 16 * 1024 * 1024

/**
 * The register over the metadata. Most events come from people who were just seen, so it remembers them: nobody else
 * writes persons, and what a failed batch may have left half done is forgotten.
 *
 * @param warn is told of every person and group whose properties would have become too large, and of each project that
 * sends more group types than events may give an index to.
 */
export const createPersonRegister = (
  metadata: Metadata,
  warn: (message: string) => void = () => undefined,
): PersonRegister => {
  const remembered = new Map<number, KnownPersons>()
  const warnedOfTypes = new Set<number>()
  return {
    async apply(projectId, given, end) {
      if (given.length === 0) return { persons: NO_PERSONS, position: end }
      const known = remembered.get(projectId) ?? { personOf: new Map(), persons: new Map(), bytes: new Map() }
      remembered.delete(projectId)
      const { position: done, revision } = await personProgress(metadata, projectId)
      const { ledger, changes } = await readLedger(metadata, projectId, given, known)
      const next = given[changes.length]
      const reached = next === undefined ? end : before(next)
      for (const one of changes) {
        if (!covers(done, one))
          resolveChange(ledger, one.change, one.at, (distinctId) => personId(projectId, distinctId))
      }
      for (const [id, { bytes }] of ledger.drafts) if (ledger.persons.has(id)) known.bytes.set(id, bytes)
      settle(ledger)
      // Read before they are given to the winners.
      const moved = await distinctIdsOf(metadata, projectId, [...ledger.mergedInto.keys()])
      const { next: newTypes, refused } = await unmappedGroupTypes(metadata, projectId, groupTypesIn(changes))
      // What this run could hold may be less than what an earlier one did.
      const position = isBeyond(done, reached) ? done : reached
      const isWritten = await writeLedger(metadata, projectId, ledger, { position, revision: revision + 1 }, newTypes)
      if (refused.length > 0 && !warnedOfTypes.has(projectId)) {
        warnedOfTypes.add(projectId)
        warn(
          `Group type ${JSON.stringify(refused[0])} of project ${projectId} has no index, so no flag can be for it: events ` +
            `give one to the first ${MOST_BY_EVENTS} types only. POST it to /api/environments/${projectId}/groups_types/.`,
        )
      }
      for (const what of ledger.oversized) {
        warn(`${what} (project ${projectId}): the properties would exceed ${MOST_PROPERTY_BYTES} bytes.`)
      }
      const replayed = changes.filter((change) => covers(done, change))
      const mirror = await mirrorOf(metadata, projectId, ledger, moved, replayed)
      const persons = { ...mirror, revision: isWritten ? revision + 1 : revision }
      // After a merge the remembered ids of the one who is gone would have to be found: rare, so they are read again.
      if (ledger.mergedInto.size === 0 && isSmall(known)) remembered.set(projectId, known)
      return { persons, position: reached }
    },
  }
}

const isSmall = ({ personOf, bytes }: KnownPersons): boolean => {
  let sum = 0
  for (const each of bytes.values()) sum += each
  return personOf.size <= MOST_REMEMBERED && sum <= MOST_REMEMBERED_BYTES
}

/** The group types that changes speak of, in the order of their first event. */
const groupTypesIn = (changes: readonly RowChange[]): string[] => [
  ...new Set(changes.flatMap(({ change }) => (change.kind === 'group' ? [change.type] : []))),
]

/** Answers whether there was anything to write. */
const writeLedger = async (
  metadata: Metadata,
  projectId: number,
  ledger: PersonLedger,
  progress: PersonProgress,
  newTypes: readonly string[],
): Promise<boolean> => {
  const { changed, attached, mergedInto, changedGroups } = ledger
  const isSame = changed.size + attached.size + mergedInto.size + changedGroups.size + newTypes.length === 0
  // Without a change there is nothing that a replay could do twice, so no commit is spent on the position.
  if (isSame) return false
  await metadata.transaction().execute(async (transaction) => {
    await savePersonProgress(transaction, projectId, progress)
    await savePersons(transaction, projectId, {
      merges: [...ledger.mergedInto.keys()].map((loser) => [loser, winnerOf(ledger, loser)]),
      persons: [...ledger.changed].map((id) => ledger.persons.get(id)!),
      attached: [...ledger.attached].map((distinctId) => [distinctId, personIdOf(ledger, distinctId)!]),
    })
    await saveGroups(
      transaction,
      projectId,
      [...ledger.changedGroups].map((key) => ledger.groups.get(key)!),
    )
    if (newTypes.length > 0) await mapGroupTypes(transaction, projectId, newTypes)
  })
  return true
}

/**
 * What the event store has to know anew: what changed, and, of changes done by an earlier run, the state of every person
 * and group they name. What an earlier run merged is not told apart any more, so all ids of such a person are told.
 *
 * @param moved the ids that merged persons had, with their ids before.
 */
const mirrorOf = async (
  metadata: Metadata,
  projectId: number,
  ledger: PersonLedger,
  moved: readonly (readonly [distinctId: string, personId: string])[],
  replayed: readonly RowChange[],
): Promise<PersonMirror> => {
  const told = new Set(ledger.changed)
  const groupsTold = new Set(ledger.changedGroups)
  const whole = new Set<string>()
  for (const distinctId of idsIn(replayed)) {
    const id = personIdOf(ledger, distinctId)
    if (id !== undefined) whole.add(id)
  }
  for (const { change } of replayed) if (change.kind === 'group') groupsTold.add(groupKey(change.type, change.key))
  for (const id of whole) told.add(id)
  const distinctIds = new Map(await distinctIdsOf(metadata, projectId, [...whole]))
  for (const [distinctId, loser] of moved) distinctIds.set(distinctId, winnerOf(ledger, loser))
  for (const distinctId of ledger.attached) distinctIds.set(distinctId, personIdOf(ledger, distinctId)!)
  return {
    persons: [...told].flatMap((id) => ledger.persons.get(id) ?? []),
    distinctIds,
    groups: [...groupsTold].flatMap((key) => ledger.groups.get(key) ?? []),
  }
}
