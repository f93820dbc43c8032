/**
 * Ids that programs send when they have none. Persons and groups are never merged by them: that would make one person of all users.
 * A pair of quotes around an id does not make it another one.
 */
const PLACEHOLDER_ID =
  /^[\s\0]*["']?(anonymous|guest|none|null|undefined|nan|nil|id|distinct_?id|email|true|false|0|not_authenticated|\[object object])?["']?[\s\0]*$/i

/** Whether an id can name a person or a group. False for blank ids and placeholders such as `null` and `[object Object]`. */
export const isMergeableId = (id: unknown): id is string => typeof id === 'string' && !PLACEHOLDER_ID.test(id)
