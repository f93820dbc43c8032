/** The name of events that a project has. Times are milliseconds since 1970. */
export interface EventName {
  readonly name: string
  /** Number of events. */
  readonly count: number
  readonly firstSeen: number
  readonly lastSeen: number
}

/** Whose properties are listed. */
export type PropertyOwner =
  | { readonly of: 'event' }
  | { readonly of: 'person' }
  | { readonly of: 'group'; readonly type: string }

/** What the values of a property are; `mixed` for values of several types, lists and objects. */
export type PropertyType = 'text' | 'number' | 'boolean' | 'time' | 'mixed'

/** A property that some of the newest events, persons or groups have. */
export interface PropertyName {
  readonly name: string
  readonly type: PropertyType
}
