/** The values of the protocol for events without the property of a breakdown, and for all values beyond its limit. */
export const MISSING_VALUE = '$$_posthog_breakdown_null_$$'
export const OTHER_VALUES = '$$_posthog_breakdown_other_$$'
