import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FlagDefinitionCacheProvider } from '../../../../src/flags/node/definitions/cache-provider.ts'
import { tempFolder } from '../../../service/support/temp-folder.ts'
import { feedOf, found, loaderBed } from './loader-bed.ts'
import type { LoaderBed } from './loader-bed.ts'

/** The README's own. */
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

it('agents that share a file: one asks the service, all have what it was answered', async () => {
  const path = join(tempFolder(), 'flags.json')
  const flagDefinitionCacheProvider = inFile(path)
  const [first, second, third] = ['a', 'b', 'c'].map((key) =>
    loaderBed([found(feedOf(key))], { flagDefinitionCacheProvider }),
  ) as [LoaderBed, LoaderBed, LoaderBed]
  const requests = (): number[] => [first, second, third].map((bed) => bed.requests.length)

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
