import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../src/wire/json.ts'

/** A golden wire body of `test/vector/`, which agent and service must both match. */
export const vector = (name: string): JsonObject => {
  const body: JsonObject = JSON.parse(readFileSync(new URL(`../vector/${name}.json`, import.meta.url), 'utf8'))
  return body
}
