import type { Command } from 'commander'
import { readConfig } from '../read-config.ts'
import { lockDataFolder, openDataFolder } from '../data-folder.ts'
import { salvageFolder } from '../salvage/salvage-folder.ts'
import type { SalvageResult } from '../salvage/salvage-folder.ts'
import type { SalvagedRows } from '../salvage/salvage-inbox.ts'
import type { SalvagedTable } from '../salvage/salvage-metadata.ts'

/** Adds `salvage`, which copies all readable rows of damaged files into new files. */
export const addSalvageCommand = (program: Command): void => {
  program
    .command('salvage')
    .description('copy all readable rows of a damaged inbox or metadata file into a new one; stop the service first')
    .action((_options, command: Command) => {
      const folder = openDataFolder(readConfig(process.env, command.optsWithGlobals()).dataFolder, { mustExist: true })
      const releaseLock = lockDataFolder(folder)
      try {
        const stamp = new Date().toISOString().replaceAll(/[:.]/g, '')
        for (const salvaged of salvageFolder(folder, stamp)) console.log(describeSalvage(salvaged))
      } finally {
        releaseLock()
      }
    })
}

const describeSalvage = (salvaged: SalvageResult): string => {
  const { file, path } = salvaged
  if (salvaged.kind === 'whole') return `The ${file} ${path} is intact; nothing was changed.`
  const kept = `The damaged file is kept as ${salvaged.aside}.`
  if (salvaged.kind === 'finished')
    return `The interrupted salvage had already written the ${file} ${path}; it is in place now. ${kept}`
  const details = salvaged.file === 'inbox' ? describeRows(salvaged.found) : describeTables(salvaged.found)
  return `The ${file} ${path} was damaged and has been rebuilt. ${kept}\n${details}`
}

const describeRows = ({ rows, ids, missingIds }: SalvagedRows): string => {
  if (ids === null) return '  No row was readable.'
  const ranges = missingIds.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`))
  return [
    `  Copied ${rows} rows, ids ${ids.first}–${ids.last}.`,
    ranges.length === 0 ? '  No id between them is missing.' : `  Missing ids between them: ${ranges.join(', ')}.`,
    '  Each start skips to the next multiple of 100,000, so missing ids below such a multiple may never have existed.',
  ].join('\n')
}

const describeTables = (tables: readonly SalvagedTable[]): string =>
  tables
    .filter(({ name }) => name !== 'sqlite_sequence')
    .map(({ name, rows, isDamaged }) => `  ${name}: ${rows} rows${isDamaged ? '; others were not readable' : ''}`)
    .join('\n')
