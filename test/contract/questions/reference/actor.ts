import type { Actor } from '../../../../src/service/insight/question/subject.ts'
import type { WorldEvent } from '../world.ts'

/** Who an event counts for; null for an event without one. */
export const actorOf = (actor: Actor, { personId, groups, properties }: WorldEvent): string | null => {
  if (actor.of === 'person') return personId
  if (actor.of === 'group') return groups[actor.type] ?? null
  return typeof properties['$session_id'] === 'string' && properties['$session_id'] !== ''
    ? properties['$session_id']
    : null
}
