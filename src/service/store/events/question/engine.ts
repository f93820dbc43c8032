import type { ConditionDialect } from '../../../insight/filter/sql/condition-dialect.ts'
import type { DateRange } from '../../../insight/time/date-range.ts'

/** How SELECTs over the tables `events`, `persons`, `person_distinct_ids` and `groups` are written for an engine. */
export interface Engine extends ConditionDialect {
  /** A time as a constant of the type of times. */
  readonly time: (milliseconds: number) => string
  /** Milliseconds since 1970 of a time. */
  readonly milliseconds: (time: string) => string
  /** A condition on the timestamp of an event in the table `events`. */
  readonly dateRange: (range: DateRange) => string
  /** The whole part of a quotient. */
  readonly divide: (dividend: string, divisor: number) => string
  /** Bytes of a text in UTF-8. */
  readonly byteLength: (text: string) => string
  /** The first characters (code points) of a text. */
  readonly cutText: (text: string, characters: number) => string
  /** A text as a number; NULL for one that is not a number, or beyond the range of a double. */
  readonly toNumber: (text: string) => string
  /** An id as text, in the order of texts. */
  readonly idText: (id: string) => string
  /** What the ids of a table are ordered by, so that they are in the order of their texts. */
  readonly idOrder: (id: string) => string
  /** The value of an expression, which is never NULL, of the first event of a group. */
  readonly ofFirstEvent: (expression: string) => string
  /** Whether a condition is true for a row of a group. */
  readonly some: (condition: string) => string
  /** Whether a text, in lower case, contains another one. */
  readonly contains: (text: string, part: string) => string
  /** A SELECT of a column `actor` with these ids. */
  readonly selectIds: (ids: readonly string[], areUuids: boolean) => SqlWithParameters
  /** What `applyRule` writes for a URL. */
  readonly cutUrl: (text: string) => string
  /** Evaluates an expression once, and `body` with its value as `name`. */
  readonly bind: (expression: string, name: string, body: string) => string
  readonly quoteNumber: (number: number) => string
  /** A NULL of the type of strings. */
  readonly nullText: string
  /** The clause that joins the persons of events as `person`. */
  readonly joinPersons: string
  /** The clause that joins the groups of events as a table with a name. `key`: SQL for the key of an event. */
  readonly joinGroups: (name: string, type: string, key: string) => string
  /** SQL for a string of any length, whose value is a parameter or in the SQL. */
  readonly bindString: (value: string, parameters: Record<string, string>) => string
  /** A number of the person of an event, which is shorter than its id, if the engine has one; else the id. */
  readonly personKey: string
}

export interface SqlWithParameters {
  readonly sql: string
  readonly parameters: Readonly<Record<string, string>>
}
