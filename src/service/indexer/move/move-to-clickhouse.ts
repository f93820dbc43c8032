import { fileOfProject } from '../../migrate/finish-move.ts'
import { readMoveId, removeMoveId } from '../../migrate/move-id.ts'
import { createPersonIdCache } from '../../persons/person-id.ts'
import { readClickHouseOptions } from '../../store/events/clickhouse/clickhouse-source.ts'
import { openDatabaseReader } from '../../store/events/clickhouse/open-database-reader.ts'
import { openClickHouseStore } from '../../store/events/clickhouse/open-store.ts'
import { openFileReader } from '../../store/events/duckdb/open-file-reader.ts'
import type { FileReader } from '../../store/events/duckdb/open-file-reader.ts'
import { describeDifference } from '../../store/events/event-sums.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../../store/events/event-store.ts'
import { listEventFiles } from '../../store/events/list-event-files.ts'
import { findProjectById } from '../../store/metadata/projects.ts'
import { positionAfterRow } from '../../store/row-position.ts'
import { duckDbLimits } from '../engine/duckdb-engine.ts'
import { completeCopy } from './complete-copy.ts'
import { CopyDiffersError } from './move-options.ts'
import type { CompleteCopies, MovedProject, MoveOptions } from './move-options.ts'

/**
 * Copies the events of all files of a folder to ClickHouse, and compares them. The files have everything until the move is finished
 * (`finishMoveToClickHouse`), and ClickHouse has a copy that the next attempt continues.
 */
export const moveToClickHouse = async (options: MoveOptions): Promise<CompleteCopies> => {
  const { folder, metadata, onWarning } = options
  let events = 0
  const projects: number[] = []
  for (const id of listEventFiles(folder)) {
    const project = await findProjectById(metadata, id)
    if (project === undefined) {
      onWarning(`The metadata has no project ${id}: its events are not moved, and its file is set aside.`)
      continue
    }
    events += await moveProject(options, project)
    projects.push(id)
  }
  return { events, projects }
}

const moveProject = async (options: MoveOptions, project: MovedProject): Promise<number> => {
  const { folder, server, nodeId, memoryMb, signal, onWarning } = options
  const { id, uuid: owner } = project
  const source = await openFileReader({
    ...duckDbLimits(memoryMb),
    file: fileOfProject(folder, id),
    deriveOriginId: createPersonIdCache(id),
    onRepair: onWarning,
  })
  try {
    const target = { server: await readClickHouseOptions(server), projectId: id, owner }
    // The copy is known to the database as a node, whose position says how many events it has.
    await withStore(openClickHouseStore({ ...target, node: `move ${readMoveId(folder)}` }), (copy) =>
      copyEvents(options, project, source, copy),
    )
    const reader = await openDatabaseReader({ ...target, node: nodeId })
    try {
      options.onNotice(`The copied events of project ${id} are compared`)
      const difference = describeDifference(await source.sumEvents(), await reader.sumEvents())
      if (difference !== null) {
        removeMoveId(folder)
        throw new CopyDiffersError(
          `The events of project ${id} differ in ClickHouse: ${difference}. If the databases had events before, choose another prefix.`,
        )
      }
    } finally {
      await reader.close()
    }
    signal.throwIfAborted()
    await withStore(openClickHouseStore({ ...target, node: nodeId }), (store) =>
      completeCopy(options, project, source, store, 0),
    )
    return source.eventCount
  } finally {
    await source.close()
  }
}

const withStore = async (opening: Promise<EventStore>, use: (store: EventStore) => Promise<void>): Promise<void> => {
  const store = await opening
  try {
    await use(store)
  } finally {
    await store.close()
  }
}

const copyEvents = async (
  { signal, onNotice }: MoveOptions,
  { id }: MovedProject,
  source: FileReader,
  copy: EventStore,
): Promise<void> => {
  for await (const { events, last } of source.readEvents(copy.position().inboxRow)) {
    signal.throwIfAborted()
    await copy.commit({ position: positionAfterRow(last), events, persons: NO_PERSON_UPDATE, rejected: [] })
    onNotice(`${last} of ${source.eventCount} events of project ${id} are copied`)
  }
}
