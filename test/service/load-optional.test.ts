import { expect, test } from 'vitest'
import { StartError } from '../../src/service/data-folder.ts'
import { loadOptional } from '../../src/service/load-optional.ts'

test('says what to install when a package is missing', async () => {
  await expect(loadOptional('waymark-no-such-package', '--metadata postgres://…')).rejects.toThrow(
    new StartError(
      '--metadata postgres://… needs the package waymark-no-such-package. Install it beside waymark-service: npm install waymark-no-such-package',
    ),
  )
})

test('loads a package that is there', async () => {
  expect(await loadOptional<{ join: unknown }>('node:path', 'A test')).toHaveProperty('join')
})
