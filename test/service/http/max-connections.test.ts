import { expect, test } from 'vitest'
import { maxConnections, readOpenFilesLimit } from '../../../src/service/http/max-connections.ts'

test.each([
  [null, 8192],
  [1_048_576, 8192],
  [8192, 7936],
  [1024, 768],
  [256, 128],
])('allows, of %s file descriptors, %s connections', (openFiles, connections) => {
  expect(maxConnections(openFiles)).toBe(connections)
})

test('reads the limit of file descriptors of this process', () => {
  expect(readOpenFilesLimit()).toBeGreaterThan(100)
})
