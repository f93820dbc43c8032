import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listEventFiles } from '../store/events/list-event-files.ts'
import { syncFolder } from '../store/file/sync-folder.ts'

/** Moves all files of projects, of which ClickHouse has everything, into a folder of their own. */
export const setFilesAside = (folder: string): void => {
  const ids = listEventFiles(folder)
  if (ids.length === 0) return
  const aside = join(folder, `moved-${new Date().toISOString().replaceAll(/[:.]/g, '')}`)
  mkdirSync(aside, { mode: 0o700 })
  const names = readdirSync(folder)
  for (const id of ids) {
    const file = `${id}.duckdb`
    rmSync(join(folder, `${file}.spill`), { force: true, recursive: true })
    // The file itself at last, so that an interrupted move finds what is left.
    const others = names.filter((name) => /^\.(wal|uuids.*)$/.test(name.slice(file.length)) && name.startsWith(file))
    for (const name of [...others, file]) renameSync(join(folder, name), join(aside, name))
  }
  for (const changed of [aside, folder]) syncFolder(changed)
}
