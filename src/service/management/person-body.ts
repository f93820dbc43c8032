import type { Static } from 'typebox'
import type { PersonRecord } from '../insight/question/actors.ts'
import { isNonEmptyString } from '../../wire/is-non-empty-string.ts'
import { isUuid } from '../../codec/uuid.ts'
import { toIsoTime } from '../to-iso-time.ts'
import type { PersonSchema } from './schema/person.ts'

/** Properties that people recognise a person by, the best first. */
const NAME_PROPERTIES = ['email', 'name', 'username']

const nameOf = ({ id, properties, distinctIds }: Omit<PersonRecord, 'of'>): string => {
  for (const key of NAME_PROPERTIES) {
    const value = properties[key]
    if (isNonEmptyString(value)) return value
  }
  // Agents make up UUIDs.
  return distinctIds.find((each) => !isUuid(each)) ?? distinctIds[0] ?? id
}

/** A person in the form of the management API. */
export const toPersonBody = (person: Omit<PersonRecord, 'of'>): Static<typeof PersonSchema> => ({
  id: person.id,
  uuid: person.id,
  name: nameOf(person),
  distinct_ids: [...person.distinctIds],
  properties: { ...person.properties },
  is_identified: person.isIdentified,
  created_at: toIsoTime(person.createdAt),
})
