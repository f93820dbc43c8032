import type { Metadata } from '../store/metadata/open.ts'
import { loadPerson, type StoredProperties } from '../store/metadata/persons.ts'

/** Reads who is behind a distinct id, or undefined when nobody is known there. One indexed read. */
export function readPerson(
  metadata: Metadata,
  projectId: number,
  distinctId: string,
): Promise<StoredProperties | undefined> {
  return loadPerson(metadata, projectId, distinctId)
}
