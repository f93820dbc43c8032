import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { browserClock } from '../../../../../src/platform/browser/clock.ts'
import { openEventFiles } from '../../../../../src/platform/node/event-files/event-files.ts'
import type { EventFilesOptions } from '../../../../../src/platform/node/event-files/event-files.ts'
import { newOwner } from '../../../../../src/platform/node/event-files/owner.ts'
import type { EventLog } from '../../../../../src/port/event-log.ts'
import { tempFolder } from '../../../../service/support/temp-folder.ts'

/** An owner that no process is. */
export const DEAD_OWNER: string = newOwner(randomBytes(6)).replace(/-\d+-\d+-\d+-/, '-4194305-4194305-1-')

/** An owner of which nothing is known here. */
export const FOREIGN_OWNER = 'k0123456789abcdef-1-1-1-aa'

export interface Harness {
  readonly log: EventLog
  readonly directory: string
  readonly drops: { readonly json: string; readonly reason: string }[]
  readonly warnings: string[]
  /** How often events of others have come. */
  found(): number
}

/** A log in a folder of its own, or in that of another one, which has taken over what there is. */
export const openHarness = async (overrides: Partial<EventFilesOptions> = {}): Promise<Harness> => {
  const directory = overrides.directory ?? tempFolder()
  const drops: { json: string; reason: string }[] = []
  const warnings: string[] = []
  let found = 0
  const log = openEventFiles({
    directory,
    project: 'http://localhost key',
    bounds: { maxEvents: Infinity, maxLength: 2 ** 30 },
    memoryBounds: { maxEvents: 1000, maxLength: 2 ** 20 },
    clock: browserClock(),
    random: randomBytes,
    onDrop: (json, reason) => drops.push({ json, reason }),
    onFound: () => found++,
    warn: (message) => warnings.push(message),
    ...overrides,
  })
  await log.take(1, 1)
  return { log, directory, drops, warnings, found: () => found }
}

/** The folder of the project's logs. */
export const rootOf = (directory: string): string => join(directory, readdirSync(directory)[0]!)

/** The folders of logs. */
export const logsIn = (directory: string): readonly string[] =>
  readdirSync(directory).length ? readdirSync(rootOf(directory)).filter((name) => name.includes('~')) : []

/** The process dies, as far as others can see: its logs are those of a dead owner, or of the one that is given. */
export const die = (directory: string, owner: string = DEAD_OWNER): void => {
  for (const name of logsIn(directory)) {
    const root = rootOf(directory)
    if (!name.endsWith('~free')) renameSync(join(root, name), join(root, name.replace(/~.*/, `~${owner}`)))
  }
}

/** Events as an agent makes them. */
export const eventOf = (name: number | string): string => JSON.stringify({ event: String(name) })

/** Takes and removes until nothing waits. */
export const drain = async (log: EventLog, maxEvents = 100, maxLength = 2 ** 20): Promise<string[]> => {
  const events: string[] = []
  for (;;) {
    const run = await log.take(maxEvents, maxLength)
    if (!run) return events
    events.push(...run.events)
    run.remove()
  }
}

export { endOfTurn }
