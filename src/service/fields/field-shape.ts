import type { JsonObject } from '../../wire/json.ts'

/** The fields that an object may have. */
export interface ObjectShape {
  /** Field to what its value may contain. */
  readonly fields: Readonly<Record<string, ValueShape>>
  /** Whether a field of another name is one of the protocol without an effect here, and so no mistake. Default: none is. */
  readonly isIgnored?: (name: string, object: JsonObject) => boolean
  /** Names that authors use for a field, in plain letters (`rolloutpercent`), to what they must write instead. */
  readonly synonyms?: ReadonlyMap<string, string>
}

/** What a value may contain. Null: anything. */
export type ValueShape =
  | null
  | ObjectShape
  | { readonly items: ValueShape }
  /** An object whose names are data. */
  | { readonly values: ValueShape }
  /** The shape depends on the value, an object or an array. */
  | { readonly choose: (value: JsonObject | readonly unknown[]) => ValueShape }
