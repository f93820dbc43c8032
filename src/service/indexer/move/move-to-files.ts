import { fileOfProject, removeEventFile, unfinishedFile } from '../../migrate/finish-move.ts'
import { createPersonIdCache } from '../../persons/person-id.ts'
import { readClickHouseOptions } from '../../store/events/clickhouse/clickhouse-source.ts'
import type { ClickHouseOptions } from '../../store/events/clickhouse/connect.ts'
import { hasDatabase } from '../../store/events/clickhouse/has-database.ts'
import { openDatabaseReader } from '../../store/events/clickhouse/open-database-reader.ts'
import type { DatabaseReader, EventKey } from '../../store/events/clickhouse/open-database-reader.ts'
import { openDuckDbStore } from '../../store/events/duckdb/open-store.ts'
import { openFileReader } from '../../store/events/duckdb/open-file-reader.ts'
import type { OpenFileOptions } from '../../store/events/duckdb/open-current-file.ts'
import { describeDifference } from '../../store/events/event-sums.ts'
import type { EventSums } from '../../store/events/event-sums.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../../store/events/event-store.ts'
import { listProjects } from '../../store/metadata/projects.ts'
import { duckDbLimits } from '../engine/duckdb-engine.ts'
import { completeCopy } from './complete-copy.ts'
import { CopyDiffersError } from './move-options.ts'
import type { CompleteCopies, MovedProject, MoveOptions } from './move-options.ts'

/**
 * Copies the events of all projects from ClickHouse into files, and compares them. ClickHouse has everything until the move is finished
 * (`finishMoveToFiles`), and the files are copies that the next attempt continues. The databases stay as they are.
 */
export const moveToFiles = async (options: MoveOptions): Promise<CompleteCopies> => {
  const { server, metadata } = options
  let events = 0
  const projects: number[] = []
  const clickHouse = await readClickHouseOptions(server)
  for (const project of await listProjects(metadata)) {
    if (!(await hasDatabase(clickHouse, project.id))) continue
    events += await moveProject(options, clickHouse, project)
    projects.push(project.id)
  }
  return { events, projects }
}

const moveProject = async (options: MoveOptions, server: ClickHouseOptions, project: MovedProject): Promise<number> => {
  const { folder, nodeId, memoryMb, signal, onNotice } = options
  const { id, uuid: owner } = project
  const file = unfinishedFile(fileOfProject(folder, id))
  const fileOptions = { ...duckDbLimits(memoryMb), file, deriveOriginId: createPersonIdCache(id) }
  const source = await openDatabaseReader({ server, projectId: id, owner, node: nodeId })
  try {
    const before = await readCopy(fileOptions)
    const store = await openDuckDbStore(fileOptions)
    try {
      await copyEvents(options, project, source, store, before)
    } finally {
      await store.close()
    }
    onNotice(`The copied events of project ${id} are compared`)
    const difference = describeDifference(await source.sumEvents(), await sumFile(fileOptions))
    if (difference !== null) {
      removeEventFile(file)
      throw new CopyDiffersError(`The events of project ${id} differ in their file: ${difference}.`)
    }
    signal.throwIfAborted()
    const completed = await openDuckDbStore(fileOptions)
    try {
      await completeCopy(options, project, source, completed, before.rejected)
    } finally {
      await completed.close()
    }
    return source.eventCount
  } finally {
    await source.close()
  }
}

/** Default of `MoveOptions.listBytes`. */
const LIST_BYTES = 8 * 1024 * 1024

/** What a copy has. */
interface CopyState {
  readonly last: EventKey
  readonly eventCount: number
  readonly rejected: number
}

const sumFile = async (options: OpenFileOptions): Promise<EventSums> => {
  const reader = await openFileReader(options)
  try {
    return await reader.sumEvents()
  } finally {
    await reader.close()
  }
}

const readCopy = async (options: OpenFileOptions): Promise<CopyState> => {
  const reader = await openFileReader(options)
  try {
    return {
      last: await reader.readLastEvent(),
      eventCount: reader.eventCount,
      rejected: await reader.countRejected(),
    }
  } finally {
    await reader.close()
  }
}

const copyEvents = async (
  { signal, listBytes = LIST_BYTES, onNotice }: MoveOptions,
  { id }: MovedProject,
  source: DatabaseReader,
  store: EventStore,
  { last, eventCount }: CopyState,
): Promise<void> => {
  let count = eventCount
  for await (const { events } of source.readEvents(last, listBytes)) {
    signal.throwIfAborted()
    await store.commit({ position: store.position(), events, persons: NO_PERSON_UPDATE, rejected: [] })
    count += events.length
    onNotice(`${count} of ${source.eventCount} events of project ${id} are copied`)
  }
}
