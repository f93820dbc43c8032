import type { PostHogConfig } from './posthog.ts'

/** Replaces the characters of a project key that posthog-js does not use in a name. */
const REPLACED: Readonly<Record<string, string>> = { '+': 'PL', '/': 'SL', '=': 'EQ' }

/** The key in localStorage, and the name of the cookie, under which posthog-js stores a visitor. */
export const getVisitorName = (apiKey: string, { persistence_name: name }: PostHogConfig): string =>
  `ph_${name || `${apiKey.replace(/[+/=]/g, (character) => REPLACED[character]!)}_posthog`}`

/** The same for the visitor's decision about consent. */
export const getConsentName = (
  apiKey: string,
  { consent_persistence_name: name, opt_out_capturing_cookie_prefix: prefix }: PostHogConfig,
): string => name || (prefix || '__ph_opt_in_out_') + apiKey
