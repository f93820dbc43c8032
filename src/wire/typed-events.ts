// oxlint-disable typescript/no-redundant-type-constituents -- the interfaces are empty here, but not in programs of users

declare global {
  /**
   * The events of your project: names, with the types of their properties. Declare them in a file of your own, or with `waymark types`. Then
   * `capture()` refuses other names and properties at compile time. Names that begin with `$` stay free, because the protocol has them. Without a
   * declaration, all names and properties are allowed.
   *
   * @example
   * interface WaymarkEvents {
   *   'signed up': { plan: 'free' | 'pro' }
   * }
   */
  interface WaymarkEvents {}
}

/** The name of an event that may be captured. */
export type EventKey = keyof WaymarkEvents extends never ? string : (keyof WaymarkEvents & string) | `$${string}`

/** The properties of an event: a plain object. The type also accepts interfaces. */
export type PropertiesOf<Name extends EventKey> = keyof WaymarkEvents extends never
  ? object
  : Name extends keyof WaymarkEvents
    ? WaymarkEvents[Name] | (WaymarkEvents[Name] & ProtocolProperties)
    : object

/** Properties that the protocol gives a meaning, such as `$set`; every event may have them. */
type ProtocolProperties = { readonly [name: `$${string}`]: unknown }

/** `Optional` for an event whose properties may all be missing, else `Required`. */
export type IfOptional<Name extends EventKey, Optional, Required> = {} extends PropertiesOf<Name> ? Optional : Required
