import { expect, test } from 'vitest'
import { mostConnections, openFilesLimit } from '../../../src/service/http/most-connections.ts'

test.each([
  [null, 8192],
  [1_048_576, 8192],
  [8192, 7936],
  [1024, 768],
  [256, 128],
])('leaves descriptors for the rest of the process: of %s, %s go to connections', (openFiles, connections) => {
  expect(mostConnections(openFiles)).toBe(connections)
})

test('knows how many descriptors the process may have', () => {
  expect(openFilesLimit()).toBeGreaterThan(100)
})
