import { MAX_SHOWN_DISTINCT_IDS, MAX_SHOWN_VALUE_BYTES } from '../../../../wire/bounds.ts'
import type { JsonObject } from '../../../../wire/json.ts'
import type { GroupRecord, PersonRecord } from '../../../insight/question/actors.ts'
import type { Engine } from './engine.ts'
import type { Select } from './select.ts'

/** Bytes of the ids in one SELECT, which has at most 64 KiB. */
const MAX_ID_BYTES = 48 * 1024

/** Divides ids into parts that fit in one SELECT each. */
const divideIds = (ids: readonly string[], { quoteString }: Engine): readonly (readonly string[])[] => {
  const parts: string[][] = []
  let bytes = Infinity
  for (const id of ids) {
    const length = Buffer.byteLength(quoteString(id)) + ', '.length
    bytes += length
    if (bytes > MAX_ID_BYTES) {
      parts.push([])
      bytes = length
    }
    parts.at(-1)!.push(id)
  }
  return parts
}

const readInParts = async <Row>(
  ids: readonly string[],
  engine: Engine,
  read: (part: readonly string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> => {
  const rows: Row[] = []
  for (const part of divideIds(ids, engine)) rows.push(...(await read(part)))
  return rows
}

const writeList = (ids: readonly string[], { quoteString }: Engine): string => `(${ids.map(quoteString).join(', ')})`

/** Parses a column of properties. */
export const parseProperties = (json: unknown): JsonObject => JSON.parse(String(json)) as JsonObject

/** Brings rows into the order of their ids. */
const sortByIds = <Row>(ids: readonly string[], rows: ReadonlyMap<string, Row>): readonly Row[] =>
  ids.flatMap((id) => rows.get(id) ?? [])

/** Reads what is known of persons, in the order of the ids. One who is not known is left out. */
export const readPersons = (ids: readonly string[], select: Select, engine: Engine): Promise<readonly PersonRecord[]> =>
  readInParts(ids, engine, (part) => readSomePersons(part, select, engine))

/** The distinct ids that are shown of each person. Those of persons with more are read one person at a time, so that memory is bounded. */
const readDistinctIds = async (
  ids: readonly string[],
  select: Select,
  engine: Engine,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const person = engine.idText('person_id')
  const found = new Map<string, string[]>(ids.map((id) => [id, []]))
  const read = async (part: readonly string[], limit = ''): Promise<void> => {
    if (part.length === 0) return
    const rows = await select(
      `SELECT ${person}, ${engine.cutText('distinct_id', MAX_SHOWN_VALUE_BYTES)} FROM person_distinct_ids WHERE person_id IN ${writeList(part, engine)} ORDER BY distinct_id ${limit}`,
    )
    for (const [id, distinctId] of rows) found.get(String(id))?.push(String(distinctId))
  }
  const crowdedRows = await select(
    `SELECT ${person} FROM person_distinct_ids WHERE person_id IN ${writeList(ids, engine)} GROUP BY person_id HAVING count(*) > ${MAX_SHOWN_DISTINCT_IDS}`,
  )
  const crowded = new Set(crowdedRows.map(([id]) => String(id)))
  await read(ids.filter((id) => !crowded.has(id)))
  for (const id of crowded) await read([id], `LIMIT ${MAX_SHOWN_DISTINCT_IDS}`)
  return found
}

const readSomePersons = async (
  ids: readonly string[],
  select: Select,
  engine: Engine,
): Promise<readonly PersonRecord[]> => {
  const { idText, milliseconds } = engine
  const list = writeList(ids, engine)
  const distinctIds = await readDistinctIds(ids, select, engine)
  const rows = await select(
    `SELECT ${idText('persons.id')}, properties, is_identified, ${milliseconds('created_at')} FROM persons WHERE persons.id IN ${list}`,
  )
  return sortByIds(
    ids,
    new Map(
      rows.map(([id, properties, isIdentified, createdAt]) => [
        String(id),
        {
          of: 'person' as const,
          id: String(id),
          properties: parseProperties(properties),
          isIdentified: isIdentified === true,
          createdAt: Number(createdAt),
          distinctIds: distinctIds.get(String(id))!,
        },
      ]),
    ),
  )
}

/** Reads what is known of groups, in the order of the keys. One that was never described is left out. */
export const readGroups = (
  type: string,
  keys: readonly string[],
  select: Select,
  engine: Engine,
): Promise<readonly GroupRecord[]> => readInParts(keys, engine, (part) => readSomeGroups(type, part, select, engine))

const readSomeGroups = async (
  type: string,
  keys: readonly string[],
  select: Select,
  engine: Engine,
): Promise<readonly GroupRecord[]> => {
  const rows = await select(
    `SELECT group_key, properties, ${engine.milliseconds('created_at')} FROM groups ` +
      `WHERE group_type = ${engine.quoteString(type)} AND group_key IN ${writeList(keys, engine)}`,
  )
  return sortByIds(
    keys,
    new Map(
      rows.map(([key, properties, createdAt]) => [
        String(key),
        {
          of: 'group' as const,
          type,
          key: String(key),
          properties: parseProperties(properties),
          createdAt: Number(createdAt),
        },
      ]),
    ),
  )
}
