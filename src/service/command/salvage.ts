import type { Command } from 'commander'
import { readConfig } from '../read-config.ts'
import { lockDataFolder, openDataFolder } from '../data-folder.ts'
import { salvageFolder } from '../salvage/salvage-folder.ts'
import type { Salvaged } from '../salvage/salvage-folder.ts'
import type { SalvagedRows } from '../salvage/salvage-inbox.ts'
import type { SalvagedTable } from '../salvage/salvage-metadata.ts'

/** `salvage`: makes damaged files usable again, with all that can be read of them. */
export const addSalvageCommand = (program: Command): void => {
  program
    .command('salvage')
    .description(
      'copy all that can be read of a damaged inbox or metadata file into a new one; the service must not run',
    )
    .action((_options, command: Command) => {
      const folder = openDataFolder(readConfig(process.env, command.optsWithGlobals()).dataFolder, { mustExist: true })
      const unlock = lockDataFolder(folder)
      try {
        const stamp = new Date().toISOString().replaceAll(/[:.]/g, '')
        for (const salvaged of salvageFolder(folder, stamp)) console.log(textOf(salvaged))
      } finally {
        unlock()
      }
    })
}

const textOf = (salvaged: Salvaged): string => {
  const { file, path } = salvaged
  if (salvaged.kind === 'whole') return `The ${file} ${path} is whole; nothing was changed.`
  const kept = `The damaged file is kept as ${salvaged.aside}.`
  if (salvaged.kind === 'finished')
    return `The ${file} ${path} was put in place by the salvage that was interrupted. ${kept}`
  const found = salvaged.file === 'inbox' ? rowsText(salvaged.found) : tablesText(salvaged.found)
  return `The ${file} ${path} was damaged and is made anew. ${kept}\n${found}`
}

const rowsText = ({ rows, ids, missing }: SalvagedRows): string => {
  if (ids === null) return '  No row could be read.'
  const ranges = missing.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`))
  return [
    `  ${rows} rows were read, ids ${ids.first}–${ids.last}.`,
    ranges.length === 0 ? '  None is missing between them.' : `  Missing between them: ${ranges.join(', ')}.`,
    '  Each start begins with a new hundred thousand, so ids up to a whole one may never have been given.',
  ].join('\n')
}

const tablesText = (tables: readonly SalvagedTable[]): string =>
  tables
    .filter(({ name }) => name !== 'sqlite_sequence')
    .map(({ name, rows, isDamaged }) => `  ${name}: ${rows} rows${isDamaged ? '; others could not be read' : ''}`)
    .join('\n')
