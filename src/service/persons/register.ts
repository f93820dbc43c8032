import type { Metadata } from '../store/metadata/open.ts'
import type { PersonMirror } from '../store/events/event-store.ts'
import { mapGroupTypes, MOST_BY_EVENTS, unmappedGroupTypes } from '../store/metadata/group-types.ts'
import { loadGroups, saveGroups } from '../store/metadata/groups.ts'
import type { StoredPersons } from '../store/metadata/persons.ts'
import { distinctIdsOf, loadPersons, personPosition, savePersons } from '../store/metadata/persons.ts'
import type { Change } from './change.ts'
import type { PersonLedger } from './resolve.ts'
import { personId } from './person-id.ts'
import { MOST_PROPERTY_BYTES } from './property-draft.ts'
import { groupKey, openLedger, personIdOf, resolveChange, settle, winnerOf } from './resolve.ts'

/** A change and where it came from. */
export interface RowChange {
  readonly change: Exclude<Change, { kind: 'none' }>
  readonly inboxRow: number
  /** When the event happened, in milliseconds since 1970. */
  readonly at: number
}

/** Carries out what events ask of the persons and groups of all projects. */
export interface PersonRegister {
  /**
   * Carries out the changes that a batch of events brings, in their order, in one transaction of the metadata together
   * with the position that covers them. Changes that an earlier run carried out, before it was killed, are not done again.
   * Answers the state of all that the batch speaks of, for the event store.
   *
   * @param position the last inbox row of the batch.
   */
  apply(projectId: number, changes: readonly RowChange[], position: number): Promise<PersonMirror>
}

/** Distinct ids of one project that are remembered between batches. */
const MOST_REMEMBERED = 20_000

/**
 * The register over the metadata. Most events come from people who were just seen, so it remembers them: nobody else
 * writes persons, and what a failed batch may have left half done is forgotten.
 *
 * @param warn is told of every person and group whose properties would have become too large, and of each project that
 * sends more group types than events may give an index to.
 */
export function createPersonRegister(
  metadata: Metadata,
  warn: (message: string) => void = () => undefined,
): PersonRegister {
  const remembered = new Map<number, StoredPersons>()
  const warnedOfTypes = new Set<number>()
  return {
    async apply(projectId, changes, position) {
      if (changes.length === 0) return { persons: [], distinctIds: new Map(), groups: [] }
      const known = remembered.get(projectId) ?? { personOf: new Map(), persons: new Map() }
      remembered.delete(projectId)
      const done = await personPosition(metadata, projectId)
      const ledger = await readLedger(metadata, projectId, changes, known)
      for (const { change, inboxRow, at } of changes) {
        if (inboxRow > done) resolveChange(ledger, change, at, (distinctId) => personId(projectId, distinctId))
      }
      settle(ledger)
      // Read before they are given to the winners.
      const moved = await distinctIdsOf(metadata, projectId, [...ledger.mergedInto.keys()])
      const { next: newTypes, refused } = await unmappedGroupTypes(metadata, projectId, groupTypesIn(changes))
      await writeLedger(metadata, projectId, ledger, position, newTypes)
      if (refused.length > 0 && !warnedOfTypes.has(projectId)) {
        warnedOfTypes.add(projectId)
        warn(
          `Group type ${JSON.stringify(refused[0])} of project ${projectId} has no index, so no flag can be for it: events ` +
            `give one to the first ${MOST_BY_EVENTS} types only. POST it to /api/environments/${projectId}/groups_types/.`,
        )
      }
      for (const name of ledger.oversized) {
        const most = `${MOST_PROPERTY_BYTES} bytes`
        warn(`A change to ${name} of project ${projectId} was ignored: its properties would exceed ${most}.`)
      }
      const replayed = changes.filter((change) => change.inboxRow <= done)
      const mirror = await mirrorOf(metadata, projectId, ledger, moved, replayed)
      // After a merge the remembered ids of the one who is gone would have to be found: rare, so they are read again.
      if (ledger.mergedInto.size === 0 && known.personOf.size <= MOST_REMEMBERED) remembered.set(projectId, known)
      return mirror
    },
  }
}

/** Reads what is not yet known and opens a ledger that keeps `known` up to date. */
async function readLedger(
  metadata: Metadata,
  projectId: number,
  changes: readonly RowChange[],
  known: StoredPersons,
): Promise<PersonLedger> {
  const unknown = [...idsIn(changes)].filter((distinctId) => !known.personOf.has(distinctId))
  const loaded = await loadPersons(metadata, projectId, unknown)
  for (const [distinctId, id] of loaded.personOf) known.personOf.set(distinctId, id)
  for (const [id, person] of loaded.persons) known.persons.set(id, person)
  const names = new Map(
    changes.flatMap(({ change }) => (change.kind === 'group' ? [[groupKey(change.type, change.key), change]] : [])),
  )
  const groups = await loadGroups(metadata, projectId, [...names.values()])
  return openLedger(
    known.personOf,
    known.persons,
    new Map(groups.map((group) => [groupKey(group.type, group.key), group])),
  )
}

/** The distinct ids that changes speak of. */
function idsIn(changes: readonly RowChange[]): Set<string> {
  const ids = new Set<string>()
  for (const { change } of changes) {
    if (change.kind !== 'person') continue
    ids.add(change.distinctId)
    if (change.join !== null) ids.add(change.join.from)
  }
  return ids
}

/** The group types that changes speak of, in the order of their first event. */
function groupTypesIn(changes: readonly RowChange[]): string[] {
  return [...new Set(changes.flatMap(({ change }) => (change.kind === 'group' ? [change.type] : [])))]
}

async function writeLedger(
  metadata: Metadata,
  projectId: number,
  ledger: PersonLedger,
  position: number,
  newTypes: readonly string[],
): Promise<void> {
  const { changed, attached, mergedInto, changedGroups } = ledger
  const isSame = changed.size + attached.size + mergedInto.size + changedGroups.size + newTypes.length === 0
  // Without a change there is nothing that a replay could do twice, so no commit is spent on the position.
  if (isSame) return
  await metadata.transaction().execute(async (transaction) => {
    await savePersons(transaction, projectId, {
      position,
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
}

/**
 * What the event store has to know anew: what changed, and, of changes done by an earlier run, the state of every person
 * and group they name. What an earlier run merged is not told apart any more, so all ids of such a person are told.
 *
 * @param moved the ids that merged persons had, with their ids before.
 */
async function mirrorOf(
  metadata: Metadata,
  projectId: number,
  ledger: PersonLedger,
  moved: readonly (readonly [distinctId: string, personId: string])[],
  replayed: readonly RowChange[],
): Promise<PersonMirror> {
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
