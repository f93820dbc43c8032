import { createInitialState } from '../../capture/state.ts'
import type { Consent, State } from '../../capture/state.ts'
import { CAMPAIGN_PARAMETER } from '../../lib/campaign-parameter.ts'
import { MAX_GROUP_KEY_CHARACTERS } from '../../wire/bounds.ts'
import { idToString } from '../../wire/id-to-string.ts'
import { isNewId } from '../../wire/is-new-id.ts'
import { parseJson } from '../../wire/parse-json.ts'

/** What posthog-js stores in place of an id for a visitor that it must not recognise. */
const COOKIELESS_ID = '$posthog_cookieless'

/** Names of what posthog-js stores for itself. Everything else is a property that the page has registered. */
const INTERNAL_NAME = /^(\$|__|(distinct_id|ph_product_tours)$)/

type Stored = Readonly<Record<string, unknown>>

const asObject = (value: unknown): Stored =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Stored) : {}

/** Parses the decision of a visitor as posthog-js stores it: true for an opt-in, undefined without a decision. */
export const parseConsent = (stored: string | null | undefined): boolean | undefined => {
  const match = /^"?(?:(1|true|yes)|0|false|no)"?$/.exec(stored ?? '')
  return match ? !!match[1] : undefined
}

/**
 * Reads what posthog-js has stored of a visitor: ids, registered properties, groups, and whether the visitor was identified. Undefined when
 * nothing is known, also no decision about consent. What is not JSON counts as missing.
 *
 * @param copies The stored strings; members of later ones win.
 * @param consent The visitor's decision, or the default of the site.
 * @param newId For what is missing.
 */
export const readVisitor = (
  copies: readonly (string | null | undefined)[],
  consent: Consent,
  newId: string,
): State | undefined => {
  // An empty string is not parsed, because the first exception of a page takes long on a slow phone.
  const stored: Stored = Object.assign(
    Object.create(null),
    ...copies.map((copy) => asObject(parseJson(copy || 'null'))),
  )
  const { distinct_id, $device_id: deviceId, $user_state, $epp, $groups, __alias } = stored
  // Older versions of posthog-js store a number as it is.
  const distinctId = idToString(distinct_id)
  // The first revision would be that of a visitor who has decided nothing, which is not stored while opted out.
  const newVisitor = { ...createInitialState(newId, consent), revision: 2 }
  if (!isNewId(distinctId) || distinctId === COOKIELESS_ID) return typeof consent === 'boolean' ? newVisitor : undefined

  const isIdentified = $user_state === 'identified'
  const firstId = isNewId(deviceId) ? deviceId : isIdentified ? newId : distinctId
  const groups = Object.fromEntries(
    Object.entries(asObject($groups))
      .map(([type, key]) => [type, String(key)] as const)
      .filter(([type, key]) => type.length <= MAX_GROUP_KEY_CHARACTERS && isNewId(key)),
  )
  return {
    ...newVisitor,
    distinctId,
    anonymousId: isIdentified ? firstId : distinctId,
    deviceId: firstId,
    isIdentified,
    hasProfile: isIdentified || !!$epp || !!__alias || !!Object.keys(groups).length,
    superProperties: Object.fromEntries(
      Object.entries(stored).filter(
        // Parameters of an earlier page would hide those of later ones.
        ([name, value]) => value !== null && !INTERNAL_NAME.test(name) && !CAMPAIGN_PARAMETER.test(name),
      ),
    ),
    groups,
  }
}
