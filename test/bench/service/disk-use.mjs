import { readdirSync, statSync } from 'node:fs'
import { Sqlite } from '../../service/support/load-sqlite.mjs'
import { join } from 'node:path'

const INBOX = 'inbox.sqlite'

/**
 * Bytes of a stopped service's data folder. The inbox keeps the space of deleted requests for later ones, so only its used pages count;
 * `reusableBytes` are the others.
 */
export const readDiskUse = (folder) => {
  const fileBytes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((bytes, entry) => bytes + statSync(join(entry.parentPath, entry.name)).size, 0)
  const inbox = new Sqlite(join(folder, INBOX), { readonly: true })
  const pragma = (name) => inbox.pragma(name, { simple: true })
  const reusableBytes = pragma('freelist_count') * pragma('page_size')
  inbox.close()
  return { usedBytes: fileBytes - reusableBytes, reusableBytes }
}
