import type { Metadata } from '../store/metadata/open.ts'
import type { PersonMirror } from '../store/events/event-store.ts'
import { loadGroups, saveGroups } from '../store/metadata/groups.ts'
import { distinctIdsOf, loadPersons, personPosition, savePersons } from '../store/metadata/persons.ts'
import type { Change } from './change.ts'
import type { PersonLedger } from './resolve.ts'
import { personId } from './person-id.ts'
import { groupKey, openLedger, personIdOf, resolveChange } from './resolve.ts'

/** A change and where it came from. */
export interface RowChange {
  readonly change: Exclude<Change, { kind: 'none' }>
  readonly inboxRow: number
  /** When the event happened, in milliseconds since 1970. */
  readonly at: number
}

/**
 * Carries out the changes that a batch of events brings to persons and groups, in their order, in one transaction of the
 * metadata together with the position that covers them. Changes that an earlier run carried out, before it was killed, are
 * not done again. Answers the state of all that the batch speaks of, for the event store.
 *
 * @param position the last inbox row of the batch.
 */
export async function registerChanges(
  metadata: Metadata,
  projectId: number,
  changes: readonly RowChange[],
  position: number,
): Promise<PersonMirror> {
  if (changes.length === 0) return { persons: [], distinctIds: new Map(), groups: [] }
  const done = await personPosition(metadata, projectId)
  const ledger = await readLedger(metadata, projectId, changes)
  for (const { change, inboxRow, at } of changes) {
    if (inboxRow > done) resolveChange(ledger, change, at, (distinctId) => personId(projectId, distinctId))
  }
  await writeLedger(metadata, projectId, ledger, position)
  return mirrorOf(
    metadata,
    projectId,
    ledger,
    changes.filter((change) => change.inboxRow <= done),
  )
}

async function readLedger(metadata: Metadata, projectId: number, changes: readonly RowChange[]): Promise<PersonLedger> {
  const { personOf, persons } = await loadPersons(metadata, projectId, [...idsIn(changes)])
  const names = new Map(
    changes.flatMap(({ change }) => (change.kind === 'group' ? [[groupKey(change.type, change.key), change]] : [])),
  )
  const groups = await loadGroups(metadata, projectId, [...names.values()])
  return openLedger(personOf, persons, new Map(groups.map((group) => [groupKey(group.type, group.key), group])))
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

async function writeLedger(
  metadata: Metadata,
  projectId: number,
  ledger: PersonLedger,
  position: number,
): Promise<void> {
  const isSame = ledger.changed.size + ledger.attached.size + ledger.mergedInto.size + ledger.changedGroups.size === 0
  // Without a change there is nothing that a replay could do twice, so no commit is spent on the position.
  if (isSame) return
  await metadata.transaction().execute(async (transaction) => {
    await savePersons(transaction, projectId, {
      position,
      merges: [...ledger.mergedInto],
      persons: [...ledger.changed].map((id) => ledger.persons.get(id)!),
      attached: [...ledger.attached].map((distinctId) => [distinctId, personIdOf(ledger, distinctId)!]),
    })
    await saveGroups(
      transaction,
      projectId,
      [...ledger.changedGroups].map((key) => ledger.groups.get(key)!),
    )
  })
}

/**
 * What the event store has to know anew: what changed, and, of changes done by an earlier run, the state of every person
 * and group they name. A merge moves ids that the batch does not name, so all ids of such a person are told.
 */
async function mirrorOf(
  metadata: Metadata,
  projectId: number,
  ledger: PersonLedger,
  replayed: readonly RowChange[],
): Promise<PersonMirror> {
  const told = new Set(ledger.changed)
  const groupsTold = new Set(ledger.changedGroups)
  const whole = new Set(ledger.mergedInto.values())
  for (const distinctId of idsIn(replayed)) {
    const id = personIdOf(ledger, distinctId)
    if (id !== undefined) whole.add(id)
  }
  for (const { change } of replayed) if (change.kind === 'group') groupsTold.add(groupKey(change.type, change.key))
  for (const id of whole) told.add(id)
  const distinctIds = new Map(await distinctIdsOf(metadata, projectId, [...whole]))
  for (const distinctId of ledger.attached) distinctIds.set(distinctId, personIdOf(ledger, distinctId)!)
  return {
    persons: [...told].flatMap((id) => ledger.persons.get(id) ?? []),
    distinctIds,
    groups: [...groupsTold].flatMap((key) => ledger.groups.get(key) ?? []),
  }
}
