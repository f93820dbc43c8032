import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findNodeId, readNodeId } from '../../src/service/read-node-id.ts'
import { createTempFolder } from './support/temp-folder.ts'

test('gives a folder an id once', () => {
  const folder = createTempFolder()
  expect(findNodeId(folder)).toBeNull()
  const id = readNodeId(folder)
  expect(readFileSync(join(folder, 'node-id'), 'utf8')).toBe(`${id}\n`)
  expect([findNodeId(folder), readNodeId(folder)]).toEqual([id, id])
  expect(readNodeId(createTempFolder())).not.toBe(id)
})

test('refuses a damaged id instead of becoming another node', () => {
  const folder = createTempFolder()
  writeFileSync(join(folder, 'node-id'), '')
  expect(() => readNodeId(folder)).toThrow('has no node id. Restore it from your backup')
})
