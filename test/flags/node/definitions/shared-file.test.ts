import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FlagDefinitionCacheProvider } from '../../../../src/flags/node/definitions/cache-provider.ts'
import { createTempFolder } from '../../../service/support/temp-folder.ts'
import { definitionsOf, okResponse, loaderFixture } from './loader-fixture.ts'
import type { LoaderFixture } from './loader-fixture.ts'

/** The example of the README. */
const inFile = (path: string): FlagDefinitionCacheProvider => ({
  shouldFetchFlagDefinitions: async () => {
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => Infinity,
    )
    if (age < 25_000) return false
    await utimes(path, new Date(), new Date()).catch(() => {})
    return true
  },
  getFlagDefinitions: async () => JSON.parse(await readFile(path, 'utf8').catch(() => 'null')),
  onFlagDefinitionsReceived: async (definitions) => {
    await writeFile(`${path}.${process.pid}`, JSON.stringify(definitions))
    await rename(`${path}.${process.pid}`, path)
  },
  shutdown: () => {},
})

it('agents that share a file use the response of one request', async () => {
  const path = join(createTempFolder(), 'flags.json')
  const flagDefinitionCacheProvider = inFile(path)
  const [first, second, third] = ['a', 'b', 'c'].map((key) =>
    loaderFixture([okResponse(definitionsOf(key))], { flagDefinitionCacheProvider }),
  ) as [LoaderFixture, LoaderFixture, LoaderFixture]
  const requests = (): number[] => [first, second, third].map((fixture) => fixture.requests.length)

  for (const { loader, keys } of [first, second, third]) {
    await loader.reload()
    expect(keys()).toEqual(['a'])
  }
  expect(requests()).toEqual([1, 0, 0])

  const longAgo = new Date(Date.now() - 26_000)
  await utimes(path, longAgo, longAgo)
  for (const { loader, keys } of [second, first, third]) {
    await loader.reload()
    expect(keys()).toEqual(['b'])
  }
  expect(requests()).toEqual([1, 1, 0])
})
