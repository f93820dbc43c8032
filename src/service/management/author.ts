import type { FastifyRequest } from 'fastify'
import { getCaller } from '../auth/request-access.ts'
import type { Author, SavedItem } from '../store/metadata/saved-items.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { User } from '../store/metadata/users.ts'
import { loadUsers } from '../store/metadata/users.ts'

/** Who changes something with this request. @param now Milliseconds since 1970. */
export const authorOf = (request: FastifyRequest, now: number): Author => ({ userId: getCaller(request).user.id, now })

/** The users who created and last changed some items, by id; users that were removed are missing. */
export const loadAuthors = (
  metadata: Metadata,
  items: readonly Pick<SavedItem, 'createdBy' | 'lastModifiedBy'>[],
): Promise<ReadonlyMap<number, User>> => {
  const ids = items.flatMap(({ createdBy, lastModifiedBy }) => [createdBy, lastModifiedBy])
  return loadUsers(metadata, [...new Set(ids.filter((id) => id !== null))])
}
