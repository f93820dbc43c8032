import { expect, it, onTestFinished } from 'vitest'
import { compileOnce, executeWith, padIds } from '../../../../src/service/store/metadata/compile-once.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'

it('compiles once for each size and runs with other parameters', async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  for (const name of ['one', 'two', 'three']) await createProject(metadata, name, 0)
  const sizes: number[] = []
  const compile = compileOnce((database, size) => {
    sizes.push(size)
    return database
      .selectFrom('projects')
      .select('name')
      .where('name', 'in', Array<string>(size).fill(''))
      .orderBy('id')
  })
  const find = async (...names: string[]) =>
    (await executeWith(metadata, compile(metadata, names.length), names)).map(({ name }) => name)
  expect(await find('three', 'one')).toEqual(['one', 'three'])
  expect(await find('two', 'none')).toEqual(['two'])
  expect(await find('two')).toEqual(['two'])
  expect(sizes).toEqual([2, 1])
})

it('repeats the last id until there are as many as a power of two', () => {
  expect(padIds(['a'])).toEqual(['a'])
  expect(padIds(['a', 'b', 'c'])).toEqual(['a', 'b', 'c', 'c'])
  expect(padIds(['a', 'b', 'c', 'd', 'e'])).toEqual(['a', 'b', 'c', 'd', 'e', 'e', 'e', 'e'])
})
