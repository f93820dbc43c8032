import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** The channel of `LISTEN` on which each change is told, with the id of its project. */
export const CHANGES_CHANNEL = 'waymark_changes'

/** Tables whose rows processes keep in memory, with the column of the project. A change of flags also changes `flag_settings`. */
const WATCHED_TABLES = { projects: 'id', flag_settings: 'project_id', surveys: 'project_id' } as const

/** Tells of each change by any process, when its transaction commits. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql
    .raw(
      `create function waymark_notify_change() returns trigger language plpgsql as $$
      begin
        perform pg_notify('${CHANGES_CHANNEL}', to_jsonb(coalesce(new, old)) ->> tg_argv[0]);
        return null;
      end $$`,
    )
    .execute(db)
  for (const [table, column] of Object.entries(WATCHED_TABLES))
    await sql
      .raw(
        `create trigger waymark_notify_change after insert or update or delete on ${table}
        for each row execute function waymark_notify_change('${column}')`,
      )
      .execute(db)
}
