// oxlint-disable typescript/no-redundant-type-constituents -- the interfaces are empty here, but not in programs of users

import type { FlagValue } from './decide.ts'

declare global {
  /**
   * The flags of your project: keys, with the types of their values. Declare them in a file of your own, or with `waymark types`. Then verbs
   * that read a flag refuse other keys at compile time, and return these types. Without a declaration, all keys are allowed.
   *
   * @example
   * interface WaymarkFlags {
   *   beta: boolean
   *   hero: 'calm' | 'bold' | false
   * }
   */
  interface WaymarkFlags {}

  /** The payloads of flags: keys, with the types of the parsed payloads. A payload that is not declared here is `unknown`. */
  interface WaymarkFlagPayloads {}
}

/** The key of a flag that may be read. */
export type FlagKey = keyof WaymarkFlags extends never ? string : keyof WaymarkFlags & string

/** The value of a flag, when it has one. */
export type FlagValueOf<Key extends FlagKey> = keyof WaymarkFlags extends never
  ? FlagValue
  : WaymarkFlags[Key & keyof WaymarkFlags]

/** The parsed payload of a flag; undefined when it has none. */
export type FlagPayloadOf<Key extends FlagKey> = keyof WaymarkFlagPayloads extends never
  ? unknown
  : Key extends keyof WaymarkFlagPayloads
    ? WaymarkFlagPayloads[Key] | undefined
    : unknown

/** Values of several flags, by key. */
export type FlagValues = keyof WaymarkFlags extends never
  ? Record<string, FlagValue>
  : { [Key in keyof WaymarkFlags]?: WaymarkFlags[Key] }
