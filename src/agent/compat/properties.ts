/** A value of a property. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in posthog-js, so that typed pages compile without a change
export type Property = any

/** Properties of events, persons and groups. */
export type Properties = Record<string, Property>

/** A payload of a flag. */
export type JsonType = string | number | boolean | null | undefined | { [name: string]: JsonType } | JsonType[]
