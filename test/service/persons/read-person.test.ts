import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createReadPerson, readPerson } from '../../../src/service/persons/read-person.ts'
import { delayAnswers } from '../support/delay-answers.ts'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import { savePersons } from '../../../src/service/store/metadata/persons.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'

const PERSONS = 100

let metadata: Metadata
let projects: readonly [number, number]

/** In each project, person `p-<n>` has the distinct id `user-<n>` and a property with its project. */
beforeEach(async () => {
  metadata = await openTestMetadata()
  const [first, second] = [await createProject(metadata, 'Shop', 1000), await createProject(metadata, 'Blog', 1000)]
  projects = [first.id, second.id]
  const numbers = Array.from({ length: PERSONS }, (_, n) => n)
  for (const project of projects)
    await savePersons(metadata, project, {
      persons: numbers.map((n) => ({ id: `p-${n}`, properties: { n, project }, createdAt: 1000, isIdentified: true })),
      newDistinctIds: numbers.map((n) => [`user-${n}`, `p-${n}`]),
      merges: [],
    })
})
afterEach(() => metadata.destroy())

it('reads one person, and undefined for an unknown id', async () => {
  expect(await readPerson(metadata, projects[1], 'user-7')).toEqual({
    id: 'p-7',
    properties: { n: 7, project: projects[1] },
  })
  expect(await readPerson(metadata, projects[1], 'unknown')).toBeUndefined()
})

describe('reading many persons at once', () => {
  it('resolves each call with the person of its project, also beyond one batch', async () => {
    const read = createReadPerson(metadata)
    const calls = [0, 1].flatMap((index) => Array.from({ length: PERSONS + 20 }, (_, n) => [index, n % 110] as const))
    const persons = await Promise.all(calls.map(([index, n]) => read(projects[index]!, `user-${n}`)))
    expect(persons).toEqual(
      calls.map(([index, n]) =>
        n < PERSONS ? { id: `p-${n}`, properties: { n, project: projects[index]! } } : undefined,
      ),
    )
  })

  it('sees changes that were written before the call', async () => {
    const read = createReadPerson(metadata)
    const before = await read(projects[0], 'user-1')
    await savePersons(metadata, projects[0], {
      persons: [{ id: 'p-1', properties: { plan: 'pro' }, createdAt: 1000, isIdentified: true }],
      newDistinctIds: [],
      merges: [],
    })
    expect(before?.properties).toMatchObject({ n: 1 })
    expect((await read(projects[0], 'user-1'))?.properties).toEqual({ plan: 'pro' })
  })

  it('rejects the calls of one batch when the metadata cannot be read', async () => {
    const read = createReadPerson(metadata)
    await metadata.schema.alterTable('persons').renameTo('away').execute()
    const failed = await Promise.allSettled([read(projects[0], 'user-1'), read(projects[0], 'user-2')])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await metadata.schema.alterTable('away').renameTo('persons').execute()
    expect(await read(projects[0], 'user-1')).toMatchObject({ id: 'p-1' })
  })
})

it('rejects when the metadata does not answer within a second', async () => {
  const { metadata: hanging, hang, answer } = delayAnswers(metadata)
  hang()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const read = expect(createReadPerson(hanging)(projects[0], 'user-1')).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  // The read begins at the end of this turn.
  await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(1000)
  await read
  answer()
})
