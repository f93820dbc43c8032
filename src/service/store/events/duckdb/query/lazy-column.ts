import type { DuckDBType, DuckDBValue } from '@duckdb/node-api'
import { DuckDBStructType, DuckDBStructValue } from '@duckdb/node-api'
import { withoutLines } from '../../properties-in-lines.ts'

/** A column of which the views of a query (`query-views.ts`) have no value but a struct, whose first field says where the value is. */
export type LazyColumn = 'properties' | 'distinct_id' | 'person_id'

const LAZY_COLUMNS: readonly string[] = ['properties', 'distinct_id', 'person_id'] satisfies LazyColumn[]

export const isLazyColumn = (name: string): name is LazyColumn => LAZY_COLUMNS.includes(name)

/**
 * What the first field of the struct is. It is recognised in the result by its name, and the value is read for the rows of the result
 * alone (`resolve-lazy-values.ts`). `json`: the value itself, for persons and groups.
 */
export type LazyForm = 'row of properties' | 'json' | 'number of distinct_id' | 'number of person_id'

const FORMS: Readonly<Record<LazyForm, { readonly marker: string; readonly type: string }>> = {
  'row of properties': { marker: 'waymark: row of the event with these properties', type: 'JSON' },
  json: { marker: 'waymark: properties as JSON', type: 'JSON' },
  'number of distinct_id': { marker: 'waymark: number of the distinct id', type: 'VARCHAR' },
  'number of person_id': { marker: "waymark: number of the person's distinct id", type: 'UUID' },
}

const LAZY_FORMS = Object.keys(FORMS) as readonly LazyForm[]

/** SQL for the struct: its first value, and further fields as `name := value`. */
export const lazyColumnSql = (form: LazyForm, first: string, fields: readonly string[] = []): string =>
  `struct_pack(${[`"${FORMS[form].marker}" := ${first}`, ...fields].join(', ')})`

/** The form of a type that is the struct; null for any other type. */
export const lazyFormOf = (type: DuckDBType): LazyForm | null => {
  const first = type instanceof DuckDBStructType ? type.entryNames[0] : undefined
  return LAZY_FORMS.find((form) => FORMS[form].marker === first) ?? null
}

/** Whether a type contains such a struct somewhere. */
export const containsLazyForm = (type: DuckDBType): boolean => {
  const text = type.toString()
  return LAZY_FORMS.some((form) => text.includes(FORMS[form].marker))
}

/** The type of the values that are returned. */
export const typeOfLazy = (form: LazyForm | null): string | null => (form === null ? null : FORMS[form].type)

/** The first field of a struct; any other value as it is. */
export const readLazyValue = (value: DuckDBValue, form: LazyForm | null): DuckDBValue => {
  if (form === null || !(value instanceof DuckDBStructValue)) return value
  const first = value.entries[FORMS[form].marker]!
  return form === 'json' && typeof first === 'string' ? withoutLines(first) : first
}
