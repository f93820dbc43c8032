import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Config } from '../../src/service/config.ts'
import { noop } from '../../src/service/noop.ts'
import { openFirstProject } from '../../src/service/open-first-project.ts'
import { listFlags } from '../../src/service/store/metadata/flags.ts'
import { openTestMetadata } from './support/open-test-metadata.ts'
import { createTempFolder } from './support/temp-folder.ts'

test('starts with configured flags that have fields without an effect, and warns of them', async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const flags = join(createTempFolder(), 'flags.json')
  writeFileSync(flags, JSON.stringify([{ key: 'a', enabled: false, notes: 1, filters: { groups: [] } }]))
  for (const _ of [1, 2]) {
    const warnings: string[] = []
    const { id } = await openFirstProject(metadata, { flags } as Config, 1, noop, (warning) => warnings.push(warning))
    expect((await listFlags(metadata, id)).map(({ key }) => key)).toEqual(['a'])
    expect(warnings).toEqual([
      'Flag "a": "enabled" is not a field and has no effect; use "active".',
      'Flag "a": "notes" is not a field and has no effect.',
    ])
  }
})
