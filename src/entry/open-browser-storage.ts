import { mergeSharedState, toSharedState } from '../capture/shared-state.ts'
import { SPILL_PREFIX } from '../capture/spill.ts'
import { STATE_STORAGE_KEY } from '../capture/state.ts'
import { createBrowserKeyValue } from '../platform/browser/key-value.ts'
import type { BrowserKeyValue, KeyValueOptions } from '../platform/browser/key-value.ts'
import { once } from '../lib/once.ts'

/** Opens the synchronous store of one project in this browser. @param prefix Begins all keys. */
export const openBrowserStorage = (
  prefix: string,
  options: KeyValueOptions,
  warn: (message: string) => void,
): BrowserKeyValue => {
  const warnOnce = once(warn)
  return createBrowserKeyValue(
    prefix,
    options,
    {
      key: STATE_STORAGE_KEY,
      toShared: (json) =>
        toSharedState(json, () => warnOnce('cookie without groups and super properties: more than 1 KB')),
      merge: mergeSharedState,
    },
    SPILL_PREFIX,
    warn,
  )
}
