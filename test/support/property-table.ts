import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** The columns of the README's table of properties, after name, meaning and example. */
const PLATFORMS = ['page', 'server', 'app'] as const

/** An event as an agent has sent it. */
interface SentEvent {
  readonly properties: Readonly<Record<string, unknown>>
}

/** What the README says of one platform. */
const readPropertyTable = (platform: (typeof PLATFORMS)[number]) => {
  const [, table] = /## Properties of events\n([\s\S]*?)\n## /.exec(readFileSync('src/capture/README.md', 'utf8'))!
  const rows = table!.split('\n').filter((line) => line.startsWith('| `'))
  const cells = rows.flatMap((row) => {
    const [names, , , ...conditions] = row.replace(/^\| | \|$/g, '').split(' | ')
    const condition = conditions[PLATFORMS.indexOf(platform)]!
    return [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => ({ name: name!, condition }))
  })
  return {
    always: cells.filter(({ condition }) => condition === 'always').map(({ name }) => name),
    possible: cells.filter(({ condition }) => condition !== '–').map(({ name }) => name),
  }
}

const namesOf = (events: readonly SentEvent[]): string[] => {
  const names = events.flatMap(({ properties }) => Object.keys(properties))
  // One flag stands for all.
  return [...new Set(names.map((name) => name.replace(/^\$feature\/.*/, '$feature/<key>')))].sort()
}

/**
 * Expects the README to name what an agent adds to its events.
 *
 * @param bare An event of an agent without options, with a user of whom nothing is known.
 * @param rich Events that together have every property.
 */
export const expectPropertyTable = (
  platform: (typeof PLATFORMS)[number],
  bare: SentEvent,
  rich: readonly SentEvent[],
): void => {
  const { always, possible } = readPropertyTable(platform)
  expect(namesOf([bare])).toEqual(expect.arrayContaining(always))
  expect(namesOf(rich)).toEqual(possible.toSorted())
}
