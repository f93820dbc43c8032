import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { placeOfUrl, removeEventsMark, writeEventsMark } from '../events-mark.ts'
import { syncFolder } from '../store/file/sync-folder.ts'
import { removeMoveId } from './move-id.ts'
import { setFilesAside } from './set-files-aside.ts'

/*
 * The end of a move of events, once every project has a complete copy. Only the process that has locked the data folder does this: an indexer
 * may live on for seconds after its front was killed, while another service uses the folder.
 */

/** Notes that ClickHouse has the events of a folder, and sets the files aside. If it is interrupted, the next `migrate` does the rest. */
export const finishMoveToClickHouse = (eventsFolder: string, url: string): void => {
  writeEventsMark(eventsFolder, placeOfUrl(url))
  removeMoveId(eventsFolder)
  setFilesAside(eventsFolder)
}

/** Gives the copies of projects their names, and removes the mark at last. If it is interrupted before that, the events are moved again. */
export const finishMoveToFiles = (eventsFolder: string, projectIds: readonly number[]): void => {
  for (const id of projectIds) takeName(fileOfProject(eventsFolder, id))
  // Before the mark is removed.
  syncFolder(eventsFolder)
  removeEventsMark(eventsFolder)
}

export const fileOfProject = (eventsFolder: string, projectId: number): string =>
  join(eventsFolder, `${projectId}.duckdb`)

/** The name of a file while it is made. */
export const unfinishedFile = (file: string): string => `${file}.moving`

/** Removes a file, and what is beside it. */
export const removeEventFile = (file: string): void => {
  for (const suffix of ['', '.wal', ...CLAIMS]) rmSync(`${file}${suffix}`, { force: true })
}

/** The uuids of a file. They are found again when it is opened, because events are copied without them. */
const CLAIMS = ['.uuids', '.uuids-wal', '.uuids-shm']

const takeName = (file: string): void => {
  const unfinished = unfinishedFile(file)
  if (existsSync(`${unfinished}.wal`))
    throw new Error(`${unfinished}.wal was not written into ${unfinished}: the file is not used.`)
  for (const suffix of CLAIMS) rmSync(`${unfinished}${suffix}`, { force: true })
  rmSync(`${unfinished}.spill`, { force: true, recursive: true })
  removeEventFile(file)
  renameSync(unfinished, file)
}
