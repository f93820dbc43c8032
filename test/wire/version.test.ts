import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { VERSION } from '../../src/wire/version.ts'

it('VERSION is the version in package.json', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(VERSION).toBe(version)
})
