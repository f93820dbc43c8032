import type { Migration } from 'kysely'
import { up as projectsAndKeys } from './migration/001-projects-and-keys.ts'
import { up as persons } from './migration/002-persons.ts'
import { up as flags } from './migration/003-flags.ts'
import { up as inboxMark } from './migration/004-inbox-mark.ts'
import { up as flagManagement } from './migration/005-flag-management.ts'
import { up as hashKeys } from './migration/006-hash-keys.ts'
import { up as positionsInRows } from './migration/007-positions-in-rows.ts'
import { up as eventQuota } from './migration/008-event-quota.ts'
import { up as surveys } from './migration/009-surveys.ts'
import { up as personRevision } from './migration/010-person-revision.ts'
import { up as people } from './migration/011-people.ts'
import { up as playlists } from './migration/012-playlists.ts'
import { up as insightSettings } from './migration/013-insight-settings.ts'
import { up as insights } from './migration/014-insights.ts'
import { up as exports } from './migration/015-exports.ts'
import { up as positionsOfNodes } from './migration/016-positions-of-nodes.ts'
import { up as embeddedEvents } from './migration/018-embedded-events.ts'
import { up as nodesOfExports } from './migration/019-nodes-of-exports.ts'
import { up as publicIdsOfPersons } from './migration/020-public-ids-of-persons.ts'
import { up as changesOfPersons } from './migration/021-changes-of-persons.ts'

/**
 * All migrations by name; they run in the order of their names. Never change a released migration.
 *
 * Nodes are upgraded one after the other, so the version before works with the tables after a migration: it only adds tables, and columns that
 * have a default or may be null. What is not used any more is removed in a later release. One that must do more has `-breaking-` in its
 * name: nodes of earlier versions then do not start, and the release notes say that all nodes must be stopped (`migrate-postgres.ts`).
 */
export const migrations: Record<string, Migration> = {
  '001-projects-and-keys': { up: projectsAndKeys },
  '002-persons': { up: persons },
  '003-flags': { up: flags },
  '004-inbox-mark': { up: inboxMark },
  '005-flag-management': { up: flagManagement },
  '006-hash-keys': { up: hashKeys },
  '007-positions-in-rows': { up: positionsInRows },
  '008-event-quota': { up: eventQuota },
  '009-surveys': { up: surveys },
  '010-person-revision': { up: personRevision },
  '011-people': { up: people },
  '012-playlists': { up: playlists },
  '013-insight-settings': { up: insightSettings },
  '014-insights': { up: insights },
  '015-exports': { up: exports },
  '016-positions-of-nodes': { up: positionsOfNodes },
  // 017 is a migration of PostgreSQL alone (`migrate-postgres.ts`).
  '018-embedded-events': { up: embeddedEvents },
  '019-nodes-of-exports': { up: nodesOfExports },
  '020-public-ids-of-persons': { up: publicIdsOfPersons },
  '021-changes-of-persons': { up: changesOfPersons },
}
