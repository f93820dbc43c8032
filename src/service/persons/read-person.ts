import type { JsonObject } from '../../wire/json.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { loadPersons } from '../store/metadata/persons.ts'

/** Reads who is behind a distinct id, or undefined when nobody is known there. One indexed read. */
export async function readPerson(
  metadata: Metadata,
  projectId: number,
  distinctId: string,
): Promise<{ readonly id: string; readonly properties: JsonObject } | undefined> {
  const { persons } = await loadPersons(metadata, projectId, [distinctId])
  return persons.values().next().value
}
