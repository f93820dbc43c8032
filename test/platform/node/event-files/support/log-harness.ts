import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { createClock } from '../../../../../src/platform/web/clock.ts'
import { openEventFiles } from '../../../../../src/platform/node/event-files/event-files.ts'
import type { EventFilesOptions } from '../../../../../src/platform/node/event-files/event-files.ts'
import { createOwnerId } from '../../../../../src/platform/node/event-files/owner.ts'
import type { EventLog } from '../../../../../src/port/event-log.ts'
import { createTempFolder } from '../../../../service/support/temp-folder.ts'

/** The id of an owner whose process does not exist. */
export const DEAD_OWNER: string = createOwnerId(randomBytes(6)).replace(/-\d+-\d+-\d+-/, '-4194305-4194305-1-')

/** The id of an owner on another host. */
export const FOREIGN_OWNER = 'k0123456789abcdef-1-1-1-aa'

export interface Harness {
  readonly log: EventLog
  readonly directory: string
  readonly drops: { readonly json: string; readonly reason: string }[]
  readonly warnings: string[]
  /** How often events of other owners were taken over. */
  takeOvers(): number
}

/** Opens a log in `overrides.directory`, by default a new folder, and waits until it has taken over the logs there. */
export const openHarness = async (overrides: Partial<EventFilesOptions> = {}): Promise<Harness> => {
  const directory = overrides.directory ?? createTempFolder()
  const drops: { json: string; reason: string }[] = []
  const warnings: string[] = []
  let takeOvers = 0
  const log = openEventFiles({
    directory,
    project: 'http://localhost key',
    limits: { maxEvents: Infinity, maxBytes: 2 ** 30 },
    memoryLimits: { maxEvents: 1000, maxBytes: 2 ** 20 },
    clock: createClock(),
    random: randomBytes,
    onDrop: (json, reason) => drops.push({ json, reason }),
    onTakeOver: () => takeOvers++,
    warn: (message) => warnings.push(message),
    ...overrides,
  })
  await log.readOldest(1, 1)
  return { log, directory, drops, warnings, takeOvers: () => takeOvers }
}

/** The folder with the project's logs. */
export const rootOf = (directory: string): string => join(directory, readdirSync(directory)[0]!)

/** Names of all log folders. */
export const logsIn = (directory: string): readonly string[] =>
  readdirSync(directory).length ? readdirSync(rootOf(directory)).filter((name) => name.includes('~')) : []

/** Makes all owners look dead (or be `owner`) to other processes, by renaming the folders of their logs. */
export const declareDead = (directory: string, owner: string = DEAD_OWNER): void => {
  for (const name of logsIn(directory)) {
    const root = rootOf(directory)
    if (!name.endsWith('~free')) renameSync(join(root, name), join(root, name.replace(/~.*/, `~${owner}`)))
  }
}

/** An event as the agent serialises it. */
export const eventOf = (name: number | string): string => JSON.stringify({ event: String(name) })

/** Reads and removes batches until none is left, and returns their events. */
export const drain = async (log: EventLog, maxEvents = 100, maxLength = 2 ** 20): Promise<string[]> => {
  const events: string[] = []
  for (;;) {
    const batch = await log.readOldest(maxEvents, maxLength)
    if (!batch) return events
    events.push(...batch.events)
    batch.remove()
  }
}

export { endOfTurn }
