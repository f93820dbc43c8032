import { createQuestionMethods } from '../../../insight/question/questions.ts'
import type { EventBatch, EventIdentity, EventStore } from '../event-store.ts'
import { FailedCommitError, UnstorableError } from '../event-store.ts'
import { nextPersonRevision } from '../next-person-revision.ts'
import { createPendingUuids } from '../pending-uuids.ts'
import { createRecentUuids } from './recent-uuids.ts'
import { isTimeOrdered } from '../uuid-ranges.ts'
import { createEventPacker } from './event-table/pack-events.ts'
import type { DuckDbStoreOptions } from './open-packed-store.ts'
import { openPackedStore } from './open-packed-store.ts'
import type { PackedBatch, PackedStore } from './packed-store.ts'
import { createPendingPersons } from './pending-persons.ts'
import { byteLengthOf } from './rows/packed-rows.ts'
import { packUuids } from './rows/uuid-words.ts'

/** Packed events that may wait to be written: enough to continue while the store commits, little enough to keep in memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/**
 * Stored events for each look-up of a uuid that is made before the times of all stored ones are read: these cost about as much. A store that
 * is opened for a few events or queries reads none.
 */
const EVENTS_PER_LOOK_UP = 1000

interface Failure {
  readonly error: unknown
}

/** Opens or creates a project's event store in this thread. Rejects with nothing left open, so that it can be retried. */
export const openDuckDbStore = async (options: DuckDbStoreOptions): Promise<EventStore> =>
  createEventStore(await openPackedStore(options))

/** Creates the event store of an open file: it packs the next batch while the packed store writes the one before. */
export const createEventStore = (packedStore: PackedStore): EventStore => {
  const packer = createEventPacker(packedStore.opened.columns)
  const pendingUuids = createPendingUuids()
  const recentUuids = createRecentUuids()
  let hasAskedForTimes = false
  let lookUpCount = 0
  /** Looks up uuids in the store, until the times of the stored ones show that most need no look-up. */
  const lookUp = (events: readonly EventIdentity[]): Promise<readonly number[]> => {
    lookUpCount += events.length
    const mustRead = !hasAskedForTimes && lookUpCount * EVENTS_PER_LOOK_UP >= packedStore.opened.eventCount
    hasAskedForTimes ||= mustRead
    if (mustRead) void packedStore.readStoredTimes().then(recentUuids.useEarlier, () => undefined)
    return packedStore.findStored(packUuids(events.map(({ uuid }) => uuid)))
  }
  /** Of the added events, for `recentUuids` after the commit. */
  let addedUuids: Uint32Array[] = []
  const pendingPersons = createPendingPersons()
  let progress = packedStore.opened.progress
  // With the batches that are added but not committed.
  let addedProgress = progress
  /** The first failure of what was given to the packed store since the last `discard`; a failed commit stays for ever. */
  let failure: Failure | null = null
  const hasFailedCommit = (): boolean => failure?.error instanceof FailedCommitError
  /** The answers that the packed store still owes. They never reject. */
  const openAnswers = new Set<Promise<Failure | null>>()
  let waitingBytes = 0
  const isFull = (): boolean => waitingBytes > MAX_WAITING_BYTES
  /** Resolves when batches of the next transaction may be packed. */
  let commitGiven: Promise<void> = Promise.resolve()

  /** Awaits an answer of the packed store to something of this size. */
  const track = (answer: Promise<unknown>, bytes = 0): Promise<Failure | null> => {
    const end = <Outcome>(outcome: Outcome): Outcome => {
      openAnswers.delete(tracked)
      waitingBytes -= bytes
      return outcome
    }
    const tracked: Promise<Failure | null> = answer.then(
      () => end(null),
      (error: unknown) => {
        if (failure === null || error instanceof FailedCommitError) failure = { error }
        return end({ error })
      },
    )
    waitingBytes += bytes
    openAnswers.add(tracked)
    return tracked
  }

  const allAnswered = async (): Promise<void> => {
    while (openAnswers.size > 0) await Promise.all(openAnswers)
  }

  const discard = async (): Promise<void> => {
    await allAnswered()
    if (!hasFailedCommit()) failure = null
    pendingUuids.clear()
    addedUuids = []
    pendingPersons.clear()
    addedProgress = progress
    await packedStore.discard()
  }

  const discardAndThrow = async (error: unknown): Promise<never> => {
    await discard()
    throw error
  }

  const throwFailure = async (): Promise<void> => {
    if (failure !== null) await discardAndThrow(failure.error)
  }

  const pack = async <Packed>(work: () => Packed): Promise<Packed> => {
    try {
      return work()
    } catch (error) {
      return discardAndThrow(toUnstorableError(error))
    }
  }

  const give = (batch: PackedBatch): void => {
    const bytes = byteLengthOf(batch.events.rows)
    void track(packedStore.add(batch), bytes)
  }

  const add = async (batch: EventBatch): Promise<void> => {
    await commitGiven
    while (isFull()) await Promise.race(openAnswers)
    await throwFailure()
    const { distinctIds, replacesAll = false } = batch.persons
    const packed = await pack(() => {
      const events = packer.pack(batch.events)
      pendingPersons.add(batch.persons)
      const persons = pendingPersons.isLarge() ? pendingPersons.take() : null
      return { events, persons, personIds: distinctIds, rejected: batch.rejected, replacesAll }
    })
    give(packed)
    addedUuids.push(packUuids(batch.events.map(({ uuid }) => uuid).filter(isTimeOrdered)))
    addedProgress = {
      position: batch.position,
      revision: nextPersonRevision(batch.persons, addedProgress.revision),
    }
  }

  /** Commits what was added. Resolves, once the next transaction may begin, to a function that awaits the commit. */
  const giveCommit = async (): Promise<() => Promise<void>> => {
    await allAnswered()
    await throwFailure()
    const persons = await pack(() => pendingPersons.take())
    const newProgress = addedProgress
    const committedUuids = addedUuids
    addedUuids = []
    const properties = packer.takeFrequent()
    const answer = packedStore.commit({ persons, progress: newProgress, properties })
    const tracked = track(
      answer.then((columns) => {
        packer.use(columns)
        for (const uuids of committedUuids) recentUuids.add(uuids)
        pendingUuids.onCommit(newProgress.position)
        progress = newProgress
      }),
    )
    // Rows that are written after a column was added must have it.
    if (properties.length > 0) await tracked
    return async () => {
      const commitFailure = await tracked
      if (commitFailure !== null) await discardAndThrow(commitFailure.error)
    }
  }

  return {
    position: () => progress.position,
    personRevision: () => progress.revision,
    async findDuplicates(events) {
      const duplicates = new Set<EventIdentity>()
      const timeOrdered: EventIdentity[] = []
      const others: EventIdentity[] = []
      for (const event of events) {
        if (!isTimeOrdered(event.uuid)) others.push(event)
        else if (pendingUuids.isClaimed(event)) duplicates.add(event)
        else timeOrdered.push(event)
      }
      const uuids = packUuids(timeOrdered.map(({ uuid }) => uuid))
      const lookedUp: EventIdentity[] = []
      for (const [place, event] of timeOrdered.entries()) {
        const knowledge = recentUuids.find(uuids, place)
        if (knowledge === 'stored') duplicates.add(event)
        else if (knowledge === 'unknown') lookedUp.push(event)
      }
      const [stored, claimed] = await Promise.all([
        lookedUp.length === 0 ? [] : lookUp(lookedUp),
        others.length === 0 ? [] : packedStore.claim(others.map(toIdentity)),
      ])
      for (const place of stored) duplicates.add(lookedUp[place]!)
      for (const place of claimed) duplicates.add(others[place]!)
      return duplicates
    },
    async canStore(events) {
      await discard()
      await throwFailure()
      try {
        return await packedStore.canStore(packer.pack(events))
      } catch (error) {
        if (toUnstorableError(error) instanceof UnstorableError) return false
        throw error
      }
    },
    add,
    async commit(batch) {
      if (batch !== undefined) await add(batch)
      const given = giveCommit()
      commitGiven = given.then(
        () => undefined,
        () => undefined,
      )
      const committed = await given
      await committed()
    },
    discard,
    ...createQuestionMethods(packedStore.ask),
    interrupt: () => packedStore.interrupt(),
    close: () => packedStore.close(),
  }
}

/** Without the other properties of an event, which another thread would get a copy of. */
const toIdentity = ({ uuid, inboxRow, index }: EventIdentity): EventIdentity => ({ uuid, inboxRow, index })

/** `JSON.stringify` throws a `RangeError` for a value that is nested too deeply, and `JSON.parse` a `SyntaxError` for damaged properties. */
const toUnstorableError = (error: unknown): unknown =>
  error instanceof RangeError || error instanceof SyntaxError ? new UnstorableError('content', error) : error
