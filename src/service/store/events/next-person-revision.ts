import type { PersonCopyUpdate } from './event-store.ts'

/**
 * The revision of a store's persons after an update. Only one that replaces all of them makes it lower, so that the next start notices metadata
 * that have forgotten changes.
 *
 * @param current That before.
 */
export const nextPersonRevision = (
  { revision, replacesAll = false }: Pick<PersonCopyUpdate, 'revision' | 'replacesAll'>,
  current: number,
): number => (replacesAll ? (revision ?? current) : Math.max(revision ?? 0, current))
